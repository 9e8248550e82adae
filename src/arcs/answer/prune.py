"""Backward elimination at another price: search leniently, keep strictly.

While searching, an edge too many does little harm and a missing one may hide the way; in the answer
it is the other way round. The order found at the search's price is kept, and each node's weakest
parents are dropped while they do not pay the final price (:func:`prune`).

Which price is right depends on the edges. Where all are strong, a high price costs nothing and
keeps false edges out; where many are weak, it throws away more true ones than false ones.
:func:`prune_adaptively` lets the data choose:

1. The order found by the search is relaxed (reinsertions) at a lower price, starting from the
   columns that were found: true edges that were not worth the search's price get a chance.
2. Every node's parents are eliminated one by one, the weakest first. Dropping one of k parents of v
   raises the residual sum of squares from R to R'; as a price in nats that is
   ``t = n_v / 2 log(R' / R)``, as the usual statistic ``T^2 = df (exp(2 t / n_v) - 1)`` with
   ``df = n_v - k - 1``. If the edge is null, T has Student's distribution: its *level* is
   ``P(|T_df| > |T|)``. A parent is dropped no sooner than those that went before it, so levels do
   not rise along the elimination.
3. The K(a) edges of level at most a are kept. Of m pairs of variables about ``kappa m a`` pass by
   chance, so that true minus false edges are about ``K(a) - 2 kappa m a``. The level that maximises
   this is taken. There, edges come in at twice the rate of null ones: what is kept is what is more
   likely true than false, the best decision if an edge too many and one too few count the same.

kappa = 4 allows for selection: parents are the best of many candidates in the best of many orders,
and null edges appear a few times as often as the level of a single test says.

Where all edges are strong there is nothing to win, and the maximum over a random walk would still
take in a null edge or two. So the fixed price stays in force unless the other level promises at
least ``MARGIN`` edges more. Null edges that come in at a share rho of the rate charged for them
raise ``K(a) - 2 kappa m a`` by c or more anywhere with a probability of about ``exp(-theta c)``,
``rho (exp(theta) - 1) = theta`` (Cramér and Lundberg). With rho = 1/2 that is 2 percent for c = 3.

Where there are hardly any rows (:mod:`arcs.few_rows`) chance finds many edges at any level that is
worth choosing, and the fixed price stays in force.

With interventions nodes have different numbers of rows, and the same price in nats is a different
risk for each of them. A common level is the same risk for all, and the expected number of null
edges is the same as above: that is why the rule is in terms of levels. Required edges are neither
eliminated nor counted, and pairs between which knowledge leaves no choice are not among the m.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.few_rows import HARDLY_ANY, rows_needed
from arcs.kernels.order.l0_solver import l0_score
from arcs.kernels.order.parent_set import shrink_copy
from arcs.kernels.order.records import State
from arcs.kernels.order.search import copy_state
from arcs.kernels.order.views import look_at_all
from arcs.kernels.regression import residual_variance
from arcs.lazily import Lazily
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore
from arcs.search.chain import Chain

__all__ = [
    "ADAPTIVE_EBIC",
    "Answer",
    "Exits",
    "adaptive_level",
    "exit_levels",
    "open_pairs",
    "price_level",
    "prune",
    "prune_adaptively",
    "second_chance",
    "set_price",
]

special = Lazily("scipy.special")

#: The price, as the gamma of the extended BIC, at which edges get their second chance.
ADAPTIVE_EBIC = 0.75
#: How much more often than at random null edges pass a test, since they were selected.
SELECTION = 4.0
#: Edges to be won, true minus false, before the fixed price is given up.
MARGIN = 3.0
#: Reinsertions between two looks at the clock.
_SLICE = 200


def prune(best: Chain, costs: np.ndarray) -> np.ndarray:
    """Adjacency of the best state of an l0 chain after dropping parents that do not pay
    ``costs[v]`` nats; required ones stay."""
    state, score = best.best, best.score
    required = None if score.required is None else np.asarray(score.required)
    look_at_all(score.problem, state, best.work)
    p = state.order.size
    adjacency = np.zeros((p, p), dtype=bool)
    for v in np.flatnonzero(state.columns.count).tolist():
        k, n = int(state.columns.count[v]), float(score.statistics.n[v])
        if n == 0:
            continue
        parents = state.columns.parents[v, :k].copy()
        fixed = 0 if required is None else int(required[parents, v].sum())
        precision = np.zeros((k, k))
        precision[np.tri(k, dtype=bool)] = state.derived.precision[v, : k * (k + 1) // 2]
        precision += np.tril(precision, -1).T
        threshold = 1.0 - np.exp(-2.0 * float(costs[v]) / n)
        coefficients = state.derived.coefficient[v, :k].copy()
        residual = float(state.columns.residual[v])
        kept, _ = shrink_copy(threshold, fixed, parents, k, residual, precision, coefficients)
        adjacency[parents[:kept], v] = True
    return adjacency


class Exits(NamedTuple):
    """Edges ``parent -> child`` and the levels at which backward elimination drops them.

    Pruning at level a keeps the edges with ``level <= a``.
    """

    parent: np.ndarray
    child: np.ndarray
    level: np.ndarray

    def kept(self, level: float, p: int) -> np.ndarray:
        """Adjacency of the edges that are kept at `level`."""
        adjacency = np.zeros((p, p), dtype=bool)
        chosen = self.level <= level
        adjacency[self.parent[chosen], self.child[chosen]] = True
        return adjacency


class Answer(NamedTuple):
    """A graph, an order of it, and the level of its tests if the data chose one."""

    adjacency: np.ndarray
    order: np.ndarray
    level: float | None = None


def exit_levels(
    state: State, statistics: GramStatistics, required: np.ndarray | None = None
) -> Exits:
    """Eliminate all parents of all nodes, the weakest first, and note at which level each goes.

    Parameters
    ----------
    state : State
        Of an l0 search.
    statistics : GramStatistics
    required : ndarray of bool, optional
        Edges that stay; they are not listed.
    """
    rows: list[tuple[int, int, float]] = []
    for v in range(state.order.size):
        n = float(statistics.n[v])
        parents = state.columns.parents[v, : state.columns.count[v]].tolist()
        if n == 0 or not parents:
            continue
        fixed = [] if required is None else [c for c in parents if required[c, v]]
        free = [c for c in parents if c not in fixed]
        rows += [(c, v, level) for c, level in _eliminate(statistics, v, n, fixed, free)]
    table = np.array(rows, dtype=float).reshape(-1, 3)
    return Exits(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2])


def _eliminate(
    statistics: GramStatistics, v: int, n: float, fixed: list[int], free: list[int]
) -> list[tuple[int, float]]:
    """Parents of v among `free` and their levels, in the order in which they are dropped."""
    dropped = []
    smallest = 1.0
    residual = _residual(statistics, v, fixed + free)
    while free:
        without = [
            _residual(statistics, v, fixed + free[:j] + free[j + 1 :]) for j in range(len(free))
        ]
        weakest = int(np.argmin(without))
        df = max(n - len(fixed) - len(free) - 1.0, 1.0)
        squared = max(df * (without[weakest] / residual - 1.0), 0.0)
        smallest = min(smallest, 2.0 * float(special.stdtr(df, -np.sqrt(squared))))
        dropped.append((free.pop(weakest), smallest))
        residual = without[weakest]
    return dropped


def _residual(statistics: GramStatistics, v: int, parents: list[int]) -> float:
    """Share of v's variation that these parents leave unexplained."""
    k = len(parents)
    room = np.empty((k + 1, k + 1)), np.empty(k + 1)
    columns = np.array(parents, dtype=np.int64)
    return float(residual_variance(statistics.kernel, v, columns, k, *room))


