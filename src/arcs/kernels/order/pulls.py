"""The pull: a large step over orders.

Local optima are nodes that stand before their parents. Reinsertion alone cannot repair them,
because the node's other children stand in between. But an order can be re-sorted freely within its
DAG, and so a pull lets a node jump behind some of its children and what they depend on, and relaxes
what that disturbed.

1. *Who jumps.* The node, and perhaps the other parents of the chosen children, or the nodes on a
   path down from it, which is turned around as a whole. Before, the path above the node may be
   turned around, which costs nothing if it is a chain.
2. *Over whom.* Chosen children and their ancestors among the node's descendants; some edges that
   are barely worth their price may be disregarded.
3. *Jump*: re-sort, re-solve the columns that lost a parent, and see whether the edges that were
   turned are parents who help only together.
4. *Relax*, perhaps with those who jumped held in place at first.

Who jumps over whom is drawn in :mod:`arcs.kernels.order.draws`; what was tried in vain is not tried
again (:mod:`arcs.kernels.order.futile`). The caller opens the journal before and undoes the step if
it did not pay. No step proposes an order that contradicts required edges.
"""

from arcs.kernels.jit import kernel
from arcs.kernels.order.columns import (
    children,
    commit_trial,
    has_parent,
    is_candidate,
    refresh_column,
    solve_trial,
)
from arcs.kernels.order.draws import DESCENDANT, LEADER, draw, parents_to_follow
from arcs.kernels.order.engine import starts_matter
from arcs.kernels.order.futile import is_futile, sign
from arcs.kernels.order.queue import clear, push
from arcs.kernels.order.records import EPSILON, NOBODY, ONE, ZERO, Candidates, before
from arcs.kernels.order.reinsertion import push_parents, repair

__all__ = [
    "FUTILE",
    "IMPOSSIBLE",
    "TRIED",
    "keep_turned_edges",
    "pull",
    "reroot",
    "resort_around",
]

#: What a pull returns: nothing to pull, done, or all that was drawn is known not to pay.
IMPOSSIBLE, TRIED, FUTILE = 0, 1, 2

#: How often the path above a node is turned around first, and how often those who jumped are held.
_REROOT, _HOLD = 0.5, 0.5
#: How many draws are made to find something new to try.
_DRAWS = 4


@kernel
def resort_around(state, n_leaders, jump):
    """Re-sort to ``[others], [ancestors and chosen], [leaders], [descendants]``; returns how many
    were jumped over.

    Except for these and the leaders, this is the same DAG in another order.
    """
    p = state.order.shape[0]
    at, jumped, rest = 0, 0, 0
    for i in range(p):
        u = state.order[i]
        if jump.mark[u] == LEADER:
            continue
        if jump.mark[u] == DESCENDANT:
            jump.back[rest] = u
            rest += 1
        elif jump.mark[u] != 0:
            jump.front[jumped] = u
            jumped += 1
        else:
            state.order[at] = u
            at += 1
    for i in range(jumped):
        state.order[at + i] = jump.front[i]
    for i in range(n_leaders):
        state.order[at + jumped + i] = jump.leaders[i]
    for i in range(rest):
        state.order[at + jumped + n_leaders + i] = jump.back[i]
    for i in range(p):
        state.position[state.order[i]] = i
    return jumped


@kernel
def _path_to_root(problem, state, x, path, work):
    """x, its only parent, that one's only parent and so on up to a root, into `path`.

    Edges that are barely worth their price do not count. Returns the length, or 0 if a node on the
    way has several parents.
    """
    path[0] = x
    length = ONE
    while True:
        k = parents_to_follow(problem, state, path[length - 1], True, work.jump.parents, work)
        if k != 1:
            return length if k == 0 else ZERO
        path[length] = work.jump.parents[0]
        length += 1


@kernel
def reroot(problem, state, x, work):
    """Turn the path from a root down to x around, so that x is the root.

    Each edge of it is covered when its turn comes, so this is an equivalent DAG (unless weak edges
    were lost); but what stands above x is now among its children, and can be jumped.
    """
    path = work.jump.path
    length = _path_to_root(problem, state, x, path, work)
    if length > 1:
        first, last = state.position[path[length - 1]], state.position[x]
        # Everybody between moves behind the path, which stands where its root was.
        at, on_path = last, 0
        for i in range(last, first - 1, -1):
            u = state.order[i]
            if on_path < length and u == path[on_path]:
                on_path += 1
            else:
                state.order[at] = u
                at -= 1
        for t in range(length):
            state.order[first + t] = path[t]
        for i in range(first, last + 1):
            state.position[state.order[i]] = i
        for t in range(length):
            refresh_column(problem, state, state.order[first + t], work)


