"""Confidence intervals of coefficients, on the user's scale.

Given the structure, each node is a linear regression on its parents, over the n_v rows in which it
was not set: coefficient +- t times its standard error, t the quantile of Student's distribution
with n_v - k - 1 degrees of freedom. The intervals are conditional on the structure: that the same
data chose the parents is not accounted for, so that they are too short where the choice was close.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from arcs.errors import SettingsError
from arcs.results import FitResult

__all__ = ["Intervals", "intervals", "rows_that_count"]


@dataclass(frozen=True, eq=False)
class Intervals:
    """Bounds of the coefficients; NaN where there is no edge or no standard error.

    Attributes
    ----------
    level : float
    lower, upper, standard_errors : ndarray of shape (p, p)
        Entry [i, j] belongs to the edge i -> j.
    degrees : ndarray of shape (p,)
        Degrees of freedom of each node's regression.
    """

    level: float
    lower: np.ndarray
    upper: np.ndarray
    standard_errors: np.ndarray
    degrees: np.ndarray


def intervals(result: FitResult, level: float = 0.95) -> Intervals:
    """Confidence intervals of all coefficients of a result.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.learners import learner
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> y = 2 * x + np.random.default_rng(1).normal(size=200)
    >>> found = intervals(learner("hc").fit(np.column_stack([x, y])))
    >>> bool(np.nanmin(found.lower) < np.nanmax(found.upper))
    True
    """
    if not 0 < level < 1:
        raise SettingsError(f"level must be between 0 and 1, got {level!r}")
    dag = result.dag
    known = dag.adjacency
    errors = np.full(known.shape, np.nan)
    if dag.standard_errors is not None:
        errors[known] = dag.standard_errors[known]
    degrees = np.maximum(rows_that_count(result) - known.sum(axis=0) - 1, 1)
    reach = stdtrit(degrees, (1 + level) / 2)[None, :] * errors
    return Intervals(level, dag.coefficients - reach, dag.coefficients + reach, errors, degrees)


def rows_that_count(result: FitResult) -> np.ndarray:
    """For each node the number of rows in which its mechanism acts.

    Those in which it was not set; where interventions are soft or their targets were sought, those
    of the regimes in which it has neither been set nor coefficients of its own.
    """
    p = len(result.names)
    if result.settings.get("intervention_kind", "hard") != "hard":
        return _rows_unchanged(result)
    if not any(result.targets):
        return np.full(p, result.audit.get("effective_n", result.n_rows), dtype=np.int64)
    intervened = result.audit.get("intervened", {})
    return np.array([result.n_rows - int(intervened.get(name, 0)) for name in result.names])


def _rows_unchanged(result: FitResult) -> np.ndarray:
    rows = dict.fromkeys(result.names, result.n_rows)
    for change in result.changes:
        if change.kind != "noise":
            rows[change.target] -= change.rows
    return np.array(list(rows.values()))
