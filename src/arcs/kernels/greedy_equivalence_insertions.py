"""All improving insertions at one node; see :mod:`arcs.kernels.greedy_equivalence_records`."""

import numpy as np

from arcs.kernels.cliques import clique_limit, next_clique
from arcs.kernels.greedy_equivalence_records import (
    SMALLEST_GAIN,
    add_operator,
    close_clique,
    joined_to,
)
from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import gram_row

__all__ = ["insert_row"]


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
            add_operator(row, n * np.log(left / max(left - drop, COLLINEAR)) - price, x)


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
    parents, n_parents = joined_to(graph, graph.directed, y)
    pool, size = joined_to(graph, graph.undirected, y)
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
        close_clique(row, pool, chosen, depth)
        depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)
