"""Counting and drawing the acyclic orientations without v-structures of chordal graphs.

These are the members of an equivalence class, component by component. Every such orientation of a
connected chordal graph G has a topological order that begins with a maximal clique K; given K, what
is left falls into components that are oriented independently of each other. Several cliques may
begin orders of one orientation. *Clique picking* (Wienöbst, Bannach and Liśkiewicz, 2023,
"Polynomial-time algorithms for counting and sampling Markov equivalent DAGs with applications",
JMLR 24) counts it for one of them only: in a rooted tree of the maximal cliques, that which is
nearest to the root. With K come the permutations of K of which no beginning is an intersection of
neighbouring cliques on the way from the root to K, so that

    #(G) = sum over K of phi(K) * product over the components H of what is left of #(H),

    phi(s; r_1 < ... < r_l) = s! - sum_i (s - r_i)! phi(r_i; r_1, ..., r_{i-1}).

There are fewer than twice as many distinct components as maximal cliques, so that the count takes
polynomial time, for classes of any size. Drawing goes the same way, with these terms as weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcs.graphs.topology import connected_groups
from arcs.lazily import Lazily

__all__ = ["ChordalOrientations", "undirected_components"]

_compiled = Lazily("arcs.kernels.equivalence")

Nodes = frozenset[int]


class _Start(NamedTuple):
    """A clique that orders may begin with: its forbidden beginnings, and what is left after it."""

    clique: Nodes
    forbidden: tuple[Nodes, ...]
    rest: tuple[Nodes, ...]


def undirected_components(undirected: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The nodes of every component of the undirected part that has an edge."""
    return [np.array(group) for group in connected_groups(undirected) if len(group) > 1]


class ChordalOrientations:
    """The orientations of one undirected chordal graph; counts are kept for the next question.

    Parameters
    ----------
    undirected : ndarray of bool, shape (p, p)
        Symmetric. It may have several components; isolated nodes do not matter.
    """

    def __init__(self, undirected: NDArray[np.bool_]) -> None:
        self._lines = np.asarray(undirected, dtype=bool)
        self._counts: dict[Nodes, int] = {}
        self._starts: dict[Nodes, list[_Start]] = {}
        self._components = [
            frozenset(nodes.tolist()) for nodes in undirected_components(self._lines)
        ]

    def count(self) -> int:
        """The number of acyclic orientations without v-structures."""
        return math.prod(self._count(nodes) for nodes in self._components)

    def draw(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """One of them, each with the same probability, as a matrix of arrows."""
        arrows, lines = np.zeros_like(self._lines), self._lines.copy()
        waiting = list(self._components)
        while waiting:
            start = self._drawn_start(waiting.pop(), rng)
            for node in _allowed_permutation(start, rng):
                arrows[node] |= lines[node]
                lines[node] = lines[:, node] = False
            _compiled.meek_closure_inplace(arrows, lines, True)
            waiting += start.rest
        return arrows

    def _count(self, nodes: Nodes) -> int:
        if nodes not in self._counts:
            self._counts[nodes] = sum(self._weight(start) for start in self._begin(nodes))
        return self._counts[nodes]

    def _weight(self, start: _Start) -> int:
        sizes = sorted(len(prefix) for prefix in start.forbidden)
        ways = _permutations_without(len(start.clique), sizes)
        return ways * math.prod(self._count(part) for part in start.rest)

    def _drawn_start(self, nodes: Nodes, rng: np.random.Generator) -> _Start:
        total = self._count(nodes)
        # Counts may exceed every float: draw a whole number with as many digits.
        at = int.from_bytes(rng.bytes((total.bit_length() + 7) // 8 + 8), "big") % total
        starts = self._begin(nodes)
        for start in starts:
            at -= self._weight(start)
            if at < 0:
                return start
        return starts[-1]

    def _begin(self, nodes: Nodes) -> list[_Start]:
        """All ways in which orders of a connected part may begin."""
        if nodes not in self._starts:
            self._starts[nodes] = [
                _Start(clique, tuple(forbidden), self._left_after(nodes, clique))
                for clique, forbidden in _rooted_cliques(self._lines, sorted(nodes))
            ]
        return self._starts[nodes]

    def _left_after(self, nodes: Nodes, clique: Nodes) -> tuple[Nodes, ...]:
        """What can still be directed either way when `clique` comes first."""
        at = np.array(sorted(nodes))
        lines = self._lines[np.ix_(at, at)].copy()
        first = np.isin(at, sorted(clique))
        arrows = lines & first[:, None] & ~first[None, :]
        lines &= ~(arrows | arrows.T)
        _compiled.meek_closure_inplace(arrows, lines, True)
        lines[np.ix_(first, first)] = False
        return tuple(frozenset(at[part].tolist()) for part in undirected_components(lines))


def _rooted_cliques(lines: NDArray[np.bool_], nodes: list[int]) -> list[tuple[Nodes, list[Nodes]]]:
    """The maximal cliques of a connected chordal graph, each with its forbidden beginnings.

    They are arranged in a tree (of greatest total size of intersections, hence a clique tree).
    """
    cliques = _maximal_cliques(lines, nodes)
    ways: dict[int, list[Nodes]] = {0: []}
    nearest = {k: (len(cliques[k] & cliques[0]), 0) for k in range(1, len(cliques))}
    while nearest:
        k = max(nearest, key=lambda other: nearest[other][0])
        _, parent = nearest.pop(k)
        ways[k] = [*ways[parent], cliques[parent] & cliques[k]]
        for other, (size, _) in nearest.items():
            shared = len(cliques[other] & cliques[k])
            if shared > size:
                nearest[other] = shared, k
    return [
        (clique, list(dict.fromkeys(s for s in ways[k] if s <= clique)))
        for k, clique in enumerate(cliques)
    ]


def _maximal_cliques(lines: NDArray[np.bool_], nodes: list[int]) -> list[Nodes]:
    """By maximum cardinality search: with each node the neighbours visited before are a clique."""
    neighbours = {v: set(np.flatnonzero(lines[v]).tolist()) & set(nodes) for v in nodes}
    visited: set[int] = set()
    weight = dict.fromkeys(nodes, 0)
    cliques: list[Nodes] = []
    while weight:
        v = max(weight, key=lambda node: weight[node])
        del weight[v]
        candidate = frozenset((neighbours[v] & visited) | {v})
        if cliques and cliques[-1] <= candidate:
            cliques[-1] = candidate
        else:
            cliques.append(candidate)
        visited.add(v)
        for other in neighbours[v] - visited:
            weight[other] += 1
    return cliques


def _permutations_without(size: int, prefixes: list[int]) -> int:
    """Permutations of `size` things that begin with none of some nested sets of these sizes."""
    free: list[int] = []
    for k, end in enumerate([*prefixes, size]):
        barred = sum(
            math.factorial(end - smaller) * ways
            for smaller, ways in zip(prefixes[:k], free, strict=True)
        )
        free.append(math.factorial(end) - barred)
    return free[-1]


def _allowed_permutation(start: _Start, rng: np.random.Generator) -> list[int]:
    nodes = np.array(sorted(start.clique))
    while True:
        order: list[int] = rng.permutation(nodes).tolist()
        if not any(set(order[: len(prefix)]) == prefix for prefix in start.forbidden):
            return order
