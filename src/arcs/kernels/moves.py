"""Moves over orders. Each is a named function that leaves order and columns consistent.

- `flip`: reverse an interval (the paper's proposal).
- `reinsert`: take one node out and put it back at the best of all positions.
- `relax`: reinsert nodes from a queue until it is empty.
- `pull`: let a node jump behind some of its children, which re-sorting the order within its DAG
  makes possible at no cost, and relax what it disturbed.
- `relocate`: move a connected set of nodes to one end of the order, and relax.

The first two change what they must and nothing else; the last two are large steps that the caller
undoes through the journal if they did not pay. No move proposes an order that contradicts required
edges.
"""

import numpy as np

from arcs.kernels.cholesky import descend
from arcs.kernels.columns import (
    commit_trial,
    gains,
    has_parent,
    refresh_column,
    solve_fresh,
    solve_trial,
    store_solved,
)
from arcs.kernels.jit import inlined, kernel
from arcs.kernels.l0 import (
    l0_add_pivot,
    l0_begin,
    l0_grow,
    l0_load_factor,
    l0_rebuild,
    l0_shrink,
    l0_solve,
    required_parents,
)
from arcs.kernels.problem import L0, QUEUE_HEAD, REINSERTIONS, SOLVES

__all__ = ["flip", "flip_is_legal", "pull", "reinsert", "relax", "relocate", "total_score"]

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
def flip(problem, state, start, length, work):
    """Reverse ``order[start : start + length]`` and update the columns that this changes."""
    stop = start + length
    for i in range(length // 2):
        a, b = start + i, stop - 1 - i
        state.order[a], state.order[b] = state.order[b], state.order[a]
    for i in range(start, stop):
        state.position[state.order[i]] = i
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
    score = solve_trial(problem, state, u, state.position[u], -1, -1, work)
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
def _try_others(problem, state, v, low, high, work):
    """Trial columns of the others with v as a candidate (those before v) or without (those after).

    Afterwards ``work.tried[u]`` tells whose column would differ if v stood on its other side.
    """
    here = state.position[v]
    for i in range(low, here):
        u = state.order[i]
        work.tried[u] = 0
        if gains(problem, state, u, v, work.scratch.vector):
            score = solve_trial(problem, state, u, i, v, -1, work)
            if score >= state.columns.score[u] - EPSILON * 1e-3:
                work.tried[u] = 0
    for i in range(here + 1, high + 1):
        u = state.order[i]
        work.tried[u] = 0
        if has_parent(state, u, v):
            solve_trial(problem, state, u, i, -1, v, work)


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
def _scan_l0(problem, state, v, low, high, others, work):
    """Score v at every slot in one pass along the order, carrying a leniently grown set.

    Further right v has more candidates, and the others change only where v passes a node with a
    trial column. So only the slots just before such nodes, and the last one, can be best.

    `others` is the score of the other nodes with v at slot `low`. Returns the best slot, its total
    and the number of parents there (in ``work.list_a``).
    """
    here = state.position[v]
    n = problem.stats.n[problem.stats.pattern[v]]
    fixed = required_parents(problem, v, work.scratch.chosen)
    l0_begin(problem, v, work.scratch)
    for t in range(fixed):
        l0_add_pivot(problem, v, work.scratch.chosen[t], t, work.scratch)
    k = fixed
    own, own_size = np.inf, 0
    best_slot, best_total, best_size = low, np.inf, 0
    for slot in range(low, high + 1):
        c = _other_at(state, slot, here) if slot < high else -1
        if c < 0 or work.tried[c] != 0:
            limit = _slot_limit(slot, here)
            grown = l0_grow(
                problem, state.position, v, limit, -1, -1, problem.lenient[v], k, work.scratch
            )
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
    return best_slot, best_total, best_size


@kernel
def _score_carried(problem, v, fixed, k, n, work):
    """Prune the carried set leniently, and score a strictly pruned copy of it.

    Returns ``(k, score, size)``; the copy is left in ``work.scratch.copy[:size]``.
    """
    before = k
    l0_load_factor(v, work.scratch.chosen, k, work.scratch)
    k, residual = l0_shrink(
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
    size, residual = l0_shrink(
        problem.strict[v],
        fixed,
        work.scratch.copy,
        k,
        work.scratch.small,
        work.scratch.vector,
        work.scratch.inverse,
        1.0,
    )
    if k < before:
        l0_rebuild(problem, v, k, work.scratch)
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
        c = _other_at(state, slot, here) if slot < high else -1
        if c < 0 or work.tried[c] != 0:
            limit = _slot_limit(slot, here)
            if stale:
                k, d, own, _ = descend(
                    problem, state.position, v, limit, -1, -1, fixed, k, d, work.scratch
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
    _try_others(problem, state, v, low, high, work)
    others = _others_at(state, low, here, work)
    if problem.kind == L0:
        slot, total, size = _scan_l0(problem, state, v, low, high, others, work)
    else:
        slot, total, size = _scan_continuous(problem, state, v, low, high, others, work)
    if total > state.columns.score[v] - EPSILON:
        # Nothing better anywhere; v's own column may still be improved where it stands.
        slot, size = here, -1
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
    k2, d2, score2 = l0_solve(problem, state.position, v, limit, -1, -1, size, work.scratch)
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
    left = queue_size
    for i in range(left):
        work.queued[work.queue[(work.counters[QUEUE_HEAD] + i) % p]] = 0
    return left


# ------------------------------------------------------------------------------------------ pull
@inlined
def _mark_descendants(state, x, work):
    """``work.mark[u] = 1`` for the descendants of x; returns how many there are."""
    p = state.order.shape[0]
    for u in range(p):
        work.mark[u] = 0
    work.mark[x] = 1
    found = 0
    for i in range(state.position[x] + 1, p):
        u = state.order[i]
        for t in range(state.columns.count[u]):
            if work.mark[state.columns.parents[u, t]] != 0:
                work.mark[u] = 1
                found += 1
                break
    work.mark[x] = 0
    return found


@inlined
def _children(state, x, out):
    """Write the children of x into `out`; return how many there are."""
    k = 0
    for i in range(state.position[x] + 1, state.order.shape[0]):
        u = state.order[i]
        if has_parent(state, u, x):
            out[k] = u
            k += 1
    return k


@inlined
def _mark_ancestors_inside(state, x, work):
    """Mark 2 the ancestors of the chosen descendants of x (marked 3) among its descendants."""
    for i in range(state.order.shape[0] - 1, state.position[x], -1):
        u = state.order[i]
        if work.mark[u] >= 2:
            for t in range(state.columns.count[u]):
                c = state.columns.parents[u, t]
                if work.mark[c] == 1:
                    work.mark[c] = 2


@inlined
def _leave_other_children(state, x, work):
    """Children of x that were not chosen stay behind it, even if they are ancestors of chosen ones.

    What is truly a child of x cannot be an ancestor of a true parent: one of the edges is wrong.
    """
    for i in range(state.position[x] + 1, state.order.shape[0]):
        u = state.order[i]
        if work.mark[u] == 2 and has_parent(state, u, x):
            work.mark[u] = 1


@inlined
def _resort_around(state, x, work):
    """Re-sort to ``[others], [marked 2 or 3], x, [marked 1]``; returns how many jumped x.

    Except for x, the jumpers and what they depend on, this is the same DAG in another order.
    """
    p = state.order.shape[0]
    at, jumped, rest = 0, 0, 0
    for i in range(p):
        u = state.order[i]
        if u == x:
            continue
        if work.mark[u] >= 2:
            work.list_a[jumped] = u
            jumped += 1
        elif work.mark[u] == 1:
            work.list_b[rest] = u
            rest += 1
        else:
            state.order[at] = u
            at += 1
    for i in range(jumped):
        state.order[at + i] = work.list_a[i]
    state.order[at + jumped] = x
    for i in range(rest):
        state.order[at + jumped + 1 + i] = work.list_b[i]
    for i in range(p):
        state.position[state.order[i]] = i
    return jumped


@inlined
def _some_children(rng, n_children, work):
    """One to three of the children in ``work.list_a``, at random, into ``work.list_b``."""
    wanted = min(1 + int(3 * rng.random()), n_children)
    for t in range(wanted):
        j = t + int(rng.random() * (n_children - t))
        work.list_a[t], work.list_a[j] = work.list_a[j], work.list_a[t]
    for t in range(wanted):
        work.list_b[t] = work.list_a[t]
    return wanted


@inlined
def _adjacent(state, a, b):
    """Whether there is an edge between a and b."""
    return has_parent(state, a, b) or has_parent(state, b, a)


@inlined
def _adjacent_children(state, rng, n_children, work):
    """A child and siblings adjacent to it into ``work.list_b``; 0 if no two are adjacent.

    True children of x are independent given x. Parents of x that were mistaken for its children
    are not: they need edges among themselves, and give themselves away by them.
    """
    first = int(rng.random() * n_children)
    everybody = rng.random() < 0.5
    wanted = 0
    for t in range(n_children):
        if wanted < 2:
            y = work.list_a[(first + t) % n_children]
            work.list_b[0] = y
            wanted = 1
            for j in range(n_children):
                z = work.list_a[j]
                if z != y and _adjacent(state, y, z) and (everybody or rng.random() < 0.5):
                    work.list_b[wanted] = z
                    wanted += 1
    return wanted if wanted > 1 else 0


@inlined
def pull(problem, state, rng, x, most, work):
    """Let x jump behind some of its children and their ancestors among its descendants.

    The children are one to three at random, or some that are adjacent to each other.

    The caller opens the journal before and undoes the move if it did not pay. Returns False if
    nothing could be done (x has no children, or a required edge forbids it).
    """
    n_children = _children(state, x, work.list_a)
    if n_children == 0:
        return False
    wanted = 0
    if rng.random() < 0.5:
        wanted = _adjacent_children(state, rng, n_children, work)
    if wanted == 0:
        wanted = _some_children(rng, n_children, work)
    _mark_descendants(state, x, work)
    for t in range(wanted):
        work.chosen[t] = work.list_b[t]
        work.mark[work.list_b[t]] = 3
    _mark_ancestors_inside(state, x, work)
    if problem.required.shape[0] == 0 and rng.random() < 0.5:
        _leave_other_children(state, x, work)
    if problem.required.shape[0] > 0:
        for u in range(state.order.shape[0]):
            if work.mark[u] >= 2 and problem.required[x, u] != 0:
                return False
    queue_size = _jump(problem, state, x, work)
    if rng.random() < 0.5:
        # Left to themselves, the children would follow x at once. Hold both until the rest of the
        # neighbourhood has found out what the new order is good for.
        queue_size = _hold(state, x, wanted, queue_size, work)
        relax(problem, state, queue_size, most, work)
        queue_size = _release(x, wanted, work)
    relax(problem, state, queue_size, most, work)
    return True


@inlined
def _jump(problem, state, x, work):
    """Put x behind the marked nodes, and re-solve what that changes; returns the queue's size."""
    jumped = _resort_around(state, x, work)
    here = state.position[x]
    queue_size = 0
    for i in range(here - jumped, here):
        u = state.order[i]
        stale = False
        for t in range(state.columns.count[u]):
            if state.position[state.columns.parents[u, t]] > i:
                stale = True
        if stale:
            refresh_column(problem, state, u, work)
            queue_size = push(u, queue_size, work)
    refresh_column(problem, state, x, work)
    return push(x, queue_size, work)


@inlined
def _hold(state, x, wanted, queue_size, work):
    """Freeze x and the chosen children; queue their neighbours. Returns the queue's size."""
    p = state.order.shape[0]
    for t in range(wanted):
        work.frozen[work.chosen[t]] = 1
    work.frozen[x] = 1
    # Start over with an empty queue: frozen nodes must not stay in it.
    for i in range(queue_size):
        work.queued[work.queue[(work.counters[QUEUE_HEAD] + i) % p]] = 0
    queue_size = 0
    for i in range(p):
        u = state.order[i]
        touched = False
        for t in range(state.columns.count[u]):
            c = state.columns.parents[u, t]
            if work.frozen[u] != 0:
                queue_size = push(c, queue_size, work)
            elif work.frozen[c] != 0:
                touched = True
        if touched:
            queue_size = push(u, queue_size, work)
    return queue_size


@inlined
def _release(x, wanted, work):
    """Let x and the chosen children go, and queue them. Returns the queue's size."""
    work.frozen[x] = 0
    queue_size = push(x, 0, work)
    for t in range(wanted):
        work.frozen[work.chosen[t]] = 0
        queue_size = push(work.chosen[t], queue_size, work)
    return queue_size


# -------------------------------------------------------------------------------------- relocate
@inlined
def _connected_set(state, rng, x, work):
    """One to four nodes around x, connected in the current graph, into ``work.list_a``."""
    size = 1
    work.list_a[0] = x
    for _ in range(int(4 * rng.random())):
        v = work.list_a[int(rng.random() * size)]
        k = _children(state, v, work.list_b)
        total = k + state.columns.count[v]
        if total == 0:
            break
        j = int(rng.random() * total)
        u = work.list_b[j] if j < k else state.columns.parents[v, j - k]
        member = False
        for t in range(size):
            if work.list_a[t] == u:
                member = True
        if not member:
            work.list_a[size] = u
            size += 1
    return size


@inlined
def _relocation_is_legal(problem, size, to_front, work):
    """Whether required edges allow the set in ``work.list_a`` at that end."""
    if problem.required.shape[0] == 0:
        return True
    for t in range(size):
        v = work.list_a[t]
        for u in range(problem.required.shape[0]):
            tied = problem.required[u, v] if to_front else problem.required[v, u]
            if tied != 0 and work.frozen[u] == 0:
                return False
    return True


@inlined
def relocate(problem, state, rng, x, most, work):
    """Move a small connected set around x to one end, relax the others, release it, relax all.

    The caller opens the journal before and undoes the move if it did not pay. Returns False if a
    required edge forbids it.
    """
    p = state.order.shape[0]
    size = _connected_set(state, rng, x, work)
    to_front = rng.random() < 0.5
    members = work.members[:size]
    for t in range(size):
        members[t] = work.list_a[t]
        work.frozen[members[t]] = 1
    legal = _relocation_is_legal(problem, size, to_front, work)
    if legal:
        _move_frozen(state, to_front, work)
        queue_size = _refresh_stale(problem, state, members, to_front, work)
        relax(problem, state, queue_size, most, work)
    for t in range(size):
        work.frozen[members[t]] = 0
    if not legal:
        return False
    queue_size = 0
    for t in range(size):
        queue_size = push(members[t], queue_size, work)
        for i in range(state.columns.count[members[t]]):
            queue_size = push(state.columns.parents[members[t], i], queue_size, work)
    relax(problem, state, queue_size, most, work)
    return p > 0


@inlined
def _move_frozen(state, to_front, work):
    """Gather the frozen nodes at one end; relative orders stay."""
    p = state.order.shape[0]
    a, b = 0, 0
    for i in range(p):
        u = state.order[i]
        if (work.frozen[u] != 0) == to_front:
            work.list_a[a] = u
            a += 1
        else:
            work.list_b[b] = u
            b += 1
    for i in range(a):
        state.order[i] = work.list_a[i]
    for i in range(b):
        state.order[a + i] = work.list_b[i]
    for i in range(p):
        state.position[state.order[i]] = i


@inlined
def _refresh_stale(problem, state, members, to_front, work):
    """Re-solve the columns whose candidate sets a relocation changed in a way that matters."""
    p = state.order.shape[0]
    queue_size = 0
    for i in range(p):
        u = state.order[i]
        stale = False
        for t in range(members.shape[0]):
            v = members[t]
            if u == v:
                stale = True
            elif to_front and work.frozen[u] == 0:
                stale = stale or (
                    not has_parent(state, u, v) and gains(problem, state, u, v, work.scratch.vector)
                )
            elif not to_front:
                stale = stale or (has_parent(state, u, v) and state.position[v] > i)
        if stale:
            refresh_column(problem, state, u, work)
            queue_size = push(u, queue_size, work)
    return queue_size
