"""The regularised Cholesky score (the paper's eq. 11-13; Lemma 3 for experimental data).

For an order the score is a sum over nodes; a node's term depends only on the node and the *set* of
its predecessors:

    f(order) = sum_v min_{d > 0, w}  1/2 [d, w]' G_v [d, w] - n_v log d + sum_i rho(w_i),

G_v the unit-diagonal Gram matrix of the rows in which v was not set, w the off-diagonal entries of
v's column of L, d its diagonal entry. This is the only place where statistics, penalty and solver
meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import cast

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.graphs import Order
from arcs.kernels.bundles import bundle
from arcs.kernels.order import continuous, l0
from arcs.kernels.order.records import UNCONVERGED, State, Workspace
from arcs.kernels.order.search import solve_all, solve_one
from arcs.kernels.proximal import LineSearch, proximal_gradient
from arcs.penalties import Ebic, Penalty, Scalar
from arcs.scores.nearest import nearest
from arcs.settings import NONE, choice, whole

__all__ = ["CholeskyScore", "ColumnFit", "state_adjacency"]

_DEFAULT_PRICE = Ebic(1.0)
SOLVERS = ("coordinate_descent", "proximal_gradient")
#: From so many variables on, columns are not grown by what may be chance: so many of all candidates
#: would be expected to pass; and the share of the true price that this is at the most.
_MANY, _BY_CHANCE, _MOST_LENIENT = 500, 0.2, 0.75
#: Among so many, a node is tried as a parent of one before it only if their squared correlation is
#: at least this share of the lenient threshold. Others are found when that one moves behind it.
_SCREEN = 0.25
_NO_KNOWLEDGE = np.zeros((0, 0), np.uint8)


@dataclass(frozen=True, eq=False)
class ColumnFit:
    """One node's column: parents, entries of L, and its term of the score."""

    parents: np.ndarray
    weights: np.ndarray
    diagonal: float
    score: float
    converged: bool = True

    @property
    def coefficients(self) -> np.ndarray:
        """Regression coefficients on unit-norm columns: ``-w / d``."""
        return -self.weights / self.diagonal


