"""What every graph over named nodes has: names, arrows, and the nodes at their other ends.

Who asks with a name is answered with names, who asks with a position with positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import index as as_integer
from typing import Any, SupportsIndex, overload

import numpy as np
from markupsafe import escape
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.names import Node, node_index
from arcs.graphs.order import Order

__all__ = ["NamedGraph", "Nodes"]

Nodes = list[str] | NDArray[np.int64]
"""Several nodes: names, or an array of positions."""


class NamedGraph:
    """Nodes with names, and arrows between them; subclasses set both on construction."""

    __slots__ = ("_arrows", "_names")

    _arrows: NDArray[np.bool_]
    _names: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return self._names

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes, by name."""
        return self._names

    @property
    def p(self) -> int:
        """The number of nodes."""
        return len(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, node: object) -> bool:
        if isinstance(node, str):
            return node in self._names
        try:
            return 0 <= as_integer(node) < len(self._names)  # type: ignore[arg-type]
        except TypeError:
            return False

    @overload
    def parents(self, node: str) -> list[str]: ...
    @overload
    def parents(self, node: SupportsIndex) -> NDArray[np.int64]: ...
    def parents(self, node: Node) -> Nodes:
        """The nodes with an arrow into `node`, sorted: names for a name, positions for one."""
        return self._answer(node, self._arrows[:, node_index(node, self._names)])

    @overload
    def children(self, node: str) -> list[str]: ...
    @overload
    def children(self, node: SupportsIndex) -> NDArray[np.int64]: ...
    def children(self, node: Node) -> Nodes:
        """The nodes that `node` has an arrow to, sorted: names for a name, positions for one."""
        return self._answer(node, self._arrows[node_index(node, self._names)])

    def _answer(self, asked: Node, found: NDArray[np.bool_]) -> Nodes:
        at = np.flatnonzero(found)
        return [self._names[i] for i in at] if isinstance(asked, str) else at

    def _edge_columns(self) -> Mapping[str, Sequence[Any]]:
        """Columns of a table of the edges, for looking at."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from arcs.tables import Table  # which knows graphs

        return f"<p>{escape(repr(self))}</p>{Table(self._edge_columns())._repr_html_()}"

    def _listed_anew(
        self, permutation: Sequence[int] | ArrayLike
    ) -> tuple[NDArray[np.int64], list[str]]:
        """The old nodes in their new order, checked to be all of them, and their names."""
        at = Order(permutation).nodes
        if at.size != self.p:
            raise GraphError(f"a permutation of {at.size} nodes for a graph of {self.p}")
        return at, [self._names[i] for i in at]
