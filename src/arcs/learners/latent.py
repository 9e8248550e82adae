"""Structural EM: graphs and hidden factors in turn.

Given the factors' expected moments (:mod:`arcs.regimes.factors`) the best graph is an ordinary
search on the statistics from which the factors are regressed out; given the graph, some thirty
steps of EM fit the factors. The two are repeated while the price falls, from several starts: factor
analysis without a graph, the same with edges that are 16, 8, 4 and 2 times as dear at first, and
the solution with one factor fewer with another one added. The number of factors grows while that
lowers the price.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.accumulate import GramAccumulator, RegimeSums
from arcs.data.elimination import eliminate
from arcs.errors import DataError
from arcs.graphs import Pdag
from arcs.progress import Watch
from arcs.regimes.factors import (
    Factors,
    RegimeCovariances,
    factor_start,
    grown_start,
    pooled_correlation,
)

if TYPE_CHECKING:
    from arcs.learners.arcs import Arcs
    from arcs.learners.base import Learned

__all__ = ["Hidden", "factor_evidence", "learn_latent"]

MOST_FACTORS = 5
_DEAR = ((), (16.0, 8.0, 4.0, 2.0))
_ROUNDS, _STEPS = 8, 30
#: Nats at which the quick look at a factor is worth two searches.
_PROMISING = -20.0


@dataclass(frozen=True, eq=False)
class Hidden:
    """What was found about hidden factors.

    Attributes
    ----------
    model : Factors
        With variables scaled to unit variance.
    prices : dict of int to float
        The price of every number of factors that was tried.
    scale : ndarray
        What the variables were divided by.
    scores : ndarray of shape (n, k), or None
        Expected factors of each row.
    """

    model: Factors
    prices: dict[int, float]
    scale: np.ndarray
    scores: np.ndarray | None = None

    @property
    def evidence(self) -> float:
        """By how many nats the factors shorten the description of the data."""
        return self.prices[0] - self.prices[self.model.k]


@dataclass(frozen=True, eq=False)
class _Solution:
    learned: Learned
    adjacency: np.ndarray
    model: Factors
    price: float
    statistics: GramStatistics


def learn_latent(
    learner: Arcs, dataset: Dataset, statistics: GramStatistics, watch: Watch
) -> Learned:
    """The graph with hidden factors; `learner.latent` is their number, or "auto"."""
    if not dataset.has_rows or dataset.incomplete:
        raise DataError("latent needs complete rows; use missing='drop', or leave latent out")
    if isinstance(learner.latent, int):
        _refuse_too_many(learner.latent, dataset.p)
    task = _Task(replace(learner, latent=None, checkpoint=None, resume=False), dataset, watch)
    plain = task.without(statistics)
    prices, best, last = {0: plain.price}, plain, None
    most = learner.latent if isinstance(learner.latent, int) else MOST_FACTORS
    for k in range(1, most + 1):
        if watch.expired() or k > most_factors(task.data.p):
            break
        last = task.with_factors(k, last)
        prices[k] = last.price
        if learner.latent == "auto" and last.price >= best.price:
            break
        best = last
    scores = None if best is plain else task.scores(best.model)
    hidden = Hidden(best.model, prices, task.scale, scores)
    fitted_to = None if best is plain else best.statistics
    return replace(best.learned, statistics=fitted_to, hidden=hidden)


def most_factors(p: int) -> int:
    """As many factors as `p` variables can tell apart.

    The largest k with (p - k)^2 >= p + k (Ledermann, 1937): beyond it covariances have fewer
    entries than loadings and noise variances have parameters.
    """
    return int((2 * p + 1 - np.sqrt(8 * p + 1)) / 2 + 1e-9)


def _refuse_too_many(k: int, p: int) -> None:
    if k > most_factors(p):
        raise DataError(
            f"latent={k}: {p} variables can tell {most_factors(p)} hidden factors apart at the "
            "most; use fewer, or latent='auto'"
        )


def regime_covariances(dataset: Dataset) -> tuple[RegimeCovariances, np.ndarray]:
    """Covariances about the regimes' own means, and what the variables were divided by."""
    sums, design = dataset.sums(), dataset.interventions
    n = sums.table().n
    covariances = np.stack([part.cross_about(part.mean) / max(part.n, 1) for part in sums.regimes])
    pooled = np.tensordot(n / n.sum(), covariances, axes=1)
    scale = np.sqrt(np.maximum(np.diag(pooled), np.finfo(float).tiny))
    fixed = np.zeros((len(n), dataset.p), dtype=bool)
    if design is not None:
        fixed = design.regime_mask
    return RegimeCovariances(covariances / np.outer(scale, scale), n, fixed), scale


