"""Where an l0 node stands best: its own column is carried from where it is, to the left and to the
right, and what the others gain or lose is known from their trial columns.

Going left, a node loses candidates, and its own score changes only where it passes one of its
parents. It never falls on the way, so there is no need to go on once all that the others can still
gain would not make up for it. Going right, a node has more candidates, and those whom it passes may
lose it as a parent. Its own score never falls below its floor, which tells how far it can afford to
go.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.beyond import grow
from arcs.kernels.order.columns import count_required
from arcs.kernels.order.engine import find_slot, provide, solve_at, solve_fresh
from arcs.kernels.order.l0_solver import l0_score, l0_solve
from arcs.kernels.order.parent_set import (
    drop_member,
    is_listed,
    open_candidates,
    shrink,
    shrink_copy,
)
from arcs.kernels.order.records import EPSILON, NOBODY, before, copy_nodes
from arcs.kernels.order.trials import (
    slot_limit,
    try_gaining,
    try_losing,
)
from arcs.kernels.order.views import load_view

__all__ = []


@kernel
def _floor(problem, state, v, work):
    """The lowest that v's own score gets: with everybody for a candidate, or as it once was.

    The first alone would do if columns were solved to the optimum.
    """
    floor = work.memory.floor
    if np.isnan(floor[v]):
        _, floor[v] = solve_fresh(problem, state.position, v, state.order.shape[0], work)
    lowest = min(floor[v], state.columns.score[v])
    if work.memory.frozen[0] == 0:
        floor[v] = lowest
    return lowest


@kernel
def _score_carried(problem, v, k, scratch):
    """Prune the carried set leniently, and score a strictly pruned copy of it.

    Returns ``(k, score, size)``; the copy is left in ``scratch.pruned[:size]``.
    """
    fixed = count_required(problem, v, k, scratch.chosen)
    n = problem.stats.n[problem.stats.pattern[v]]
    k = shrink(problem, v, problem.lenient[v], fixed, k, scratch)
    for i in range(k):
        scratch.pruned[i], scratch.vector[i] = scratch.chosen[i], scratch.coefficient[i]
        for j in range(k):
            scratch.small[i, j] = scratch.precision[i, j]
    size, residual = shrink_copy(
        problem.strict[v],
        fixed,
        scratch.pruned,
        k,
        scratch.residual[0],
        scratch.small,
        scratch.vector,
    )
    return k, l0_score(n, residual, problem.cost[v], size - fixed), size


@kernel
def _grow_carried(problem, state, v, slot, k, scratch):
    """Grow the carried set with the candidates that v has at `slot`; returns as
    :func:`_score_carried`, and leaves the copy in ``scratch.own``."""
    candidates = before(slot_limit(slot, state.position[v]))
    k = grow(problem, state.position, v, candidates, problem.lenient[v], k, scratch)
    k, score, size = _score_carried(problem, v, k, scratch)
    copy_nodes(scratch.pruned, scratch.own, size)
    return k, score, size


@inlined
def _start_at_home(problem, state, v, work):
    """Carry v's present column; returns the number of its parents."""
    k = load_view(problem, state, v, work)
    open_candidates(problem, state.position, v, before(state.position[v]), work.scratch)
    copy_nodes(work.scratch.chosen, work.scratch.own, k)
    return k


@inlined
def _take_from_carried(problem, v, c, k, scratch):
    """v loses the candidate c; returns how many members are left."""
    if is_listed(c, scratch):
        scratch.open[scratch.where[c]] = 0.0
    for j in range(k):
        if scratch.chosen[j] == c:
            drop_member(problem, v, j, k, scratch)
            return k - 1
    return k


