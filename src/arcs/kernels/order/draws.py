"""Who is to jump behind whom, at random: how :mod:`arcs.kernels.order.pulls` begin.

Every function names where it writes: leaders, who jump, chosen children, who are jumped, and marks.
"""

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import children, has_parent
from arcs.kernels.order.engine import firm_parents
from arcs.kernels.order.records import ONE, ZERO, copy_nodes

__all__ = [
    "ANCESTOR",
    "CHOSEN",
    "DESCENDANT",
    "LEADER",
    "draw",
    "mark_ancestors_inside",
    "mark_descendants",
    "parents_to_follow",
    "path_down",
    "with_companions",
]

#: Marks: descendants of the leaders, ancestors of chosen ones among them, the chosen children, and
#: the leaders.
DESCENDANT, ANCESTOR, CHOSEN, LEADER = 1, 2, 3, 4

#: How often a path is turned around, and how often it ends where it might go on.
_TURN_A_PATH, _PATH_ENDS = 0.1, 0.5
#: How often children that are adjacent to each other are chosen; with all siblings that are
#: adjacent to the first, or each with this probability.
_ADJACENT, _ALL_ADJACENT, _EACH_ADJACENT = 0.5, 0.5, 0.5
#: Otherwise so many are chosen, at most.
_MOST_CHOSEN = 3
#: How often other parents of the chosen ones jump too.
_WITH_COMPANIONS = 0.5
#: How often edges that are barely worth their price are not followed, and how often other children
#: of the node stay behind it.
_FIRM_ONLY, _LEAVE_CHILDREN = 0.5, 0.5


@kernel
def mark_descendants(state, leaders, n_leaders, mark):
    """Mark the leaders, and who descends from them."""
    p = state.order.shape[0]
    for u in range(p):
        mark[u] = 0
    first = p
    for t in range(n_leaders):
        mark[leaders[t]] = LEADER
        first = min(first, state.position[leaders[t]])
    for i in range(first + 1, p):
        u = state.order[i]
        if mark[u] == 0:
            for t in range(state.columns.count[u]):
                if mark[state.columns.parents[u, t]] != 0:
                    mark[u] = DESCENDANT
                    break


@kernel
def parents_to_follow(problem, state, u, firm, out, work):
    """Parents of u into `out`, with `firm` only those worth twice the price of an edge; returns how
    many there are."""
    if firm:
        k = firm_parents(problem, state, u, out, work)
    else:
        k = state.columns.count[u]
        copy_nodes(state.columns.parents[u], out, k)
    return k


@kernel
def mark_ancestors_inside(problem, state, firm, work):
    """Mark the ancestors of the chosen children among the descendants of the leaders.

    One edge too many is enough to make true descendants of x ancestors of a true parent. With
    `firm`, edges that are barely worth their price are not followed.
    """
    mark, parents = work.jump.mark, work.jump.parents
    for i in range(state.order.shape[0] - 1, -1, -1):
        u = state.order[i]
        if mark[u] == ANCESTOR or mark[u] == CHOSEN:
            for t in range(parents_to_follow(problem, state, u, firm, parents, work)):
                if mark[parents[t]] == DESCENDANT:
                    mark[parents[t]] = ANCESTOR


@kernel
def _leave_other_children(state, x, mark):
    """Children of x that were not chosen stay behind it, even if they are ancestors of chosen ones.

    What is truly a child of x cannot be an ancestor of a true parent: one of the edges is wrong.
    """
    for i in range(state.position[x] + 1, state.order.shape[0]):
        u = state.order[i]
        if mark[u] == ANCESTOR and has_parent(state, u, x):
            mark[u] = DESCENDANT


@kernel
def _some_children(rng, pool, n_pool, chosen):
    """One to three of the pool, at random, into `chosen`; returns how many."""
    wanted = min(1 + int(_MOST_CHOSEN * rng.random()), n_pool)
    for t in range(wanted):
        j = t + int(rng.random() * (n_pool - t))
        pool[t], pool[j] = pool[j], pool[t]
    copy_nodes(pool, chosen, wanted)
    return wanted


@inlined
def _adjacent(state, a, b):
    """Whether there is an edge between a and b."""
    return has_parent(state, a, b) or has_parent(state, b, a)


