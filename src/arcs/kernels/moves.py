"""Moves over orders. Each is a named function that leaves order and columns consistent.

- `flip`: reverse an interval (the paper's proposal).
- `reinsert`: take one node out and put it back at the best of all positions.
- `relax`: reinsert nodes from a queue until it is empty.

They change what they must and nothing else, and never propose an order that contradicts required
edges. Larger steps made of them are in :mod:`arcs.kernels.pulls` and
:mod:`arcs.kernels.relocations`.
"""

import numpy as np

from arcs.kernels.cholesky import descend
from arcs.kernels.columns import (
    commit_trial,
    gains,
    has_parent,
    is_as_before,
    solve_fresh,
    solve_trial,
    store_solved,
)
from arcs.kernels.jit import inlined, kernel
from arcs.kernels.l0 import (
    l0_add_pivot,
    l0_begin,
    l0_cut_back,
    l0_grow,
    l0_load_factor,
    l0_open,
    l0_shrink,
    l0_solve,
    required_parents,
)
from arcs.kernels.problem import L0, NOBODY, QUEUE_HEAD, REINSERTIONS, SOLVES, ZERO

__all__ = [
    "EPSILON",
    "flip",
    "flip_is_legal",
    "push",
    "reinsert",
    "relax",
    "reverse_interval",
    "total_score",
]

#: Improvements below this many nats are ties.
EPSILON = 1e-7


@inlined
def total_score(state):
    """Sum of the columns' scores."""
    total = 0.0
    for v in range(state.columns.score.shape[0]):
        total += state.columns.score[v]
    return total


# ---------------------------------------------------------------------------------------- flip
@inlined
def flip_is_legal(problem, state, start, length):
    """Whether reversing the interval keeps required edges pointing forward."""
    if problem.required.shape[0] == 0:
        return True
    for i in range(start, start + length):
        for j in range(i + 1, start + length):
            if problem.required[state.order[i], state.order[j]] != 0:
                return False
    return True


