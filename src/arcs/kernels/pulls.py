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

What was tried in vain is remembered: as long as the graph around it is the same, it is not tried
again. The caller opens the journal before and undoes the step if it did not pay. No step proposes
an order that contradicts required edges.
"""

from arcs.kernels.columns import commit_trial, has_parent, refresh_column, solve_trial
from arcs.kernels.jit import inlined, kernel
from arcs.kernels.l0 import is_candidate, l0_shrink
from arcs.kernels.moves import EPSILON, push, relax
from arcs.kernels.problem import L0, NOBODY, QUEUE_HEAD, ZERO

__all__ = ["FUTILE", "IMPOSSIBLE", "TRIED", "children", "pull", "remember_as_futile"]

#: What a pull returns: nothing to pull, done, or all that was drawn is known not to pay.
IMPOSSIBLE, TRIED, FUTILE = 0, 1, 2

#: Marks of a pull: descendants of the leaders, ancestors of chosen ones among them, the chosen
#: children, and the leaders, which jump.
_DESCENDANT, _ANCESTOR, _CHOSEN, _LEADER = 1, 2, 3, 4

#: How often a path is turned around, and how many draws are made to find something new to try.
_PATHS = 0.1
_DRAWS = 4


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
def children(state, x, out):
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
def _choose_children(state, rng, x, work):
    """Some children of x into ``work.chosen``; returns how many."""
    n_children = children(state, x, work.list_a)
    wanted = ZERO
    if rng.random() < 0.5:
        wanted = _adjacent_children(state, rng, n_children, work)
    if wanted == 0:
        wanted = _some_children(rng, n_children, work)
    for t in range(wanted):
        work.chosen[t] = work.list_b[t]
    return wanted


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


@kernel
def _path_to_root(problem, state, x, work):
    """x, its only parent, that one's only parent and so on up to a root, into ``work.list_a``.

    Edges that are barely worth their price do not count. Returns the length, or 0 if a node on the
    way has several parents.
    """
    work.list_a[0] = x
    length = ZERO + 1
    while True:
        k = _parents_to_follow(problem, state, work.list_a[length - 1], True, work)
        if k != 1:
            return length if k == 0 else ZERO
        work.list_a[length] = work.scratch.copy[0]
        length += 1


@inlined
def _reroot(problem, state, x, work):
    """Turn the path from a root down to x around, so that x is the root.

    Each edge of it is covered when its turn comes, so this is an equivalent DAG (unless weak edges
    were lost); but what stands above x is now among its children, and can be jumped.
    """
    length = _path_to_root(problem, state, x, work)
    if length > 1:
        first, last = state.position[work.list_a[length - 1]], state.position[x]
        # Everybody between moves behind the path, which stands where its root was.
        at, on_path = last, 0
        for i in range(last, first - 1, -1):
            u = state.order[i]
            if on_path < length and u == work.list_a[on_path]:
                on_path += 1
            else:
                state.order[at] = u
                at -= 1
        for t in range(length):
            state.order[first + t] = work.list_a[t]
        for i in range(first, last + 1):
            state.position[state.order[i]] = i
        for t in range(length):
            refresh_column(problem, state, state.order[first + t], work)


@kernel
def _path_down(state, rng, x, work):
    """Walk down from x, a child at a time. The last becomes the chosen one, those before it the
    leaders, in reverse; returns how many leaders there are.

    Turning a path around takes all of its edges at once if its far end is a collider.
    """
    work.members[0] = x
    leaders = ZERO + 1
    while True:
        k = children(state, work.members[0], work.list_a)
        y = work.list_a[int(rng.random() * k)]
        if leaders == work.members.shape[0] or children(state, y, work.list_b) == 0:
            break
        if leaders > 1 and rng.random() < 0.5:
            break
        for t in range(leaders, 0, -1):
            work.members[t] = work.members[t - 1]
        work.members[0] = y
        leaders += 1
    work.chosen[0] = y
    return leaders


@inlined
def _mix(a, b):
    """A well-scrambled number for an ordered pair of small ones."""
    x = (a + 1) * -7046029254386353131 + (b + 1) * -4658895280553007687
    x = (x ^ (x >> 32)) * -7723592293110705685
    return x ^ (x >> 29)


@kernel
def _signature(state, leaders, held, work):
    """A number for what is about to be tried: who jumps in which order, over whom, whether they are
    held, and the parents of all these and of their children.

    Nodes farther away may change the outcome too; this is the bet that they do not.
    """
    total = _mix(-1 - leaders, ZERO + held)
    for t in range(leaders):
        total += _mix(work.members[t], -2 - t)
    for u in range(state.order.shape[0]):
        moved = work.mark[u] > _DESCENDANT
        if moved:
            total += _mix(u, NOBODY)
        touched = moved
        for t in range(state.columns.count[u]):
            touched = touched or work.mark[state.columns.parents[u, t]] > _DESCENDANT
        if touched:
            for t in range(state.columns.count[u]):
                total += _mix(u, state.columns.parents[u, t])
    return total


@inlined
def _slot(work):
    """Where the present signature would be remembered."""
    return work.signature[0] & (work.futile.shape[0] - 1)


@inlined
def remember_as_futile(before, after, temperature, work):
    """Remember the pull just tried unless it paid, or might be kept next time (with a probability
    of at least exp(-4)).

    A later one may take its place: forgetting costs no more than another try.
    """
    if abs(after - before) <= EPSILON or after > before + 4.0 * temperature:
        work.futile[_slot(work)] = work.signature[0]


@kernel
def _draw(problem, state, rng, x, work):
    """Who is to jump behind whom, into ``work.members``, ``work.chosen`` and ``work.mark``.

    One to three children of x are chosen at random, or some that are adjacent to each other.
    Returns ``(leaders, wanted)``: how many jump (none if a required edge forbids it), and how many
    were chosen.
    """
    free = problem.required.shape[0] == 0
    leaders = ZERO + 1
    work.members[0] = x
    if free and rng.random() < _PATHS:
        wanted = ZERO + 1
        leaders = _path_down(state, rng, x, work)
    else:
        wanted = _choose_children(state, rng, x, work)
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
                leaders = ZERO
    return leaders, wanted


@inlined
def pull(problem, state, rng, x, most, work):
    """Let x jump behind some of its children; returns `IMPOSSIBLE`, `TRIED` or `FUTILE`.

    Repairs with at most `most` reinsertions each time it relaxes.
    """
    n_children = children(state, x, work.list_a)
    if n_children > 0 and problem.required.shape[0] == 0 and rng.random() < 0.5:
        _reroot(problem, state, x, work)
        n_children = children(state, x, work.list_a)
    outcome = FUTILE if n_children > 0 else IMPOSSIBLE
    draws = 0
    while outcome == FUTILE and draws < _DRAWS:
        draws += 1
        leaders, wanted = _draw(problem, state, rng, x, work)
        held = rng.random() < 0.5
        work.signature[0] = _signature(state, leaders, held, work)
        if leaders == 0:
            outcome = IMPOSSIBLE
        elif work.futile[_slot(work)] != work.signature[0]:
            outcome = TRIED
            queue_size = _jump(problem, state, leaders, wanted, work)
            if held:
                # Left to themselves, the children would follow x at once. Hold both until the rest
                # of the neighbourhood has found out what the new order is good for.
                queue_size = _hold(state, leaders, wanted, queue_size, work)
                relax(problem, state, queue_size, most, work)
                queue_size = _release(leaders, wanted, work)
            relax(problem, state, queue_size, most, work)
    return outcome


@inlined
def _jump(problem, state, leaders, wanted, work):
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
    _keep_turned_edges(problem, state, leaders, wanted, work)
    return queue_size


@inlined
def _keep_turned_edges(problem, state, leaders, wanted, work):
    """Try every leader with the nodes that it jumped among its parents from the beginning.

    Two parents may each explain nothing without the other. An edge that was turned is a good guess
    for the one: the column solver then finds the other.
    """
    if problem.kind == L0:
        for i in range(leaders):
            x = work.members[i]
            for t in range(wanted + i):
                y = work.chosen[t] if t < wanted else work.members[t - wanted]
                here = state.position[x]
                legal = is_candidate(problem, state.position, y, x, here, NOBODY, NOBODY)
                if legal and not has_parent(state, x, y):
                    score = solve_trial(problem, state, x, here, y, NOBODY, work)
                    if score < state.columns.score[x] - EPSILON:
                        commit_trial(problem, state, x, work)


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
