"""Large steps over orders, repaired by reinsertion.

- `pull`: let a node jump behind some of its children, which re-sorting the order within its DAG
  makes possible at no cost, and relax what it disturbed.
- `relocate`: move a connected set of nodes to one end of the order, and relax.

The caller opens the journal before, and undoes the step if it did not pay. No step proposes an
order that contradicts required edges.
"""

from arcs.kernels.columns import gains, has_parent, refresh_column
from arcs.kernels.jit import inlined, kernel
from arcs.kernels.l0 import l0_shrink
from arcs.kernels.moves import push, relax
from arcs.kernels.problem import L0, QUEUE_HEAD, ZERO

__all__ = ["pull", "relocate"]


#: Marks of a pull: descendants of the leaders, ancestors of chosen ones among them, the chosen
#: children, and the leaders, which jump.
_DESCENDANT, _ANCESTOR, _CHOSEN, _LEADER = 1, 2, 3, 4


@kernel
def _mark_descendants(state, leaders, work):
    """Mark the leaders, and who descends from them."""
    p = state.order.shape[0]
    for u in range(p):
        work.mark[u] = 0
    first = p
    for t in range(leaders):
        work.mark[work.members[t]] = _LEADER
        first = min(first, state.position[work.members[t]])
    for i in range(first + 1, p):
        u = state.order[i]
        if work.mark[u] == 0:
            for t in range(state.columns.count[u]):
                if work.mark[state.columns.parents[u, t]] != 0:
                    work.mark[u] = _DESCENDANT
                    break


@kernel
def _children(state, x, out):
    """Write the children of x into `out`; return how many there are."""
    k = ZERO
    for i in range(state.position[x] + 1, state.order.shape[0]):
        u = state.order[i]
        if has_parent(state, u, x):
            out[k] = u
            k += 1
    return k


@kernel
def _parents_to_follow(problem, state, u, firm, work):
    """Parents of u into ``work.scratch.copy``; returns how many there are.

    With `firm` only those worth twice the price of an edge: what backward elimination at the double
    price leaves. (Of the continuous penalties, all parents.)
    """
    k = state.columns.count[u]
    scratch = work.scratch
    for i in range(k):
        scratch.copy[i] = state.columns.parents[u, i]
    if firm and problem.kind == L0:
        at = 0
        for i in range(k):
            scratch.vector[i] = state.solved[u, i]
            for j in range(i + 1):
                scratch.small[i, j] = state.factor[u, at]
                at += 1
        double = problem.strict[u] * (2.0 - problem.strict[u])
        k, _, _ = l0_shrink(
            double, ZERO, scratch.copy, k, scratch.small, scratch.vector, scratch.inverse, 1.0
        )
    return k


@kernel
def _mark_ancestors_inside(problem, state, firm, work):
    """Mark the ancestors of the chosen children among the descendants of the leaders.

    One edge too many is enough to make true descendants of x ancestors of a true parent. With
    `firm`, edges that are barely worth their price are not followed.
    """
    for i in range(state.order.shape[0] - 1, -1, -1):
        u = state.order[i]
        if work.mark[u] == _ANCESTOR or work.mark[u] == _CHOSEN:
            for t in range(_parents_to_follow(problem, state, u, firm, work)):
                c = work.scratch.copy[t]
                if work.mark[c] == _DESCENDANT:
                    work.mark[c] = _ANCESTOR


@kernel
def _leave_other_children(state, x, work):
    """Children of x that were not chosen stay behind it, even if they are ancestors of chosen ones.

    What is truly a child of x cannot be an ancestor of a true parent: one of the edges is wrong.
    """
    for i in range(state.position[x] + 1, state.order.shape[0]):
        u = state.order[i]
        if work.mark[u] == _ANCESTOR and has_parent(state, u, x):
            work.mark[u] = _DESCENDANT


@kernel
def _resort_around(state, leaders, work):
    """Re-sort to ``[others], [ancestors and chosen], [leaders], [descendants]``; returns how many
    were jumped over.

    Except for these and the leaders, this is the same DAG in another order.
    """
    p = state.order.shape[0]
    at, jumped, rest = 0, 0, 0
    for i in range(p):
        u = state.order[i]
        if work.mark[u] == _LEADER:
            continue
        if work.mark[u] == _DESCENDANT:
            work.list_b[rest] = u
            rest += 1
        elif work.mark[u] != 0:
            work.list_a[jumped] = u
            jumped += 1
        else:
            state.order[at] = u
            at += 1
    for i in range(jumped):
        state.order[at + i] = work.list_a[i]
    for i in range(leaders):
        state.order[at + jumped + i] = work.members[i]
    for i in range(rest):
        state.order[at + jumped + leaders + i] = work.list_b[i]
    for i in range(p):
        state.position[state.order[i]] = i
    return jumped


