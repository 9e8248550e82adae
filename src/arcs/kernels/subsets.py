"""Subsets of 0, ..., m - 1 of a fixed size in lexicographic order, without recursion."""

import numpy as np
from numba import njit

__all__ = ["first_subset", "next_subset"]


@njit(cache=True, nogil=True)
def first_subset(k):
    """The first subset of size k."""
    return np.arange(k)


@njit(cache=True, nogil=True)
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
