"""Columns of the current state: solving, trying, committing, and putting back.

A column is a node's parents with what the penalty needs to know of them. Moves never touch state
arrays themselves: they solve columns here under a hypothetical candidate set, keep the outcome as a
*trial*, and commit it. While the journal is open, the first commit to a column saves the old one,
so that a rejected move leaves no trace.

The candidate set of a column is described by three numbers (see
:func:`~arcs.kernels.l0.is_candidate`): everybody before position `limit`, with `plus` and
without `minus` (or `NOBODY`).
"""

import numpy as np

from arcs.kernels.cholesky import descend
from arcs.kernels.jit import inlined, kernel
from arcs.kernels.l0 import is_candidate, l0_solve, required_parents
from arcs.kernels.problem import L0, NOBODY, SOLVES, UNCONVERGED, VERSIONS
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import gram_entry

__all__ = [
    "commit_trial",
    "gains",
    "has_parent",
    "is_as_before",
    "journal_close",
    "journal_open",
    "journal_undo",
    "refresh_column",
    "refresh_factor",
    "solve_fresh",
    "solve_trial",
    "store_solved",
]


@inlined
def has_parent(state, u, v):
    """Whether v is a parent of u."""
    found = False
    for i in range(state.columns.count[u]):
        if state.columns.parents[u, i] == v:
            found = True
    return found


@inlined
def gains(problem, state, u, v, vector):
    """Whether u's column might change if v became a candidate (`vector` is scratch)."""
    stats = problem.stats
    columns = state.columns
    k = columns.count[u]
    changes = False
    if problem.allowed.shape[0] > 0 and problem.allowed[v, u] == 0:
        changes = False
    elif problem.kind != L0:
        g = columns.diagonal[u] * gram_entry(stats, u, u, v)
        for i in range(k):
            g += columns.weight[u, i] * gram_entry(stats, u, columns.parents[u, i], v)
        changes = abs(g) > problem.lam * (1.0 + 1e-9) + 1e-12
    elif k < problem.max_parents[u]:
        covariance = gram_entry(stats, u, u, v)
        variance = 1.0
        at = 0
        for i in range(k):
            value = gram_entry(stats, u, columns.parents[u, i], v)
            for t in range(i):
                value -= state.factor[u, at] * vector[t]
                at += 1
            pivot = state.factor[u, at]
            at += 1
            value = value / pivot if pivot > 0.0 else 0.0
            vector[i] = value
            variance -= value * value
            covariance -= value * state.solved[u, i]
        changes = (
            variance > COLLINEAR
            and covariance * covariance > problem.lenient[u] * variance * columns.diagonal[u]
        )
    return changes


@inlined
def _load_start(problem, state, u, limit, plus, minus, scratch):
    """Current parents that remain candidates, required ones first; returns ``(k, fixed)``."""
    columns = state.columns
    fixed = required_parents(problem, u, scratch.chosen)
    k = fixed
    for i in range(fixed):
        scratch.weight[i] = 0.0
    for i in range(columns.count[u]):
        c = columns.parents[u, i]
        weight = columns.weight[u, i] if problem.kind != L0 else 0.0
        if i < fixed:
            scratch.weight[i] = weight
        elif is_candidate(problem, state.position, c, u, limit, plus, minus):
            scratch.chosen[k] = c
            scratch.weight[k] = weight
            k += 1
    return k, fixed


@inlined
def _solve(problem, position, u, limit, plus, minus, k, fixed, d, scratch, counters):
    """Dispatch on the penalty. Returns ``(k, diagonal, score)``, the column left in `scratch`."""
    counters[SOLVES] += 1
    n = problem.stats.n[problem.stats.pattern[u]]
    if n == 0.0:
        return fixed, 1.0, 0.0
    if problem.kind == L0:
        return l0_solve(problem, position, u, limit, plus, minus, k, scratch)
    k, d, score, converged = descend(problem, position, u, limit, plus, minus, fixed, k, d, scratch)
    if not converged:
        counters[UNCONVERGED] += 1
    return k, d, score


@kernel
def solve_trial(problem, state, u, limit, plus, minus, work):
    """Solve u's column under a hypothetical candidate set, warm-started; returns the score.

    The outcome is kept in u's trial slot.
    """
    scratch = work.scratch
    k, fixed = _load_start(problem, state, u, limit, plus, minus, scratch)
    if problem.kind == L0 and plus >= 0 and k < problem.max_parents[u]:
        member = False
        for i in range(k):
            if scratch.chosen[i] == plus:
                member = True
        if not member:
            scratch.chosen[k] = plus
            k += 1
    d = state.columns.diagonal[u]
    k, d, score = _solve(
        problem, state.position, u, limit, plus, minus, k, fixed, d, scratch, work.counters
    )
    work.tried[u] = 1
    _write_column(problem, work.trial, u, k, d, score, scratch)
    return score


