"""Where an l0 node stands best: one pass along the order, carrying a leniently grown set.

Further right a node has more candidates, and the others change only where it passes a node with a
trial column. So only the slots just before such nodes, and the last one, can be best. Of these,
most are ruled out by what the others lose: the node's own score is not lower to the left than where
it is, nor anywhere lower than its floor.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.beyond import grow
from arcs.kernels.order.columns import required_parents
from arcs.kernels.order.engine import find_slot, provide, solve_at, solve_fresh
from arcs.kernels.order.l0_solver import l0_score, l0_solve, shrink_chosen
from arcs.kernels.order.pivots import cut_back, is_listed, open_candidates, rebuild
from arcs.kernels.order.records import EPSILON, NOBODY, ZERO, before, copy_nodes
from arcs.kernels.order.trials import (
    change_of_others,
    crossing,
    other_at,
    slot_limit,
    try_gaining,
    try_losing,
)

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


@inlined
def _begin_scan(problem, state, v, slot, scratch):
    """Nothing but required parents, and the candidates that v has at `slot`."""
    fixed = required_parents(problem, v, scratch.chosen)
    rebuild(problem, v, fixed, scratch)
    limit = slot_limit(slot, state.position[v])
    open_candidates(problem, state.position, v, before(limit), scratch)
    return fixed


@kernel
def _score_carried(problem, v, fixed, k, scratch):
    """Prune the carried set leniently, and score a strictly pruned copy of it.

    Returns ``(k, score, size)``; the copy is left in ``scratch.pruned[:size]``.
    """
    grown = k
    n = problem.stats.n[problem.stats.pattern[v]]
    k, residual, kept = shrink_chosen(problem.lenient[v], fixed, scratch.chosen, k, scratch)
    copy_nodes(scratch.chosen, scratch.pruned, k)
    if k < grown:
        cut_back(problem, v, kept, grown, k, scratch)
    size, residual, _ = shrink_chosen(problem.strict[v], fixed, scratch.pruned, k, scratch)
    return k, l0_score(n, residual, problem.cost[v], size - fixed), size


@kernel
def _scan(problem, state, v, low, high, work):
    """Score v at every slot from `low` to `high` that may be best.

    Returns the best slot, its total (infinity if no slot is better than where v is) and the number
    of parents there (in ``scratch.best``).
    """
    scratch, here = work.scratch, state.position[v]
    others = change_of_others(state, here, low, work)
    k, fixed = NOBODY, ZERO
    own, own_size = np.inf, ZERO
    best_slot, best_total, best_size = here, np.inf, ZERO
    for slot in range(low, high + 1):
        c = other_at(state, slot, here) if slot < high else NOBODY
        if c < 0 or work.tried[c] != 0:
            least = state.columns.score[v]
            if slot > here:
                least = min(least, work.memory.floor[v])
            if others + least < min(best_total, state.columns.score[v]) - EPSILON:
                if k < 0:
                    fixed = _begin_scan(problem, state, v, slot, scratch)
                    k = fixed
                open_ = before(slot_limit(slot, here))
                grown = grow(problem, state.position, v, open_, problem.lenient[v], k, scratch)
                if grown > k or own == np.inf:
                    k, score, size = _score_carried(problem, v, fixed, grown, scratch)
                    if score < own:
                        own, own_size = score, size
                        copy_nodes(scratch.pruned, scratch.own, size)
                if others + own < best_total:
                    best_slot, best_total, best_size = slot, others + own, own_size
                    copy_nodes(scratch.own, scratch.best, own_size)
        if c >= 0:
            others += crossing(state, c, slot, here, work)
            allowed = problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0
            if k >= 0 and allowed and is_listed(c, scratch):
                scratch.open[scratch.where[c]] = 1.0
    return best_slot, best_total, best_size


@provide("L0Problem", find_slot)
@kernel
def _find_slot(problem, state, v, low, high, work):
    """The best slot for v, as ``(slot, total, size)``; its parents are left in ``scratch.best``."""
    here = state.position[v]
    # Without its parents v does not get better: it moves left only for those who gain.
    low = try_gaining(problem, state, v, low, work)
    spare = state.columns.score[v] - _floor(problem, state, v, work)
    high = try_losing(problem, state, v, high, spare, work) if spare > EPSILON else here
    return _scan(problem, state, v, low, high, work)


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
        if scanned < score:
            return size, scanned
        copy_nodes(scratch.fresh, scratch.chosen, k)
        scratch.residual[0] = residual
    return k, score
