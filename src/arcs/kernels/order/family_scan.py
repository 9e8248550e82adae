"""Where a node stands best, if whole families are scored.

As with l0 columns (:mod:`arcs.kernels.order.l0_scan`): further right a node has more candidates,
the others change only where it passes a node with a trial column, so only the slots just before
such nodes, and the last one, can be best, and most are ruled out by what the others lose.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.order.columns import required_parents
from arcs.kernels.order.families import solve_from_nothing, walk
from arcs.kernels.order.records import EPSILON, NOBODY, ZERO, before, copy_nodes
from arcs.kernels.order.trials import (
    change_of_others,
    crossing,
    other_at,
    slot_limit,
    try_gaining,
    try_losing,
)

__all__ = ["best_slot", "solve_in_slot"]


@kernel
def _floor(problem, state, v, work):
    """The lowest that v's own score gets: with everybody for a candidate, or as it once was."""
    floor = work.memory.floor
    if np.isnan(floor[v]):
        _, floor[v] = solve_from_nothing(problem, state.position, v, state.order.shape[0], work)
    floor[v] = min(floor[v], state.columns.score[v])
    return floor[v]


@kernel
def _scan(problem, state, v, low, high, work):
    """Score v at every slot from `low` to `high` that may be best; returns ``(slot, total, size)``,
    parents left in ``scratch.best``; infinity if no slot is better than where v is."""
    scratch, here = work.scratch, state.position[v]
    others = change_of_others(state, here, low, work)
    best, best_total, best_size = here, np.inf, ZERO
    for slot in range(low, high + 1):
        c = other_at(state, slot, here) if slot < high else NOBODY
        if c < 0 or work.tried[c] != 0:
            least = state.columns.score[v] if slot <= here else work.memory.floor[v]
            if others + least < min(best_total, state.columns.score[v]) - EPSILON:
                fixed = required_parents(problem, v, scratch.chosen)
                candidates = before(slot_limit(slot, here))
                size, own = walk(problem, state.position, v, candidates, fixed, scratch)
                if others + own < best_total:
                    best, best_total, best_size = slot, others + own, size
                    copy_nodes(scratch.chosen, scratch.best, size)
        if c >= 0:
            others += crossing(state, c, slot, here, work)
    return best, best_total, best_size


@kernel
def best_slot(problem, state, v, low, high, work):
    """The best slot for v, as ``(slot, total, size)``."""
    here = state.position[v]
    low = try_gaining(problem, state, v, low, work)
    spare = state.columns.score[v] - _floor(problem, state, v, work)
    high = try_losing(problem, state, v, high, spare, work) if spare > EPSILON else here
    return _scan(problem, state, v, low, high, work)


@kernel
def solve_in_slot(problem, state, v, slot, size, work):
    """Solve v at `slot`, from nothing and from the parents that the scan found, if any; returns
    ``(k, score)``."""
    scratch, limit = work.scratch, slot_limit(slot, state.position[v])
    k, score = solve_from_nothing(problem, state.position, v, limit, work)
    if size >= 0:
        copy_nodes(scratch.chosen, scratch.fresh, k)
        copy_nodes(scratch.best, scratch.chosen, size)
        size, scanned = walk(problem, state.position, v, before(limit), size, scratch)
        if scanned < score:
            return size, scanned
        copy_nodes(scratch.fresh, scratch.chosen, k)
    return k, score
