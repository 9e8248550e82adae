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

A *row* is the list of all operators at y that improve the score, best first, whatever their
semi-directed paths (which the search looks at only when an operator is about to be chosen). A row
depends on the surroundings of y alone, so a step of the search leaves most rows as they are. The
set C is part of the loop, x its inner index: the regression of y and of all candidates x on the
parents and C is shared, and one more member of C costs one more pivot of a Cholesky factorisation.

Sources: Chickering (2002), "Optimal structure identification with greedy search", Theorems 15 and
17; Hauser and Buehlmann (2012), "Characterization and greedy learning of interventional Markov
equivalence classes of directed acyclic graphs", Propositions 31 and 34.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from arcs.kernels.regression import COLLINEAR, factorise, forward_solve
from arcs.kernels.statistics import gram_row

__all__ = [
    "ClassGraph",
    "Row",
    "Rules",
    "delete_row",
    "insert_row",
    "turn_row",
    "without_uncovered",
]

#: A gain below this is rounding error. Every step gains more, so the search cannot cycle.
SMALLEST_GAIN = 1e-7

#: Cliques looked at per node; if there are more, only the smaller ones are.
CLIQUE_BUDGET = 8192


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
    """Improving operators at one node, best first.

    Operator k has the gain ``gain[k]``, the other end ``source[k]`` and the clique
    ``member[start[c]:start[c + 1]]`` with ``c = clique[k]``.
    """

    gain: np.ndarray
    source: np.ndarray
    clique: np.ndarray
    start: np.ndarray
    member: np.ndarray


# ---------------------------------------------------------------------- rows under construction


@njit(cache=True, nogil=True)
def _open_row():
    gain = [0.0]
    source = [np.int64(0)]
    clique = [np.int64(0)]
    start = [np.int64(0)]
    member = [np.int64(0)]
    gain.pop()
    source.pop()
    clique.pop()
    member.pop()
    return gain, source, clique, start, member


@njit(cache=True, nogil=True)
def _close_clique(row, pool, chosen, depth):
    """Record ``pool[chosen[:depth]]`` as the clique of the operators added since the last one."""
    _, source, clique, start, member = row
    if len(source) == len(clique):
        return
    for t in range(depth):
        member.append(pool[chosen[t]])
    for _ in range(len(source) - len(clique)):
        clique.append(np.int64(len(start) - 1))
    start.append(np.int64(len(member)))


@njit(cache=True, nogil=True)
def without_uncovered(row, x, c):
    """The row without the operators that join x to its node and do not have c in their clique.

    That is what a row of insertions comes to when x and the neighbour c become adjacent.
    """
    keep = np.ones(row.source.shape[0], np.bool_)
    for k in range(row.source.shape[0]):
        if row.source[k] == x:
            clique = row.clique[k]
            keep[k] = False
            for at in range(row.start[clique], row.start[clique + 1]):
                if row.member[at] == c:
                    keep[k] = True
    return Row(row.gain[keep], row.source[keep], row.clique[keep], row.start, row.member)


@njit(cache=True, nogil=True)
def _sorted_row(row):
    gain, source, clique, start, member = row
    gains = np.array(gain)
    best_first = np.argsort(-gains, kind="mergesort")
    return Row(
        gains[best_first],
        np.array(source)[best_first],
        np.array(clique)[best_first],
        np.array(start),
        np.array(member),
    )


# ---------------------------------------------------------------------- cliques


