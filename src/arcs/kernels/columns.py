"""Columns of the current state: solving, trying, committing, and putting back.

A column is a node's parents with what the penalty needs to know of them. Moves never touch state
arrays themselves: they solve columns here under a hypothetical candidate set, keep the outcome as a
*trial*, and commit it. While the journal is open, the first commit to a column saves the old one,
so that a rejected move leaves no trace.

The candidate set of a column is described by three numbers (see
:func:`~arcs.kernels.l0.is_candidate`): everybody before position `limit`, with `plus` and
without `minus` (-1 for nobody).
"""

import numpy as np
from numba import njit

from arcs.kernels.cholesky import descend
from arcs.kernels.l0 import is_candidate, l0_solve, required_parents
from arcs.kernels.problem import L0
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import gram_entry

__all__ = [
    "commit_trial",
    "gains",
    "has_parent",
    "journal_close",
    "journal_open",
    "journal_undo",
    "refresh_column",
    "solve_fresh",
    "solve_trial",
    "store_solved",
]


@njit(cache=True, nogil=True)
def has_parent(state, u, v):
    """Whether v is a parent of u."""
    for i in range(state.count[u]):
        if state.parents[u, i] == v:
            return True
    return False


@njit(cache=True, nogil=True)
def gains(problem, state, u, v, work):
    """Whether u's column might change if v became a candidate."""
    if problem.allowed.shape[0] > 0 and problem.allowed[v, u] == 0:
        return False
    stats = problem.stats
    k = state.count[u]
    if problem.kind != L0:
        g = state.diagonal[u] * gram_entry(stats, u, u, v)
        for i in range(k):
            g += state.weight[u, i] * gram_entry(stats, u, state.parents[u, i], v)
        return abs(g) > problem.lam * (1.0 + 1e-9) + 1e-12
    if k >= problem.max_parents[u]:
        return False
    covariance = gram_entry(stats, u, u, v)
    variance = 1.0
    at = 0
    for i in range(k):
        value = gram_entry(stats, u, state.parents[u, i], v)
        for t in range(i):
            value -= state.factor[u, at] * work.vector[t]
            at += 1
        pivot = state.factor[u, at]
        at += 1
        value = value / pivot if pivot > 0.0 else 0.0
        work.vector[i] = value
        variance -= value * value
        covariance -= value * state.solved[u, i]
    if variance <= COLLINEAR:
        return False
    return covariance * covariance > problem.lenient[u] * variance * state.diagonal[u]


@njit(cache=True, nogil=True)
def _load_start(problem, state, u, limit, plus, minus, work):
    """Current parents that remain candidates, required ones first; returns ``(k, fixed)``."""
    fixed = required_parents(problem, u, work.chosen)
    k = fixed
    for i in range(fixed):
        work.values[i] = 0.0
    for i in range(state.count[u]):
        c = state.parents[u, i]
        weight = state.weight[u, i] if problem.kind != L0 else 0.0
        if i < fixed:
            work.values[i] = weight
        elif is_candidate(problem, state.position, c, u, limit, plus, minus):
            work.chosen[k] = c
            work.values[k] = weight
            k += 1
    return k, fixed


@njit(cache=True, nogil=True)
def _solve(problem, state, u, limit, plus, minus, k, fixed, d, work):
    """Dispatch on the penalty. Returns ``(k, diagonal, score)``, the column left in `work`."""
    work.counters[1] += 1
    n = problem.stats.n[problem.stats.pattern[u]]
    if n == 0.0:
        return fixed, 1.0, 0.0
    if problem.kind == L0:
        return l0_solve(problem, state.position, u, limit, plus, minus, k, work)
    k, d, score, converged = descend(
        problem, state.position, u, limit, plus, minus, fixed, k, d, work
    )
    if not converged:
        work.counters[7] += 1
    return k, d, score


@njit(cache=True, nogil=True)
def solve_trial(problem, state, u, limit, plus, minus, work):
    """Solve u's column under a hypothetical candidate set, warm-started; returns the score.

    The outcome is kept in u's trial slot.
    """
    k, fixed = _load_start(problem, state, u, limit, plus, minus, work)
    if problem.kind == L0 and plus >= 0 and k < problem.max_parents[u]:
        member = False
        for i in range(k):
            if work.chosen[i] == plus:
                member = True
        if not member:
            work.chosen[k] = plus
            k += 1
    k, d, score = _solve(problem, state, u, limit, plus, minus, k, fixed, state.diagonal[u], work)
    work.trial[u] = 1
    work.trial_count[u] = k
    work.trial_diagonal[u] = d
    work.trial_score[u] = score
    for i in range(k):
        work.trial_parents[u, i] = work.chosen[i]
    if problem.kind != L0:
        for i in range(k):
            work.trial_weight[u, i] = work.values[i]
    return score


