"""Partially directed graphs: what a Markov equivalence class looks like.

A :class:`Pdag` keeps two boolean matrices instead of integer codes: ``directed[i, j]`` is the
arrow i -> j, and the symmetric ``undirected`` holds the edges whose direction is open. The
completed PDAG of an equivalence class (:func:`arcs.graphs.equivalence.cpdag_of`) is one, and so is
every graph that background knowledge or experiments make of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.named import NamedGraph, Nodes
from arcs.graphs.names import Node, check_names, node_index
from arcs.graphs.topology import as_adjacency, find_cycle, format_cycle
from arcs.lazily import Lazily

__all__ = ["Pdag"]

_compiled = Lazily("arcs.kernels.equivalence")


class Pdag(NamedGraph):
    """A graph with directed and undirected edges, at most one between any two nodes.

    Parameters
    ----------
    directed : array-like of bool, shape (p, p)
        ``directed[i, j]`` is the arrow i -> j. Directed cycles are not refused here: estimated
        graphs may have them. :meth:`consistent_dag` refuses them.
    undirected : array-like of bool, shape (p, p)
        Symmetric; ``undirected[i, j]`` is the edge i - j.
    names : sequence of str, optional

    Examples
    --------
    >>> chain = Pdag.from_dag_adjacency([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    >>> chain.directed_edges()
    [(0, 1), (1, 2)]
    """

    __slots__ = ("_undirected",)

    def __init__(
        self,
        directed: ArrayLike,
        undirected: ArrayLike,
        names: Sequence[str] | None = None,
    ):
        arrows = as_adjacency(directed, "directed").copy()
        lines = as_adjacency(undirected, "undirected").copy()
        if arrows.shape != lines.shape:
            raise GraphError(f"directed has {len(arrows)} nodes, undirected has {len(lines)}")
        self._names = check_names(names, len(arrows))
        self._refuse(lines & ~lines.T, "undirected must be symmetric, but is not at")
        self._refuse(arrows & arrows.T, "an arrow points both ways (make it undirected) between")
        self._refuse(arrows & lines, "an edge is both directed and undirected between")
        arrows.flags.writeable = False
        lines.flags.writeable = False
        self._arrows = arrows
        self._undirected = lines

    def _refuse(self, bad: NDArray[np.bool_], complaint: str) -> None:
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise GraphError(f"{complaint} {self._names[i]!r} and {self._names[j]!r}")

    @classmethod
    def from_dag_adjacency(cls, adjacency: ArrayLike, names: Sequence[str] | None = None) -> Pdag:
        """The DAG itself as a `Pdag` whose edges are all directed (not its CPDAG)."""
        directed = as_adjacency(adjacency)
        return cls(directed, np.zeros_like(directed), names)

    @property
    def directed(self) -> NDArray[np.bool_]:
        """Read-only; ``directed[i, j]`` is the arrow i -> j."""
        return self._arrows

    @property
    def undirected(self) -> NDArray[np.bool_]:
        """Read-only and symmetric; ``undirected[i, j]`` is the edge i - j."""
        return self._undirected

    @property
    def skeleton(self) -> NDArray[np.bool_]:
        """Symmetric; which nodes are joined by an edge of either kind."""
        skeleton: NDArray[np.bool_] = self._arrows | self._arrows.T | self._undirected
        return skeleton

    @property
    def n_edges(self) -> int:
        """The number of edges of both kinds."""
        return int(self._arrows.sum() + self._undirected.sum() // 2)

    def directed_edges(self) -> list[tuple[int, int]]:
        """All arrows (i, j), meaning i -> j, sorted."""
        return [(int(i), int(j)) for i, j in np.argwhere(self._arrows)]

    def undirected_edges(self) -> list[tuple[int, int]]:
        """All undirected edges (i, j) with i < j, sorted."""
        return [(int(i), int(j)) for i, j in np.argwhere(np.triu(self._undirected))]

    @overload
    def siblings(self, node: str) -> list[str]: ...
    @overload
    def siblings(self, node: SupportsIndex) -> NDArray[np.int64]: ...
    def siblings(self, node: Node) -> Nodes:
        """The nodes joined to `node` by an undirected edge, sorted, as :meth:`parents`."""
        return self._answer(node, self._undirected[node_index(node, self._names)])

    def _edge_columns(self) -> dict[str, list[str]]:
        edges = [(i, j, "directed") for i, j in self.directed_edges()]
        edges += [(i, j, "undirected") for i, j in self.undirected_edges()]
        return {
            "from": [self._names[i] for i, _, _ in edges],
            "to": [self._names[j] for _, j, _ in edges],
            "type": [kind for _, _, kind in edges],
        }

    def is_dag(self) -> bool:
        """Whether all edges are directed and there is no directed cycle."""
        return not self._undirected.any() and find_cycle(self._arrows) is None

    def consistent_dag(self) -> NDArray[np.bool_]:
        """The adjacency of a DAG with the same skeleton, arrows and v-structures.

        The algorithm is that of Dor and Tarsi (1992).

        Raises
        ------
        GraphError
            If there is no such DAG.
        """
        # Copies: read-only arrays would make Numba compile the kernel a second time.
        adjacency, exists = _compiled.consistent_extension_kernel(
            self._arrows.copy(), self._undirected.copy()
        )
        if exists:
            return np.asarray(adjacency, dtype=bool)
        cycle = find_cycle(self._arrows)
        reason = (
            "every way to direct its undirected edges makes a new v-structure or a cycle"
            if cycle is None
            else f"its arrows form the cycle {format_cycle(cycle, self._names)}"
        )
        raise GraphError(f"the graph has no consistent extension to a DAG: {reason}")

    def relabel(self, permutation: Sequence[int] | ArrayLike) -> Pdag:
        """The same graph with its nodes listed anew: new node k is old node ``permutation[k]``."""
        at, names = self._listed_anew(permutation)
        grid = np.ix_(at, at)
        return Pdag(self._arrows[grid], self._undirected[grid], names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pdag):
            return NotImplemented
        return (
            self._names == other._names
            and np.array_equal(self._arrows, other._arrows)
            and np.array_equal(self._undirected, other._undirected)
        )

    def __hash__(self) -> int:
        return hash((self._names, self._arrows.tobytes(), self._undirected.tobytes()))

    def __repr__(self) -> str:
        n_directed = int(self._arrows.sum())
        n_undirected = self.n_edges - n_directed
        return f"Pdag({self.p} nodes, {n_directed} directed, {n_undirected} undirected)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Pdag, (self._arrows, self._undirected, self._names)
