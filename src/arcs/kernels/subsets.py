"""Subsets: those of 0, ..., m - 1 of a fixed size in lexicographic order, without recursion, and
the nodes that a regression uses."""

import numpy as np

from arcs.kernels.jit import allocating

__all__ = ["first_subset", "next_subset", "nonzero_among"]


@allocating
def first_subset(k):
    """The first subset of size k."""
    return np.arange(k)


@allocating
def next_subset(positions, m):
    """Turn `positions` into the next subset of 0, ..., m - 1; False after the last one."""
    k = positions.shape[0]
    at = k - 1
    while at >= 0 and positions[at] == m - k + at:
        at -= 1
    if at < 0:
        return False
    positions[at] += 1
    for later in range(at + 1, k):
        positions[later] = positions[later - 1] + 1
    return True


@allocating
def nonzero_among(nodes, k, weights, out):
    """Those of ``nodes[:k]`` with a nonzero weight, into `out`; return their number."""
    count = 0
    for t in range(k):
        if weights[nodes[t]] != 0.0:
            out[count] = nodes[t]
            count += 1
    return count