@kernel
def pull(problem, state, rng, x, most, work):
    """Let x jump behind some of its children; returns `IMPOSSIBLE`, `TRIED` or `FUTILE`.

    Repairs with at most `most` reinsertions each time it relaxes.
    """
    jump, memory = work.jump, work.memory
    n_children = children(state, x, jump.children)
    if n_children > 0 and problem.required.shape[0] == 0 and rng.random() < _REROOT:
        reroot(problem, state, x, work)
        n_children = children(state, x, jump.children)
    outcome = FUTILE if n_children > 0 else IMPOSSIBLE
    draws = 0
    while outcome == FUTILE and draws < _DRAWS:
        draws += 1
        n_leaders, wanted = draw(problem, state, rng, x, work)
        held = rng.random() < _HOLD
        memory.signature[0] = sign(state, jump, n_leaders, held)
        if n_leaders == 0:
            outcome = IMPOSSIBLE
        elif not is_futile(memory):
            outcome = TRIED
            _jump(problem, state, n_leaders, wanted, work)
            if held:
                # Left to themselves, the children would follow x at once. Hold both until the rest
                # of the neighbourhood has found out what the new order is good for.
                _hold(state, n_leaders, wanted, work)
                repair(problem, state, most, work)
                _release(n_leaders, wanted, work)
            repair(problem, state, most, work)
    return outcome


@kernel
def _jump(problem, state, n_leaders, wanted, work):
    """Put the leaders behind the nodes they jump; re-solve, and queue, what that changes."""
    jump = work.jump
    jumped = resort_around(state, n_leaders, jump)
    last = state.position[jump.leaders[n_leaders - 1]]
    first = last - n_leaders - jumped + 1
    for i in range(first, last + 1):
        u = state.order[i]
        stale = jump.mark[u] == LEADER
        for t in range(state.columns.count[u]):
            if state.position[state.columns.parents[u, t]] > i:
                stale = True
        if stale:
            refresh_column(problem, state, u, work)
            push(work.queue, u)
    if starts_matter(problem):
        keep_turned_edges(problem, state, n_leaders, wanted, work)


@kernel
def keep_turned_edges(problem, state, n_leaders, wanted, work):
    """Try every leader with the nodes that it jumped among its parents from the beginning.

    Two parents may each explain nothing without the other. An edge that was turned is a good guess
    for the one: the column solver then finds the other.
    """
    leaders, chosen = work.jump.leaders, work.jump.chosen
    for i in range(n_leaders):
        x = leaders[i]
        for t in range(wanted + i):
            y = chosen[t] if t < wanted else leaders[t - wanted]
            here = state.position[x]
            legal = is_candidate(problem, state.position, y, x, before(here))
            if legal and not has_parent(state, x, y):
                score = solve_trial(problem, state, x, Candidates(here, y, NOBODY), work)
                if score < state.columns.score[x] - EPSILON:
                    commit_trial(problem, state, x, work)


@kernel
def _hold(state, n_leaders, wanted, work):
    """Freeze leaders and chosen children; queue their neighbours instead."""
    jump, queue = work.jump, work.queue
    # Frozen nodes must not stay in the queue.
    clear(queue)
    for t in range(wanted):
        queue.frozen[jump.chosen[t]] = 1
    for t in range(n_leaders):
        queue.frozen[jump.leaders[t]] = 1
    for i in range(state.order.shape[0]):
        u = state.order[i]
        if queue.frozen[u] != 0:
            push_parents(state, u, queue)
        else:
            touched = False
            for t in range(state.columns.count[u]):
                touched = touched or queue.frozen[state.columns.parents[u, t]] != 0
            if touched:
                push(queue, u)


@kernel
def _release(n_leaders, wanted, work):
    """Let leaders and chosen children go, and queue them."""
    jump, queue = work.jump, work.queue
    for t in range(n_leaders):
        queue.frozen[jump.leaders[t]] = 0
        push(queue, jump.leaders[t])
    for t in range(wanted):
        queue.frozen[jump.chosen[t]] = 0
        push(queue, jump.chosen[t])
