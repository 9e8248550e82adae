"""Confidence intervals and p-values of coefficients, by one law.

Given the structure, each node is a linear regression on its parents, over the n_v rows in which its
mechanism acts. Coefficient divided by standard error has Student's distribution with n_v - k - 1
degrees of freedom if the true coefficient is zero. Both the interval, coefficient +- t times the
standard error, and the two-sided p-value come from it, so that they never contradict each other:
the p-value is below 0.05 if and only if the 95 % interval does not cover zero. Both are
conditional on the structure: that the same data chose the parents is not accounted for, so that
intervals are too short and p-values too small where the choice was close.
"""

from __future__ import annotations

import numpy as np

from arcs.errors import SettingsError
from arcs.lazily import Lazily

__all__ = ["intervals_and_p_values"]

special = Lazily("scipy.special")


def intervals_and_p_values(
    coefficients: np.ndarray, errors: np.ndarray, degrees: np.ndarray, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower and upper bounds at the given level, and two-sided p-values; NaN without an error.

    Examples
    --------
    >>> low, high, p = intervals_and_p_values(np.array([2.0]), np.array([1.0]), np.array([10]))
    >>> bool(low[0] < 0 < high[0]), bool(p[0] > 0.05)
    (True, True)
    """
    if not 0 < level < 1:
        raise SettingsError(f"level must be between 0 and 1, got {level!r}")
    reach = special.stdtrit(degrees, (1 + level) / 2) * errors
    p_values = 2 * special.stdtr(degrees, -np.abs(coefficients) / errors)
    return coefficients - reach, coefficients + reach, p_values
