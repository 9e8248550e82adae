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

import numpy as np

from arcs.kernels.jit import allocating

__all__ = [
    "consistent_extension_kernel",
    "cpdag_kernel",
    "extension_along_lists",
    "meek_closure_inplace",
    "neighbour_lists",
    "oriented_cpdag_kernel",
    "propagate_arrows_inplace",
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


@allocating
def _orient(a, b, directed, undirected, tails, heads, top):
    """Turn a - b into a -> b and put it on the stack of arrows still to be looked at."""
    undirected[a, b] = False
    undirected[b, a] = False
    directed[a, b] = True
    tails[top] = a
    heads[top] = b
    return top + 1


@allocating
def _rules_1_to_3(x, y, directed, undirected, starts, flat, tails, heads, top):
    """What the arrow x -> y implies through Meek's rules 1, 2 and 3."""
    for at in range(starts[y], starts[y + 1]):
        z = flat[at]
        if z == x:
            continue
        adjacent = directed[x, z] or directed[z, x] or undirected[x, z]
        if undirected[y, z] and not adjacent:  # rule 1: x -> y - z
            top = _orient(y, z, directed, undirected, tails, heads, top)
        elif directed[y, z] and undirected[x, z]:  # rule 2: x -> y -> z
            top = _orient(x, z, directed, undirected, tails, heads, top)
    for at in range(starts[x], starts[x + 1]):
        w = flat[at]
        if directed[w, x] and undirected[w, y]:  # rule 2: w -> x -> y
            top = _orient(w, y, directed, undirected, tails, heads, top)
    for at in range(starts[y], starts[y + 1]):
        a = flat[at]
        if not (undirected[a, y] and undirected[a, x]):
            continue
        for other in range(starts[y], starts[y + 1]):  # rule 3: x -> y <- w, a joined to all three
            w = flat[other]
            if w == x or not (directed[w, y] and undirected[a, w]):
                continue
            if not (directed[x, w] or directed[w, x] or undirected[x, w]):
                top = _orient(a, y, directed, undirected, tails, heads, top)
                break
    return top


@allocating
def _rule_4_chain(d, c, b, directed, undirected, starts, flat, tails, heads, top):
    """Rule 4: d -> c -> b, d and b not adjacent; a - b, a - d, a adjacent to c give a -> b."""
    if d == b or directed[d, b] or directed[b, d] or undirected[d, b]:
        return top
    for at in range(starts[b], starts[b + 1]):
        a = flat[at]
        joined = undirected[a, c] or directed[a, c] or directed[c, a]
        if undirected[a, b] and undirected[a, d] and joined:
            top = _orient(a, b, directed, undirected, tails, heads, top)
    return top


@allocating
def _rule_4(x, y, directed, undirected, starts, flat, tails, heads, top):
    """What the arrow x -> y implies through Meek's rule 4, as either arrow of the chain."""
    for at in range(starts[y], starts[y + 1]):
        b = flat[at]
        if directed[y, b]:
            top = _rule_4_chain(x, y, b, directed, undirected, starts, flat, tails, heads, top)
    for at in range(starts[x], starts[x + 1]):
        d = flat[at]
        if directed[d, x]:
            top = _rule_4_chain(d, x, y, directed, undirected, starts, flat, tails, heads, top)
    return top


@allocating
def propagate_arrows_inplace(directed, undirected, starts, flat, tails, heads, top, with_rule_4):
    """Meek's rules for the `top` arrows on the stack, and for those that follow from them."""
    while top > 0:
        top -= 1
        x, y = tails[top], heads[top]
        top = _rules_1_to_3(x, y, directed, undirected, starts, flat, tails, heads, top)
        if with_rule_4:
            top = _rule_4(x, y, directed, undirected, starts, flat, tails, heads, top)


@allocating
def meek_closure_inplace(directed, undirected, with_rule_4):
    """Apply Meek's rules until nothing changes.

    Every arrow is looked at once, when it appears: undirected edges only ever vanish, so a rule can
    become applicable only through a new arrow. Rule 4 matters only with background knowledge.
    """
    starts, flat = neighbour_lists(directed | directed.T | undirected)
    # Room for both directions of every edge: damaged input may have arrows that point both ways.
    tails = np.empty(flat.shape[0], np.int64)
    heads = np.empty(flat.shape[0], np.int64)
    top = 0
    for i in range(directed.shape[0]):
        for at in range(starts[i], starts[i + 1]):
            j = flat[at]
            if directed[i, j]:
                tails[top] = i
                heads[top] = j
                top += 1
    propagate_arrows_inplace(directed, undirected, starts, flat, tails, heads, top, with_rule_4)


@allocating
def cpdag_kernel(adjacency):
    """The completed PDAG of a DAG, as ``(directed, undirected)``."""
    directed = v_structure_kernel(adjacency)
    undirected = adjacency & ~directed
    undirected = undirected | undirected.T
    meek_closure_inplace(directed, undirected, False)
    return directed, undirected


@allocating
def oriented_cpdag_kernel(adjacency, known):
    """The CPDAG of a DAG when the direction of its edges in `known` is known beforehand."""
    directed = v_structure_kernel(adjacency) | (adjacency & known)
    undirected = adjacency & ~directed
    undirected = undirected | undirected.T
    meek_closure_inplace(directed, undirected, True)
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
    starts, flat = neighbour_lists(directed | directed.T | undirected)
    return extension_along_lists(directed, undirected, starts, flat)