def adaptive_level(
    levels: np.ndarray, pairs: float, selection: float = SELECTION
) -> tuple[float, float]:
    """The level a that maximises ``K(a) - 2 selection pairs a``, and that maximum.

    Between two levels K does not change, so the maximum is at one of `levels`. If nothing is worth
    keeping, the maximum is 0.

    Parameters
    ----------
    levels : ndarray
        Of the edges, as :func:`exit_levels` gives them.
    pairs : float
        Number of pairs of variables that may be joined.
    selection : float
        The factor kappa.
    """
    ordered = np.append(0.0, np.sort(levels))
    surplus = np.arange(ordered.size) - 2.0 * selection * pairs * ordered
    best = int(np.argmax(surplus))
    # Where nothing is worth its risk, or all that is has no risk that double precision could tell,
    # the level is one that no further edge passes: 0 is the level of no test.
    return float(ordered[best]) or float(np.finfo(np.float64).eps), float(surplus[best])


def prune_adaptively(
    best: Chain,
    costs: np.ndarray,
    *,
    relax: bool = True,
    expired: Callable[[], bool] = lambda: False,
) -> Answer:
    """Prune the best state of a chain at the level that its edges suggest.

    Parameters
    ----------
    best : Chain
        A finished l0 search.
    costs : ndarray
        The fixed price of each node's parents, in nats, that another level has to surpass.
    relax : bool
        Whether weak edges get a second chance (step 1 of the module's text), which may change the
        order a little.
    expired : callable
        Whether time is up; that ends the second chance early.
    """
    score = best.score
    strict = prune(best, costs)
    if float(np.median(score.statistics.n)) < rows_needed(score.statistics.p, HARDLY_ANY):
        return Answer(strict, best.best.order.copy())
    pairs = open_pairs(score)
    nominal = price_level(costs, np.asarray(score.statistics.n, dtype=float))
    promised = _paid_edges(strict, score) - 2.0 * SELECTION * pairs * float(np.mean(nominal))
    state = second_chance(best, expired) if relax else best.best
    exits = exit_levels(state, score.statistics, score.required)
    level, surplus = adaptive_level(exits.level, pairs)
    if surplus < promised + MARGIN:
        return Answer(strict, best.best.order.copy())
    return Answer(exits.kept(level, state.order.size), state.order.copy(), level)


