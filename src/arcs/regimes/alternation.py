"""Alternating between structure and mechanisms.

Given which regimes count how much for which node, the best structure is an ordinary search on
reweighted Gram matrices. Given the structure, the best mechanisms are found node by node. Each of
the two lowers one total price (negative log-likelihood, edges, changes), so that alternating them
comes to rest; the search goes on from the order it found last. Between the two, single edges are
turned around wherever that lowers the total with the mechanisms of *both* ends chosen anew: within
an equivalence class the search sees no difference, but the wrong direction needs more changes to
explain the regimes (the principle of invariance).

Rows that a node's *coefficients* of its own explain are left out of its search: they would
contribute a regression per regime, which the Gram matrix of the node cannot express. That loses
what these rows say about which parents there are, but it does not bias anything.

With unknown targets the total has many local minima: several starts, of which the cheapest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.graphs.equivalence import topological_order
from arcs.progress import Watch
from arcs.regimes.changes import Change
from arcs.regimes.mechanism import KINDS, UNCHANGED
from arcs.regimes.targets import NodeChanges, TargetFinder
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import Chain, Strategy, run_chains

__all__ = ["Alternation", "Settled", "turn_edges"]

#: Searches after which a start is taken as it is.
_ROUNDS = 10
#: A round must lower the total by this much to be followed by another, in nats.
_LEAST_GAIN = 1e-3


@dataclass(frozen=True, eq=False)
class Settled:
    """A structure with its mechanisms.

    Attributes
    ----------
    adjacency : ndarray of bool, shape (p, p)
    nodes : list of NodeChanges
    total : float
        Total price in nats.
    rng : numpy.random.Generator
        The random numbers of the start it came from.
    """

    adjacency: np.ndarray
    nodes: list[NodeChanges]
    total: float
    rng: np.random.Generator

    @property
    def order(self) -> np.ndarray:
        """A topological order, parents first."""
        return np.asarray(topological_order(self.adjacency))


@dataclass(frozen=True, eq=False)
class Alternation:
    """Search and mechanisms in turn.

    Parameters
    ----------
    dataset : Dataset
        Rows or sums in regimes.
    finder : TargetFinder
    score : callable
        The score for given statistics.
    strategy : Strategy
        How the search is done in every round.
    allowed, required : ndarray of bool (p, p), optional
        Background knowledge.
    """

    dataset: Dataset
    finder: TargetFinder
    score: Callable[[GramStatistics], CholeskyScore]
    strategy: Strategy
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None

    def run(
        self,
        statistics: GramStatistics,
        orders: Sequence[np.ndarray],
        generators: Sequence[np.random.Generator],
        watch: Watch,
        workers: int = 1,
    ) -> Settled:
        """Alternate from every order until nothing improves; return the cheapest result."""
        score = self.score(statistics)
        chains = [Chain(score, o, rng) for o, rng in zip(orders, generators, strict=True)]
        best: list[Settled | None] = [None] * len(chains)
        active = list(range(len(chains)))
        for number in range(_ROUNDS):
            run_chains([chains[i] for i in active], self.strategy, watch, workers=workers)
            active = [i for i in active if self._round(i, chains, best)]
            cheapest = min(b.total for b in best if b is not None)
            if not watch.tick("regimes", number + 1, best=cheapest) or not active:
                break
            for i in active:
                chains[i] = self._next(best[i])
        return min((b for b in best if b is not None), key=lambda settled: settled.total)

    def _round(self, i: int, chains: list[Chain], best: list[Settled | None]) -> bool:
        """Choose mechanisms for what chain `i` found; return whether that was a step forward."""
        adjacency = state_adjacency(chains[i].best)
        adjacency = turn_edges(adjacency, self.finder, self.allowed, self.required)
        nodes = self.finder.graph(adjacency)
        found = Settled(adjacency, nodes, sum(node.price for node in nodes), chains[i].rng)
        before = best[i]
        if before is not None and not found.total < before.total - _LEAST_GAIN:
            return False
        best[i] = found
        return True

    def _next(self, settled: Settled | None) -> Chain:
        assert settled is not None
        return Chain(self.score(self.statistics(settled.nodes)), settled.order, settled.rng)

    # ------------------------------------------------------------------ results
    def statistics(self, nodes: Sequence[NodeChanges]) -> GramStatistics:
        """Gram statistics in which every regime counts as the mechanisms say."""
        kinds = np.stack([node.kinds for node in nodes])
        targets = [tuple(np.flatnonzero(column != UNCHANGED).tolist()) for column in kinds.T]
        return GramStatistics.from_accumulator(
            self.dataset.sums(),
            self.dataset.names,
            targets=targets,
            weights=np.stack([node.weights for node in nodes]),
            center=self.dataset.center,
        )

    def changes(self, adjacency: np.ndarray, nodes: Sequence[NodeChanges]) -> tuple[Change, ...]:
        """The changed mechanisms with their evidence, strongest first within each regime."""
        design = self.dataset.interventions
        assert design is not None
        rows = []
        for v, node in enumerate(nodes):
            parents = np.flatnonzero(adjacency[:, v])
            mechanism = self.finder.mechanism(v, parents)
            for r, evidence in self.finder.evidence(v, parents, node).items():
                change = Change(
                    regime=design.label(r),
                    target=self.dataset.names[v],
                    kind=KINDS[node.kinds[r]],
                    evidence=evidence,
                    rows=int(self.finder.moments.n[r]),
                    variance_ratio=mechanism.variance_ratio(node.kinds, node.weights, r),
                )
                rows.append((r, -evidence, v, change))
        return tuple(change for *_, change in sorted(rows, key=lambda row: row[:3]))


def turn_edges(
    adjacency: np.ndarray,
    finder: TargetFinder,
    allowed: np.ndarray | None = None,
    required: np.ndarray | None = None,
) -> np.ndarray:
    """Reverse single edges while that lowers the total price; the graph stays acyclic."""
    graph = np.array(adjacency, dtype=bool)
    improved = True
    while improved:
        improved = False
        for u, v in np.argwhere(graph).tolist():
            fixed = required is not None and required[u, v]
            forbidden = allowed is not None and not allowed[v, u]
            if fixed or forbidden or not graph[u, v]:
                continue
            if _gain(graph, finder, u, v) > _LEAST_GAIN and not _other_path(graph, u, v):
                graph[u, v], graph[v, u] = False, True
                improved = True
    return graph


def _gain(graph: np.ndarray, finder: TargetFinder, u: int, v: int) -> float:
    """By how much the price falls when u -> v is turned around."""
    into_u, into_v = np.flatnonzero(graph[:, u]), np.flatnonzero(graph[:, v])
    before = finder.node(u, into_u).price + finder.node(v, into_v).price
    after_u = finder.node(u, np.append(into_u, v)).price
    return float(before - after_u - finder.node(v, into_v[into_v != u]).price)


def _other_path(graph: np.ndarray, u: int, v: int) -> bool:
    """Whether v can be reached from u other than by the edge between them."""
    seen = graph[u].copy()
    seen[v] = False
    waiting = np.flatnonzero(seen).tolist()
    while waiting:
        children = graph[waiting.pop()]
        if children[v]:
            return True
        fresh = children & ~seen
        seen |= children
        waiting.extend(np.flatnonzero(fresh).tolist())
    return False