@kernel
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


@kernel
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


@kernel
def _with_companions(state, x, wanted, work):
    """x and up to three other parents that all chosen children share, into ``work.members``.

    Two nodes with the same two parents look much like two parents of two nodes, and turning one
    edge at a time does not lead from one to the other.
    """
    work.members[0] = x
    leaders = ZERO + 1
    first = work.chosen[0]
    for t in range(state.columns.count[first]):
        w = state.columns.parents[first, t]
        shared = w != x
        for j in range(1, wanted):
            shared = shared and w != work.chosen[j] and has_parent(state, work.chosen[j], w)
        if shared and leaders < work.members.shape[0]:
            work.members[leaders] = w
            leaders += 1
    return leaders


@inlined
def pull(problem, state, rng, x, most, work):
    """Let x jump behind some of its children and their ancestors among its descendants.

    The children are one to three at random, or some that are adjacent to each other; their other
    parents may come along.

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
    for t in range(wanted):
        work.chosen[t] = work.list_b[t]
    free = problem.required.shape[0] == 0
    leaders = ZERO + 1
    work.members[0] = x
    if free and rng.random() < 0.5:
        leaders = _with_companions(state, x, wanted, work)
    _mark_descendants(state, leaders, work)
    for t in range(wanted):
        work.mark[work.chosen[t]] = _CHOSEN
    _mark_ancestors_inside(problem, state, free and rng.random() < 0.5, work)
    if free and rng.random() < 0.5:
        _leave_other_children(state, x, work)
    if not free:
        for u in range(state.order.shape[0]):
            jumped = work.mark[u] == _ANCESTOR or work.mark[u] == _CHOSEN
            if jumped and problem.required[x, u] != 0:
                return False
    queue_size = _jump(problem, state, leaders, work)
    if rng.random() < 0.5:
        # Left to themselves, the children would follow x at once. Hold both until the rest of the
        # neighbourhood has found out what the new order is good for.
        queue_size = _hold(state, leaders, wanted, queue_size, work)
        relax(problem, state, queue_size, most, work)
        queue_size = _release(leaders, wanted, work)
    relax(problem, state, queue_size, most, work)
    return True


@inlined
def _jump(problem, state, leaders, work):
    """Put the leaders behind the nodes they jump, and re-solve what that changes; returns the
    queue's size."""
    jumped = _resort_around(state, leaders, work)
    last = state.position[work.members[leaders - 1]]
    first = last - leaders - jumped + 1
    queue_size = ZERO
    for i in range(first, last + 1):
        u = state.order[i]
        stale = work.mark[u] == _LEADER
        for t in range(state.columns.count[u]):
            if state.position[state.columns.parents[u, t]] > i:
                stale = True
        if stale:
            refresh_column(problem, state, u, work)
            queue_size = push(u, queue_size, work)
    return queue_size


@kernel
def _hold(state, leaders, wanted, queue_size, work):
    """Freeze leaders and chosen children; queue their neighbours. Returns the queue's size."""
    p = state.order.shape[0]
    for t in range(wanted):
        work.frozen[work.chosen[t]] = 1
    for t in range(leaders):
        work.frozen[work.members[t]] = 1
    # Start over with an empty queue: frozen nodes must not stay in it.
    for i in range(queue_size):
        work.queued[work.queue[(work.counters[QUEUE_HEAD] + i) % p]] = 0
    queue_size = ZERO
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


@kernel
def _release(leaders, wanted, work):
    """Let leaders and chosen children go, and queue them. Returns the queue's size."""
    queue_size = ZERO
    for t in range(leaders):
        work.frozen[work.members[t]] = 0
        queue_size = push(work.members[t], queue_size, work)
    for t in range(wanted):
        work.frozen[work.chosen[t]] = 0
        queue_size = push(work.chosen[t], queue_size, work)
    return queue_size


@kernel
def _connected_set(state, rng, x, work):
    """One to four nodes around x, connected in the current graph, into ``work.list_a``."""
    size = 1
    work.list_a[0] = x
    # Small sets are cheaper, and found to help as often.
    for _ in range(int(4 * rng.random() * rng.random())):
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


@kernel
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
    queue_size = ZERO
    for t in range(size):
        queue_size = push(members[t], queue_size, work)
        for i in range(state.columns.count[members[t]]):
            queue_size = push(state.columns.parents[members[t], i], queue_size, work)
    relax(problem, state, queue_size, most, work)
    return p > 0


@kernel
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
    queue_size = ZERO
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
