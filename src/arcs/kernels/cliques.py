"""The cliques among a few nodes, one after the other, without listing them.

Cliques are visited depth first, each as the previous one (or a prefix of it) with a new last
member, so that a caller may carry along whatever it computes member by member.
"""

import numpy as np

from arcs.kernels.jit import allocating

__all__ = ["CLIQUE_BUDGET", "clique_limit", "next_clique"]

#: Cliques looked at among the neighbours of a node; if there are more, only the smaller ones are.
CLIQUE_BUDGET = 8192


@allocating
def _extends(adjacent, pool, chosen, depth, i):
    for t in range(depth):
        if not adjacent[pool[chosen[t]], pool[i]]:
            return False
    return True


@allocating
def next_clique(adjacent, pool, size, chosen, depth, limit):
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


@allocating
def clique_limit(adjacent, pool, size, limit):
    """`limit`, lowered until there are at most `CLIQUE_BUDGET` cliques of that size or less."""
    limit = min(limit, size)
    if limit <= 1 or (size < 30 and 2**size <= CLIQUE_BUDGET):
        return limit
    chosen = np.empty(size + 1, np.int64)
    for largest in range(2, limit + 1):
        count, depth, deepest = 0, 0, 0
        while depth >= 0 and count <= CLIQUE_BUDGET:
            count += 1
            depth = next_clique(adjacent, pool, size, chosen, depth, largest)
            deepest = max(deepest, depth)
        if count > CLIQUE_BUDGET:
            return largest - 1
        if deepest < largest:  # there are no cliques of this size
            return deepest
    return limit