@kernel
def _scan_left(problem, state, v, low, work):
    """The best slot from `low` to v's place, as ``(slot, total, size)``: infinity if none is better
    than where v is; its parents are left in ``scratch.best``."""
    scratch, here, columns = work.scratch, state.position[v], state.columns
    best_slot, best_total, best_size = here, columns.score[v], NOBODY
    most, others, own = 0.0, 0.0, columns.score[v]
    for i in range(low, here):
        u = state.order[i]
        if work.tried[u] != 0:
            most += work.trial.score[u] - columns.score[u]
    k = _start_at_home(problem, state, v, work)
    size, stale = k, False
    for slot in range(here - 1, low - 1, -1):
        c = state.order[slot]
        left = _take_from_carried(problem, v, c, k, scratch)
        stale = stale or left < k
        k = left
        if own + most >= best_total - EPSILON:
            break
        if work.tried[c] != 0:
            others += work.trial.score[c] - columns.score[c]
            if stale and own + others < best_total - EPSILON:
                k, own, size = _grow_carried(problem, state, v, slot, k, scratch)
                stale = False
            if own + others < best_total - EPSILON:
                best_slot, best_total, best_size = slot, own + others, size
                copy_nodes(scratch.own, scratch.best, size)
    return best_slot, best_total if best_size >= 0 else np.inf, best_size


@kernel
def _scan_right(problem, state, v, high, worst, work):
    """The best slot behind v's place, up to `high`, whose total is below `worst`; as
    :func:`_scan_left`."""
    scratch, here, columns = work.scratch, state.position[v], state.columns
    best_slot, best_total, best_size = here, worst, NOBODY
    others, own = 0.0, columns.score[v]
    k = _start_at_home(problem, state, v, work)
    size, stale = k, False
    for slot in range(here, high + 1):
        c = state.order[slot]
        if slot > here:
            allowed = problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0
            if allowed and is_listed(c, scratch):
                scratch.open[scratch.where[c]] = 1.0
            stale = True
            if work.tried[c] != 0:
                others += work.trial.score[c] - columns.score[c]
        ends = slot == high or work.tried[state.order[slot + 1]] != 0
        if ends and stale and min(work.memory.floor[v], own) + others < best_total - EPSILON:
            k, score, found = _grow_carried(problem, state, v, slot, k, scratch)
            stale = False
            if score < own:
                own, size = score, found
            if own + others < best_total - EPSILON:
                best_slot, best_total, best_size = slot, own + others, size
                copy_nodes(scratch.own, scratch.best, size)
    return best_slot, best_total if best_size >= 0 else np.inf, best_size


@provide("L0Problem", find_slot)
@kernel
def _find_slot(problem, state, v, low, high, work):
    """The best slot for v, as ``(slot, total, size)``; its parents are left in ``scratch.best``."""
    here = state.position[v]
    low = try_gaining(problem, state, v, low, work)
    spare = state.columns.score[v] - _floor(problem, state, v, work)
    high = try_losing(problem, state, v, high, spare, work) if spare > EPSILON else here
    slot, total, size = here, np.inf, NOBODY
    if low < here:
        slot, total, size = _scan_left(problem, state, v, low, work)
    if high > here:
        worst = min(total, state.columns.score[v])
        right, better, found = _scan_right(problem, state, v, high, worst, work)
        if found >= 0:
            slot, total, size = right, better, found
    return slot, total, size


@provide("L0Problem", solve_at)
@kernel
def _solve_at(problem, state, v, slot, size, work):
    """Solve v at `slot` from nothing and, unless `size` is negative, from the scanned set, and
    leave the better column in the scratch; return ``(k, score)``."""
    scratch = work.scratch
    limit = slot_limit(slot, state.position[v])
    k, score = solve_fresh(problem, state.position, v, limit, work)
    if size >= 0:
        residual = scratch.residual[0]
        copy_nodes(scratch.chosen, scratch.fresh, k)
        copy_nodes(scratch.best, scratch.chosen, size)
        size, scanned = l0_solve(problem, state.position, v, before(limit), size, scratch)
        if scanned < score - EPSILON:
            return size, scanned
        copy_nodes(scratch.fresh, scratch.chosen, k)
        scratch.residual[0] = residual
    return k, score
