"""In which regimes does a node's mechanism differ, and how?

For one node and its parents this is a choice of one of the mechanisms of
:mod:`arcs.regimes.mechanism` per regime. Descent by best single changes: of all regimes and all
mechanisms they may have, the one change is made that lowers the price most, until none does.

If the targets are known, each (node, regime) that the design names has changed noise, a shifted
mean, or else coefficients of its own, whichever is cheapest. If they are unknown, every change pays
``gamma log p`` more: the price of pointing at one of p variables, as of an edge in the extended
BIC, and like that of an edge it is lower while searching than in the answer. The rest of the
regimes share one mechanism, so changes are deviations from what most rows show; rows known to be
observational always belong to the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arcs.regimes.mechanism import COEFFICIENTS, NOISE, SET, SHIFT, UNCHANGED, NodeMechanism
from arcs.regimes.moments import RegimeMoments

__all__ = ["NodeChanges", "TargetFinder"]

#: A change must lower the price by this much, so that rounding never decides.
_LEAST_GAIN = 1e-6
#: Share of rows whose change makes it doubtful what the rest is.
_MANY = 0.25
#: A share of the variance below which a node does not vary at all.
_CONSTANT = 1e-10
#: What the bound on the gain of changed noise may fall short of, in nats: it is computed at
#: variances that are shrunk a little.
_SLACK = 1.0


@dataclass(frozen=True, eq=False)
class NodeChanges:
    """The mechanisms of one node.

    Attributes
    ----------
    kinds : ndarray of int, shape (regimes,)
        Codes of :data:`arcs.regimes.mechanism.KINDS`.
    weights : ndarray of shape (regimes,)
        How much each regime counts in the node's common regression.
    price : float
        Negative log-likelihood, edges and changes, in nats.
    """

    kinds: np.ndarray
    weights: np.ndarray
    price: float


class TargetFinder:
    """Chooses the mechanisms of nodes, and remembers what it has computed.

    Parameters
    ----------
    moments : RegimeMoments
    edge_price : callable
        Price of an edge for a number of rows.
    candidates : ndarray of bool, shape (p, regimes)
        Where a node's mechanism may differ (unknown targets) or does (known targets).
    known : bool
        Whether the targets are known.
    gamma : float
        A change where the target is unknown costs ``gamma log p`` nats, as in the extended BIC.
    learnable : ndarray of bool, shape (p,)
        Nodes whose mechanism can be learned at all.
    center : bool
        Whether there are intercepts.
    """

    def __init__(
        self,
        moments: RegimeMoments,
        edge_price: Callable[[float], float],
        candidates: np.ndarray,
        *,
        known: bool,
        learnable: np.ndarray,
        gamma: float = 1.0,
        center: bool = True,
    ) -> None:
        self.moments = moments
        self.edge_price = edge_price
        self.candidates = candidates
        self.known = known
        self.learnable = learnable
        self.center = center
        self.change_price = 0.0 if known else gamma * float(np.log(max(len(candidates), 1)))
        self._found: dict[tuple[int, bytes], NodeChanges] = {}

    def node(self, v: int, parents: np.ndarray) -> NodeChanges:
        """The cheapest mechanisms of node `v` with these parents."""
        chosen = np.unique(np.asarray(parents, dtype=np.int64))
        key = (v, chosen.tobytes())
        if key not in self._found:
            self._found[key] = self._choose(v, chosen)
        return self._found[key]

    def at_price(self, gamma: float) -> TargetFinder:
        """The same where a change of an unknown target costs ``gamma log p``."""
        return TargetFinder(
            self.moments,
            self.edge_price,
            self.candidates,
            known=self.known,
            learnable=self.learnable,
            gamma=gamma,
            center=self.center,
        )

    def graph(self, adjacency: np.ndarray) -> list[NodeChanges]:
        """The mechanisms of all nodes of a DAG."""
        return [self.node(v, np.flatnonzero(adjacency[:, v])) for v in range(len(adjacency))]

    def mechanism(self, v: int, parents: np.ndarray) -> NodeMechanism:
        """The regression of one node in all regimes."""
        return NodeMechanism(self.moments, v, parents, self.edge_price, center=self.center)

    def evidence(self, v: int, parents: np.ndarray, found: NodeChanges) -> dict[int, float]:
        """For each changed regime: by how many nats the price would rise without the change."""
        changed = np.flatnonzero(found.kinds != UNCHANGED)
        if not changed.size:
            return {}
        without = np.repeat(found.kinds[None], len(changed), axis=0)
        without[np.arange(len(changed)), changed] = UNCHANGED
        _, prices = self.prices(self.mechanism(v, parents), without)
        return {int(r): float(p - found.price) for r, p in zip(changed, prices, strict=True)}

    # ------------------------------------------------------------------ the descent
    def _choose(self, v: int, parents: np.ndarray) -> NodeChanges:
        regimes = len(self.moments.n)
        if not self.learnable[v]:
            return NodeChanges(np.zeros(regimes, np.int64), np.zeros(regimes), 0.0)
        mechanism = self.mechanism(v, parents)
        kinds = np.zeros(regimes, np.int64)
        if self.known:
            kinds[self.candidates[v]] = NOISE
        best = self._descend(mechanism, v, kinds)
        if not self.known and self._majority_in_question(v, best):
            everywhere = np.where(self.candidates[v] & (self.moments.n > 0), NOISE, UNCHANGED)
            if self._identified(mechanism, everywhere[None])[0]:
                other = self._descend(mechanism, v, everywhere)
                best = min(best, other, key=lambda found: found.price)
        return best

    def _majority_in_question(self, v: int, found: NodeChanges) -> bool:
        """Whether to begin again at the rows known to be unchanged, all others changed.

        If there are such rows, and so many others seem changed that it could as well be most.
        """
        n = self.moments.n
        open_to_change = self.candidates[v] & (n > 0)
        changed = float(n[found.kinds != UNCHANGED].sum())
        return not open_to_change.all() and changed >= _MANY * float(n[open_to_change].sum())

    def _descend(self, mechanism: NodeMechanism, v: int, kinds: np.ndarray) -> NodeChanges:
        """Best single changes from `kinds` until none lowers the price."""
        weights, prices = self.prices(mechanism, kinds[None])
        best = NodeChanges(kinds, weights[0], float(prices[0]))
        while True:
            trials = self._trials(mechanism, v, best)
            if not len(trials):
                return best
            weights, prices = self.prices(mechanism, trials)
            least = int(np.argmin(prices))
            if not prices[least] < best.price - _LEAST_GAIN:
                return best
            best = NodeChanges(trials[least], weights[least], float(prices[least]))

    def prices(self, mechanism: NodeMechanism, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and prices of assignments of mechanisms to regimes, changes included."""
        weights, prices = mechanism.fit(kinds)
        return weights, prices + self.change_price * (kinds != UNCHANGED).sum(axis=1)

    def _trials(self, mechanism: NodeMechanism, v: int, now: NodeChanges) -> np.ndarray:
        """All assignments that differ from the present one in one regime and can be better."""
        open_to_change = np.flatnonzero(self.candidates[v] & (self.moments.n > 0))
        kinds: tuple[int, ...] = (NOISE, SHIFT, COEFFICIENTS)
        if not self.known:
            kinds = (UNCHANGED, *kinds, SET)
        promising = self._promising(mechanism, now, open_to_change)
        trials = []
        for kind in kinds:
            able = mechanism.possible(kind)
            for r in open_to_change:
                if now.kinds[r] == kind or not (able[r] and promising[r]):
                    continue
                trial = now.kinds.copy()
                trial[r] = kind
                trials.append(trial)
        if not trials:
            return np.empty((0, len(now.kinds)), np.int64)
        stacked = np.stack(trials)
        return np.asarray(stacked[self._identified(mechanism, stacked)])

    def _promising(
        self, mechanism: NodeMechanism, now: NodeChanges, regimes: np.ndarray
    ) -> np.ndarray:
        """Regimes whose change can pay: nothing fits a regime better than a regression of its own.

        Leaving a regime out and describing it by itself, the parameters for nothing, bounds the
        gain of every mechanism; most regimes of most nodes are done with here.
        """
        promising = np.ones(len(now.kinds), dtype=bool)
        fresh = regimes[now.kinds[regimes] == UNCHANGED]
        if not fresh.size or self.known:
            return promising
        apart = np.repeat(now.kinds[None], len(fresh), axis=0)
        apart[np.arange(len(fresh)), fresh] = COEFFICIENTS
        usable = self._identified(mechanism, apart)
        promising[fresh[~usable]] = False
        fresh, apart = fresh[usable], apart[usable]
        if fresh.size:
            _, prices = mechanism.fit(apart)
            logs = np.log(mechanism.n[fresh])
            changes = self.change_price * (now.kinds != UNCHANGED).sum()
            gain = now.price - changes - prices + 0.5 * (mechanism.k + 2) * logs
            promising[fresh] = gain > self.change_price + 0.5 * logs - _SLACK
        return promising

    def _identified(self, mechanism: NodeMechanism, kinds: np.ndarray) -> np.ndarray:
        """Whether the unchanged regimes have rows enough, and the node varies in them."""
        rest = (kinds == UNCHANGED).astype(float)
        rows = rest @ mechanism.n
        mean = (rest * mechanism.n) @ mechanism.mean[:, -1] / np.maximum(rows, 1.0)
        spread = rest @ mechanism.blocks[:, -1, -1]
        between = (rest * mechanism.n * (mechanism.mean[:, -1] - mean[:, None]) ** 2).sum(axis=1)
        varies = spread + between > _CONSTANT * np.maximum(rows, 1.0)
        return np.asarray((rows >= 2 * (mechanism.k + 2)) & varies)