@njit(cache=True, nogil=True)
def solve_fresh(problem, state, u, limit, work):
    """Solve u's column from nothing; the outcome is left in `work`. Returns ``(k, d, score)``."""
    fixed = required_parents(problem, u, work.chosen)
    for i in range(fixed):
        work.values[i] = 0.0
    n = problem.stats.n[problem.stats.pattern[u]]
    return _solve(problem, state, u, limit, -1, -1, fixed, fixed, np.sqrt(max(n, 1.0)), work)


@njit(cache=True, nogil=True)
def _save(problem, state, u, work):
    """Keep u's column for an undo, once per move."""
    if work.saved_size[0] < 0 or work.saved[u] != 0:
        return
    work.saved[u] = 1
    work.saved_nodes[work.saved_size[0]] = u
    work.saved_size[0] += 1
    k = state.count[u]
    work.saved_count[u] = k
    work.saved_diagonal[u] = state.diagonal[u]
    work.saved_score[u] = state.score[u]
    for i in range(k):
        work.saved_parents[u, i] = state.parents[u, i]
    if problem.kind != L0:
        for i in range(k):
            work.saved_weight[u, i] = state.weight[u, i]


@njit(cache=True, nogil=True)
def refresh_factor(problem, state, u):
    """l0: packed factor and solved vector of u's parents."""
    stats = problem.stats
    at = 0
    for i in range(state.count[u]):
        start = at
        for j in range(i + 1):
            value = gram_entry(stats, u, state.parents[u, i], state.parents[u, j])
            row = j * (j + 1) // 2
            for t in range(j):
                value -= state.factor[u, start + t] * state.factor[u, row + t]
            if j < i:
                pivot = state.factor[u, row + j]
                value = value / pivot if pivot > 0.0 else 0.0
            else:
                value = np.sqrt(value) if value > COLLINEAR else 0.0
            state.factor[u, at] = value
            at += 1
        value = gram_entry(stats, u, state.parents[u, i], u)
        for t in range(i):
            value -= state.factor[u, start + t] * state.solved[u, t]
        pivot = state.factor[u, start + i]
        state.solved[u, i] = value / pivot if pivot > 0.0 else 0.0


@njit(cache=True, nogil=True)
def store_solved(problem, state, u, k, d, score, work):
    """Make the column left in `work` u's column."""
    _save(problem, state, u, work)
    state.count[u] = k
    state.diagonal[u] = d
    state.score[u] = score
    for i in range(k):
        state.parents[u, i] = work.chosen[i]
    if problem.kind == L0:
        refresh_factor(problem, state, u)
    else:
        for i in range(k):
            state.weight[u, i] = work.values[i]


@njit(cache=True, nogil=True)
def commit_trial(problem, state, u, work):
    """Make u's trial column its column."""
    k = work.trial_count[u]
    for i in range(k):
        work.chosen[i] = work.trial_parents[u, i]
    if problem.kind != L0:
        for i in range(k):
            work.values[i] = work.trial_weight[u, i]
    store_solved(problem, state, u, k, work.trial_diagonal[u], work.trial_score[u], work)
    work.trial[u] = 0


@njit(cache=True, nogil=True)
def refresh_column(problem, state, u, work):
    """Solve u's column for the current order, warm-started, and keep the outcome."""
    solve_trial(problem, state, u, state.position[u], -1, -1, work)
    commit_trial(problem, state, u, work)


@njit(cache=True, nogil=True)
def journal_open(state, work, with_order):
    """From now on changes can be undone; the order is kept too unless the move undoes its own."""
    work.saved_size[0] = 0
    if with_order:
        for i in range(state.order.shape[0]):
            work.saved_order[i] = state.order[i]


@njit(cache=True, nogil=True)
def journal_close(work):
    """Keep what was done."""
    for i in range(work.saved_size[0]):
        work.saved[work.saved_nodes[i]] = 0
    work.saved_size[0] = -1


@njit(cache=True, nogil=True)
def journal_undo(problem, state, work, with_order):
    """Put columns (and the order) back as they were when the journal was opened."""
    for i in range(work.saved_size[0]):
        u = work.saved_nodes[i]
        k = work.saved_count[u]
        state.count[u] = k
        state.diagonal[u] = work.saved_diagonal[u]
        state.score[u] = work.saved_score[u]
        for j in range(k):
            state.parents[u, j] = work.saved_parents[u, j]
        if problem.kind == L0:
            refresh_factor(problem, state, u)
        else:
            for j in range(k):
                state.weight[u, j] = work.saved_weight[u, j]
    if with_order:
        for i in range(state.order.shape[0]):
            state.order[i] = work.saved_order[i]
            state.position[state.order[i]] = i
    journal_close(work)
