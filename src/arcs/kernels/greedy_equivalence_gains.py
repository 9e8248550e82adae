"""What a parent is worth to a node: all that greedy equivalence search asks of the data.

Cliques, paths and classes know no kinds of data. Here are the questions, and the answers of
Gaussian columns; those of families that are scored as a whole are in
:mod:`arcs.kernels.family_gains`.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.asking import asked, provide
from arcs.kernels.greedy_equivalence_records import SMALLEST_GAIN, add_operator
from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve
from arcs.kernels.statistics import gram_row

__all__ = [
    "add_insertions",
    "gain_of_parent",
    "insertion_room",
    "one_more_parent",
    "parent_room",
]


@asked
def parent_room(stats, size):
    """Working arrays of :func:`gain_of_parent` for less than `size` parents."""


@asked
def gain_of_parent(stats, rules, y, columns, k, x, room):
    """What the score of y gains if x joins its parents ``columns[:k]``; `columns` has one place
    more, which may be written to."""


@asked
def insertion_room(stats, y, depths):
    """Working arrays for insertions at y beside less than `depths` parents, of which there are none
    yet."""


@asked
def one_more_parent(stats, y, column, level, room):
    """Let `column` be the parent of y that follows the first `level`."""


@asked
def add_insertions(stats, rules, y, level, missing, room, row):
    """Add every x with nothing missing that is worth adding to the first `level` parents of y."""


# ---------------------------------------------------------------------- Gaussian columns


@allocating
def _without_and_with(stats, y, columns, k, x, factor, work):
    """Residual variances of y given ``columns[:k]``, and given x as well."""
    columns[k] = x
    factorise(stats, y, columns, k + 1, factor)
    explained = forward_solve(stats, y, columns, k + 1, factor, y, work)
    without = 1.0 - explained + work[k] * work[k]
    return max(without, COLLINEAR), max(1.0 - explained, COLLINEAR)


@provide("Stats", parent_room)
@allocating
def _regression_room(stats, size):
    return np.empty((size, size)), np.empty(size)


@provide("Stats", gain_of_parent)
@allocating
def _gain_of_regressor(stats, rules, y, columns, k, x, room):
    without, within = _without_and_with(stats, y, columns, k, x, room[0], room[1])
    return stats.n[stats.pattern[y]] * np.log(without / within) - rules.price[y]


class _Elimination(NamedTuple):
    """Variances of all variables, and covariances with the node, given the first so many parents,
    and the pivots that lead from one to the next."""

    pivots: np.ndarray
    variance: np.ndarray
    covariance: np.ndarray


@provide("Stats", insertion_room)
@allocating
def _elimination_room(stats, y, depths):
    p = stats.pattern.shape[0]
    pivots, variance = np.empty((depths, p)), np.ones((depths + 1, p))
    covariance = np.empty((depths + 1, p))
    gram_row(stats, y, y, covariance[0])
    return _Elimination(pivots, variance, covariance)


@provide("Stats", one_more_parent)
@allocating
def _eliminate(stats, y, column, level, room):
    """Regress all variables on one more column.

    ``variance[level]`` and ``covariance[level]`` (with y) belong to the residuals given the first
    `level` columns; the next level is written.
    """
    pivots, variance, covariance = room
    p = variance.shape[1]
    pivot = variance[level, column]
    row = pivots[level]
    if pivot <= COLLINEAR:
        row[:] = 0.0
    else:
        gram_row(stats, y, column, row)
        for t in range(level):
            weight = pivots[t, column]
            if weight != 0.0:
                for a in range(p):
                    row[a] -= weight * pivots[t, a]
        scale = 1.0 / np.sqrt(pivot)
        for a in range(p):
            row[a] *= scale
    weight = row[y]
    for a in range(p):
        variance[level + 1, a] = variance[level, a] - row[a] * row[a]
        covariance[level + 1, a] = covariance[level, a] - weight * row[a]


@provide("Stats", add_insertions)
@allocating
def _add_regressors(stats, rules, y, level, missing, room, row):
    variance, covariance = room.variance[level], room.covariance[level]
    n, price, left = stats.n[stats.pattern[y]], rules.price[y], variance[y]
    if left <= COLLINEAR:
        return
    smallest_drop = left * (1.0 - np.exp(-(price + SMALLEST_GAIN) / n))
    for x in range(variance.shape[0]):
        if missing[x] != 0 or variance[x] <= COLLINEAR:
            continue
        drop = covariance[x] * covariance[x] / variance[x]
        if drop > smallest_drop:
            add_operator(row, n * np.log(left / max(left - drop, COLLINEAR)) - price, x)