@njit(cache=True, nogil=True)
def _extends(adjacent, pool, chosen, depth, i):
    for t in range(depth):
        if not adjacent[pool[chosen[t]], pool[i]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _next_clique(adjacent, pool, size, chosen, depth, limit):
    """The clique after ``chosen[:depth]`` in depth-first order; its size, or -1 after the last.

    Only the last member differs from a prefix of the clique before.
    """
    first = chosen[depth - 1] + 1 if depth > 0 else 0
    if depth < limit:
        for i in range(first, size):
            if _extends(adjacent, pool, chosen, depth, i):
                chosen[depth] = i
                return depth + 1
    while depth > 0:
        depth -= 1
        for i in range(chosen[depth] + 1, size):
            if _extends(adjacent, pool, chosen, depth, i):
                chosen[depth] = i
                return depth + 1
    return -1


@njit(cache=True, nogil=True)
def _clique_limit(adjacent, pool, size, limit):
    """`limit`, lowered until there are at most `CLIQUE_BUDGET` cliques of that size or less."""
    limit = min(limit, size)
    if limit < 30 and 2**limit <= CLIQUE_BUDGET and 2**size <= CLIQUE_BUDGET:
        return limit
    chosen = np.empty(size + 1, np.int64)
    for largest in range(1, limit + 1):
        count, depth, deepest = 0, 0, 0
        while depth >= 0 and count <= CLIQUE_BUDGET:
            count += 1
            depth = _next_clique(adjacent, pool, size, chosen, depth, largest)
            deepest = max(deepest, depth)
        if count > CLIQUE_BUDGET:
            return max(1, largest - 1)
        if deepest < largest:  # there are no cliques of this size
            return deepest
    return limit


@njit(cache=True, nogil=True)
def _members(mask):
    """The indices of the true entries, and how many they are."""
    found = np.empty(mask.shape[0], np.int64)
    count = 0
    for i in range(mask.shape[0]):
        if mask[i]:
            found[count] = i
            count += 1
    return found, count


# ---------------------------------------------------------------------- insertions


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _add_insertions(row, y, n, price, open_to, variance, covariance):
    """Add every x of `open_to` whose edge into y gains more than its price."""
    gain, source, _, _, _ = row
    left = variance[y]
    if left <= COLLINEAR:
        return
    smallest_drop = left * (1.0 - np.exp(-(price + SMALLEST_GAIN) / n))
    for x in range(variance.shape[0]):
        if not open_to[x] or variance[x] <= COLLINEAR:
            continue
        drop = covariance[x] * covariance[x] / variance[x]
        if drop > smallest_drop:
            gain.append(n * np.log(left / max(left - drop, COLLINEAR)) - price)
            source.append(np.int64(x))


@njit(cache=True, nogil=True)
def insert_row(stats, graph, rules, y):
    """All improving insertions of an edge into y, as a `Row`."""
    p = graph.adjacent.shape[0]
    row = _open_row()
    parents, n_parents = _members(graph.directed[:, y])
    pool, size = _members(graph.undirected[y])
    n = stats.n[stats.pattern[y]]
    room = rules.cap[y] - n_parents - 1
    possible = ~graph.adjacent[y] & rules.allowed[:, y]
    possible[y] = False
    if room < 0 or n <= 0 or not possible.any():
        return _sorted_row(row)
    limit = _clique_limit(graph.adjacent, pool, size, room)
    depths = n_parents + limit + 1
    pivots = np.empty((depths, p))
    variance = np.ones((depths + 1, p))
    covariance = np.empty((depths + 1, p))
    gram_row(stats, y, y, covariance[0])
    for t in range(n_parents):
        _eliminate(stats, y, parents[t], t, pivots, variance, covariance)
    # A candidate x may use a clique once the clique holds all neighbours of y adjacent to x.
    missing = np.zeros((limit + 1, p), np.int64)
    for t in range(size):
        missing[0] += graph.adjacent[pool[t]]
    chosen = np.empty(limit + 1, np.int64)
    depth = 0
    while depth >= 0:
        level = n_parents + depth
        if depth > 0:
            newest = pool[chosen[depth - 1]]
            _eliminate(stats, y, newest, level - 1, pivots, variance, covariance)
            missing[depth] = missing[depth - 1] - graph.adjacent[newest]
        open_to = possible & (missing[depth] == 0)
        _add_insertions(row, y, n, rules.price[y], open_to, variance[level], covariance[level])
        _close_clique(row, pool, chosen, depth)
        depth = _next_clique(graph.adjacent, pool, size, chosen, depth, limit)
    return _sorted_row(row)


# ---------------------------------------------------------------------- deletions


@njit(cache=True, nogil=True)
def _with_clique(columns, k, pool, chosen, depth):
    """Append the clique to ``columns[:k]``; the new length."""
    for t in range(depth):
        columns[k + t] = pool[chosen[t]]
    return k + depth


@njit(cache=True, nogil=True)
def _without_and_with(stats, y, columns, k, x, factor, work):
    """Residual variances of y given ``columns[:k]``, and given x as well."""
    columns[k] = x
    factorise(stats, y, columns, k + 1, factor)
    explained = forward_solve(stats, y, columns, k + 1, factor, y, work)
    without = 1.0 - explained + work[k] * work[k]
    return max(without, COLLINEAR), max(1.0 - explained, COLLINEAR)


@njit(cache=True, nogil=True)
def _parents_but(graph, y, x, columns):
    """The parents of y other than x into `columns`; their number."""
    k = 0
    for i in range(graph.directed.shape[0]):
        if graph.directed[i, y] and i != x:
            columns[k] = i
            k += 1
    return k


@njit(cache=True, nogil=True)
def delete_row(stats, graph, rules, y):
    """All improving deletions of an edge x -> y or x - y, as a `Row`."""
    row = _open_row()
    gain, source, _, _, _ = row
    n = stats.n[stats.pattern[y]]
    joined, n_joined = _members(graph.directed[:, y] | graph.undirected[y])
    factor = np.empty((n_joined + 1, n_joined + 1))
    work = np.empty(n_joined + 1)
    columns = np.empty(n_joined + 1, np.int64)
    chosen = np.empty(n_joined + 1, np.int64)
    for at in range(n_joined):
        x = joined[at]
        pool, size = _members(graph.undirected[y] & graph.adjacent[x])
        limit = _clique_limit(graph.adjacent, pool, size, size)
        n_parents = _parents_but(graph, y, x, columns)
        depth = 0
        while depth >= 0:
            k = _with_clique(columns, n_parents, pool, chosen, depth)
            without, within = _without_and_with(stats, y, columns, k, x, factor, work)
            gained = rules.price[y] - n * np.log(without / within)
            if gained > SMALLEST_GAIN:
                gain.append(gained)
                source.append(x)
                _close_clique(row, pool, chosen, depth)
            depth = _next_clique(graph.adjacent, pool, size, chosen, depth, limit)
    return _sorted_row(row)


# ---------------------------------------------------------------------- turns


@njit(cache=True, nogil=True)
def _separated(graph, pool, size, chosen, depth, common):
    """Whether, among the nodes of `pool`, the members of the clique outside `common` are separated
    from the nodes of `common` outside the clique by the members within `common`."""
    seen = np.zeros(size, np.bool_)
    stack = np.empty(size, np.int64)
    in_clique = np.zeros(size, np.bool_)
    top = 0
    for t in range(depth):
        in_clique[chosen[t]] = True
        seen[chosen[t]] = True
        if not common[pool[chosen[t]]]:
            stack[top] = chosen[t]
            top += 1
    while top > 0:
        top -= 1
        a = stack[top]
        for b in range(size):
            if seen[b] or not graph.undirected[pool[a], pool[b]]:
                continue
            if common[pool[b]] and not in_clique[b]:
                return False
            seen[b] = True
            stack[top] = b
            top += 1
    return True


@njit(cache=True, nogil=True)
def _turnable(graph, pool, size, chosen, depth, common, n_common, undirected):
    """Whether the clique fits the turn (apart from semi-directed paths)."""
    within = 0
    for t in range(depth):
        within += common[pool[chosen[t]]]
    if not undirected:
        return within == n_common
    return within < depth and _separated(graph, pool, size, chosen, depth, common)


@njit(cache=True, nogil=True)
def _loss_at_source(stats, graph, rules, y, x, pool, chosen, depth, common, scratch):
    """How much the score of x falls when it loses its parent y."""
    columns, factor, work = scratch
    k = _parents_but(graph, x, y, columns)
    if graph.undirected[x, y]:
        for t in range(depth):
            if common[pool[chosen[t]]]:
                columns[k] = pool[chosen[t]]
                k += 1
    without, within = _without_and_with(stats, x, columns, k, y, factor, work)
    return stats.n[stats.pattern[x]] * np.log(without / within) - rules.price[x]


@njit(cache=True, nogil=True)
def turn_row(stats, graph, rules, y):
    """All improving turns of y -> x or x - y into x -> y, as a `Row`."""
    p = graph.adjacent.shape[0]
    row = _open_row()
    gain, source, _, _, _ = row
    n = stats.n[stats.pattern[y]]
    targets, n_targets = _members((graph.directed[y] | graph.undirected[y]) & rules.allowed[:, y])
    widest = 1
    for at in range(n_targets):
        widest = max(widest, np.sum(graph.directed[:, targets[at]]))
    widest = max(widest, np.sum(graph.directed[:, y])) + np.sum(graph.undirected[y]) + 2
    scratch = (np.empty(widest, np.int64), np.empty((widest, widest)), np.empty(widest))
    columns, factor, work = scratch
    chosen = np.empty(p + 1, np.int64)
    for at in range(n_targets):
        x = targets[at]
        undirected = graph.undirected[y, x]
        common = graph.undirected[y] & graph.adjacent[x]
        n_common = np.sum(common)
        others = graph.undirected[y].copy()
        others[x] = False
        pool, size = _members(others)
        room = rules.cap[y] - np.sum(graph.directed[:, y]) - 1
        limit = _clique_limit(graph.adjacent, pool, size, room)
        depth = 0 if room >= 0 else -1
        while depth >= 0:
            if _turnable(graph, pool, size, chosen, depth, common, n_common, undirected):
                lost = _loss_at_source(
                    stats, graph, rules, y, x, pool, chosen, depth, common, scratch
                )
                k = _parents_but(graph, y, x, columns)
                k = _with_clique(columns, k, pool, chosen, depth)
                without, within = _without_and_with(stats, y, columns, k, x, factor, work)
                gained = n * np.log(without / within) - rules.price[y] - lost
                if gained > SMALLEST_GAIN:
                    gain.append(gained)
                    source.append(x)
                    _close_clique(row, pool, chosen, depth)
            depth = _next_clique(graph.adjacent, pool, size, chosen, depth, limit)
    return _sorted_row(row)
