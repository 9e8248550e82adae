"""Tests of conditional independence: what is asked of them, and Fisher's z for numbers.

A test of a variable against several others given the same set has two parts. What all of them have
in common is prepared once (:func:`prepare_condition`), and :func:`dependence` then is a number that
grows as the p-value falls. Those who test (:mod:`arcs.kernels.skeleton`,
:mod:`arcs.kernels.max_min`) compare it with that of the level at which they test, and know no kinds
of data: for categories there is the G test (:mod:`arcs.kernels.g_test`).

Fisher's z asks whether a partial correlation is different from zero. For n rows and k conditioning
variables, ``z = sqrt(n - k - 3) atanh(r)`` is close to standard normal when the partial correlation
vanishes (Fisher, 1924). Without a positive number of degrees of freedom there is no evidence for
dependence: z = 0. The dependence is told by ``|z|``.
"""

import math
from typing import NamedTuple

import numpy as np

from arcs.kernels.asking import asked, provide
from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve
from arcs.kernels.statistics import gram_entry

__all__ = [
    "Condition",
    "condition_room",
    "dependence",
    "fisher_z_kernel",
    "p_value_of",
    "prepare_condition",
    "residual_correlation",
    "z_statistic",
]


@asked
def condition_room(stats, k):
    """Working arrays for conditions of k variables."""


@asked
def prepare_condition(stats, v, a, given, room):
    """What tests of a given `given` have in common (rows of node v), in :func:`condition_room`."""


@asked
def dependence(stats, condition, b):
    """How clearly b depends on the variable of a condition: more for a smaller p-value."""


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


@provide("Stats", condition_room)
@allocating
def _regression_room(stats, k):
    return np.empty((k + 1, k + 1)), np.empty(k + 1), np.empty(k + 1)


@provide("Stats", prepare_condition)
@allocating
def _regress(stats, v, a, given, room):
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
def _z(stats, condition, b):
    r = residual_correlation(stats, condition, b)
    return z_statistic(r, stats.n[stats.pattern[condition.node]], condition.given.shape[0])


@provide("Stats", dependence)
@allocating
def _size_of_z(stats, condition, b):
    return abs(_z(stats, condition, b))


@allocating
def fisher_z_kernel(stats, v, a, b, given):
    """Fisher's z and its p-value for a and b given `given`, on the rows that count for node v."""
    room = condition_room(stats, given.shape[0])
    z = _z(stats, prepare_condition(stats, v, a, given, room), b)
    return z, p_value_of(z)
