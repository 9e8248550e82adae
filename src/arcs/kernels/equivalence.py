"""Compiled graph algorithms on dense boolean matrices.

``adjacency[i, j]`` is the edge i -> j. A partially directed graph is a pair of matrices,
``directed`` and the symmetric ``undirected``. All functions leave their arguments unchanged unless
their name ends in ``_inplace``.

Sources: Kahn (1962) for the topological sort; Meek (1995), "Causal inference and causal
explanation with background knowledge", for the orientation rules; Dor and Tarsi (1992), "A simple
algorithm to construct a consistent extension of a partially oriented graph".
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating, inlined

__all__ = [
    "Arrows",
    "adjacent_lists",
    "consistent_extension_kernel",
    "cpdag_kernel",
    "extension_along_lists",
    "meek_closure_inplace",
    "neighbour_lists",
    "oriented_cpdag_kernel",
    "propagate_arrows_inplace",
    "push_arrow",
    "topological_order_kernel",
    "v_structure_kernel",
]


@allocating
def neighbour_lists(matrix):
    """Row-wise lists of the true entries: those of row i are ``flat[starts[i]:starts[i + 1]]``."""
    p = matrix.shape[0]
    starts = np.zeros(p + 1, np.int64)
    for i in range(p):
        count = 0
        for j in range(p):
            if matrix[i, j]:
                count += 1
        starts[i + 1] = starts[i] + count
    flat = np.empty(starts[p], np.int64)
    at = 0
    for i in range(p):
        for j in range(p):
            if matrix[i, j]:
                flat[at] = j
                at += 1
    return starts, flat


@allocating
def adjacent_lists(directed, undirected):
    """Lists of the nodes adjacent to each node, as in :func:`neighbour_lists`."""
    p = directed.shape[0]
    adjacent = np.empty((p, p), np.bool_)
    # In loops: expressions of whole arrays take a second to compile.
    for i in range(p):
        for j in range(p):
            adjacent[i, j] = directed[i, j] or directed[j, i] or undirected[i, j]
    return neighbour_lists(adjacent)


@allocating
def topological_order_kernel(adjacency):
    """Kahn's sort, smallest index first.

    Returns the order (parents first) and the number of nodes sorted; fewer than p mean a cycle, and
    then only the first entries of the order are meaningful.
    """
    p = adjacency.shape[0]
    starts, children = neighbour_lists(adjacency)
    waiting = np.zeros(p, np.int64)
    for at in range(children.shape[0]):
        waiting[children[at]] += 1
    ready = [np.int64(-1)]
    ready.pop()
    for i in range(p):
        if waiting[i] == 0:
            ready.append(np.int64(i))
    order = np.full(p, -1, np.int64)
    n_sorted = 0
    while len(ready) > 0:
        node = heapq.heappop(ready)
        order[n_sorted] = node
        n_sorted += 1
        for at in range(starts[node], starts[node + 1]):
            child = children[at]
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return order, n_sorted


@allocating
def v_structure_kernel(adjacency):
    """The edges of a DAG that take part in some a -> c <- b with a and b not adjacent."""
    p = adjacency.shape[0]
    marked = np.zeros((p, p), np.bool_)
    starts, parents = neighbour_lists(adjacency.T)
    for c in range(p):
        for first in range(starts[c], starts[c + 1]):
            a = parents[first]
            for second in range(first + 1, starts[c + 1]):
                b = parents[second]
                if not (adjacency[a, b] or adjacency[b, a]):
                    marked[a, c] = True
                    marked[b, c] = True
    return marked


class Arrows(NamedTuple):
    """A partially directed graph, and a stack of its arrows that are still to be looked at.

    Attributes
    ----------
    directed, undirected : bool (p, p)
    starts, flat : int64, the nodes adjacent to i are ``flat[starts[i]:starts[i + 1]]``
    tails, heads : int64 arrays, the stack, with room for all edges
    """

    directed: np.ndarray
    undirected: np.ndarray
    starts: np.ndarray
    flat: np.ndarray
    tails: np.ndarray
    heads: np.ndarray


@inlined
def _adjacent(graph, a, b):
    return graph.directed[a, b] or graph.directed[b, a] or graph.undirected[a, b]


@inlined
def push_arrow(graph, a, b, top):
    """Put a -> b on the stack; return its new height."""
    graph.tails[top] = a
    graph.heads[top] = b
    return top + 1


@inlined
def _orient(graph, a, b, top):
    """Turn a - b into a -> b and put it on the stack."""
    graph.undirected[a, b] = False
    graph.undirected[b, a] = False
    graph.directed[a, b] = True
    return push_arrow(graph, a, b, top)


@allocating
def _rules_1_to_3(graph, x, y, top):
    """What the arrow x -> y implies through Meek's rules 1, 2 and 3."""
    directed, undirected, starts, flat = graph.directed, graph.undirected, graph.starts, graph.flat
    for at in range(starts[y], starts[y + 1]):
        z = flat[at]
        if z == x:
            continue
        if undirected[y, z] and not _adjacent(graph, x, z):  # rule 1: x -> y - z
            top = _orient(graph, y, z, top)
        elif directed[y, z] and undirected[x, z]:  # rule 2: x -> y -> z
            top = _orient(graph, x, z, top)
    for at in range(starts[x], starts[x + 1]):
        w = flat[at]
        if directed[w, x] and undirected[w, y]:  # rule 2: w -> x -> y
            top = _orient(graph, w, y, top)
    for at in range(starts[y], starts[y + 1]):
        a = flat[at]
        if not (undirected[a, y] and undirected[a, x]):
            continue
        for other in range(starts[y], starts[y + 1]):  # rule 3: x -> y <- w, a joined to all three
            w = flat[other]
            if w == x or not (directed[w, y] and undirected[a, w]):
                continue
            if not _adjacent(graph, x, w):
                top = _orient(graph, a, y, top)
                break
    return top


