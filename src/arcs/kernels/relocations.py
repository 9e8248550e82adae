"""The relocation: a small connected set of nodes moves to one end of the order, the others relax
around it, and then it may go where it wants.

The step for nodes without children, which cannot be pulled. The caller opens the journal before and
undoes the step if it did not pay. No step proposes an order that contradicts required edges.
"""

from arcs.kernels.columns import gains, has_parent, refresh_column
from arcs.kernels.jit import inlined, kernel
from arcs.kernels.moves import push, relax
from arcs.kernels.problem import ZERO
from arcs.kernels.pulls import children

__all__ = ["relocate"]


@kernel
def _connected_set(state, rng, x, work):
    """One to four nodes around x, connected in the current graph, into ``work.list_a``."""
    size = 1
    work.list_a[0] = x
    # Small sets are cheaper, and found to help as often.
    for _ in range(int(4 * rng.random() * rng.random())):
        v = work.list_a[int(rng.random() * size)]
        k = children(state, v, work.list_b)
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
