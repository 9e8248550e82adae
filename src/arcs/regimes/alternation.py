"""Alternating between structure and mechanisms.

Given which regimes count how much for which node, the best structure is an ordinary search on
reweighted Gram matrices. Given the structure, the best mechanisms are found node by node. Each of
the two lowers one total price (negative log-likelihood, edges, changes), so that alternating them
comes to rest; the search goes on from the order it found last. Between the two, single edges are
turned around wherever that lowers the total with the mechanisms of *both* ends chosen anew: within
an equivalence class the search sees no difference, but the wrong direction needs more changes to
explain the regimes (the principle of invariance).

Where a node has *coefficients* of its own, its likelihood is a regression per regime, which one
Gram matrix cannot express. Leaving these rows out of the node's term would be wrong: the node still
depends on its parents there, so a search that does not ask the node to explain them can have its
parents explained by it for nothing (this is also why soft interventions must not be treated as hard
ones). They are *translated* instead: to x_v is added what its present parents contribute less under
the regime's coefficients than under the common ones. With the present parents this is the exact
likelihood; a parent that is dropped is missed in these rows, too. In the answer, coefficients and
their standard errors come from the other regimes only.

Where only a node's mean is *shifted*, the regime's rows are moved, all columns of them, so that
their means are those of the other rows: in the node's term its intercept is then free there, for
any parents, and nothing else is.

With unknown targets the total has many local minima: several starts, of which the cheapest counts.
Where most means shift (batches), all searches on all rows alike begin in a thicket, from which
single changes do not lead out; so one start more is a search in which every regime has means of its
own. It competes by the same total: the shifts it needs are paid for one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.accumulate import GramAccumulator
from arcs.graphs.equivalence import topological_order
from arcs.progress import Watch
from arcs.regimes.changes import Change
from arcs.regimes.mechanism import COEFFICIENTS, KINDS, SHIFT, UNCHANGED
from arcs.regimes.targets import NodeChanges, TargetFinder
from arcs.scores.cholesky import state_adjacency
from arcs.search import Chain, Plan, Start, Strategy, run_chains

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
    chain : Chain
        The search that it came from.
    """

    adjacency: np.ndarray
    nodes: list[NodeChanges]
    total: float
    chain: Chain

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
    plan : Plan
        How the search is done, briefly in the first rounds and in full in the last ones.
    """

    dataset: Dataset
    finder: TargetFinder
    plan: Plan

    def at_price(self, gamma: float) -> Alternation:
        """The same where a change of an unknown target costs ``gamma log p``."""
        return replace(self, finder=self.finder.at_price(gamma))

    def run(self, statistics: GramStatistics, starts: Sequence[Start], watch: Watch) -> Settled:
        """Alternate from every start until nothing improves; return the cheapest result."""
        chains = self.plan.chains(statistics, starts)
        run_chains(chains, self.plan.brief, watch, workers=self.plan.workers)
        if not self.finder.known:
            first = Start(starts[0].order, deepcopy(starts[0].rng))
            chains += (apart := self.plan.chains(self._within_regimes(), [first]))
            run_chains(apart, self.plan.brief, watch, workers=self.plan.workers)
        settled = [self._settle(chain) for chain in chains]
        settled = self._rounds(settled, self.plan.brief, watch)
        cheapest = min(settled, key=lambda found: found.total)
        return self._rounds([cheapest], self.plan.strategy, watch)[0]

    def _within_regimes(self) -> GramStatistics:
        """Gram statistics of all rows, those of every regime about their own means."""
        sums, everything = self.dataset.sums(), np.ones(len(self.finder.moments.n))
        centre = sums.mean(everything)
        moved = {r: regime.moved_to(centre) for r, regime in enumerate(sums.regimes) if regime.n}
        return GramStatistics.from_accumulator(
            sums.with_regimes(moved),
            self.dataset.names,
            weights=np.ones((self.dataset.p, len(everything))),
            center=self.dataset.center,
        )

    def _rounds(self, settled: list[Settled], strategy: Strategy, watch: Watch) -> list[Settled]:
        """Search and choose mechanisms in turn, each start for as long as its total falls."""
        settled, active = list(settled), list(range(len(settled)))
        for number in range(_ROUNDS):
            least = min(found.total for found in settled)
            if not watch.tick("regimes", number, best=least) or not active:
                break
            chains = [self._next(settled[i]) for i in active]
            run_chains(chains, strategy, watch, workers=self.plan.workers)
            found = {i: self._settle(chain) for i, chain in zip(active, chains, strict=True)}
            active = [i for i in active if found[i].total < settled[i].total - _LEAST_GAIN]
            for i in active:
                settled[i] = found[i]
        return settled

    def _settle(self, chain: Chain) -> Settled:
        """The mechanisms of what a search found, single edges turned where that is cheaper."""
        adjacency = state_adjacency(chain.best)
        adjacency = turn_edges(adjacency, self.finder, self.plan.allowed, self.plan.required)
        nodes = self.finder.graph(adjacency)
        return Settled(adjacency, nodes, sum(node.price for node in nodes), chain)

    def _next(self, settled: Settled) -> Chain:
        statistics = self.statistics(settled.adjacency, settled.nodes, translate=True)
        return self.plan.chains(statistics, [Start(settled.order, settled.chain.rng)])[0]

    # ------------------------------------------------------------------ results
    def statistics(
        self, adjacency: np.ndarray, nodes: Sequence[NodeChanges], *, translate: bool
    ) -> GramStatistics:
        """Gram statistics in which every regime counts as the mechanisms say.

        Regimes in which a node has coefficients of its own are translated, or left out.
        """
        weights, own = np.stack([node.weights for node in nodes]), {}
        everything = self.dataset.sums()
        for v, node in enumerate(nodes):
            sums = everything
            if translate and (node.kinds == COEFFICIENTS).any():
                parents = np.flatnonzero(adjacency[:, v])
                sums, weights[v] = self._translated(v, parents, node)
            sums = self._recentred(sums, weights[v], node.kinds == SHIFT)
            if sums is not everything:
                own[v] = sums
        kinds = np.stack([node.kinds for node in nodes])
        targets = [tuple(np.flatnonzero(column != UNCHANGED).tolist()) for column in kinds.T]
        return GramStatistics.from_accumulator(
            everything,
            self.dataset.names,
            targets=targets,
            weights=weights,
            own=own,
            center=self.dataset.center,
        )

    def _translated(
        self, v: int, parents: np.ndarray, node: NodeChanges
    ) -> tuple[GramAccumulator, np.ndarray]:
        """The sums of a node's own term, and the weights of the regimes in them."""
        mechanism, sums = self.finder.mechanism(v, parents), self.dataset.sums()
        scale = self.finder.moments.scale
        weights, changed = node.weights.copy(), {}
        for r in np.flatnonzero(node.kinds == COEFFICIENTS).tolist():
            slopes, shift = mechanism.translation(node.kinds, node.weights, r)
            slopes = slopes * scale[v] / scale[parents]
            changed[r] = sums.regimes[r].translated(v, parents, slopes, shift * float(scale[v]))
            weights[r] = 1.0 / mechanism.variance_ratio(node.kinds, node.weights, r)
        return sums.with_regimes(changed), weights

    def _recentred(
        self, sums: GramAccumulator, weights: np.ndarray, shifted: np.ndarray
    ) -> GramAccumulator:
        """The sums with the rows of some regimes moved to the means of the others."""
        if not shifted.any():
            return sums
        centre = -sums.shift
        if self.dataset.center:
            centre = sums.mean(np.where(shifted, 0.0, weights))
        moved = {r: sums.regimes[r].moved_to(centre) for r in np.flatnonzero(shifted).tolist()}
        return sums.with_regimes(moved)

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
                    shift=mechanism.shift(node.kinds, node.weights, r),
                )
                rows.append((r, -evidence, v, change))
        return tuple(change for *_, change in sorted(rows, key=lambda row: row[:3]))


