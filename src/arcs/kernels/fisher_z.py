"""Fisher's z: is a partial correlation different from zero?

For n rows and k conditioning variables, ``z = sqrt(n - k - 3) atanh(r)`` is close to standard
normal when the partial correlation vanishes (Fisher, 1924). Without a positive number of degrees of
freedom there is no evidence for dependence: z = 0.
"""

import math

import numpy as np

from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve
from arcs.kernels.statistics import gram_entry

__all__ = [
    "fisher_z_kernel",
    "p_value_of",
    "prepare_condition",
    "residual_correlation",
    "z_statistic",
]


@allocating
def z_statistic(correlation, n, k):
    """Fisher's z of a partial correlation given k variables on n rows."""
    degrees = n - k - 3.0
    if degrees <= 0.0:
        return 0.0
    if abs(correlation) >= 1.0:
        return math.copysign(math.inf, correlation)
    return math.sqrt(degrees) * math.atanh(correlation)


@allocating
def p_value_of(z):
    """Two-sided p-value of a standard normal z."""
    return math.erfc(abs(z) / math.sqrt(2.0))


@allocating
def prepare_condition(stats, v, a, given, k, factor, work):
    """Regress a on ``given[:k]`` (rows of node v); return the share of a left unexplained.

    `factor` and `work` then serve :func:`residual_correlation` for any number of partners of a.
    """
    factorise(stats, v, given, k, factor)
    return 1.0 - forward_solve(stats, v, given, k, factor, a, work)


@allocating
def residual_correlation(stats, v, a, b, given, k, factor, share_a, work_a, work_b):
    """Partial correlation of a and b given ``given[:k]`` after :func:`prepare_condition` for a.

    Variables that the condition determines have no residual left: 0.
    """
    share_b = 1.0 - forward_solve(stats, v, given, k, factor, b, work_b)
    if share_a <= COLLINEAR or share_b <= COLLINEAR:
        return 0.0
    covariance = gram_entry(stats, v, a, b)
    for t in range(k):
        covariance -= work_a[t] * work_b[t]
    return min(1.0, max(-1.0, covariance / math.sqrt(share_a * share_b)))


@allocating
def fisher_z_kernel(stats, v, a, b, given):
    """Fisher's z and its p-value for a and b given `given`, on the rows that count for node v."""
    k = given.shape[0]
    factor = np.empty((k + 1, k + 1))
    work_a = np.empty(k + 1)
    work_b = np.empty(k + 1)
    share = prepare_condition(stats, v, a, given, k, factor, work_a)
    r = residual_correlation(stats, v, a, b, given, k, factor, share, work_a, work_b)
    z = z_statistic(r, stats.n[stats.pattern[v]], k)
    return z, p_value_of(z)
