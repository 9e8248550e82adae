"""The PC algorithm (Spirtes, Glymour and Scheines, 2000) with Fisher's z, or the G test of
categories.

*Skeleton.* From the complete graph, the edge a - b is removed if a and b are independent given k
neighbours of a or of b, for k = 0, 1, 2, ... Removals take effect when a level k is complete
(PC-stable; Colombo and Maathuis, 2014), and all separating sets of that level are kept, so nothing
depends on the order of the variables.

*Colliders.* In a - c - b with a and b not adjacent, c is a collider if it is in none of the
separating sets of a and b. Colliders are directed in order of the p-value at which a and b were
found independent, largest first. One that contradicts an earlier one (an edge would point both
ways) or would close a directed cycle is passed over; its edges stay as they are.

*Meek's rules* direct what follows. If the statements contradict each other in a way that no DAG
agrees with the result, the class of a nearby DAG with the same skeleton is returned
(:func:`~arcs.learners.orientation.extendable`).

*Experiments.* A test of a given neighbours of a uses the rows in which a was not set. If b is no
descendant of a, a is independent of b given its parents in exactly these rows, so the skeleton is
right in the limit although the rows come from different experiments. Directions are inferred from
independencies only.

*Background knowledge.* Pairs with no allowed direction are not adjacent from the beginning (what
separates them, which tells colliders, is looked for when the skeleton is known), and required edges
are never removed. Edges with one allowed direction are directed before the
colliders, and Meek's fourth rule is applied as well. Such arrows can form a cycle without
contradicting each other (at least one of the edges is absent, then): the one with the weakest
dependence is taken out.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcs.graphs.equivalence import find_cycle
from arcs.kernels.skeleton import (
    SeparationRecord,
    collider_triples,
    examine_neighbours,
    new_record,
)
from arcs.kernels.subsets import first_subset
from arcs.knowledge import Restrictions
from arcs.learners.base import Learned, Learner
from arcs.learners.evidence import Evidence, IndependenceTests, independence_tests
from arcs.learners.orientation import oriented_by_colliders
from arcs.progress import Watch
from arcs.settings import LEVEL, NONE, setting, whole

__all__ = ["PC"]

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PC(Learner):
    """The order-independent PC algorithm.

    Parameters
    ----------
    alpha : float
        Level of the tests.
    max_condition_size : int or None
        Largest conditioning set; None for no limit. All subsets of a neighbourhood are tried, so
        that without a limit a node with 40 neighbours (there is one in the Pigs network) takes
        forever. Larger sets than four rarely separate what smaller ones do not.
    max_degree : int, optional
        Largest number of neighbours of a node: after each level, an edge is dropped that is not
        among the strongest of both its nodes (by the largest p-value of its tests so far). It
        bounds the time that dense neighbourhoods take, and the in-degree. Nodes whose edge was
        dropped this way are not taken as separated: they give rise to no collider.
    random_state, time_limit
        See :class:`~arcs.learners.Learner`. Nothing is drawn at random. When time is up, the
        edges not yet removed are kept.

    Notes
    -----
    `score` of the result is the BIC of a member of the class. ``edge_values["largest_p_value"]``
    is the largest p-value of the tests that an edge survived.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> PC(alpha=0.01).fit(drawn.data).cpdag
    Pdag(8 nodes, 5 directed, 3 undirected)
    """

    name: ClassVar[str] = "pc"
    uses_knowledge: ClassVar[bool] = True
    tables: ClassVar[tuple[str, ...]] = ("categories",)

    alpha: float = setting(0.01, LEVEL)
    max_condition_size: int | None = setting(4, whole(0) | NONE)
    max_degree: int | None = setting(None, whole(0) | NONE)

    def learn(self, statistics: Evidence, watch: Watch) -> Learned:
        """Skeleton, colliders, Meek's rules."""
        known = self.restrictions(statistics)
        tests = independence_tests(statistics, self.alpha)
        search = _SkeletonSearch(statistics.p, watch, tests, known)
        finished = search.run(self.max_condition_size, self.max_degree)
        search.separate_forbidden(self.max_condition_size)
        triples = search.colliders()
        allowed = None if known is None else known.allowed
        graph, conflicts = oriented_by_colliders(search.adjacency, triples, allowed)
        _LOGGER.info("%d of %d colliders contradict others", conflicts, len(triples))
        p_values = np.where(search.adjacency, tests.p_values(search.record.weakest), 0.0)
        return Learned(
            graph,
            penalty={"kind": tests.name, "alpha": self.alpha},
            trace={
                "iteration": np.arange(len(search.edges)),
                "edges": np.array(search.edges, dtype=np.int64),
            },
            edge_values={"largest_p_value": p_values},
            converged=finished,
        )