def turn_edges(
    adjacency: np.ndarray,
    finder: TargetFinder,
    allowed: np.ndarray | None = None,
    required: np.ndarray | None = None,
) -> np.ndarray:
    """Reverse single edges while that lowers the total price.

    Only covered edges, whose ends have the same other parents, are reversed: that leads from each
    member of an equivalence class to every other and never to a cycle (Chickering, 1995).
    """
    graph = np.array(adjacency, dtype=bool)
    improved = True
    while improved:
        improved = False
        for u, v in np.argwhere(graph).tolist():
            fixed = required is not None and required[u, v]
            forbidden = allowed is not None and not allowed[v, u]
            if fixed or forbidden or not _covered(graph, u, v):
                continue
            if _gain(graph, finder, u, v) > _LEAST_GAIN:
                graph[u, v], graph[v, u] = False, True
                improved = True
    return graph


def _gain(graph: np.ndarray, finder: TargetFinder, u: int, v: int) -> float:
    """By how much the price falls when u -> v is turned around."""
    into_u, into_v = np.flatnonzero(graph[:, u]), np.flatnonzero(graph[:, v])
    before = finder.node(u, into_u).price + finder.node(v, into_v).price
    after_u = finder.node(u, np.append(into_u, v)).price
    return float(before - after_u - finder.node(v, into_v[into_v != u]).price)


def _covered(graph: np.ndarray, u: int, v: int) -> bool:
    """Whether there is an edge u -> v, and its ends have the same other parents."""
    others = graph[:, v].copy()
    others[u] = False
    return bool(graph[u, v]) and np.array_equal(others, graph[:, u])
