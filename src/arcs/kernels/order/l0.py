"""The l0 engine: columns that count their parents (see :mod:`arcs.kernels.order.l0_solver`).

Of every column the packed Cholesky factor of its parents' Gram matrix is kept up to date, which
tells at once whether another candidate might join.
"""

from typing import NamedTuple

import numpy as np

import arcs.kernels.order.l0_scan  # noqa: F401  (provides a part of the engine)
from arcs.kernels.jit import kernel
from arcs.kernels.order.beyond import LINE
from arcs.kernels.order.elimination import shrink
from arcs.kernels.order.engine import (
    copy_column,
    firm_parents,
    gains,
    provide,
    refresh,
    remembers_useless,
    starts_matter,
    write_column,
)
from arcs.kernels.order.records import ZERO, State, Workspace, new_state, new_workspace
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import Stats, gram_entry

__all__ = ["L0Columns", "L0Problem", "L0Scratch", "start"]

#: About how many sets of parents are remembered for each node.
_SETS_PER_NODE = 64


class L0Problem(NamedTuple):
    """What is being minimised.

    Attributes
    ----------
    stats : Stats
    cost : float64 (p,), price of a parent of each node, in nats
    strict, lenient : float64 (p,), thresholds on the squared partial correlation
    max_parents : int64 (p,)
    allowed : uint8 (p, p) or (0, 0) without knowledge; [i, j] whether i -> j may be an edge
    required : uint8 (p, p) or (0, 0) without knowledge; [i, j] whether i -> j must be an edge
    near : int64, for one node after the other those most correlated with it, the nearest first
    near_start : int64 (p + 1,), where each node's begin in `near`; or (0,): everybody is near
    screen : of the lenient threshold, the share that a squared correlation needs for a node to be
        tried as another parent of one before it
    """

    stats: Stats
    cost: np.ndarray
    strict: np.ndarray
    lenient: np.ndarray
    max_parents: np.ndarray
    allowed: np.ndarray
    required: np.ndarray
    near: np.ndarray
    near_start: np.ndarray
    screen: float


class L0Columns(NamedTuple):
    """One column per node: its parents, its term of the score, and the share of its variation that
    the parents leave."""

    count: np.ndarray  # (p,) int64
    parents: np.ndarray  # (p, m) int64, required parents first
    score: np.ndarray  # (p,)
    residual: np.ndarray  # (p,)


class Factors(NamedTuple):
    """What is derived from the columns."""

    factor: np.ndarray  # (p, m (m + 1) / 2), packed Cholesky factor of the parents' Gram matrix
    solved: np.ndarray  # (p, m), factor^-1 G[parents, node]


class L0Scratch(NamedTuple):
    """Where a column is being solved."""

    nodes: np.ndarray  # (p,) int64, the list
    where: np.ndarray  # (p,) int64, the places of nodes on the list
    size: np.ndarray  # (1,) int64, how many are on it
    home: np.ndarray  # (1,) int64, the node's own place
    promising: np.ndarray  # (p,) int64, places of candidates that may be worth their price
    pivots: np.ndarray  # (m + 1, p) eliminated rows; this and what follows by place on the list
    covariance: np.ndarray  # (p,) partial covariances with the node
    variance: np.ndarray  # (p,) partial variances
    open: np.ndarray  # (p,) 1 for candidates, 0 for others
    reach: np.ndarray  # (p,) partial covariances with the node, by node
    small: np.ndarray  # (m + 1, m + 1)
    inverse: np.ndarray  # (2 m + 4, m + 1)
    vector: np.ndarray  # (m + 1,)
    residual: np.ndarray  # (1,)
    chosen: np.ndarray  # (m + 1,) int64, the parents being collected
    pruned: np.ndarray  # (m + 1,) int64, a copy that is shrunk, or kept as a fallback
    own: np.ndarray  # (m + 1,) int64, the best set of a scan so far
    best: np.ndarray  # (m + 1,) int64, that of the best slot
    fresh: np.ndarray  # (m + 1,) int64, the set found from nothing
    rows: np.ndarray  # (m + 1,) int64, rows of the Gram matrix to be added up
    found: np.ndarray  # (p + 1,) int64, who may help beside the list
    key: np.ndarray  # int32, a node and its parents
    known: np.ndarray  # (a power of two, LINE) int32, who helps beside the list


