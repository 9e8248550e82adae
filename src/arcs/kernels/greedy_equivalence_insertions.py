"""All improving insertions at one node; see :mod:`arcs.kernels.greedy_equivalence_records`."""

import numpy as np

from arcs.kernels.cliques import clique_limit, next_clique
from arcs.kernels.greedy_equivalence_gains import add_insertions, insertion_room, one_more_parent
from arcs.kernels.greedy_equivalence_records import close_clique, joined_to
from arcs.kernels.jit import allocating

__all__ = ["insert_row"]


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
    most = rules.cap[y] - n_parents - 1
    missing_at_first = np.empty(p, np.int64)
    n_possible = _count_missing(graph, rules, y, pool, size, missing_at_first)
    if most < 0 or stats.n[stats.pattern[y]] <= 0 or n_possible == 0:
        return
    limit = clique_limit(graph.adjacent, pool, size, most)
    room = insertion_room(stats, y, n_parents + limit + 1)
    missing = np.empty((limit + 1, p), np.int64)
    missing[0] = missing_at_first
    for t in range(n_parents):
        one_more_parent(stats, y, parents[t], t, room)
    chosen = np.empty(limit + 1, np.int64)
    depth = 0
    while depth >= 0:
        level = n_parents + depth
        if depth > 0:
            newest = pool[chosen[depth - 1]]
            one_more_parent(stats, y, newest, level - 1, room)
            _add_to_clique(graph, newest, missing[depth - 1], missing[depth])
        add_insertions(stats, rules, y, level, missing[depth], room, row)
        close_clique(row, pool, chosen, depth)
        depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)