class _Task:
    """One data set and one method, for several numbers of factors."""

    def __init__(self, learner: Arcs, dataset: Dataset, watch: Watch) -> None:
        self.learner, self.dataset, self.watch = learner, dataset, watch
        self.targets = ((),) if dataset.interventions is None else dataset.interventions.targets
        self.data, self.scale = regime_covariances(dataset)

    def without(self, statistics: GramStatistics) -> _Solution:
        """The graph without factors, priced alike."""
        learned = self.learner.learn_from(self.dataset, statistics, self.watch)
        adjacency = _adjacency(learned)
        nothing = Factors(np.zeros((self.data.p,) * 2), np.zeros((0, self.data.p)), np.ones(1))
        model = self.data.fitted(adjacency, nothing, 1)
        return _Solution(learned, adjacency, model, self.data.price(adjacency, model), statistics)

    def with_factors(self, k: int, fewer: _Solution | None) -> _Solution:
        """The cheapest solution with `k` factors, of all starts."""
        found = [self._from(start, dear) for start in self._starts(k, fewer) for dear in _DEAR]
        return min(found, key=lambda solution: solution.price)

    def _starts(self, k: int, fewer: _Solution | None) -> Iterator[Factors]:
        yield factor_start(pooled_correlation(self.data), k)
        if fewer is not None and fewer.model.k == k - 1:
            yield grown_start(self.data, fewer.model)

    def _from(self, model: Factors, dear: Sequence[float]) -> _Solution:
        """Alternate until the price falls no more; a full search at the end."""
        best: _Solution | None = None
        order: Any = None
        for number in range(_ROUNDS + len(dear)):
            factor = dear[number] if number < len(dear) else 1.0
            found = self._round(model, factor, order, _STEPS)
            order, model = found.learned.order, found.model
            if best is None or found.price < best.price - 0.1:
                best = found
            elif number > len(dear):
                break
            if self.watch.expired():
                break
        assert best is not None
        last = self._round(best.model, 1.0, None, 2 * _STEPS)
        return min(best, last, key=lambda solution: solution.price)

    def _round(self, model: Factors, dear: float, order: Any, steps: int) -> _Solution:
        statistics = self._statistics(model)
        changes: dict[str, Any] = {}
        if dear != 1.0:
            rows = float(np.median(self.data.rows))
            changes["lam"] = dear * (0.5 * np.log(max(rows, 2.0)) + np.log(self.data.p))
            changes |= {"ebic": 1.0, "final_ebic": "adaptive"}
        if order is not None:
            changes |= {"init": order, "patience": 1}
        learned = replace(self.learner, **changes).learn(statistics, self.watch)
        adjacency = _adjacency(learned)
        model = self.data.fitted(adjacency, model, steps)
        return _Solution(learned, adjacency, model, self.data.price(adjacency, model), statistics)

    def _statistics(self, model: Factors) -> GramStatistics:
        """Statistics of the variables after regression on the factors."""
        p, k = self.data.p, model.k
        scale = np.concatenate([self.scale, np.ones(k)])
        sums, means = GramAccumulator(p + k, 0), self.dataset.sums().table().mean
        sums.shift = np.concatenate([self.dataset.sums().shift, np.zeros(k)])
        overall = self.data.n @ means / self.data.n.sum()
        for n, moments in zip(self.data.n, self.data.moments(model), strict=True):
            mean = np.concatenate([overall, np.zeros(k)])
            sums.regimes.append(
                RegimeSums.of_moments(int(n), mean, n * moments * np.outer(scale, scale))
            )
        names = (*self.dataset.names, *(f"factor {f + 1}" for f in range(k)))
        weights = (~self.data.set_.T).astype(float)
        weights[self.dataset.counted().rows < 3] = 0.0
        wide = GramStatistics.from_accumulator(sums, names, targets=self.targets, weights=weights)
        return eliminate(wide, self.dataset.names, np.ones((p, k), dtype=bool), refuse=False)

    def pruned_price(self, adjacency: np.ndarray, model: Factors) -> float:
        """The price of a graph without its superfluous edges, given the factors, roughly."""
        # Without factors there is nothing to iterate.
        steps, rounds = (2, 3) if model.k else (1, 1)
        for _ in range(rounds):
            model = self.data.fitted(adjacency, model, steps)
            adjacency = self.data.pruned(adjacency, model)
        return self.data.price(adjacency, self.data.fitted(adjacency, model, steps))

    def scores(self, model: Factors) -> np.ndarray | None:
        """Expected factors of each row."""
        if self.dataset.values is None:
            return None
        design = self.dataset.interventions
        regime = np.zeros(self.dataset.n, np.int64) if design is None else design.regime
        values, scores = self.dataset.residual_values(), np.zeros((self.dataset.n, model.k))
        for r in range(len(self.data.n)):
            rows = regime == r
            centred = (values[rows] - values[rows].mean(axis=0)) / self.scale
            scores[rows] = centred @ self.data.weights(r, model)[0]
        return scores


def _adjacency(learned: Learned) -> np.ndarray:
    assert not isinstance(learned.graph, Pdag)
    return np.asarray(learned.graph, dtype=bool)


def factor_evidence(
    dataset: Dataset, adjacency: np.ndarray, *, min_r2: float = 0.0, seconds: float = np.inf
) -> float:
    """A quick look: nats by which one factor would shorten the description of data and graph.

    First without a search: the edges of a thicket hide a factor as long as they stay, so the factor
    comes from an analysis without edges, and of those that were found the superfluous ones go, with
    the factor and without. Where it seems to pay, a search with the factor is compared with a
    search without: what a better graph would gain, a factor must not earn. These searches have
    edges explain `min_r2`, as the fit had, and `seconds` to end in; otherwise nothing is known.
    """
    from arcs.learners.arcs import Arcs

    if seconds <= 0:
        return -np.inf
    watch = Watch(None if seconds == np.inf else seconds)
    task = _Task(Arcs(random_state=0, patience=1, min_r2=min_r2), dataset, watch)
    start = factor_start(pooled_correlation(task.data), 1)
    nothing = Factors(np.zeros((task.data.p,) * 2), np.zeros((0, task.data.p)), np.ones(1))
    plain = task.data.fitted(adjacency, nothing, 1)
    evidence = task.pruned_price(adjacency, plain) - task.pruned_price(adjacency, start)
    if evidence < _PROMISING:
        return evidence
    alone = task.without(dataset.statistics())
    found = min(alone.price, task.data.price(adjacency, plain))
    evidence = found - task._round(start, 1.0, None, _STEPS).price
    return -np.inf if watch.timed_out else evidence
