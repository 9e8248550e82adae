"""One configuration of the parents, counted for all candidates at once by bits.

Levels of the node with few rows are compared in pairs (:mod:`arcs.kernels.order.pair_counts`); they
are in the sums of the configuration all the same.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.order.bit_counts import count_bits
from arcs.kernels.order.pair_counts import add_cell

__all__ = ["count_configuration"]


@kernel
def count_configuration(rows, u, j, fewest, counts):
    """Counts of all bits in configuration j by level of u, those with more than a few rows only,
    and sums over all levels in the last place; returns how many levels are counted, -1 if fewer
    than `fewest` occur, and nothing is counted then."""
    r, held, occurring = rows.levels[u], np.int64(0), np.int64(0)
    for x in range(j * r, (j + 1) * r):
        occurring += counts.end[x] > (counts.end[x - 1] if x > 0 else 0)
    if occurring < fewest:
        return np.int64(-1)
    last = counts.bit_counts.shape[0] - 1
    sums, total = counts.bit_counts[last], np.uint32(0)
    sums[:] = 0
    for x in range(j * r, (j + 1) * r):
        begin = counts.end[x - 1] if x > 0 else 0
        if counts.end[x] > begin:
            own = counts.bit_counts[held]
            counts.rows_with[held] = count_bits(rows, u, begin, counts.end[x], own, counts)
            total += counts.rows_with[held]
            for i in range(own.shape[0]):
                sums[i] += own[i]
            held += not add_cell(rows, u, begin, counts.end[x], counts)
    counts.rows_with[last] = total
    return held
