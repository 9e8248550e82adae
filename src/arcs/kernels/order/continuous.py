"""The engine of the continuous penalties (MCP, L1, SCAD; see :mod:`arcs.kernels.order.descent`)."""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import is_candidate, required_parents
from arcs.kernels.order.descent import descend, exceeds_lambda
from arcs.kernels.order.engine import (
    copy_column,
    find_slot,
    firm_parents,
    gains,
    provide,
    refresh,
    remembers_useless,
    solve_at,
    solve_fresh,
    solve_present,
    starts_matter,
    write_column,
)
from arcs.kernels.order.records import (
    NOBODY,
    SOLVES,
    UNCONVERGED,
    ZERO,
    State,
    Workspace,
    before,
    new_state,
    new_workspace,
)
from arcs.kernels.order.trials import (
    change_of_others,
    crossing,
    other_at,
    slot_limit,
    try_gaining,
    try_losing,
)
from arcs.kernels.statistics import Stats, gram_entry

__all__ = ["ContinuousColumns", "ContinuousProblem", "ContinuousScratch", "start"]


class ContinuousProblem(NamedTuple):
    """What is being minimised.

    Attributes
    ----------
    stats : Stats
    kind : int, one of L1, MCP, SCAD (see :mod:`arcs.kernels.penalties`)
    lam, gamma : float64, of the penalty
    tolerance : float64, relative, of the column solver
    max_parents : int64 (p,)
    allowed : uint8 (p, p) or (0, 0) without knowledge; [i, j] whether i -> j may be an edge
    required : uint8 (p, p) or (0, 0) without knowledge; [i, j] whether i -> j must be an edge
    """

    stats: Stats
    kind: int
    lam: float
    gamma: float
    tolerance: float
    max_parents: np.ndarray
    allowed: np.ndarray
    required: np.ndarray


class ContinuousColumns(NamedTuple):
    """One column per node: its parents, its term of the score, and its column of L."""

    count: np.ndarray  # (p,) int64
    parents: np.ndarray  # (p, m) int64, required parents first
    score: np.ndarray  # (p,)
    weight: np.ndarray  # (p, m) off-diagonal entries
    diagonal: np.ndarray  # (p,)


class Nothing(NamedTuple):
    """Nothing is derived from the columns."""


class ContinuousScratch(NamedTuple):
    """Where a column is being solved."""

    gradient: np.ndarray  # (p,)
    row: np.ndarray  # (p,)
    member: np.ndarray  # (p,) uint8
    small: np.ndarray  # (m + 1, m + 1) Gram matrix of the parents; the node in the last row
    chosen: np.ndarray  # (m + 1,) int64, the parents being collected
    weight: np.ndarray  # (m + 1,)
    diagonal: np.ndarray  # (1,)


def start(order: np.ndarray, m: int) -> tuple[State, Workspace]:
    """Empty columns of at most `m` parents for an order, and memory for the search."""
    p = order.size
    scratch = ContinuousScratch(
        gradient=np.zeros(p),
        row=np.zeros(p),
        member=np.zeros(p, np.uint8),
        small=np.zeros((m + 1, m + 1)),
        chosen=np.zeros(m + 1, np.int64),
        weight=np.zeros(m + 1),
        diagonal=np.ones(1),
    )
    state = new_state(order, _columns(p, m), Nothing())
    return state, new_workspace(p, scratch, _columns(p, m), _columns(p, m), remembers=False)


def _columns(p: int, m: int) -> ContinuousColumns:
    count, parents = np.zeros(p, np.int64), np.zeros((p, m), np.int64)
    return ContinuousColumns(count, parents, np.zeros(p), np.zeros((p, m)), np.ones(p))


@inlined
def _solve(problem, position, u, candidates, k, work):
    """Descend, and count what did not converge; returns ``(k, score)``."""
    k, score, converged = descend(problem, position, u, candidates, k, work.scratch)
    if not converged:
        work.counters[UNCONVERGED] += 1
    return k, score


