"""The l0 engine: columns that count their parents (see :mod:`arcs.kernels.order.l0_solver`).

What a column leaves of everybody is kept until its parents change
(:mod:`arcs.kernels.order.views`): that tells at once whether another candidate might join.
"""

from typing import NamedTuple

import numpy as np

import arcs.kernels.order.l0_scan  # noqa: F401  (provides a part of the engine)
from arcs.kernels.bundles import apart
from arcs.kernels.jit import kernel
from arcs.kernels.order.beyond import LINE
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
from arcs.kernels.order.parent_set import everybody, shrink_copy
from arcs.kernels.order.records import ZERO, State, Workspace, new_state, new_workspace
from arcs.kernels.order.views import look, new_views, place_of_view, unpack_precision
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


class L0Scratch(NamedTuple):
    """Where a column is being solved."""

    nodes: np.ndarray  # (p,) int64, the list
    where: np.ndarray  # (p,) int64, the places of nodes on the list
    size: np.ndarray  # (1,) int64, how many are on it
    home: np.ndarray  # (1,) int64, the node's own place
    flags: np.ndarray  # (8 words) uint8, whether a place may be worth its price
    words: np.ndarray  # (p / 8 + 1,) int64, the same memory
    covariance: np.ndarray  # (p,) partial covariances with the node; this by place on the list
    variance: np.ndarray  # (p,) partial variances, by place
    open: np.ndarray  # (p,) 1 for candidates, 0 for others, by place
    reach: np.ndarray  # (p,) a combination of rows of the Gram matrix
    precision: np.ndarray  # (m + 1, m + 1), inverse of the parents' Gram matrix
    coefficient: np.ndarray  # (m + 1,), the node's on its parents
    small: np.ndarray  # (m + 1, m + 1), a copy of the inverse
    vector: np.ndarray  # (m + 1,), a copy of the coefficients
    entries: np.ndarray  # (m + 2,), a column of the Gram matrix
    weights: np.ndarray  # (m + 2,), of rows to be added up
    residual: np.ndarray  # (1,)
    chosen: np.ndarray  # (m + 1,) int64, the parents being collected
    pruned: np.ndarray  # (m + 1,) int64, a copy that is shrunk, or kept as a fallback
    own: np.ndarray  # (m + 1,) int64, the best set of a scan so far
    best: np.ndarray  # (m + 1,) int64, that of the best slot
    fresh: np.ndarray  # (m + 1,) int64, the set found from nothing
    rows: np.ndarray  # (m + 2,) int64, rows of the Gram matrix to be added up
    found: np.ndarray  # (p + 1,) int64, who may help beside the list
    key: np.ndarray  # int32, a node and its parents
    known: np.ndarray  # (a power of two, LINE) int32, who helps beside the list


def start(order: np.ndarray, m: int, near: int) -> tuple[State, Workspace]:
    """Empty columns of at most `m` parents for an order, and memory for the search; `near` is how
    many nodes all lists hold together."""
    p = order.size
    many = near < p * (p - 1)
    words = np.zeros(p // 8 + 1, np.int64)
    scratch = L0Scratch(
        *(np.arange(p) for _ in range(2)),
        *(np.zeros(1, np.int64) for _ in range(2)),
        words.view(np.uint8),
        words,
        *(np.zeros(p) for _ in range(4)),
        *(np.zeros(shape) for _ in range(2) for shape in ((m + 1, m + 1), m + 1)),
        *(np.zeros(m + 2) for _ in range(2)),
        np.ones(1),
        *(np.zeros(m + 1, np.int64) for _ in range(5)),
        np.zeros(m + 2, np.int64),
        np.zeros(p + 1, np.int64),
        np.zeros(LINE, np.int32),
        np.full((1 << (_SETS_PER_NODE * p).bit_length() if many else 1, LINE), -1, np.int32),
    )
    state = new_state(order, _columns(p, m), apart(new_views(p, m, near)))
    columns = _columns(p, m), _columns(p, m)
    return state, new_workspace(p, apart(scratch), *columns, remembers=True)


def _columns(p: int, m: int) -> L0Columns:
    return L0Columns(np.zeros(p, np.int64), np.zeros((p, m), np.int64), np.zeros(p), np.ones(p))


@provide("L0Problem", refresh)
def _refresh(problem, state, u):
    """What the column leaves is worked out when it is asked for."""
    state.derived.known[u] = 0


@provide("L0Problem", gains)
def _gains(problem, state, u, v, work):
    columns = state.columns
    changes = False
    if columns.count[u] < problem.max_parents[u] and (
        problem.allowed.shape[0] == 0 or problem.allowed[v, u] != 0
    ):
        if everybody(problem):
            look(problem, state, u, work)
            at = place_of_view(problem, state.order.shape[0], u) + v
            covariance, variance = state.derived.covariance[at], state.derived.variance[at]
            bound = problem.lenient[u] * variance * columns.residual[u]
            changes = variance > COLLINEAR and covariance * covariance > bound
        else:
            changes = _gains_from_afar(problem, state, u, v, work)
    return changes


@kernel
def _gains_from_afar(problem, state, u, v, work):
    """:func:`gains`, where not everybody is in view."""
    covariance = gram_entry(problem.stats, u, v, u)
    if covariance * covariance < problem.screen * problem.lenient[u]:
        return False
    look(problem, state, u, work)
    views, entries, k = state.derived, work.scratch.entries, state.columns.count[u]
    variance, at = 1.0, 0
    for i in range(k):
        entry = gram_entry(problem.stats, u, state.columns.parents[u, i], v)
        entries[i] = entry
        covariance -= views.coefficient[u, i] * entry
        value = 0.0
        for j in range(i):
            value += views.precision[u, at] * entries[j]
            at += 1
        variance -= (2.0 * value + views.precision[u, at] * entry) * entry
        at += 1
    bound = problem.lenient[u] * variance * state.columns.residual[u]
    return variance > COLLINEAR and covariance * covariance > bound


@provide("L0Problem", firm_parents)
@kernel
def _firm_parents(problem, state, u, out, work):
    """Parents of u that backward elimination at the double price leaves."""
    scratch, k = work.scratch, state.columns.count[u]
    look(problem, state, u, work)
    unpack_precision(state.derived, u, k, scratch.small)
    for i in range(k):
        out[i] = state.columns.parents[u, i]
        scratch.vector[i] = state.derived.coefficient[u, i]
    double = problem.strict[u] * (2.0 - problem.strict[u])
    residual = state.columns.residual[u]
    k, _ = shrink_copy(double, ZERO, out, k, residual, scratch.small, scratch.vector)
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
