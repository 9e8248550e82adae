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
    "combine_listed_rows",
    "combine_rows",
    "gather_row",
    "gram_entry",
    "gram_row",
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
def _weigh_rows(matrix, rows, weights, k, out):
    """Write the sum of ``weights[j]`` times row ``rows[j]``, for all j below k, into `out`: four
    at a time, since what it costs is reading and writing."""
    p = out.shape[0]
    first = k % 4
    if first == 0:
        for c in range(p):
            out[c] = 0.0
    elif first == 1:
        row, weight = matrix[rows[0]], weights[0]
        for c in range(p):
            out[c] = weight * row[c]
    elif first == 2:
        one, two, w1, w2 = matrix[rows[0]], matrix[rows[1]], weights[0], weights[1]
        for c in range(p):
            out[c] = w1 * one[c] + w2 * two[c]
    else:
        one, two, three = matrix[rows[0]], matrix[rows[1]], matrix[rows[2]]
        w1, w2, w3 = weights[0], weights[1], weights[2]
        for c in range(p):
            out[c] = w1 * one[c] + w2 * two[c] + w3 * three[c]
    for j in range(first, k, 4):
        one, two = matrix[rows[j]], matrix[rows[j + 1]]
        three, four = matrix[rows[j + 2]], matrix[rows[j + 3]]
        w1, w2, w3, w4 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for c in range(p):
            out[c] += (w1 * one[c] + w2 * two[c]) + (w3 * three[c] + w4 * four[c])


@inlined
def _corrections(stats, r, nodes, weights, k):
    """What a correction row holds of a sum of rows: the sum of its entries, weighted."""
    weight = 0.0
    for j in range(k):
        weight += weights[j] * stats.rows[r, nodes[j]]
    return weight


@kernel
def combine_rows(stats, v, nodes, weights, k, out):
    """Write the sum of ``weights[j]`` times row ``nodes[j]``, for all j below k, into `out`; the
    weights are used up."""
    pattern = stats.pattern[v]
    if stats.scaled[pattern]:
        for j in range(k):
            weights[j] *= stats.scale[pattern, nodes[j]]
    _weigh_rows(stats.grams[stats.base[pattern]], nodes, weights, k, out)
    for r in range(stats.row_start[pattern], stats.row_stop[pattern]):
        row, weight = stats.rows[r], _corrections(stats, r, nodes, weights, k)
        if weight != 0.0:
            for c in range(out.shape[0]):
                out[c] -= weight * row[c]
    if stats.scaled[pattern]:
        for c in range(out.shape[0]):
            out[c] *= stats.scale[pattern, c]


@kernel
def combine_listed_rows(stats, v, nodes, weights, k, listed, size, out):
    """:func:`combine_rows`, of nothing but the columns ``listed[:size]``."""
    pattern = stats.pattern[v]
    gram = stats.grams[stats.base[pattern]]
    for i in range(size):
        out[i] = 0.0
    for j in range(k):
        weight = weights[j]
        if stats.scaled[pattern]:
            weight *= stats.scale[pattern, nodes[j]]
            weights[j] = weight
        row = gram[nodes[j]]
        for i in range(size):
            out[i] += weight * row[listed[i]]
    for r in range(stats.row_start[pattern], stats.row_stop[pattern]):
        row, weight = stats.rows[r], _corrections(stats, r, nodes, weights, k)
        if weight != 0.0:
            for i in range(size):
                out[i] -= weight * row[listed[i]]
    if stats.scaled[pattern]:
        for i in range(size):
            out[i] *= stats.scale[pattern, listed[i]]


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