def start(order: np.ndarray, m: int) -> tuple[State, Workspace]:
    """Empty columns of at most `m` parents for an order, and memory for the search."""
    p = order.size
    scratch = L0Scratch(
        *(np.arange(p) for _ in range(2)),
        *(np.zeros(1, np.int64) for _ in range(2)),
        np.zeros(p, np.int64),
        np.zeros((m + 1, p)),
        *(np.zeros(p) for _ in range(4)),
        np.zeros((m + 1, m + 1)),
        np.zeros((2 * m + 4, m + 1)),
        np.zeros(m + 1),
        np.ones(1),
        *(np.zeros(m + 1, np.int64) for _ in range(6)),
        np.zeros(p + 1, np.int64),
        np.zeros(LINE, np.int32),
        np.full((1 << (_SETS_PER_NODE * p).bit_length(), LINE), -1, np.int32),
    )
    factors = Factors(np.zeros((p, m * (m + 1) // 2)), np.zeros((p, m)))
    state = new_state(order, _columns(p, m), factors)
    return state, new_workspace(p, scratch, _columns(p, m), _columns(p, m), remembers=True)


def _columns(p: int, m: int) -> L0Columns:
    return L0Columns(np.zeros(p, np.int64), np.zeros((p, m), np.int64), np.zeros(p), np.ones(p))


@provide("L0Problem", refresh)
@kernel
def _refresh(problem, state, u):
    """Packed factor and solved vector of u's parents."""
    stats = problem.stats
    parents = state.columns.parents[u]
    factor = state.derived.factor[u]
    solved = state.derived.solved[u]
    at = 0
    for i in range(state.columns.count[u]):
        start = at
        for j in range(i + 1):
            value = gram_entry(stats, u, parents[i], parents[j])
            row = j * (j + 1) // 2
            for t in range(j):
                value -= factor[start + t] * factor[row + t]
            if j < i:
                pivot = factor[row + j]
                value = value / pivot if pivot > 0.0 else 0.0
            else:
                value = np.sqrt(value) if value > COLLINEAR else 0.0
            factor[at] = value
            at += 1
        value = gram_entry(stats, u, parents[i], u)
        for t in range(i):
            value -= factor[start + t] * solved[t]
        pivot = factor[start + i]
        solved[i] = value / pivot if pivot > 0.0 else 0.0


@provide("L0Problem", gains)
def _gains(problem, state, u, v, work):
    stats, columns, vector = problem.stats, state.columns, work.scratch.vector
    factor, solved = state.derived.factor, state.derived.solved
    k = columns.count[u]
    changes = False
    if k < problem.max_parents[u] and (problem.allowed.shape[0] == 0 or problem.allowed[v, u] != 0):
        covariance = gram_entry(stats, u, v, u)
        if covariance * covariance < problem.screen * problem.lenient[u]:
            return False
        variance = 1.0
        at = 0
        for i in range(k):
            value = gram_entry(stats, u, columns.parents[u, i], v)
            for t in range(i):
                value -= factor[u, at] * vector[t]
                at += 1
            pivot = factor[u, at]
            at += 1
            value = value / pivot if pivot > 0.0 else 0.0
            vector[i] = value
            variance -= value * value
            covariance -= value * solved[u, i]
        bound = problem.lenient[u] * variance * columns.residual[u]
        changes = variance > COLLINEAR and covariance * covariance > bound
    return changes


@provide("L0Problem", firm_parents)
@kernel
def _firm_parents(problem, state, u, out, work):
    """Parents of u that backward elimination at the double price leaves."""
    scratch, k = work.scratch, state.columns.count[u]
    at = 0
    for i in range(k):
        out[i] = state.columns.parents[u, i]
        scratch.vector[i] = state.derived.solved[u, i]
        for j in range(i + 1):
            scratch.small[i, j] = state.derived.factor[u, at]
            at += 1
    double = problem.strict[u] * (2.0 - problem.strict[u])
    k, _, _ = shrink(double, ZERO, out, k, scratch.small, scratch.vector, scratch.inverse)
    return k


@provide("L0Problem", write_column)
def _write_column(problem, columns, u, k, scratch):
    columns.residual[u] = scratch.residual[0]


@provide("L0Problem", copy_column)
def _copy_column(problem, source, target, u):
    target.residual[u] = source.residual[u]


@provide("L0Problem", remembers_useless)
def _remembers_useless(problem):
    return True


@provide("L0Problem", starts_matter)
def _starts_matter(problem):
    return True