@kernel
def solve_fresh(problem, position, u, limit, scratch, counters):
    """Solve u's column from nothing, in `scratch`; returns ``(k, d, score)``."""
    fixed = required_parents(problem, u, scratch.chosen)
    for i in range(fixed):
        scratch.weight[i] = 0.0
    d = np.sqrt(max(problem.stats.n[problem.stats.pattern[u]], 1.0))
    return _solve(problem, position, u, limit, NOBODY, NOBODY, fixed, fixed, d, scratch, counters)


@inlined
def _write_column(problem, columns, u, k, d, score, scratch):
    """Write the column left in `scratch` to u's slot of `columns`."""
    columns.count[u] = k
    columns.diagonal[u] = d
    columns.score[u] = score
    for i in range(k):
        columns.parents[u, i] = scratch.chosen[i]
    if problem.kind != L0:
        for i in range(k):
            columns.weight[u, i] = scratch.weight[i]


@inlined
def _copy_column(problem, source, target, u):
    """Copy u's column."""
    k = source.count[u]
    target.count[u] = k
    target.diagonal[u] = source.diagonal[u]
    target.score[u] = source.score[u]
    for i in range(k):
        target.parents[u, i] = source.parents[u, i]
    if problem.kind != L0:
        for i in range(k):
            target.weight[u, i] = source.weight[u, i]


@inlined
def _save(problem, state, u, work):
    """Keep u's column for an undo, once per move."""
    if work.saved_size[0] >= 0 and work.is_saved[u] == 0:
        work.is_saved[u] = 1
        work.saved_nodes[work.saved_size[0]] = u
        work.saved_size[0] += 1
        work.saved_version[u] = work.version[u]
        _copy_column(problem, state.columns, work.saved, u)


@kernel
def refresh_factor(problem, state, u):
    """l0: packed factor and solved vector of u's parents."""
    stats = problem.stats
    parents = state.columns.parents[u]
    factor = state.factor[u]
    solved = state.solved[u]
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


@inlined
def _count_version(u, work):
    """What was known of u's column holds no longer."""
    work.counters[VERSIONS] += 1
    work.version[u] = work.counters[VERSIONS]


@kernel
def store_solved(problem, state, u, k, d, score, work):
    """Make the column left in the scratch u's column."""
    _save(problem, state, u, work)
    _count_version(u, work)
    _write_column(problem, state.columns, u, k, d, score, work.scratch)
    if problem.kind == L0:
        refresh_factor(problem, state, u)


@kernel
def commit_trial(problem, state, u, work):
    """Make u's trial column its column."""
    _save(problem, state, u, work)
    _count_version(u, work)
    _copy_column(problem, work.trial, state.columns, u)
    if problem.kind == L0:
        refresh_factor(problem, state, u)
    work.tried[u] = 0


@inlined
def refresh_column(problem, state, u, work):
    """Solve u's column for the current order, warm-started, and keep the outcome."""
    solve_trial(problem, state, u, state.position[u], NOBODY, NOBODY, work)
    commit_trial(problem, state, u, work)


@inlined
def journal_open(state, work, with_order):
    """From now on changes can be undone; the order is kept too unless the move undoes its own."""
    work.saved_size[0] = 0
    if with_order:
        for i in range(state.order.shape[0]):
            work.saved_order[i] = state.order[i]


@inlined
def _is_as_saved(state, u, work):
    """Whether u has the same parents as when it was saved."""
    same = state.columns.count[u] == work.saved.count[u]
    if same:
        for i in range(work.saved.count[u]):
            same = same and has_parent(state, u, work.saved.parents[u, i])
    return same


@inlined
def is_as_before(state, work):
    """Whether all nodes have the parents that they had when the journal was opened."""
    same = True
    for i in range(work.saved_size[0]):
        same = same and _is_as_saved(state, work.saved_nodes[i], work)
    return same


@kernel
def journal_close(state, work):
    """Keep what was done. Of columns that came back to what they were, all is known already."""
    for i in range(work.saved_size[0]):
        u = work.saved_nodes[i]
        work.is_saved[u] = 0
        if _is_as_saved(state, u, work):
            work.version[u] = work.saved_version[u]
    work.saved_size[0] = -1


@kernel
def journal_undo(problem, state, work, with_order):
    """Put columns (and the order) back as they were when the journal was opened."""
    for i in range(work.saved_size[0]):
        u = work.saved_nodes[i]
        _copy_column(problem, work.saved, state.columns, u)
        work.version[u] = work.saved_version[u]
        if problem.kind == L0:
            refresh_factor(problem, state, u)
    if with_order:
        for i in range(state.order.shape[0]):
            state.order[i] = work.saved_order[i]
            state.position[state.order[i]] = i
    journal_close(state, work)
