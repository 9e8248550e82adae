"""Fisher's z: is a partial correlation different from zero?

For n rows and k conditioning variables, ``z = sqrt(n - k - 3) atanh(r)`` is close to standard
normal when the partial correlation vanishes (Fisher, 1924). Without a positive number of degrees of
freedom there is no evidence for dependence: z = 0.
"""

import math
from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve
from arcs.kernels.statistics import gram_entry

__all__ = [
    "Condition",
    "condition_room",
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


class Condition(NamedTuple):
    """Rows of a node on which one variable was regressed on others, for tests against partners.

    Attributes
    ----------
    node : int, whose rows count
    variable : int, the one that was regressed
    given : int64 array, on these
    share : float, how much of it is left unexplained
    factor, work, partner : float64 arrays, the factorisation, the regression, and room for another
    """

    node: int
    variable: int
    given: np.ndarray
    share: float
    factor: np.ndarray
    work: np.ndarray
    partner: np.ndarray


@allocating
def condition_room(k):
    """Working arrays for conditions of k variables."""
    return np.empty((k + 1, k + 1)), np.empty(k + 1), np.empty(k + 1)


@allocating
def prepare_condition(stats, v, a, given, room):
    """Regress a on `given` (rows of node v), in :func:`condition_room` of its size."""
    factor, work, partner = room
    k = given.shape[0]
    factorise(stats, v, given, k, factor)
    share = 1.0 - forward_solve(stats, v, given, k, factor, a, work)
    return Condition(v, a, given, share, factor, work, partner)


@allocating
def residual_correlation(stats, condition, b):
    """Partial correlation of b and the variable of a condition.

    Variables that the condition determines have no residual left: 0.
    """
    v, given, work, partner = condition.node, condition.given, condition.work, condition.partner
    k = given.shape[0]
    share = 1.0 - forward_solve(stats, v, given, k, condition.factor, b, partner)
    if condition.share <= COLLINEAR or share <= COLLINEAR:
        return 0.0
    covariance = gram_entry(stats, v, condition.variable, b)
    for t in range(k):
        covariance -= work[t] * partner[t]
    return min(1.0, max(-1.0, covariance / math.sqrt(condition.share * share)))


@allocating
def fisher_z_kernel(stats, v, a, b, given):
    """Fisher's z and its p-value for a and b given `given`, on the rows that count for node v."""
    k = given.shape[0]
    r = residual_correlation(stats, prepare_condition(stats, v, a, given, condition_room(k)), b)
    z = z_statistic(r, stats.n[stats.pattern[v]], k)
    return z, p_value_of(z)
