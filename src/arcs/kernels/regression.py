"""Least squares on Gram statistics: small Cholesky factorisations, robust to collinear columns.

All columns have unit norm, so a pivot is the share of a column's variation that the earlier
columns leave unexplained. A pivot below `COLLINEAR` carries no information: its column is treated
as absent (zero coefficient, no gain), which keeps every result finite and deterministic.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.statistics import gram_entry

__all__ = [
    "COLLINEAR",
    "factorise",
    "forward_solve",
    "regression_coefficients",
    "residual_variance",
]

COLLINEAR = 1e-9


@kernel
def factorise(stats, v, columns, k, factor):
    """Lower Cholesky factor of the Gram matrix (of node v) of ``columns[:k]`` into `factor`.

    The diagonal of a collinear column is set to zero.
    """
    for i in range(k):
        for j in range(i + 1):
            value = gram_entry(stats, v, columns[i], columns[j])
            for t in range(j):
                value -= factor[i, t] * factor[j, t]
            if i == j:
                factor[i, i] = np.sqrt(value) if value > COLLINEAR else 0.0
            elif factor[j, j] > 0.0:
                factor[i, j] = value / factor[j, j]
            else:
                factor[i, j] = 0.0


@kernel
def forward_solve(stats, v, columns, k, factor, node, out):
    """Solve ``factor @ out = G_v[columns, node]``; return the squared length of `out`."""
    explained = 0.0
    for i in range(k):
        if factor[i, i] > 0.0:
            value = gram_entry(stats, v, columns[i], node)
            for t in range(i):
                value -= factor[i, t] * out[t]
            value /= factor[i, i]
        else:
            value = 0.0
        out[i] = value
        explained += value * value
    return explained


@kernel
def residual_variance(stats, v, columns, k, factor, work):
    """Share of v's variation that a regression on ``columns[:k]`` leaves unexplained.

    Parameters
    ----------
    stats : Stats
    v : int
    columns : int64 array
    k : int
    factor : float64 array, at least (k, k), overwritten
    work : float64 array, at least (k,), overwritten
    """
    factorise(stats, v, columns, k, factor)
    explained = forward_solve(stats, v, columns, k, factor, v, work)
    return max(1.0 - explained, COLLINEAR)


@kernel
def regression_coefficients(stats, v, columns, k, factor, work, out):
    """Coefficients of v on ``columns[:k]`` (unit-norm scale) into `out`; return the residual
    variance share."""
    share = residual_variance(stats, v, columns, k, factor, work)
    for i in range(k - 1, -1, -1):
        if factor[i, i] > 0.0:
            value = work[i]
            for t in range(i + 1, k):
                value -= factor[t, i] * out[t]
            out[i] = value / factor[i, i]
        else:
            out[i] = 0.0
    return share
