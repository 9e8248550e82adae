"""The relocation: a small connected set of nodes moves to one end of the order, the others relax
around it, and then it may go where it wants.

The step for nodes without children, which cannot be pulled. The caller opens the journal before and
undoes the step if it did not pay. No step proposes an order that contradicts required edges.
"""

from arcs.kernels.jit import kernel
from arcs.kernels.order.columns import children, has_parent, refresh_column
from arcs.kernels.order.engine import gains
from arcs.kernels.order.queue import push
from arcs.kernels.order.records import ONE, copy_nodes
from arcs.kernels.order.reinsertion import push_parents, repair

__all__ = ["relocate"]

#: How often a set goes to the front; fewer than so many nodes join the first one. Small sets are
#: cheaper, and found to help as often: two random numbers are multiplied.
_TO_FRONT = 0.5
_JOINED = 4


@kernel
def _connected_set(state, rng, x, jump):
    """One to four nodes around x, connected in the current graph, into ``jump.leaders``; returns
    how many."""
    members = jump.leaders
    size = ONE
    members[0] = x
    for _ in range(int(_JOINED * rng.random() * rng.random())):
        v = members[int(rng.random() * size)]
        k = children(state, v, jump.children)
        total = k + state.columns.count[v]
        if total == 0:
            break
        j = int(rng.random() * total)
        u = jump.children[j] if j < k else state.columns.parents[v, j - k]
        member = False
        for t in range(size):
            if members[t] == u:
                member = True
        if not member:
            members[size] = u
            size += 1
    return size


@kernel
def _relocation_is_legal(problem, members, size, to_front, frozen):
    """Whether required edges allow the frozen set at that end."""
    if problem.required.shape[0] == 0:
        return True
    for t in range(size):
        v = members[t]
        for u in range(problem.required.shape[0]):
            tied = problem.required[u, v] if to_front else problem.required[v, u]
            if tied != 0 and frozen[u] == 0:
                return False
    return True


@kernel
def relocate(problem, state, rng, x, most, work):
    """Move a small connected set around x to one end, relax the others, release it, relax all.

    The caller opens the journal before and undoes the move if it did not pay. Returns False if a
    required edge forbids it.
    """
    jump, queue = work.jump, work.queue
    members = jump.leaders
    size = _connected_set(state, rng, x, jump)
    to_front = rng.random() < _TO_FRONT
    for t in range(size):
        queue.frozen[members[t]] = 1
    legal = _relocation_is_legal(problem, members, size, to_front, queue.frozen)
    if legal:
        _move_frozen(state, to_front, queue.frozen, jump)
        _refresh_stale(problem, state, size, to_front, work)
        repair(problem, state, most, work)
    for t in range(size):
        queue.frozen[members[t]] = 0
    if legal:
        for t in range(size):
            push(queue, members[t])
            push_parents(state, members[t], queue)
        repair(problem, state, most, work)
    return legal


@kernel
def _move_frozen(state, to_front, frozen, jump):
    """Gather the frozen nodes at one end; relative orders stay."""
    front, back = 0, 0
    for i in range(state.order.shape[0]):
        u = state.order[i]
        if (frozen[u] != 0) == to_front:
            jump.front[front] = u
            front += 1
        else:
            jump.back[back] = u
            back += 1
    copy_nodes(jump.front, state.order, front)
    for i in range(back):
        state.order[front + i] = jump.back[i]
    for i in range(state.order.shape[0]):
        state.position[state.order[i]] = i


@kernel
def _refresh_stale(problem, state, size, to_front, work):
    """Re-solve, and queue, the columns whose candidates a relocation changed in a way that
    matters."""
    members, frozen = work.jump.leaders, work.queue.frozen
    for i in range(state.order.shape[0]):
        u = state.order[i]
        stale = False
        for t in range(size):
            v = members[t]
            if u == v:
                stale = True
            elif to_front and frozen[u] == 0:
                stale = stale or (not has_parent(state, u, v) and gains(problem, state, u, v, work))
            elif not to_front:
                stale = stale or (has_parent(state, u, v) and state.position[v] > i)
        if stale:
            refresh_column(problem, state, u, work)
            push(work.queue, u)