@kernel
def _adjacent_children(state, rng, pool, n_pool, chosen):
    """A child and siblings adjacent to it into `chosen`; 0 if no two are adjacent.

    True children of x are independent given x. Parents of x that were mistaken for its children
    are not: they need edges among themselves, and give themselves away by them.
    """
    first = int(rng.random() * n_pool)
    everybody = rng.random() < _ALL_ADJACENT
    wanted = 0
    for t in range(n_pool):
        if wanted < 2:
            y = pool[(first + t) % n_pool]
            chosen[0] = y
            wanted = 1
            for j in range(n_pool):
                z = pool[j]
                if z != y and _adjacent(state, y, z):
                    if everybody or rng.random() < _EACH_ADJACENT:
                        chosen[wanted] = z
                        wanted += 1
    return wanted if wanted > 1 else 0


@inlined
def _choose_children(state, rng, x, pool, chosen):
    """Some children of x into `chosen`; returns how many."""
    n_pool = children(state, x, pool)
    wanted = ZERO
    if rng.random() < _ADJACENT:
        wanted = _adjacent_children(state, rng, pool, n_pool, chosen)
    if wanted == 0:
        wanted = _some_children(rng, pool, n_pool, chosen)
    return wanted


@kernel
def with_companions(state, x, chosen, wanted, leaders):
    """x and up to three other parents that all chosen children share, into `leaders`; returns how
    many.

    Two nodes with the same two parents look much like two parents of two nodes, and turning one
    edge at a time does not lead from one to the other.
    """
    leaders[0] = x
    n_leaders = ONE
    first = chosen[0]
    for t in range(state.columns.count[first]):
        w = state.columns.parents[first, t]
        shared = w != x
        for j in range(1, wanted):
            shared = shared and w != chosen[j] and has_parent(state, chosen[j], w)
        if shared and n_leaders < leaders.shape[0]:
            leaders[n_leaders] = w
            n_leaders += 1
    return n_leaders


@kernel
def path_down(state, rng, x, jump):
    """Walk down from x, a child at a time. The last becomes the chosen one, those before it the
    leaders, in reverse; returns how many leaders there are.

    Turning a path around takes all of its edges at once if its far end is a collider.
    """
    leaders = jump.leaders
    leaders[0] = x
    n_leaders = ONE
    while True:
        k = children(state, leaders[0], jump.children)
        y = jump.children[int(rng.random() * k)]
        if n_leaders == leaders.shape[0] or children(state, y, jump.path) == 0:
            break
        if n_leaders > 1 and rng.random() < _PATH_ENDS:
            break
        for t in range(n_leaders, 0, -1):
            leaders[t] = leaders[t - 1]
        leaders[0] = y
        n_leaders += 1
    jump.chosen[0] = y
    return n_leaders


@kernel
def draw(problem, state, rng, x, work):
    """Who is to jump behind whom, into leaders, chosen children and marks of ``work.jump``.

    One to three children of x are chosen at random, or some that are adjacent to each other.
    Returns ``(n_leaders, wanted)``: how many jump (none if a required edge forbids it), and how
    many were chosen.
    """
    jump = work.jump
    free = problem.required.shape[0] == 0
    n_leaders = ONE
    jump.leaders[0] = x
    if free and rng.random() < _TURN_A_PATH:
        wanted = ONE
        n_leaders = path_down(state, rng, x, jump)
    else:
        wanted = _choose_children(state, rng, x, jump.children, jump.chosen)
        if free and rng.random() < _WITH_COMPANIONS:
            n_leaders = with_companions(state, x, jump.chosen, wanted, jump.leaders)
    mark_descendants(state, jump.leaders, n_leaders, jump.mark)
    for t in range(wanted):
        jump.mark[jump.chosen[t]] = CHOSEN
    mark_ancestors_inside(problem, state, free and rng.random() < _FIRM_ONLY, work)
    if free and rng.random() < _LEAVE_CHILDREN:
        _leave_other_children(state, x, jump.mark)
    if not free:
        for u in range(state.order.shape[0]):
            jumped = jump.mark[u] == ANCESTOR or jump.mark[u] == CHOSEN
            if jumped and problem.required[x, u] != 0:
                n_leaders = ZERO
    return n_leaders, wanted