def price_level(costs: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Level of the test of a single parent that asks for ``costs`` nats, from `n` rows."""
    df = np.maximum(n - 2.0, 1.0)
    # Prices beyond are level 0 all the same, and their exponentials would overflow.
    squared = df * np.expm1(np.minimum(2.0 * costs / np.maximum(n, 1.0), 500.0))
    return np.asarray(np.where(n > 0, 2.0 * special.stdtr(df, -np.sqrt(squared)), 0.0))


def _paid_edges(adjacency: np.ndarray, score: CholeskyScore) -> int:
    """Edges that are not required."""
    if score.required is None:
        return int(adjacency.sum())
    return int((adjacency & ~np.asarray(score.required, dtype=bool)).sum())


def second_chance(best: Chain, expired: Callable[[], bool]) -> State:
    """The best state of a search, relaxed by reinsertions at a lower price.

    It goes on with the columns that were found: solved from nothing at a low price, columns collect
    more chance findings, and miss parents that help only together.
    """
    score = best.score
    if score.penalty.gamma <= ADAPTIVE_EBIC:
        return best.best
    cheap = replace(score, penalty=Ebic(ADAPTIVE_EBIC))
    chain = Chain(cheap, best.best.order, best.rng)
    copy_state(cheap.problem, best.best, chain.state)
    set_price(chain)
    queue = chain.state.order.tolist()
    while queue and not expired():
        queue = chain.descend(queue, _SLICE)
    return chain.state


def set_price(chain: Chain) -> None:
    """Score the present columns at the price of the chain's own score."""
    score, columns = chain.score, chain.state.columns
    paid = columns.count.astype(float)
    if score.required is not None:
        # required parents are always there, and free
        paid -= np.asarray(score.required).sum(axis=0)
    n = np.asarray(score.statistics.n, dtype=float)
    terms = l0_score.py_func(n, columns.residual, score.edge_costs, paid)
    columns.score[:] = np.where(n > 0, terms, 0.0)


def open_pairs(score: CholeskyScore) -> float:
    """Pairs of variables of which the data decide whether they are joined."""
    p = score.statistics.p
    open_ = ~np.eye(p, dtype=bool)
    if score.allowed is not None:
        allowed = np.asarray(score.allowed, dtype=bool)
        open_ &= allowed | allowed.T
    if score.required is not None:
        required = np.asarray(score.required, dtype=bool)
        open_ &= ~(required | required.T)
    return float(open_.sum()) / 2.0