class _SkeletonSearch:
    """Which nodes are adjacent, and what separates the others."""

    def __init__(
        self,
        p: int,
        watch: Watch,
        tests: IndependenceTests,
        known: Restrictions | None = None,
    ) -> None:
        self.p = p
        self.watch = watch
        self.tests = tests
        self.allowed = ~np.eye(p, dtype=bool) if known is None else known.allowed
        self.adjacency = self.allowed | self.allowed.T
        required = np.zeros((p, p), dtype=bool) if known is None else known.required
        self.stays = required | required.T
        self.adjacency |= self.stays
        self.record = new_record(p)
        self.edges: list[int] = []

    def run(self, max_size: int | None, max_degree: int | None) -> bool:
        """Go through the levels; whether that was finished in time."""
        largest = self.p if max_size is None else max_size
        for size in range(largest + 1):
            if self.adjacency.sum(axis=0).max() <= size:
                break
            complete = self._level(size)
            self.adjacency &= ~self.record.removed | self.stays
            if max_degree is not None:
                self._keep_strongest(max_degree)
            self.edges.append(int(self.adjacency.sum()) // 2)
            if not complete or not self.watch.tick(f"level {size}", size, edges=self.edges[-1]):
                self._break_cycles()
                return False
        self._break_cycles()
        return True

    def separate_forbidden(self, max_size: int | None) -> None:
        """Find what separates nodes with a common neighbour that knowledge keeps apart."""
        apart = np.triu(~(self.allowed | self.allowed.T) & ~self.adjacency, 1)
        if not apart.any():
            return
        joined = self.adjacency.astype(float)  # matrices of whole numbers are multiplied slowly
        apart &= joined @ joined > 0
        largest = self.p if max_size is None else max_size
        # Tests of other pairs, which come along, must not enter the record.
        scratch = new_record(self.p)
        for a, b in np.argwhere(apart):
            for size in range(largest + 1):
                if scratch.removed[a, b] or self.watch.expired():
                    break
                for x, y in ((a, b), (b, a)):
                    neighbours = np.append(np.flatnonzero(self.adjacency[x]), y)
                    self._test_all(x, neighbours, size, scratch)
            for mine, found in zip(self.record, scratch, strict=True):
                mine[a, b] = mine[b, a] = found[a, b]

    def _test_all(
        self, x: int, neighbours: np.ndarray, size: int, record: SeparationRecord
    ) -> bool:
        """All tests at x with conditioning sets of this size; False if out of time."""
        tests, positions, done = self.tests, first_subset(size), len(neighbours) <= size
        while not done:
            if size > 0 and self.watch.expired():
                return False
            done = examine_neighbours(
                tests.kernel, x, neighbours, positions, tests.critical, tests.per_call, record
            )
        return True

    def _break_cycles(self) -> None:
        """Take edges out until those of known direction form no cycle."""
        while True:
            cycle = find_cycle(self.adjacency & self.allowed & ~self.allowed.T)
            if cycle is None:
                return
            arrows = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
            free = [(a, b) for a, b in arrows if not self.stays[a, b]]
            a, b = min(free, key=lambda pair: self.record.weakest[pair])
            self.adjacency[a, b] = self.adjacency[b, a] = False

    def _level(self, size: int) -> bool:
        """All tests with conditioning sets of this size. The marginal ones are always made."""
        for x in range(self.p):
            if not self._test_all(x, np.flatnonzero(self.adjacency[x]), size, self.record):
                return False
        return True

    def _keep_strongest(self, max_degree: int) -> None:
        """Drop edges beyond the `max_degree` strongest of either of their nodes."""
        strength = np.where(self.adjacency, self.record.weakest, -1.0)
        rank = np.argsort(np.argsort(-strength, axis=1, kind="stable"), axis=1, kind="stable")
        strong = rank < max_degree
        self.adjacency &= (strong & strong.T) | self.stays

    def colliders(self) -> np.ndarray:
        """Triples a -> c <- b, those with the clearest independence of a and b first."""
        triples = collider_triples(self.adjacency, self.record)
        evidence = self.record.weakest[triples[:, 0], triples[:, 2]]
        return np.asarray(triples[np.argsort(evidence, kind="stable")])
