"""All improving operators at one node: the inner loop of greedy equivalence search.

The three operators change a completed PDAG by one edge into y, whose neighbours C (joined to y by
undirected edges) become its parents at the same time:

Insert(x, y, C)
    x and y not adjacent, C a clique that holds every neighbour of y adjacent to x. (Chickering's T
    is C without those.) Valid if every semi-directed path from y to x meets C.
Delete(x, y, C)
    x -> y or x - y, C a clique among the neighbours of y adjacent to x. (Chickering's H is the
    rest of them.)
Turn(x, y, C)
    y -> x becomes x -> y, C as for an insertion, valid if every semi-directed path from y to x
    other than the edge meets C or a neighbour of x; or x - y becomes x -> y, C a clique with a
    member not adjacent to x such that, among the neighbours of y, those members are separated from
    the common neighbours of x and y outside C by those within C.

A *row* is the list of all operators at y that improve the score, whatever their semi-directed
paths (which the search looks at only when an operator is about to be chosen). A row depends on the
surroundings of y alone, so a step of the search leaves most rows as they are. The set C is part of
the loop, x its inner index: the regression of y and of all candidates x on the parents and C is
shared, and one more member of C costs one more pivot of a Cholesky factorisation.

Sources: Chickering (2002), "Optimal structure identification with greedy search", Theorems 15 and
17; Hauser and Buehlmann (2012), "Characterization and greedy learning of interventional Markov
equivalence classes of directed acyclic graphs", Propositions 31 and 34.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.cliques import clique_limit, next_clique
from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve
from arcs.kernels.statistics import gram_row

__all__ = [
    "ClassGraph",
    "Row",
    "Rules",
    "delete_row",
    "empty_row",
    "insert_row",
    "turn_row",
]

#: A gain below this is rounding error. Every step gains more, so the search cannot cycle.
SMALLEST_GAIN = 1e-7


class ClassGraph(NamedTuple):
    """A completed PDAG.

    Attributes
    ----------
    directed : bool (p, p), ``directed[i, j]`` is i -> j
    undirected : bool (p, p), symmetric
    adjacent : bool (p, p), edges of either kind
    start, near : int64 (p + 1,), (2 edges,), the nodes adjacent to i are
        ``near[start[i]:start[i + 1]]``
    """

    directed: np.ndarray
    undirected: np.ndarray
    adjacent: np.ndarray
    start: np.ndarray
    near: np.ndarray


class Rules(NamedTuple):
    """What the search may do, and what an edge costs.

    Attributes
    ----------
    price : float64 (p,), what an edge into the node costs: c log n
    cap : int64 (p,), the largest parent set of the node
    allowed : bool (p, p), whether i -> j may be inserted or turned into place
    """

    price: np.ndarray
    cap: np.ndarray
    allowed: np.ndarray


class Row(NamedTuple):
    """Improving operators at one node, and how much of the arrays they take up.

    Operator k has the gain ``gain[k]``, the other end ``source[k]`` and the clique
    ``member[start[c]:start[c + 1]]`` with ``c = clique[k]``. There are ``size[0]`` operators,
    ``size[1]`` cliques and ``size[2]`` members of cliques; where the arrays are too short, the
    rest is counted and not written. (``size[3]`` operators know their clique already.)
    """

    gain: np.ndarray
    source: np.ndarray
    clique: np.ndarray
    start: np.ndarray
    member: np.ndarray
    size: np.ndarray


def empty_row(operators: int, cliques: int, members: int) -> Row:
    """A `Row` with room for so many operators, cliques and members of cliques."""
    return Row(
        np.empty(operators),
        np.empty(operators, np.int64),
        np.empty(operators, np.int64),
        np.zeros(cliques + 1, np.int64),
        np.empty(members, np.int64),
        np.zeros(4, np.int64),
    )


# ---------------------------------------------------------------------- rows under construction


@allocating
def _add_operator(row, gain, source):
    k = row.size[0]
    if k < row.gain.shape[0]:
        row.gain[k] = gain
        row.source[k] = source
    row.size[0] = k + 1


@allocating
def _close_clique(row, pool, chosen, depth):
    """Record ``pool[chosen[:depth]]`` as the clique of the operators added since the last one."""
    size = row.size
    if size[3] == size[0]:
        return
    for t in range(depth):
        if size[2] + t < row.member.shape[0]:
            row.member[size[2] + t] = pool[chosen[t]]
    for k in range(size[3], min(size[0], row.clique.shape[0])):
        row.clique[k] = size[1]
    size[1] += 1
    size[2] += depth
    size[3] = size[0]
    if size[1] < row.start.shape[0]:
        row.start[size[1]] = size[2]


# ---------------------------------------------------------------------- surroundings of a node


@allocating
def _joined_to(graph, marks, y):
    """The parents of y (if `marks` are the directed edges) or its neighbours (the undirected ones),
    and how many they are."""
    found = np.empty(graph.start[y + 1] - graph.start[y], np.int64)
    count = 0
    for at in range(graph.start[y], graph.start[y + 1]):
        if marks[graph.near[at], y]:
            found[count] = graph.near[at]
            count += 1
    return found, count


# ---------------------------------------------------------------------- insertions


@allocating
def _eliminate(stats, y, column, level, pivots, variance, covariance):
    """Regress all variables on one more column.

    ``variance[level]`` and ``covariance[level]`` (with y) belong to the residuals given the first
    `level` columns; the next level is written.
    """
    p = variance.shape[1]
    pivot = variance[level, column]
    row = pivots[level]
    if pivot <= COLLINEAR:
        row[:] = 0.0
    else:
        gram_row(stats, y, column, row)
        for t in range(level):
            weight = pivots[t, column]
            if weight != 0.0:
                for a in range(p):
                    row[a] -= weight * pivots[t, a]
        scale = 1.0 / np.sqrt(pivot)
        for a in range(p):
            row[a] *= scale
    weight = row[y]
    for a in range(p):
        variance[level + 1, a] = variance[level, a] - row[a] * row[a]
        covariance[level + 1, a] = covariance[level, a] - weight * row[a]


@allocating
def _add_insertions(row, y, n, price, missing, variance, covariance):
    """Add every x with nothing missing whose edge into y gains more than its price."""
    left = variance[y]
    if left <= COLLINEAR:
        return
    smallest_drop = left * (1.0 - np.exp(-(price + SMALLEST_GAIN) / n))
    for x in range(variance.shape[0]):
        if missing[x] != 0 or variance[x] <= COLLINEAR:
            continue
        drop = covariance[x] * covariance[x] / variance[x]
        if drop > smallest_drop:
            _add_operator(row, n * np.log(left / max(left - drop, COLLINEAR)) - price, x)


@allocating
def _count_missing(graph, rules, y, pool, size, missing):
    """How many neighbours of y are adjacent to each x: all of them must be in the clique.

    Nodes that cannot be joined to y get a count that no clique makes up for. Returns how many can.
    """
    p = missing.shape[0]
    n_possible = 0
    for x in range(p):
        if x == y or graph.adjacent[y, x] or not rules.allowed[x, y]:
            missing[x] = p + 1
            continue
        n_possible += 1
        missing[x] = 0
        for t in range(size):
            if graph.adjacent[pool[t], x]:
                missing[x] += 1
    return n_possible


@allocating
def _add_to_clique(graph, newest, before, after):
    """Update the counts of missing neighbours for one more member of the clique."""
    for x in range(before.shape[0]):
        after[x] = before[x] - 1 if graph.adjacent[newest, x] else before[x]


@allocating
def insert_row(stats, graph, rules, y, row):
    """All improving insertions of an edge into y, written to an empty `row`."""
    p = graph.adjacent.shape[0]
    parents, n_parents = _joined_to(graph, graph.directed, y)
    pool, size = _joined_to(graph, graph.undirected, y)
    n = stats.n[stats.pattern[y]]
    room = rules.cap[y] - n_parents - 1
    missing_at_first = np.empty(p, np.int64)
    n_possible = _count_missing(graph, rules, y, pool, size, missing_at_first)
    if room < 0 or n <= 0 or n_possible == 0:
        return
    limit = clique_limit(graph.adjacent, pool, size, room)
    depths = n_parents + limit + 1
    pivots = np.empty((depths, p))
    variance = np.ones((depths + 1, p))
    covariance = np.empty((depths + 1, p))
    missing = np.empty((limit + 1, p), np.int64)
    missing[0] = missing_at_first
    gram_row(stats, y, y, covariance[0])
    for t in range(n_parents):
        _eliminate(stats, y, parents[t], t, pivots, variance, covariance)
    chosen = np.empty(limit + 1, np.int64)
    depth = 0
    while depth >= 0:
        level = n_parents + depth
        if depth > 0:
            newest = pool[chosen[depth - 1]]
            _eliminate(stats, y, newest, level - 1, pivots, variance, covariance)
            _add_to_clique(graph, newest, missing[depth - 1], missing[depth])
        _add_insertions(
            row, y, n, rules.price[y], missing[depth], variance[level], covariance[level]
        )
        _close_clique(row, pool, chosen, depth)
        depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)


# ---------------------------------------------------------------------- deletions


@allocating
def _with_clique(columns, k, pool, chosen, depth):
    """Append the clique to ``columns[:k]``; the new length."""
    for t in range(depth):
        columns[k + t] = pool[chosen[t]]
    return k + depth


@allocating
def _without_and_with(stats, y, columns, k, x, factor, work):
    """Residual variances of y given ``columns[:k]``, and given x as well."""
    columns[k] = x
    factorise(stats, y, columns, k + 1, factor)
    explained = forward_solve(stats, y, columns, k + 1, factor, y, work)
    without = 1.0 - explained + work[k] * work[k]
    return max(without, COLLINEAR), max(1.0 - explained, COLLINEAR)


@allocating
def _parents_but(graph, y, x, columns):
    """The parents of y other than x into `columns`; their number."""
    k = 0
    for at in range(graph.start[y], graph.start[y + 1]):
        i = graph.near[at]
        if graph.directed[i, y] and i != x:
            columns[k] = i
            k += 1
    return k


@allocating
def _common_neighbours(graph, y, x):
    """The neighbours of y that are adjacent to x, and how many they are."""
    found, size = _joined_to(graph, graph.undirected, y)
    count = 0
    for t in range(size):
        if graph.adjacent[found[t], x]:
            found[count] = found[t]
            count += 1
    return found, count


@allocating
def delete_row(stats, graph, rules, y, row):
    """All improving deletions of an edge x -> y or x - y, written to an empty `row`."""
    n = stats.n[stats.pattern[y]]
    degree = graph.start[y + 1] - graph.start[y]
    factor = np.empty((degree + 1, degree + 1))
    work = np.empty(degree + 1)
    columns = np.empty(degree + 1, np.int64)
    chosen = np.empty(degree + 1, np.int64)
    for at in range(graph.start[y], graph.start[y + 1]):
        x = graph.near[at]
        if graph.directed[y, x]:
            continue
        pool, size = _common_neighbours(graph, y, x)
        limit = clique_limit(graph.adjacent, pool, size, size)
        n_parents = _parents_but(graph, y, x, columns)
        depth = 0
        while depth >= 0:
            k = _with_clique(columns, n_parents, pool, chosen, depth)
            without, within = _without_and_with(stats, y, columns, k, x, factor, work)
            gained = rules.price[y] - n * np.log(without / within)
            if gained > SMALLEST_GAIN:
                _add_operator(row, gained, x)
                _close_clique(row, pool, chosen, depth)
            depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)


# ---------------------------------------------------------------------- turns


@allocating
def _separated(graph, x, pool, size, chosen, depth):
    """Whether, among the nodes of `pool`, the members of the clique not adjacent to x are separated
    from the nodes adjacent to x outside the clique by the members adjacent to x."""
    seen = np.zeros(size, np.bool_)
    stack = np.empty(size, np.int64)
    top = 0
    for t in range(depth):
        seen[chosen[t]] = True
        if not graph.adjacent[pool[chosen[t]], x]:
            stack[top] = chosen[t]
            top += 1
    while top > 0:
        top -= 1
        a = stack[top]
        for b in range(size):
            if seen[b] or not graph.undirected[pool[a], pool[b]]:
                continue
            if graph.adjacent[pool[b], x]:
                return False
            seen[b] = True
            stack[top] = b
            top += 1
    return True


@allocating
def _turnable(graph, y, x, pool, size, chosen, depth):
    """Whether the clique fits the turn (apart from semi-directed paths)."""
    within, common = 0, 0
    for t in range(depth):
        within += graph.adjacent[pool[chosen[t]], x]
    if graph.undirected[x, y]:
        return within < depth and _separated(graph, x, pool, size, chosen, depth)
    for t in range(size):
        common += graph.adjacent[pool[t], x]
    return within == common


@allocating
def _loss_at_source(stats, graph, rules, y, x, clique, scratch):
    """How much the score of x falls when it loses its parent y."""
    columns, factor, work = scratch
    k = _parents_but(graph, x, y, columns)
    if graph.undirected[x, y]:
        for c in clique:
            if graph.adjacent[c, x]:
                columns[k] = c
                k += 1
    without, within = _without_and_with(stats, x, columns, k, y, factor, work)
    return stats.n[stats.pattern[x]] * np.log(without / within) - rules.price[x]


@allocating
def _gain_of_turn(stats, graph, rules, y, x, clique, scratch):
    columns, factor, work = scratch
    lost = _loss_at_source(stats, graph, rules, y, x, clique, scratch)
    k = _parents_but(graph, y, x, columns)
    for c in clique:
        columns[k] = c
        k += 1
    without, within = _without_and_with(stats, y, columns, k, x, factor, work)
    return stats.n[stats.pattern[y]] * np.log(without / within) - rules.price[y] - lost


@allocating
def _turn_scratch(graph, y):
    """Working arrays wide enough for all turns at y."""
    widest = 0
    for at in range(graph.start[y], graph.start[y + 1]):
        x = graph.near[at]
        widest = max(widest, graph.start[x + 1] - graph.start[x])
    widest += graph.start[y + 1] - graph.start[y] + 2
    return np.empty(widest, np.int64), np.empty((widest, widest)), np.empty(widest)


@allocating
def turn_row(stats, graph, rules, y, row):
    """All improving turns of y -> x or x - y into x -> y, written to an empty `row`."""
    scratch = _turn_scratch(graph, y)
    _, n_parents = _joined_to(graph, graph.directed, y)
    neighbours, n_neighbours = _joined_to(graph, graph.undirected, y)
    pool = np.empty(n_neighbours, np.int64)
    chosen = np.empty(n_neighbours + 1, np.int64)
    clique = np.empty(n_neighbours, np.int64)
    room = rules.cap[y] - n_parents - 1
    for at in range(graph.start[y], graph.start[y + 1]):
        x = graph.near[at]
        if graph.directed[x, y] or not rules.allowed[x, y] or room < 0:
            continue
        size = 0
        for t in range(n_neighbours):
            if neighbours[t] != x:
                pool[size] = neighbours[t]
                size += 1
        limit = clique_limit(graph.adjacent, pool, size, room)
        depth = 0
        while depth >= 0:
            if _turnable(graph, y, x, pool, size, chosen, depth):
                for t in range(depth):
                    clique[t] = pool[chosen[t]]
                gained = _gain_of_turn(stats, graph, rules, y, x, clique[:depth], scratch)
                if gained > SMALLEST_GAIN:
                    _add_operator(row, gained, x)
                    _close_clique(row, pool, chosen, depth)
            depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)
