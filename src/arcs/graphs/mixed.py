"""Networks with both kinds of nodes: numbers and categories, linear in numbers and indicators.

Every node has an equation: a number is an intercept plus slopes of its numeric parents plus an
effect of each level of its categorical parents (against the first level); a category has one such
equation for the probability of each of its levels, which is how the score of mixed tables sees it.
These straight lines tell sizes and signs; near 0 and 1 they are no probabilities
(:mod:`arcs.effects.mixed_answers` says what is made of that).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.discrete import Levels
from arcs.graphs.names import Node, check_names, node_index
from arcs.graphs.structure import Dag, order_of

if TYPE_CHECKING:
    from arcs.tables import Table

__all__ = ["MixedDag"]


class MixedDag(Dag):
    """A directed acyclic graph over numbers and categories.

    Parameters
    ----------
    adjacency : array-like of bool, shape (p, p)
    levels : sequence
        The levels of each category, None for numbers.
    equations : sequence of array-like
        Of node j, shape (terms, outputs): a row for the intercept and for every column of its
        parents (see :meth:`terms`), a column for a number, or one for each level.
    names : sequence of str, optional

    Examples
    --------
    >>> dag = MixedDag([[0, 1], [0, 0]], [("f", "m"), None], [[[0.5, 0.5]], [[1.0], [2.0]]],
    ...                ["sex", "height"])
    >>> dag.table("height")
    term         height
    (intercept)       1
    sex=m             2
    """

    __slots__ = ("_equations", "_levels")

    def __init__(
        self,
        adjacency: ArrayLike,
        levels: Sequence[Sequence[str] | None],
        equations: Sequence[ArrayLike],
        names: Sequence[str] | None = None,
    ):
        self._arrows = np.array(adjacency, dtype=bool)
        p = len(self._arrows)
        self._names = check_names(names, p)
        self._order = order_of(self._arrows, self._names)
        self._levels = tuple(None if own is None else tuple(map(str, own)) for own in levels)
        found = []
        for j, given in enumerate(equations):
            matrix = np.array(given, dtype=float)
            own = self._levels[j]
            shape = (len(self.terms(j)), 1 if own is None else len(own))
            if matrix.shape != shape:
                raise GraphError(
                    f"the equation of {self._names[j]!r} must have shape {shape}, not "
                    f"{matrix.shape}"
                )
            matrix.flags.writeable = False
            found.append(matrix)
        if len(found) != p or len(self._levels) != p:
            raise GraphError(f"levels and equations of {p} nodes are needed")
        self._equations = tuple(found)
        self._arrows.flags.writeable = False

    @property
    def levels(self) -> tuple[Levels | None, ...]:
        """The levels of each category, None for numbers."""
        return self._levels

    @property
    def equations(self) -> tuple[NDArray[np.float64], ...]:
        """Read-only; of each node a row per term and a column per output."""
        return self._equations

    def terms(self, node: Node) -> list[str]:
        """The rows of a node's equation: the intercept, numbers, and levels but the first."""
        found = ["(intercept)"]
        for u in np.flatnonzero(self._arrows[:, node_index(node, self._names)]).tolist():
            own, name = self._levels[u], self._names[u]
            found += [name] if own is None else [f"{name}={level}" for level in own[1:]]
        return found

    def table(self, node: Node) -> Table:
        """The equation of a node, a row per term."""
        from arcs.tables import Table  # which knows graphs

        at = node_index(node, self._names)
        own, matrix = self._levels[at], self._equations[at]
        heads = [self._names[at]] if own is None else [f"P({level})" for level in own]
        first = "term" if "term" not in heads else "(term)"
        return Table({first: self.terms(at), **dict(zip(heads, matrix.T, strict=True))})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MixedDag):
            return NotImplemented
        same = self._names == other._names and self._levels == other._levels
        return (
            same
            and np.array_equal(self._arrows, other._arrows)
            and all(map(np.array_equal, self._equations, other._equations))
        )

    def __hash__(self) -> int:
        return hash((self._names, self._arrows.tobytes()))

    def __repr__(self) -> str:
        return f"MixedDag({self.p} nodes, {self.n_edges} edges)"

    def __reduce__(self) -> tuple[Any, ...]:
        return MixedDag, (self._arrows, self._levels, self._equations, self._names)
