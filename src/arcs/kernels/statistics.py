"""How kernels see the data: one Gram matrix, and per pattern of excluded rows what to take off it.

The Gram matrix of the rows that count for node v is

    G_v[a, b] = (G[a, b] - sum_i R[i, a] R[i, b]) * s[a] * s[b],

with G one of a few dense matrices, R a handful of correction rows (the excluded rows and one row
that moves the mean), and s chosen so that G_v has a unit diagonal. Observational data are the case
of one pattern, no correction rows and s = 1. The correction rows look exactly like pivots of a
Cholesky factorisation that have been eliminated already, and kernels treat them as such.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel

__all__ = [
    "Stats",
    "combine_rows",
    "gather_row",
    "gram_entry",
    "gram_row",
    "is_plain",
    "plain_row",
]


class Stats(NamedTuple):
    """Sufficient statistics as flat arrays.

    Attributes
    ----------
    grams : float64 (bases, p, p)
    pattern : int64 (p,), the pattern of each node
    base : int64 (patterns,), which dense Gram a pattern starts from
    rows : float64 (total correction rows, p)
    row_start, row_stop : int64 (patterns,), the pattern's correction rows
    scale : float64 (patterns, p)
    scaled : bool (patterns,), whether the scale differs from one anywhere
    n : float64 (patterns,), number of rows that count
    """

    grams: np.ndarray
    pattern: np.ndarray
    base: np.ndarray
    rows: np.ndarray
    row_start: np.ndarray
    row_stop: np.ndarray
    scale: np.ndarray
    scaled: np.ndarray
    n: np.ndarray


@inlined
def gram_entry(stats, v, a, b):
    """Entry (a, b) of the Gram matrix that counts for node v."""
    k = stats.pattern[v]
    value = stats.grams[stats.base[k], a, b]
    for i in range(stats.row_start[k], stats.row_stop[k]):
        value -= stats.rows[i, a] * stats.rows[i, b]
    if stats.scaled[k]:
        value *= stats.scale[k, a] * stats.scale[k, b]
    return value


@inlined
def is_plain(stats, v):
    """Whether the Gram matrix that counts for node v is one of the dense ones as it is."""
    k = stats.pattern[v]
    return stats.row_start[k] == stats.row_stop[k] and not stats.scaled[k]


@inlined
def plain_row(stats, v, b):
    """Row b of that dense Gram matrix, not copied (see :func:`is_plain`)."""
    return stats.grams[stats.base[stats.pattern[v]], b]


@kernel
def gather_row(stats, v, b, nodes, k, out):
    """Write the entries of row b for the first k of some nodes into `out`."""
    pattern = stats.pattern[v]
    row = stats.grams[stats.base[pattern], b]
    for i in range(k):
        out[i] = row[nodes[i]]
    for r in range(stats.row_start[pattern], stats.row_stop[pattern]):
        weight = stats.rows[r, b]
        if weight != 0.0:
            for i in range(k):
                out[i] -= weight * stats.rows[r, nodes[i]]
    if stats.scaled[pattern]:
        weight = stats.scale[pattern, b]
        for i in range(k):
            out[i] *= weight * stats.scale[pattern, nodes[i]]


@inlined
def _add_rows(matrix, rows, weights, k, out):
    """Add ``weights[j]`` times row ``rows[j]`` to `out`, for all j below k: four at a time, since
    what it costs is reading and writing."""
    p = out.shape[0]
    whole = k - k % 4
    for j in range(0, whole, 4):
        first, second = matrix[rows[j]], matrix[rows[j + 1]]
        third, fourth = matrix[rows[j + 2]], matrix[rows[j + 3]]
        w1, w2, w3, w4 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for c in range(p):
            out[c] += (w1 * first[c] + w2 * second[c]) + (w3 * third[c] + w4 * fourth[c])
    for j in range(whole, k):
        row, weight = matrix[rows[j]], weights[j]
        for c in range(p):
            out[c] += weight * row[c]


@kernel
def combine_rows(stats, v, nodes, weights, k, out):
    """Write the sum of ``weights[j]`` times row ``nodes[j]`` into `out`, for all j below k."""
    pattern = stats.pattern[v]
    out[:] = 0.0
    if stats.scaled[pattern]:
        for j in range(k):
            weights[j] *= stats.scale[pattern, nodes[j]]
    _add_rows(stats.grams[stats.base[pattern]], nodes, weights, k, out)
    for r in range(stats.row_start[pattern], stats.row_stop[pattern]):
        row, weight = stats.rows[r], 0.0
        for j in range(k):
            weight += weights[j] * row[nodes[j]]
        if weight != 0.0:
            for c in range(out.shape[0]):
                out[c] -= weight * row[c]
    if stats.scaled[pattern]:
        for c in range(out.shape[0]):
            out[c] *= stats.scale[pattern, c]


@kernel
def gram_row(stats, v, b, out):
    """Write row b of the Gram matrix that counts for node v into `out`."""
    k = stats.pattern[v]
    gram = stats.grams[stats.base[k]]
    p = out.shape[0]
    for a in range(p):
        out[a] = gram[b, a]
    for i in range(stats.row_start[k], stats.row_stop[k]):
        weight = stats.rows[i, b]
        if weight != 0.0:
            for a in range(p):
                out[a] -= weight * stats.rows[i, a]
    if stats.scaled[k]:
        weight = stats.scale[k, b]
        for a in range(p):
            out[a] *= weight * stats.scale[k, a]
