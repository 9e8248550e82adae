"""All improving deletions at one node; see :mod:`arcs.kernels.greedy_equivalence_records`."""

import numpy as np

from arcs.kernels.cliques import clique_limit, next_clique
from arcs.kernels.greedy_equivalence_gains import gain_of_parent, parent_room
from arcs.kernels.greedy_equivalence_records import (
    SMALLEST_GAIN,
    add_operator,
    close_clique,
    joined_to,
)
from arcs.kernels.jit import allocating

__all__ = ["delete_row", "parents_but"]


@allocating
def _with_clique(columns, k, pool, chosen, depth):
    """Append the clique to ``columns[:k]``; the new length."""
    for t in range(depth):
        columns[k + t] = pool[chosen[t]]
    return k + depth


@allocating
def parents_but(graph, y, x, columns):
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
    found, size = joined_to(graph, graph.undirected, y)
    count = 0
    for t in range(size):
        if graph.adjacent[found[t], x]:
            found[count] = found[t]
            count += 1
    return found, count


@allocating
def delete_row(stats, graph, rules, y, row):
    """All improving deletions of an edge x -> y or x - y, written to an empty `row`."""
    degree = graph.start[y + 1] - graph.start[y]
    room = parent_room(stats, degree + 1)
    columns = np.empty(degree + 1, np.int64)
    chosen = np.empty(degree + 1, np.int64)
    for at in range(graph.start[y], graph.start[y + 1]):
        x = graph.near[at]
        if graph.directed[y, x]:
            continue
        pool, size = _common_neighbours(graph, y, x)
        limit = clique_limit(graph.adjacent, pool, size, size)
        n_parents = parents_but(graph, y, x, columns)
        depth = 0
        while depth >= 0:
            k = _with_clique(columns, n_parents, pool, chosen, depth)
            gained = -gain_of_parent(stats, rules, y, columns, k, x, room)
            if gained > SMALLEST_GAIN:
                add_operator(row, gained, x)
                close_clique(row, pool, chosen, depth)
            depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)
