"""Shrinking a set of parents: backward elimination on a small Cholesky factor."""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.records import NOBODY, ZERO
from arcs.kernels.regression import COLLINEAR

__all__ = ["shrink", "shrink_set"]


@inlined
def _invert_factor(small, k, inverse):
    """Inverse of the lower triangular ``small[:k, :k]``, transposed (rows are read along), into the
    upper triangle of `inverse`; zero pivots stay zero."""
    for j in range(k):
        inverse[j, j] = 1.0 / small[j, j] if small[j, j] > 0.0 else 0.0
        for i in range(j + 1, k):
            value = 0.0
            if small[i, i] > 0.0:
                for t in range(j, i):
                    value -= small[i, t] * inverse[j, t]
                value /= small[i, i]
            inverse[j, i] = value


@inlined
def _coefficients(small, vector, k, inverse):
    """From the inverse factor and the solved vector to the coefficients, in `vector`, and the
    diagonal of the inverse Gram matrix, in that of `small`."""
    for j in range(k):
        spread, coefficient = 0.0, 0.0
        for t in range(j, k):
            spread += inverse[j, t] * inverse[j, t]
            coefficient += inverse[j, t] * vector[t]
        small[j, j] = spread
        vector[j] = coefficient


@inlined
def _complete_precision(small, k, inverse):
    """The rest of the inverse Gram matrix: nobody needs it unless a member is dropped."""
    for i in range(k):
        for j in range(i):
            value = 0.0
            for t in range(i, k):
                value += inverse[i, t] * inverse[j, t]
            small[i, j] = value
            small[j, i] = value


@inlined
def _weakest(chosen, fixed, k, small, vector):
    """The member whose loss raises the residual least (those who are gone are `NOBODY`), and by how
    much."""
    weakest, least = k, np.inf
    for j in range(fixed, k):
        if chosen[j] >= 0:
            spread = small[j, j]
            increase = vector[j] * vector[j] / spread if spread > 0.0 else 0.0
            if increase < least:
                weakest, least = j, increase
    return weakest, least


@inlined
def _drop_member(chosen, k, drop, small, vector):
    """Inverse Gram matrix and coefficients of the set without member `drop`, whose place stays."""
    pivot = small[drop, drop]
    chosen[drop] = NOBODY
    if pivot > 0.0:
        coefficient = vector[drop] / pivot
        for i in range(k):
            if chosen[i] >= 0:
                vector[i] -= small[i, drop] * coefficient
                share = small[i, drop] / pivot
                for j in range(k):
                    small[i, j] -= share * small[drop, j]


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

    Works on ``chosen[:k]`` with the factor in `small` and the solved vector in `vector`, both of
    which it uses up; the first `fixed` members stay. Dropping member j raises the residual by its
    squared coefficient over the j-th diagonal entry of the inverse Gram matrix. Returns
    ``(k, residual variance, number of leading members that are where they were)``.
    """
    residual = 1.0
    for t in range(k):
        residual -= vector[t] * vector[t]
    residual = max(residual, COLLINEAR)
    _invert_factor(small, k, inverse)
    _coefficients(small, vector, k, inverse)
    left = k
    while left > fixed:
        weakest, least = _weakest(chosen, fixed, k, small, vector)
        if least >= threshold * (residual + least):
            break
        if left == k:
            _complete_precision(small, k, inverse)
        _drop_member(chosen, k, weakest, small, vector)
        residual += least
        left -= 1
    left, kept = _close_ranks(chosen, k)
    return left, residual, kept


@kernel
def shrink_set(threshold, fixed, chosen, k, small, vector, inverse):
    """:func:`shrink`, for Python to call: less to compile than a second version of it."""
    return shrink(threshold, fixed, chosen, k, small, vector, inverse)
