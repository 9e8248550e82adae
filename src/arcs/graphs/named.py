"""What every graph over named nodes has: names, arrows, and the nodes at their other ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.names import Node, node_index
from arcs.graphs.order import Order

__all__ = ["NamedGraph"]


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
    def p(self) -> int:
        """The number of nodes."""
        return len(self._names)

    def parents(self, node: Node) -> NDArray[np.int64]:
        """The nodes with an arrow into `node`, sorted."""
        return np.flatnonzero(self._arrows[:, node_index(node, self._names)])

    def children(self, node: Node) -> NDArray[np.int64]:
        """The nodes that `node` has an arrow to, sorted."""
        return np.flatnonzero(self._arrows[node_index(node, self._names)])

    def _listed_anew(
        self, permutation: Sequence[int] | ArrayLike
    ) -> tuple[NDArray[np.int64], list[str]]:
        """The old nodes in their new order, checked to be all of them, and their names."""
        at = Order(permutation).nodes
        if at.size != self.p:
            raise GraphError(f"a permutation of {at.size} nodes for a graph of {self.p}")
        return at, [self._names[i] for i in at]
