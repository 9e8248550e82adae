"""All improving turns at one node; see :mod:`arcs.kernels.greedy_equivalence_records`."""

import numpy as np

from arcs.kernels.cliques import clique_limit, next_clique
from arcs.kernels.greedy_equivalence_deletions import parents_but
from arcs.kernels.greedy_equivalence_gains import gain_of_parent, parent_room
from arcs.kernels.greedy_equivalence_records import (
    SMALLEST_GAIN,
    add_operator,
    close_clique,
    joined_to,
)
from arcs.kernels.jit import allocating

__all__ = ["turn_row"]


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
def _loss_at_source(stats, graph, rules, y, x, clique, columns, room):
    """How much the score of x falls when it loses its parent y."""
    k = parents_but(graph, x, y, columns)
    if graph.undirected[x, y]:
        for c in clique:
            if graph.adjacent[c, x]:
                columns[k] = c
                k += 1
    return gain_of_parent(stats, rules, x, columns, k, y, room)


@allocating
def _gain_of_turn(stats, graph, rules, y, x, clique, columns, room):
    lost = _loss_at_source(stats, graph, rules, y, x, clique, columns, room)
    k = parents_but(graph, y, x, columns)
    for c in clique:
        columns[k] = c
        k += 1
    return gain_of_parent(stats, rules, y, columns, k, x, room) - lost


@allocating
def _most_columns(graph, y):
    """The most parents that a node can have in turns at y."""
    widest = 0
    for at in range(graph.start[y], graph.start[y + 1]):
        x = graph.near[at]
        widest = max(widest, graph.start[x + 1] - graph.start[x])
    return widest + graph.start[y + 1] - graph.start[y] + 2


@allocating
def turn_row(stats, graph, rules, y, row):
    """All improving turns of y -> x or x - y into x -> y, written to an empty `row`."""
    widest = _most_columns(graph, y)
    columns, room = np.empty(widest, np.int64), parent_room(stats, widest)
    _, n_parents = joined_to(graph, graph.directed, y)
    neighbours, n_neighbours = joined_to(graph, graph.undirected, y)
    pool = np.empty(n_neighbours, np.int64)
    chosen = np.empty(n_neighbours + 1, np.int64)
    clique = np.empty(n_neighbours, np.int64)
    most = rules.cap[y] - n_parents - 1
    for at in range(graph.start[y], graph.start[y + 1]):
        x = graph.near[at]
        if graph.directed[x, y] or not rules.allowed[x, y] or most < 0:
            continue
        size = 0
        for t in range(n_neighbours):
            if neighbours[t] != x:
                pool[size] = neighbours[t]
                size += 1
        limit = clique_limit(graph.adjacent, pool, size, most)
        depth = 0
        while depth >= 0:
            if _turnable(graph, y, x, pool, size, chosen, depth):
                for t in range(depth):
                    clique[t] = pool[chosen[t]]
                members = clique[:depth]
                gained = _gain_of_turn(stats, graph, rules, y, x, members, columns, room)
                if gained > SMALLEST_GAIN:
                    add_operator(row, gained, x)
                    close_clique(row, pool, chosen, depth)
            depth = next_clique(graph.adjacent, pool, size, chosen, depth, limit)