@inlined
def reverse_interval(state, start, length):
    """Reverse ``order[start : start + length]``, columns untouched."""
    stop = start + length
    for i in range(length // 2):
        a, b = start + i, stop - 1 - i
        state.order[a], state.order[b] = state.order[b], state.order[a]
    for i in range(start, stop):
        state.position[state.order[i]] = i


@inlined
def flip(problem, state, start, length, work):
    """Reverse ``order[start : start + length]`` and update the columns that this changes."""
    stop = start + length
    reverse_interval(state, start, length)
    for i in range(start, stop):
        u = state.order[i]
        stale = False
        for j in range(i + 1, stop):
            if has_parent(state, u, state.order[j]):
                stale = True
                break
        if not stale:
            for j in range(start, i):
                if gains(problem, state, u, state.order[j], work.scratch.vector):
                    stale = True
                    break
        if stale:
            _refresh_with_gained(problem, state, u, start, i, work)


@inlined
def _refresh_with_gained(problem, state, u, first, last, work):
    """Re-solve u, whose candidates at positions first..last-1 are new."""
    lost = False
    for t in range(state.columns.count[u]):
        if state.position[state.columns.parents[u, t]] > state.position[u]:
            lost = True
    before = state.columns.score[u]
    score = solve_trial(problem, state, u, state.position[u], NOBODY, NOBODY, work)
    # New candidates cannot make an optimal column worse; a heuristic one is kept if it was better.
    if lost or score < before:
        commit_trial(problem, state, u, work)
    else:
        work.tried[u] = 0


# ------------------------------------------------------------------------------------- reinsert
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
def _try_gaining(problem, state, v, low, work):
    """Trial columns, with v as a candidate, of the nodes before v.

    Afterwards ``work.tried[u]`` tells who would gain if v stood before it. Returns the position of
    the first of them, or of v.
    """
    first = state.position[v]
    for i in range(state.position[v] - 1, low - 1, -1):
        u = state.order[i]
        work.tried[u] = 0
        if problem.kind == L0 and work.useless[v, u] == work.version[u]:
            continue
        if gains(problem, state, u, v, work.scratch.vector):
            score = solve_trial(problem, state, u, i, v, NOBODY, work)
            if score >= state.columns.score[u] - EPSILON * 1e-3:
                work.tried[u] = 0
        if work.tried[u] != 0:
            first = i
        elif problem.kind == L0:
            work.useless[v, u] = work.version[u]
    return first


@inlined
def _try_losing(problem, state, v, high, spare, work):
    """Trial columns, without v, of the children of v, as far as v can afford to move.

    Afterwards ``work.tried[u]`` tells who would lose if v stood behind it. Returns the last slot
    at which what the others lose is at most `spare`.
    """
    lost = 0.0
    for i in range(state.position[v] + 1, high + 1):
        u = state.order[i]
        work.tried[u] = 0
        if has_parent(state, u, v):
            score = solve_trial(problem, state, u, i, NOBODY, v, work)
            lost += score - state.columns.score[u]
            if lost > spare:
                return i - 1
    return high


@kernel
def _floor(problem, state, v, work):
    """The lowest that v's own score gets: with everybody for a candidate, or as it once was.

    The first alone would do if columns were solved to the optimum.
    """
    if np.isnan(work.floor[v]):
        _, _, work.floor[v] = solve_fresh(
            problem, state.position, v, state.order.shape[0], work.scratch, work.counters
        )
    work.floor[v] = min(work.floor[v], state.columns.score[v])
    return work.floor[v]


@inlined
def _slot_limit(slot, here):
    """Positions before this limit are the candidates of a node (now at `here`) put at `slot`."""
    return slot if slot <= here else slot + 1


@inlined
def _other_at(state, slot, here):
    """The node at `slot` of the order without the node that stands at `here`."""
    return state.order[slot] if slot < here else state.order[slot + 1]


@inlined
def _crossing(state, c, slot, here, work):
    """Change of c's score when v, coming from the left, moves past c at `slot`."""
    change = 0.0
    if work.tried[c] != 0:
        change = work.trial.score[c] - state.columns.score[c]
        if slot < here:
            change = -change
    return change


@inlined
def _begin_scan(problem, state, v, slot, work):
    """Nothing but required parents, and the candidates that v has at `slot`."""
    fixed = required_parents(problem, v, work.scratch.chosen)
    l0_begin(problem, v, work.scratch)
    for t in range(fixed):
        l0_add_pivot(problem, v, work.scratch.chosen[t], t, work.scratch)
    limit = _slot_limit(slot, state.position[v])
    l0_open(problem, state.position, v, limit, NOBODY, NOBODY, work.scratch)
    return fixed


@inlined
def _scan_l0(problem, state, v, low, high, others, work):
    """Score v at every slot in one pass along the order, carrying a leniently grown set.

    Further right v has more candidates, and the others change only where v passes a node with a
    trial column. So only the slots just before such nodes, and the last one, can be best. Of these,
    most are ruled out by what the others lose: v's own score is not lower to the left than where v
    is, nor anywhere lower than its floor.

    `others` is the score of the other nodes with v at slot `low`. Returns the best slot, its total
    (infinity if no slot is better than where v is) and the number of parents there (in
    ``work.list_a``).
    """
    here = state.position[v]
    n = problem.stats.n[problem.stats.pattern[v]]
    k, fixed = NOBODY, ZERO
    own, own_size = np.inf, 0
    best_slot, best_total, best_size = here, np.inf, 0
    for slot in range(low, high + 1):
        c = _other_at(state, slot, here) if slot < high else NOBODY
        if c < 0 or work.tried[c] != 0:
            least = state.columns.score[v] if slot <= here else work.floor[v]
            if others + least < min(best_total, state.columns.score[v]) - EPSILON:
                if k < 0:
                    fixed = _begin_scan(problem, state, v, slot, work)
                    k = fixed
                grown = l0_grow(problem, v, problem.lenient[v], k, work.scratch)
                if grown > k or own == np.inf:
                    k, score, size = _score_carried(problem, v, fixed, grown, n, work)
                    if score < own:
                        own, own_size = score, size
                        for t in range(size):
                            work.list_b[t] = work.scratch.copy[t]
                if others + own < best_total:
                    best_slot, best_total, best_size = slot, others + own, own_size
                    for t in range(own_size):
                        work.list_a[t] = work.list_b[t]
        if c >= 0:
            others += _crossing(state, c, slot, here, work)
            if problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0:
                work.scratch.open[c] = 1.0
    return best_slot, best_total, best_size


@kernel
def _score_carried(problem, v, fixed, k, n, work):
    """Prune the carried set leniently, and score a strictly pruned copy of it.

    Returns ``(k, score, size)``; the copy is left in ``work.scratch.copy[:size]``.
    """
    before = k
    l0_load_factor(v, work.scratch.chosen, k, work.scratch)
    k, residual, kept = l0_shrink(
        problem.lenient[v],
        fixed,
        work.scratch.chosen,
        k,
        work.scratch.small,
        work.scratch.vector,
        work.scratch.inverse,
        1.0,
    )
    for t in range(k):
        work.scratch.copy[t] = work.scratch.chosen[t]
    if k < before:
        l0_cut_back(problem, v, kept, before, k, work.scratch)
    l0_load_factor(v, work.scratch.chosen, k, work.scratch)
    size, residual, _ = l0_shrink(
        problem.strict[v],
        fixed,
        work.scratch.copy,
        k,
        work.scratch.small,
        work.scratch.vector,
        work.scratch.inverse,
        1.0,
    )
    return k, 0.5 * n * np.log(residual) + problem.cost[v] * (size - fixed), size


@inlined
def _scan_continuous(problem, state, v, low, high, others, work):
    """Score v at every slot by warm-started solves; same returns as :func:`_scan_l0`, the column
    of the best slot being found again by the caller."""
    here = state.position[v]
    k, d, own = solve_fresh(
        problem, state.position, v, _slot_limit(low, here), work.scratch, work.counters
    )
    fixed = required_parents(problem, v, work.list_b)
    best_slot, best_total = low, np.inf
    bound = problem.lam * (1.0 + 1e-9) + 1e-12
    stale = False
    for slot in range(low, high + 1):
        c = _other_at(state, slot, here) if slot < high else NOBODY
        if c < 0 or work.tried[c] != 0:
            limit = _slot_limit(slot, here)
            if stale:
                k, d, own, _ = descend(
                    problem, state.position, v, limit, NOBODY, NOBODY, fixed, k, d, work.scratch
                )
                work.counters[SOLVES] += 1
                stale = False
            if others + own < best_total:
                best_slot, best_total = slot, others + own
        if c >= 0:
            others += _crossing(state, c, slot, here, work)
            # descend() leaves the gradient of every candidate in the scratch
            if abs(work.scratch.covariance[c]) > bound and (
                problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0
            ):
                stale = True
    return best_slot, best_total, 0


@inlined
def _others_at(state, low, here, work):
    """Change of the other nodes' total score if v moved to slot `low`."""
    change = 0.0
    for i in range(low, here):
        u = state.order[i]
        if work.tried[u] != 0:
            change += work.trial.score[u] - state.columns.score[u]
    return change


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


@kernel
def reinsert(problem, state, v, queue_size, work):
    """Put v at its best position. Returns ``(improved, queue_size)``.

    Nodes whose columns changed are appended to the queue unless ``queue_size`` is negative.
    """
    work.counters[REINSERTIONS] += 1
    low, high = _legal_range(problem, state, v)
    here = state.position[v]
    first = _try_gaining(problem, state, v, low, work)
    if problem.kind == L0:
        # Without its parents v does not get better: it moves left only for those who gain.
        spare = state.columns.score[v] - _floor(problem, state, v, work)
        low = first
        high = _try_losing(problem, state, v, high, spare, work) if spare > EPSILON else here
        others = _others_at(state, low, here, work)
        slot, total, size = _scan_l0(problem, state, v, low, high, others, work)
    else:
        _try_losing(problem, state, v, high, np.inf, work)
        others = _others_at(state, low, here, work)
        slot, total, size = _scan_continuous(problem, state, v, low, high, others, work)
    if total > state.columns.score[v] - EPSILON:
        # Nothing better anywhere; v's own column may still be improved where it stands.
        slot, size = here, NOBODY
    return _move_to(problem, state, v, slot, size, queue_size, work)


@inlined
def _change_of_others(state, v, slot, work):
    """Change of the other nodes' total score if v moved from its place to `slot`."""
    here = state.position[v]
    change = 0.0
    first, last = (slot, here) if slot < here else (here + 1, slot + 1)
    for i in range(first, last):
        u = state.order[i]
        if work.tried[u] != 0:
            change += work.trial.score[u] - state.columns.score[u]
    return change


@inlined
def _move_to(problem, state, v, slot, size, queue_size, work):
    """Solve v at `slot` (from the scanned set and from nothing), and go there if it pays."""
    here = state.position[v]
    limit = _slot_limit(slot, here)
    k, d, score = solve_fresh(problem, state.position, v, limit, work.scratch, work.counters)
    if problem.kind == L0 and size >= 0:
        k, d, score = _better_of_scanned(problem, state, v, limit, k, d, score, size, work)
    change = score - state.columns.score[v] + _change_of_others(state, v, slot, work)
    if change >= -EPSILON:
        return False, queue_size
    same = slot == here
    store_solved(problem, state, v, k, d, score, work)
    first, last = (slot, here) if slot < here else (here + 1, slot + 1)
    if not same:
        for i in range(first, last):
            u = state.order[i]
            if work.tried[u] != 0:
                commit_trial(problem, state, u, work)
                queue_size = push(u, queue_size, work)
                for t in range(state.columns.count[u]):
                    queue_size = push(state.columns.parents[u, t], queue_size, work)
        _shift(state, v, slot)
    queue_size = push(v, queue_size, work)
    return True, queue_size


@inlined
def _better_of_scanned(problem, state, v, limit, k, d, score, size, work):
    """The better of the column in `work` and one grown from the scanned set in ``work.list_a``."""
    for t in range(k):
        work.list_b[t] = work.scratch.chosen[t]
    for t in range(size):
        work.scratch.chosen[t] = work.list_a[t]
    k2, d2, score2 = l0_solve(problem, state.position, v, limit, NOBODY, NOBODY, size, work.scratch)
    if score2 < score:
        return k2, d2, score2
    for t in range(k):
        work.scratch.chosen[t] = work.list_b[t]
    return k, d, score


# ----------------------------------------------------------------------------------------- relax
@inlined
def push(u, queue_size, work):
    """Append u to the queue (a ring that starts at ``counters[QUEUE_HEAD]``) if it is not in it."""
    if queue_size < 0 or work.queued[u] != 0 or work.frozen[u] != 0:
        return queue_size
    p = work.queue.shape[0]
    work.queue[(work.counters[QUEUE_HEAD] + queue_size) % p] = u
    work.queued[u] = 1
    return queue_size + 1


@kernel
def relax(problem, state, queue_size, most, work):
    """Reinsert queued nodes, and those they change, until the queue is empty or `most` are done.

    A step that came back to the graph it started from is over: that graph was relaxed before.
    Returns how many are left; they are taken off the queue.
    """
    p = work.queue.shape[0]
    done = 0
    while queue_size > 0 and done < most:
        v = work.queue[work.counters[QUEUE_HEAD]]
        work.counters[QUEUE_HEAD] = (work.counters[QUEUE_HEAD] + 1) % p
        queue_size -= 1
        work.queued[v] = 0
        improved, queue_size = reinsert(problem, state, v, queue_size, work)
        done += 1
        if improved:
            for t in range(state.columns.count[v]):
                queue_size = push(state.columns.parents[v, t], queue_size, work)
            if work.saved_size[0] > 0 and is_as_before(state, work):
                break
    left = queue_size
    for i in range(left):
        work.queued[work.queue[(work.counters[QUEUE_HEAD] + i) % p]] = 0
    return left
