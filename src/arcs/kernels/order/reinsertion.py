"""Reinsertion: one node is taken out and put back at the best of all places.

`relax` reinserts nodes from the queue until it is empty. No order is proposed that contradicts
required edges. Larger steps that are repaired by it are in :mod:`arcs.kernels.order.pulls` and
:mod:`arcs.kernels.order.relocations`.
"""

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import commit_trial, store_solved
from arcs.kernels.order.engine import find_slot, solve_at
from arcs.kernels.order.journal import is_as_before
from arcs.kernels.order.queue import clear, is_empty, pop, push
from arcs.kernels.order.records import EPSILON, NOBODY, REINSERTIONS
from arcs.kernels.order.trials import change_of_others

__all__ = ["push_parents", "reinsert", "relax", "repair"]


@inlined
def _legal_range(problem, state, v):
    """First and last slot (in the order without v) at which required edges allow v."""
    p = state.order.shape[0]
    low, high = 0, p - 1
    if problem.required.shape[0] > 0:
        here = state.position[v]
        for u in range(p):
            slot = state.position[u] - (1 if state.position[u] > here else 0)
            if problem.required[u, v] != 0:
                low = max(low, slot + 1)
            if problem.required[v, u] != 0:
                high = min(high, slot)
    return low, high


@inlined
def _shift(state, v, slot):
    """Put v at `slot`, everybody between moving by one."""
    here = state.position[v]
    if slot > here:
        for i in range(here, slot):
            state.order[i] = state.order[i + 1]
            state.position[state.order[i]] = i
    else:
        for i in range(here, slot, -1):
            state.order[i] = state.order[i - 1]
            state.position[state.order[i]] = i
    state.order[slot] = v
    state.position[v] = slot


@inlined
def push_parents(state, u, queue):
    """Queue the parents of u."""
    for t in range(state.columns.count[u]):
        push(queue, state.columns.parents[u, t])


@kernel
def reinsert(problem, state, v, work):
    """Put v at its best place; returns whether that helped. Who changes is queued."""
    work.counters[REINSERTIONS] += 1
    low, high = _legal_range(problem, state, v)
    slot, total, size = find_slot(problem, state, v, low, high, work)
    if total > state.columns.score[v] - EPSILON:
        # Nothing better anywhere; v's own column may still be improved where it stands.
        slot, size = state.position[v], NOBODY
    return _move_to(problem, state, v, slot, size, work)


@kernel
def _move_to(problem, state, v, slot, size, work):
    """Solve v at `slot` (see :func:`solve_at`), and go there if it pays."""
    here = state.position[v]
    k, score = solve_at(problem, state, v, slot, size, work)
    change = score - state.columns.score[v] + change_of_others(state, here, slot, work)
    pays = change < -EPSILON
    if pays:
        store_solved(problem, state, v, k, score, work)
        first, last = (slot, here) if slot < here else (here + 1, slot + 1)
        for i in range(first, last):
            u = state.order[i]
            if work.tried[u] != 0:
                commit_trial(problem, state, u, work)
                push(work.queue, u)
                push_parents(state, u, work.queue)
        _shift(state, v, slot)
        push(work.queue, v)
    return pays


@kernel
def relax(problem, state, most, work):
    """Reinsert queued nodes, and those they change, until the queue is empty or `most` are done.

    A step that came back to the graph it started from is over: that graph was relaxed before.
    """
    queue, journal = work.queue, work.journal
    done = 0
    while not is_empty(queue) and done < most:
        v = pop(queue)
        improved = reinsert(problem, state, v, work)
        done += 1
        if improved:
            push_parents(state, v, queue)
            if journal.size[0] > 0 and is_as_before(state, journal):
                break


@kernel
def repair(problem, state, most, work):
    """Relax, and send away who still waits."""
    relax(problem, state, most, work)
    clear(work.queue)
