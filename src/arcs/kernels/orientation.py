"""Orienting estimated graphs, whose statements may contradict each other."""

import numpy as np

from arcs.kernels.equivalence import adjacent_lists
from arcs.kernels.jit import allocating

__all__ = ["nearest_extension_kernel", "orient_colliders_inplace"]


@allocating
def _leads_to(directed, start, goal, stack, seen):
    """Whether there is a directed path from `start` to `goal`."""
    p = directed.shape[0]
    seen[:] = False
    seen[start] = True
    stack[0] = start
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if node == goal:
            return True
        for child in range(p):
            if directed[node, child] and not seen[child]:
                seen[child] = True
                stack[top] = child
                top += 1
    return False


@allocating
def orient_colliders_inplace(directed, undirected, triples):
    """Direct a -> c <- b for the triples (a, c, b) in turn, as far as they do not conflict.

    A triple is passed over if an earlier one directed one of its edges the other way, or if it
    would close a directed cycle. Returns the number of triples passed over.
    """
    p = directed.shape[0]
    stack = np.empty(p, np.int64)
    seen = np.empty(p, np.bool_)
    conflicts = 0
    for t in range(triples.shape[0]):
        a, c, b = triples[t]
        contradicted = directed[c, a] or directed[c, b]
        if (
            contradicted
            or _leads_to(directed, c, a, stack, seen)
            or _leads_to(directed, c, b, stack, seen)
        ):
            conflicts += 1
            continue
        for end in (a, b):
            directed[end, c] = True
            undirected[end, c] = False
            undirected[c, end] = False
    return conflicts


@allocating
def _new_colliders(x, directed, undirected, alive, starts, flat):
    """Colliders that making x a sink would add; -1 if an arrow leaves x."""
    count = 0
    for first in range(starts[x], starts[x + 1]):
        y = flat[first]
        if not alive[y]:
            continue
        if directed[x, y]:
            return -1
        for second in range(first + 1, starts[x + 1]):
            z = flat[second]
            if not alive[z] or not (undirected[x, y] or undirected[x, z]):
                continue
            if not (directed[y, z] or directed[z, y] or undirected[y, z]):
                count += 1
    return count


@allocating
def nearest_extension_kernel(directed, undirected):
    """A DAG with the given skeleton and arrows (free of cycles) and few further colliders.

    Dor and Tarsi's algorithm (1992) removes sinks whose lines can be directed at them without
    adding a collider. Where there is none, the sink that adds the fewest is taken instead.
    """
    p = directed.shape[0]
    starts, flat = adjacent_lists(directed, undirected)
    adjacency = directed.copy()
    alive = np.ones(p, np.bool_)
    for _ in range(p):
        best, fewest = -1, np.int64(p * p)
        for x in range(p):
            if alive[x] and fewest > 0:
                count = _new_colliders(x, directed, undirected, alive, starts, flat)
                if 0 <= count < fewest:
                    best, fewest = x, count
        alive[best] = False
        for at in range(starts[best], starts[best + 1]):
            y = flat[at]
            if alive[y] and undirected[best, y]:
                adjacency[y, best] = True
    return adjacency
