"""Directed acyclic graphs over named nodes, whatever model their edges stand for.

Subclasses add the parameters: :class:`~arcs.graphs.dag.GaussianDag` coefficients and variances,
:class:`~arcs.graphs.discrete.DiscreteDag` tables of probabilities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from arcs.errors import GraphError
from arcs.graphs.equivalence import cpdag_of, interventional_cpdag_of
from arcs.graphs.named import NamedGraph, Nodes
from arcs.graphs.names import Node, node_index, node_indices
from arcs.graphs.order import Order
from arcs.graphs.parameters import without_loops
from arcs.graphs.pdag import Pdag
from arcs.graphs.topology import topological_order

__all__ = ["Dag", "order_of"]


def order_of(arrows: NDArray[np.bool_], names: tuple[str, ...]) -> Order:
    """A topological order; cycles are refused, and spelled out."""
    return Order(topological_order(without_loops(arrows, names), names), names)


class Dag(NamedGraph):
    """The structure of a Bayesian network; subclasses set `_arrows`, `_names` and `_order`.

    Examples
    --------
    >>> from arcs.graphs import Dag, GaussianDag
    >>> dag = GaussianDag([[0, 0.5], [0, 0]], [1, 1], ["a", "b"])
    >>> isinstance(dag, Dag), dag.n_edges, dag.named_edges()
    (True, 1, [('a', 'b')])
    """

    __slots__ = ("_order",)

    _order: Order

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """Read-only; ``adjacency[i, j]`` is the edge i -> j."""
        return self._arrows

    @property
    def n_edges(self) -> int:
        """The number of edges."""
        return int(self._arrows.sum())

    def edges(self) -> list[tuple[int, int]]:
        """All edges (i, j), meaning i -> j, sorted."""
        return [(int(i), int(j)) for i, j in np.argwhere(self._arrows)]

    def named_edges(self) -> list[tuple[str, str]]:
        """All edges by name, in the order of :meth:`edges`."""
        return [(self._names[i], self._names[j]) for i, j in self.edges()]

    def order(self) -> Order:
        """The topological order that takes the smallest index first (Kahn's algorithm)."""
        return self._order

    @overload
    def ancestors(self, node: str) -> list[str]: ...
    @overload
    def ancestors(self, node: SupportsIndex) -> NDArray[np.int64]: ...
    def ancestors(self, node: Node) -> Nodes:
        """The nodes with a directed path to `node`, without itself, sorted."""
        return self._answer(node, _reachable(self._arrows.T, node_index(node, self._names)))

    @overload
    def descendants(self, node: str) -> list[str]: ...
    @overload
    def descendants(self, node: SupportsIndex) -> NDArray[np.int64]: ...
    def descendants(self, node: Node) -> Nodes:
        """The nodes that a directed path from `node` leads to, without itself, sorted."""
        return self._answer(node, _reachable(self._arrows, node_index(node, self._names)))

    @overload
    def markov_blanket(self, node: str) -> list[str]: ...
    @overload
    def markov_blanket(self, node: SupportsIndex) -> NDArray[np.int64]: ...
    def markov_blanket(self, node: Node) -> Nodes:
        """Parents, children and the children's other parents of `node`, sorted."""
        at = node_index(node, self._names)
        blanket = self._arrows[:, at] | self._arrows[at]
        blanket |= self._arrows[:, self._arrows[at]].any(axis=1)
        blanket[at] = False
        return self._answer(node, blanket)

    def is_d_separated(
        self,
        x: Node | Iterable[Node],
        y: Node | Iterable[Node],
        given: Node | Iterable[Node] = (),
    ) -> bool:
        """Whether `given` d-separates `x` from `y`; the three sets must be disjoint."""
        sets = [set(node_indices(nodes, self._names)) for nodes in (x, y, given)]
        if not sets[0] or not sets[1]:
            raise GraphError("d-separation needs at least one node on either side")
        if sets[0] & sets[1] or (sets[0] | sets[1]) & sets[2]:
            raise GraphError("d-separation is defined for disjoint sets of nodes")
        import networkx as nx  # takes longer to import than everything else here

        graph = nx.DiGraph()
        graph.add_nodes_from(range(self.p))
        graph.add_edges_from(self.edges())
        return bool(nx.is_d_separator(graph, *sets))

    def cpdag(self) -> Pdag:
        """The completed PDAG of the Markov equivalence class."""
        return cpdag_of(self._arrows, self._names)

    def interventional_cpdag(self, targets: Sequence[Collection[Node]]) -> Pdag:
        """The essential graph under experiments; see :func:`interventional_cpdag_of`."""
        return interventional_cpdag_of(self._arrows, targets, self._names)

    def _edge_columns(self) -> dict[str, list[Any]]:
        ends = self.named_edges()
        return {"from": [source for source, _ in ends], "to": [target for _, target in ends]}


def _reachable(adjacency: NDArray[np.bool_], start: int) -> NDArray[np.bool_]:
    """All nodes that paths from `start` lead to, by breadth-first search on whole frontiers."""
    found = np.zeros(len(adjacency), dtype=bool)
    frontier = adjacency[start].copy()
    while frontier.any():
        found |= frontier
        frontier = adjacency[frontier].any(axis=0) & ~found
    return found
