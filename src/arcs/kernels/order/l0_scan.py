"""Where an l0 node stands best.

Further right a node v has more candidates, and the others change only where it passes a node with a
trial column. So only the slots just before such nodes, and the last one, can be best. v is solved
at few of them: its own score is nowhere lower than with everybody for a candidate (its floor), and
to the left of a slot it is not lower than at that slot. So slots are looked at from right to left,
and one is passed over if what the others gain there, with the lowest that v's own score may come
to, is not enough.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.engine import find_slot, provide, solve_at, solve_fresh, solve_present
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
    floor[v] = min(floor[v], state.columns.score[v])
    return floor[v]


@inlined
def _keep_solved(k, score, scratch):
    """Keep the column in the scratch as that of the best slot so far."""
    copy_nodes(scratch.chosen, scratch.best, k)
    scratch.kept[0] = score
    scratch.kept[1] = scratch.residual[0]


@kernel
def _scan(problem, state, v, low, high, work):
    """Solve v, from nothing, at every slot from `high` down to `low` that may be best.

    Returns the best slot, its total (infinity if no slot is better than where v is) and the number
    of parents there (in ``scratch.best``).
    """
    here, present = state.position[v], state.columns.score[v]
    own = _floor(problem, state, v, work)
    others = change_of_others(state, here, high, work)
    best_slot, best_total, best_size = here, np.inf, ZERO
    c = NOBODY
    for slot in range(high, low - 1, -1):
        if c >= 0:
            others -= crossing(state, c, slot, here, work)
        if slot <= here:
            own = max(own, present)
        passed = other_at(state, slot, here) if slot < high else NOBODY
        if slot != here and (passed < 0 or work.tried[passed] != 0):
            if others + own < min(best_total, present) - EPSILON:
                limit = slot_limit(slot, here)
                k, score = solve_fresh(problem, state.position, v, limit, work)
                own = max(own, score)
                if others + score < best_total:
                    best_slot, best_total, best_size = slot, others + score, k
                    _keep_solved(k, score, work.scratch)
        c = other_at(state, slot - 1, here) if slot > low else NOBODY
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
    """Solve v at `slot` from nothing or, if that was done already (`size` is not negative, and the
    parents are in ``scratch.best``), from its present parents; leave the better column in the
    scratch and return ``(k, score)``."""
    scratch = work.scratch
    limit = slot_limit(slot, state.position[v])
    if size < 0:
        return solve_fresh(problem, state.position, v, limit, work)
    k, score = solve_present(problem, state, v, before(limit), work)
    if scratch.kept[0] <= score:
        k, score = size, scratch.kept[0]
        copy_nodes(scratch.best, scratch.chosen, k)
        scratch.residual[0] = scratch.kept[1]
    return k, score