@dataclass(frozen=True, eq=False)
class CholeskyScore:
    """Scores nodes and orders.

    Parameters
    ----------
    statistics : GramStatistics
    penalty : Penalty
        By default the price of the extended BIC, ``0.5 log n_v + log p`` per edge.
    max_parents : int, optional
        Upper bound on the number of parents; by default 32 for l0 and none otherwise, and never
        more than a quarter (l0) or half (otherwise) of the rows: with as many parents as rows the
        likelihood has no bound.
    allowed, required : ndarray of bool (p, p), optional
        Background knowledge: which edges may, and which must be there. A required edge is not
        penalised.
    solver : {"coordinate_descent", "proximal_gradient"}
        How columns under a continuous penalty are solved; both reach the same stationary points.
    tolerance : float
        Relative tolerance of the column solver.
    """

    statistics: GramStatistics
    penalty: Penalty = _DEFAULT_PRICE
    max_parents: int | None = None
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None
    solver: str = "coordinate_descent"
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        choice(*SOLVERS).check("solver", self.solver)
        (whole(1) | NONE).check("max_parents", self.max_parents)

    # ------------------------------------------------------------------ what kernels take
    @property
    def is_l0(self) -> bool:
        """Whether the penalty counts edges."""
        return self.penalty.counts_edges

    @cached_property
    def edge_costs(self) -> np.ndarray:
        """l0: the price of a parent for each node, in nats."""
        return self.penalty.costs(self.statistics.n, self.statistics.p)

    @cached_property
    def problem(self) -> l0.L0Problem | continuous.ContinuousProblem:
        """The problem as arrays."""
        n = np.maximum(self.statistics.n, 1.0)
        stats = self.statistics.kernel
        rules = (self._parent_limits(n), _flags(self.allowed), _flags(self.required))
        if self.is_l0:
            costs = self.edge_costs
            strict = 1.0 - np.exp(-2.0 * costs / n)
            lenient = 1.0 - np.exp(-2.0 * _lenient_costs(costs) / n)
            near = nearest(stats, lenient)
            screen = _SCREEN if self.statistics.p >= _MANY else 0.0
            return bundle(l0.L0Problem(stats, costs, strict, lenient, *rules, *near, screen))
        kind, lam, gamma = self.penalty.kind, float(self.penalty.lam), float(self.penalty.gamma)
        return bundle(
            continuous.ContinuousProblem(stats, int(kind), lam, gamma, self.tolerance, *rules)
        )

    def _parent_limits(self, n: np.ndarray) -> np.ndarray:
        most = self.statistics.p - 1
        limit = np.full(self.statistics.p, most, dtype=np.int64)
        if self.max_parents is not None:
            limit = np.minimum(limit, self.max_parents)
        # With as many parents as rows the residual vanishes and the likelihood has no bound.
        share = 4 if self.is_l0 else 2
        limit = np.minimum(limit, np.maximum(n // share, 1).astype(np.int64))
        if self.is_l0:
            limit = np.minimum(limit, self.max_parents or 32)
        if self.required is not None:
            limit = np.maximum(limit, np.asarray(self.required).sum(axis=0))
        return np.asarray(limit)

    def new_state(self, order: np.ndarray) -> tuple[State, Workspace]:
        """Empty columns for an order, and scratch memory."""
        m = max(int(self.problem.max_parents.max(initial=0)), 1)
        if self.is_l0:
            p, ends = self.statistics.p, cast(l0.L0Problem, self.problem).near_start
            return l0.start(np.asarray(order), m, int(ends[-1]) if ends.size else p * (p - 1))
        return continuous.start(np.asarray(order), m)

    @cached_property
    def offset(self) -> float:
        """l0: what profiling out the diagonal leaves: ``sum_v n_v / 2 (1 - log n_v)``."""
        if not self.is_l0:
            return 0.0
        n = np.maximum(self.statistics.n, 1.0)
        return float(np.sum(np.where(self.statistics.n > 0, 0.5 * n * (1.0 - np.log(n)), 0.0)))

    # ------------------------------------------------------------------ scores
    def solve(self, order: Order | np.ndarray) -> State:
        """Columns of all nodes for an order, each solved from nothing."""
        nodes = order.nodes if isinstance(order, Order) else np.asarray(order)
        state, work = self.new_state(nodes)
        solve_all(self.problem, state, work)
        return state

    def total(self, order: Order | np.ndarray) -> float:
        """Score of an order."""
        nodes = order.nodes if isinstance(order, Order) else np.asarray(order)
        if self.solver == "proximal_gradient" and not self.is_l0:
            return float(sum(self.node(v, nodes[:i]).score for i, v in enumerate(nodes)))
        return float(self.solve(nodes).columns.score.sum()) + self.offset

    def node(self, v: int, candidates: Sequence[int] | np.ndarray) -> ColumnFit:
        """Column of node `v` when only `candidates` may be its parents."""
        if self.solver == "proximal_gradient" and not self.is_l0:
            return self._proximal(v, np.asarray(candidates, dtype=np.int64))
        inside = np.unique(np.asarray(candidates, dtype=np.int64))
        rest = np.setdiff1d(np.arange(self.statistics.p), np.append(inside, v))
        state, work = self.new_state(np.concatenate([inside, [v], rest]))
        solve_one(self.problem, state, v, work)
        return self._column(state, v, work)

    def _column(self, state: State, v: int, work: Workspace) -> ColumnFit:
        k = int(state.columns.count[v])
        n = float(self.statistics.n[v])
        parents = state.columns.parents[v, :k].copy()
        if not self.is_l0:
            converged = bool(work.counters[UNCONVERGED] == 0)
            weights = state.columns.weight[v, :k].copy()
            d, score = float(state.columns.diagonal[v]), float(state.columns.score[v])
            return ColumnFit(parents, weights, d, score, converged)
        share = float(state.columns.residual[v])
        d = float(np.sqrt(n / share))
        gram = self.statistics.sub_gram(v, np.append(parents, v))
        beta = np.linalg.lstsq(gram[:-1, :-1], gram[:-1, -1], rcond=None)[0] if k else np.zeros(0)
        constant = 0.5 * n * (1.0 - np.log(n)) if n > 0 else 0.0
        return ColumnFit(parents, -beta * d, d, float(state.columns.score[v]) + constant)

    def _proximal(
        self,
        v: int,
        candidates: np.ndarray,
        *,
        step: float = 1.0,
        shrink: float = 0.8,
        max_iter: int = 100_000,
    ) -> ColumnFit:
        """Algorithm 2, started from all ones as in the authors' code."""
        assert isinstance(self.penalty, Scalar)
        nodes = np.concatenate([[v], candidates]).astype(np.int64)
        free = np.zeros(nodes.size, np.uint8)
        free[0] = 1
        if self.allowed is not None:
            keep = np.append(True, np.asarray(self.allowed)[candidates, v])
            nodes, free = nodes[keep], free[keep]
        if self.required is not None:
            free[1:] = np.asarray(self.required)[nodes[1:], v]
        gram = np.ascontiguousarray(self.statistics.sub_gram(v, nodes))
        n = float(self.statistics.n[v])
        if n == 0:
            return ColumnFit(np.zeros(0, np.int64), np.zeros(0), 1.0, 0.0)
        column = np.ones(nodes.size)
        penalty = self.penalty
        settings = (penalty.kind, float(penalty.lam), float(penalty.gamma))
        rule = LineSearch(step, shrink, self.tolerance, max_iter)
        work = np.empty((2, nodes.size))
        _, converged = proximal_gradient(gram, n, settings, column, free, rule, work)
        loss = 0.5 * column @ gram @ column - n * np.log(column[0])
        score = loss + float(penalty.value(column[free == 0]).sum())
        active = np.flatnonzero(column[1:]) + 1
        return ColumnFit(nodes[active], column[active], float(column[0]), score, bool(converged))


def state_adjacency(state: State) -> np.ndarray:
    """The adjacency matrix of a state's columns."""
    p = state.order.size
    adjacency = np.zeros((p, p), dtype=bool)
    for v in range(p):
        adjacency[state.columns.parents[v, : state.columns.count[v]], v] = True
    return adjacency


def _lenient_costs(costs: np.ndarray) -> np.ndarray:
    """At what price sets of parents are grown: half the true one, but among very many candidates no
    less than what the best of those gains that have nothing to do with the node.

    Otherwise every column takes in several such candidates, the more the larger p is, and drops
    them again: most of the time would go there.
    """
    p = costs.size
    if p < _MANY:
        return costs / 2.0
    z = NormalDist().inv_cdf(_BY_CHANCE / (2.0 * p))  # so many of p exceed |z| by chance
    return np.maximum(costs / 2.0, np.minimum(z * z / 2.0, _MOST_LENIENT * costs))


def _flags(matrix: np.ndarray | None) -> np.ndarray:
    if matrix is None:
        return _NO_KNOWLEDGE
    return np.ascontiguousarray(matrix, dtype=np.uint8)