@provide("ContinuousProblem", solve_present)
def _present(problem, state, u, candidates, work):
    """Solve u's column from where it is."""
    columns, scratch = state.columns, work.scratch
    k = required_parents(problem, u, scratch.chosen)
    for i in range(k):
        scratch.weight[i] = columns.weight[u, i] if i < columns.count[u] else 0.0
    for i in range(k, columns.count[u]):
        c = columns.parents[u, i]
        if is_candidate(problem, state.position, c, u, candidates):
            scratch.chosen[k] = c
            scratch.weight[k] = columns.weight[u, i]
            k += 1
    scratch.diagonal[0] = columns.diagonal[u]
    return _solve(problem, state.position, u, candidates, k, work)


@provide("ContinuousProblem", solve_fresh)
def _fresh(problem, position, u, limit, work):
    """Solve u's column from nothing."""
    work.counters[SOLVES] += 1
    scratch = work.scratch
    k = required_parents(problem, u, scratch.chosen)
    for i in range(k):
        scratch.weight[i] = 0.0
    scratch.diagonal[0] = np.sqrt(max(problem.stats.n[problem.stats.pattern[u]], 1.0))
    return _solve(problem, position, u, before(limit), k, work)


@kernel
def _scan(problem, state, v, low, high, work):
    """Score v at every slot from `low` to `high` by warm-started solves; returns the best slot and
    its total."""
    here = state.position[v]
    others = change_of_others(state, here, low, work)
    k, own = solve_fresh(problem, state.position, v, slot_limit(low, here), work)
    best_slot, best_total = low, np.inf
    stale = False
    for slot in range(low, high + 1):
        c = other_at(state, slot, here) if slot < high else NOBODY
        if c < 0 or work.tried[c] != 0:
            if stale:
                candidates = before(slot_limit(slot, here))
                k, own, _ = descend(problem, state.position, v, candidates, k, work.scratch)
                work.counters[SOLVES] += 1
                stale = False
            if others + own < best_total:
                best_slot, best_total = slot, others + own
        if c >= 0:
            others += crossing(state, c, slot, here, work)
            # descend() leaves the gradient of every candidate in the scratch
            if exceeds_lambda(problem, work.scratch.gradient[c]) and (
                problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0
            ):
                stale = True
    return best_slot, best_total


@provide("ContinuousProblem", gains)
def _gains(problem, state, u, v, work):
    stats, columns = problem.stats, state.columns
    changes = False
    if problem.allowed.shape[0] == 0 or problem.allowed[v, u] != 0:
        g = columns.diagonal[u] * gram_entry(stats, u, u, v)
        for i in range(columns.count[u]):
            g += columns.weight[u, i] * gram_entry(stats, u, columns.parents[u, i], v)
        changes = exceeds_lambda(problem, g)
    return changes


@provide("ContinuousProblem", solve_at)
@kernel
def _solve_at(problem, state, v, slot, size, work):
    return solve_fresh(problem, state.position, v, slot_limit(slot, state.position[v]), work)


@provide("ContinuousProblem", find_slot)
@kernel
def _find_slot(problem, state, v, low, high, work):
    try_gaining(problem, state, v, low, work)
    try_losing(problem, state, v, high, np.inf, work)
    slot, total = _scan(problem, state, v, low, high, work)
    return slot, total, ZERO


@provide("ContinuousProblem", firm_parents)
def _firm_parents(problem, state, u, out, work):
    for i in range(state.columns.count[u]):
        out[i] = state.columns.parents[u, i]
    return state.columns.count[u]


@provide("ContinuousProblem", write_column)
def _write_column(problem, columns, u, k, scratch):
    columns.diagonal[u] = scratch.diagonal[0]
    for i in range(k):
        columns.weight[u, i] = scratch.weight[i]


@provide("ContinuousProblem", copy_column)
def _copy_column(problem, source, target, u):
    target.diagonal[u] = source.diagonal[u]
    for i in range(source.count[u]):
        target.weight[u, i] = source.weight[u, i]


@provide("ContinuousProblem", refresh)
def _refresh(problem, state, u):
    pass


@provide("ContinuousProblem", remembers_useless)
def _remembers_useless(problem):
    return False


@provide("ContinuousProblem", starts_matter)
def _starts_matter(problem):
    return False
