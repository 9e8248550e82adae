"""Columns of the current state: trying and committing.

A column is a node's parents with what its engine needs to know of them. Moves never touch state
arrays themselves: they solve columns here for hypothetical candidates, keep the outcome as a
*trial*, and commit it. While the journal is open, the first commit to a column saves the old one.
"""

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.engine import copy_column, refresh, solve_present, write_column
from arcs.kernels.order.records import SOLVES, VERSIONS, ZERO, before

__all__ = [
    "adopt_column",
    "children",
    "commit_trial",
    "count_required",
    "has_parent",
    "is_candidate",
    "put_column",
    "refresh_column",
    "required_parents",
    "solve_trial",
    "store_solved",
    "total_score",
]


@inlined
def total_score(state):
    """Sum of the columns' scores."""
    total = 0.0
    for v in range(state.columns.score.shape[0]):
        total += state.columns.score[v]
    return total


@inlined
def has_parent(state, u, v):
    """Whether v is a parent of u."""
    found = False
    for i in range(state.columns.count[u]):
        if state.columns.parents[u, i] == v:
            found = True
    return found


@kernel
def children(state, x, out):
    """Write the children of x into `out`; return how many there are."""
    k = ZERO
    for i in range(state.position[x] + 1, state.order.shape[0]):
        u = state.order[i]
        if has_parent(state, u, x):
            out[k] = u
            k += 1
    return k


@inlined
def is_candidate(problem, position, c, v, candidates):
    """Whether c may be a parent of v: it is among the candidates, is not v, and knowledge does not
    forbid it."""
    if c == v or c == candidates.minus:
        return False
    if not (position[c] < candidates.limit or c == candidates.plus):
        return False
    return problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0


@inlined
def required_parents(problem, v, out):
    """Write the required parents of v into `out`; return how many there are."""
    k = ZERO
    for c in range(problem.required.shape[0]):
        if problem.required[c, v] != 0:
            out[k] = c
            k += 1
    return k


@inlined
def count_required(problem, v, k, chosen):
    """How many of ``chosen[:k]`` are required; they come first."""
    fixed = ZERO
    if problem.required.shape[0] > 0:
        while fixed < k and problem.required[chosen[fixed], v] != 0:
            fixed += 1
    return fixed


@kernel
def solve_trial(problem, state, u, candidates, work):
    """Solve u's column for hypothetical candidates, warm-started; returns the score.

    The outcome is kept in u's trial slot.
    """
    work.counters[SOLVES] += 1
    k, score = solve_present(problem, state, u, candidates, work)
    work.tried[u] = 1
    _write(problem, work.trial, u, k, score, work.scratch)
    return score


@inlined
def _write(problem, columns, u, k, score, scratch):
    """Write the column left in `scratch` to u's slot of `columns`."""
    columns.count[u] = k
    columns.score[u] = score
    for i in range(k):
        columns.parents[u, i] = scratch.chosen[i]
    write_column(problem, columns, u, k, scratch)


@inlined
def put_column(problem, source, target, u):
    """Copy u's column from some columns to others."""
    k = source.count[u]
    target.count[u] = k
    target.score[u] = source.score[u]
    for i in range(k):
        target.parents[u, i] = source.parents[u, i]
    copy_column(problem, source, target, u)


@inlined
def _replace(problem, state, u, work):
    """u's column is about to change: keep it for an undo, once per move, and forget what was known
    of it."""
    journal, memory = work.journal, work.memory
    if journal.size[0] >= 0 and journal.is_saved[u] == 0:
        journal.is_saved[u] = 1
        journal.nodes[journal.size[0]] = u
        journal.size[0] += 1
        journal.version[u] = memory.version[u]
        put_column(problem, state.columns, journal.columns, u)
    work.counters[VERSIONS] += 1
    memory.version[u] = work.counters[VERSIONS]


@kernel
def store_solved(problem, state, u, k, score, work):
    """Make the column left in the scratch u's column."""
    _replace(problem, state, u, work)
    _write(problem, state.columns, u, k, score, work.scratch)
    refresh(problem, state, u)


@inlined
def adopt_column(problem, source, state, u, work):
    """Make u's column of `source` its column."""
    _replace(problem, state, u, work)
    put_column(problem, source, state.columns, u)
    refresh(problem, state, u)


@kernel
def commit_trial(problem, state, u, work):
    """Make u's trial column its column."""
    adopt_column(problem, work.trial, state, u, work)
    work.tried[u] = 0


@inlined
def refresh_column(problem, state, u, work):
    """Solve u's column for the current order, warm-started, and keep the outcome."""
    solve_trial(problem, state, u, before(state.position[u]), work)
    commit_trial(problem, state, u, work)