@allocating
def _rule_4_chain(graph, d, c, b, top):
    """Rule 4: d -> c -> b, d and b not adjacent; a - b, a - d, a adjacent to c give a -> b."""
    if d == b or _adjacent(graph, d, b):
        return top
    for at in range(graph.starts[b], graph.starts[b + 1]):
        a = graph.flat[at]
        if graph.undirected[a, b] and graph.undirected[a, d] and _adjacent(graph, a, c):
            top = _orient(graph, a, b, top)
    return top


@allocating
def _rule_4(graph, x, y, top):
    """What the arrow x -> y implies through Meek's rule 4, as either arrow of the chain."""
    for at in range(graph.starts[y], graph.starts[y + 1]):
        b = graph.flat[at]
        if graph.directed[y, b]:
            top = _rule_4_chain(graph, x, y, b, top)
    for at in range(graph.starts[x], graph.starts[x + 1]):
        d = graph.flat[at]
        if graph.directed[d, x]:
            top = _rule_4_chain(graph, d, x, y, top)
    return top


@allocating
def propagate_arrows_inplace(graph, top, with_rule_4):
    """Meek's rules for the `top` arrows on the stack, and for those that follow from them."""
    while top > 0:
        top -= 1
        x, y = graph.tails[top], graph.heads[top]
        top = _rules_1_to_3(graph, x, y, top)
        if with_rule_4:
            top = _rule_4(graph, x, y, top)


@allocating
def meek_closure_inplace(directed, undirected, with_rule_4):
    """Apply Meek's rules until nothing changes.

    Every arrow is looked at once, when it appears: undirected edges only ever vanish, so a rule can
    become applicable only through a new arrow. Rule 4 matters only with background knowledge.
    """
    starts, flat = adjacent_lists(directed, undirected)
    # Room for both directions of every edge: damaged input may have arrows that point both ways.
    stack = np.empty(flat.shape[0], np.int64), np.empty(flat.shape[0], np.int64)
    graph = Arrows(directed, undirected, starts, flat, stack[0], stack[1])
    top = 0
    for i in range(directed.shape[0]):
        for at in range(starts[i], starts[i + 1]):
            if directed[i, flat[at]]:
                top = push_arrow(graph, i, flat[at], top)
    propagate_arrows_inplace(graph, top, with_rule_4)


@allocating
def cpdag_kernel(adjacency):
    """The completed PDAG of a DAG, as ``(directed, undirected)``."""
    return oriented_cpdag_kernel(adjacency, np.zeros(adjacency.shape, np.bool_))


@allocating
def oriented_cpdag_kernel(adjacency, known):
    """The CPDAG of a DAG when the direction of its edges in `known` is known beforehand."""
    p = adjacency.shape[0]
    directed = v_structure_kernel(adjacency)
    undirected = np.zeros((p, p), np.bool_)
    with_rule_4 = False
    for i in range(p):
        for j in range(p):
            if adjacency[i, j] and known[i, j]:
                directed[i, j] = True
                with_rule_4 = True
            elif adjacency[i, j] and not directed[i, j]:
                undirected[i, j] = True
                undirected[j, i] = True
    meek_closure_inplace(directed, undirected, with_rule_4)
    return directed, undirected


@allocating
def _is_sink(x, directed, undirected, alive, starts, flat):
    """Dor and Tarsi's condition: x may be made a sink of what is left of the graph."""
    for at in range(starts[x], starts[x + 1]):
        if alive[flat[at]] and directed[x, flat[at]]:
            return False
    for at in range(starts[x], starts[x + 1]):
        y = flat[at]
        if not (alive[y] and undirected[x, y]):
            continue
        for other in range(starts[x], starts[x + 1]):
            z = flat[other]
            if z == y or not alive[z]:
                continue
            if not (directed[y, z] or directed[z, y] or undirected[y, z]):
                return False
    return True


@allocating
def extension_along_lists(directed, undirected, starts, flat):
    """Dor and Tarsi's algorithm: the adjacency of a DAG, and whether there is one.

    The lists are those of the adjacent nodes. Whether a node may become a sink depends on its
    neighbourhood only, so after a removal only the neighbours of the removed node are looked at
    again.
    """
    p = directed.shape[0]
    adjacency = directed.copy()
    alive = np.ones(p, np.bool_)
    queued = np.ones(p, np.bool_)
    stack = np.arange(p)
    top, n_left = p, p
    while top > 0:
        top -= 1
        x = stack[top]
        queued[x] = False
        if not _is_sink(x, directed, undirected, alive, starts, flat):
            continue
        alive[x] = False
        n_left -= 1
        for at in range(starts[x], starts[x + 1]):
            y = flat[at]
            if not alive[y]:
                continue
            if undirected[x, y]:
                adjacency[y, x] = True
            if not queued[y]:
                queued[y] = True
                stack[top] = y
                top += 1
    return adjacency, n_left == 0


@allocating
def consistent_extension_kernel(directed, undirected):
    """The adjacency of a DAG with the same skeleton, arrows and v-structures, and whether there is
    one."""
    starts, flat = adjacent_lists(directed, undirected)
    return extension_along_lists(directed, undirected, starts, flat)
