"""Shrinking a set of parents: backward elimination on a small Cholesky factor."""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.records import NOBODY, ZERO
from arcs.kernels.regression import COLLINEAR

__all__ = ["shrink", "shrink_set"]


@inlined
def _invert_factor(small, k, inverse):
    """Inverse of the lower triangular ``small[:k, :k]``; zero pivots become rows of zeros.

    Row by row, each a sum of those above: entries of a row do not wait for each other, as the terms
    of an inner product do.
    """
    for i in range(k):
        row, pivot = inverse[i], small[i, i]
        for j in range(i + 1):
            row[j] = 0.0
        if pivot > 0.0:
            for t in range(i):
                weight, above = small[i, t], inverse[t]
                for j in range(t + 1):
                    row[j] -= weight * above[j]
            for j in range(i):
                row[j] /= pivot
            row[i] = 1.0 / pivot


@inlined
def _coefficients(vector, k, inverse, spread, coefficient):
    """From the inverse factor and the solved vector to the coefficients, and the diagonal of the
    inverse Gram matrix."""
    for j in range(k):
        spread[j], coefficient[j] = 0.0, 0.0
    for t in range(k):
        row, solved = inverse[t], vector[t]
        for j in range(t + 1):
            spread[j] += row[j] * row[j]
            coefficient[j] += row[j] * solved


@inlined
def _weakest(chosen, fixed, k, spread, coefficient):
    """The member whose loss raises the residual least (those who are gone are `NOBODY`), and by how
    much."""
    weakest, least = k, np.inf
    for j in range(fixed, k):
        if chosen[j] >= 0:
            squared = coefficient[j] * coefficient[j]
            increase = squared / spread[j] if spread[j] > 0.0 else 0.0
            if increase < least:
                weakest, least = j, increase
    return weakest, least


@inlined
def _precision_row(drop, k, inverse, row):
    """Row `drop` of the inverse Gram matrix of all members: nobody needs it unless that member is
    dropped."""
    for i in range(k):
        row[i] = 0.0
    for t in range(drop, k):
        weight, of_t = inverse[t, drop], inverse[t]
        for i in range(t + 1):
            row[i] += weight * of_t[i]


@inlined
def _drop_member(chosen, k, drop, gone, shares, rows, inverse):
    """Coefficients and spreads (the first two of `rows`) of the set without member `drop`, whose
    place stays; `gone` were dropped before.

    Of the inverse Gram matrix only rows of members that go are made: that of all members, less what
    each earlier loss took from it. What this one takes is kept in ``shares[gone]`` and
    ``rows[2 + gone]``.
    """
    spread, coefficient = rows[0], rows[1]
    share, row = shares[gone], rows[2 + gone]
    pivot = spread[drop]
    chosen[drop] = NOBODY
    _precision_row(drop, k, inverse, row)
    for i in range(k):
        share[i] = row[i]
    for r in range(gone):
        earlier, taken = shares[r], rows[2 + r]
        mine, theirs = earlier[drop], taken[drop]
        for i in range(k):
            row[i] -= mine * taken[i]
            share[i] -= earlier[i] * theirs
    if pivot > 0.0:
        step = coefficient[drop] / pivot
        for i in range(k):
            coefficient[i] -= share[i] * step
            share[i] /= pivot
            spread[i] -= share[i] * row[i]
    else:
        for i in range(k):
            share[i] = 0.0


@inlined
def _close_ranks(chosen, k):
    """Move members up to the places of those who are gone; returns how many are left, and how many
    of them are where they were."""
    kept = ZERO
    while kept < k and chosen[kept] >= 0:
        kept += 1
    left = kept
    for t in range(kept, k):
        if chosen[t] >= 0:
            chosen[left] = chosen[t]
            left += 1
    return left, kept


@kernel
def shrink(threshold, fixed, chosen, k, small, vector, inverse):
    """Drop the weakest member while its squared partial correlation is below `threshold`.

    Works on ``chosen[:k]`` with the factor in `small`, which it uses up, and the solved vector in
    `vector`; `inverse` is room for twice as many rows, and two. The first `fixed` members stay.
    Dropping member j raises the residual by its squared coefficient over the j-th diagonal entry of
    the inverse Gram matrix. Returns ``(k, residual variance, number of leading members that are
    where they were)``.
    """
    residual = 1.0
    for t in range(k):
        residual -= vector[t] * vector[t]
    residual = max(residual, COLLINEAR)
    _invert_factor(small, k, inverse)
    # The factor is used up: its rows are free for what is taken from the inverse Gram matrix.
    rows = inverse[k:]
    spread, coefficient = rows[0], rows[1]
    _coefficients(vector, k, inverse, spread, coefficient)
    left = k
    while left > fixed:
        weakest, least = _weakest(chosen, fixed, k, spread, coefficient)
        if least >= threshold * (residual + least):
            break
        _drop_member(chosen, k, weakest, k - left, small, rows, inverse)
        residual += least
        left -= 1
    left, kept = _close_ranks(chosen, k)
    return left, residual, kept


@kernel
def shrink_set(threshold, fixed, chosen, k, small, vector, inverse):
    """:func:`shrink`, for Python to call: less to compile than a second version of it."""
    return shrink(threshold, fixed, chosen, k, small, vector, inverse)
