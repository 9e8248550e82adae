"""Total causal effects with standard errors and intervals, given the graph.

The total effects are T = (I - B)^{-1}. Moving the coefficient of i -> j changes that of x on y by
``T_xi T_jy``, and the coefficients of different nodes are estimated independently, so that the
delta method gives

    Var(T_xy) = sum over nodes j of T_jy^2  t' C_j t,    t = (T_xi) over the parents i of j,

with C_j the covariance of the coefficients of j. Each term has the degrees of freedom of its node;
their sum is given those of Welch and Satterthwaite, (sum of terms)^2 / sum of terms^2 / df_j, so
that an effect along a single edge gets the usual interval of a regression coefficient. Where all
paths have coefficients near zero the effect is a product of small numbers, and the interval of the
delta method is too short.

All of this takes the graph as given. That the data also chose it is another uncertainty, which
:mod:`arcs.effects.question` puts beside this one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcs.effects.precision import CoefficientPrecision
from arcs.errors import SettingsError
from arcs.graphs import GaussianDag
from arcs.lazily import Lazily

__all__ = ["EffectTable", "check_level", "effect_table"]

special = Lazily("scipy.special")


@dataclass(frozen=True, eq=False)
class EffectTable:
    """Total effects of all variables on all others; ``[x, y]`` is that of x on y.

    Attributes
    ----------
    names : tuple of str
    effects, standard_errors, lower, upper : ndarray of shape (p, p)
        Zero where there is no directed path. Bounds at `level`.
    standardised : ndarray of shape (p, p)
        Effects in standard deviations of y per standard deviation of x (those that the model
        implies for undisturbed variables).
    level : float

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import effect_table, implied_precision
    >>> effect_table(dag, implied_precision(dag, [100] * 3)).effects.round(2).tolist()[0]
    [1.0, 2.0, 1.0]
    """

    names: tuple[str, ...]
    effects: np.ndarray
    standard_errors: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    standardised: np.ndarray
    level: float


def check_level(level: float) -> float:
    """A confidence level, refused unless it is between 0 and 1."""
    if not 0 < level < 1:
        raise SettingsError(f"level must be between 0 and 1, got {level!r}")
    return float(level)


def effect_table(
    dag: GaussianDag, precision: CoefficientPrecision, level: float = 0.95
) -> EffectTable:
    """All total effects with standard errors and intervals.

    Examples
    --------
    >>> from arcs.effects import implied_precision
    >>> chain = GaussianDag([[0, 2, 0], [0, 0, 3], [0, 0, 0]], [1, 1, 1], ["a", "b", "c"])
    >>> table = effect_table(chain, implied_precision(chain, 102))
    >>> float(table.effects[0, 2]), round(float(table.standard_errors[0, 2]), 3)
    (6.0, 0.313)
    """
    check_level(level)
    effects = dag.total_effects().values
    terms = np.zeros((dag.p, dag.p))
    for j in range(dag.p):
        moved = effects[:, dag.parents(j)]
        terms[:, j] = np.einsum("xi,ik,xk->x", moved, precision.covariances[j], moved)
        terms[~moved.any(axis=1), j] = 0.0  # also where the covariance is not known
    unknown = np.isnan(terms)
    terms[unknown] = 0.0
    variances = terms @ effects**2
    errors = np.sqrt(np.maximum(variances, 0.0))
    errors[(unknown.astype(float) @ (effects != 0)) > 0] = np.nan
    reach = _quantiles(terms, effects, variances, precision.degrees, level) * errors
    sd = np.sqrt(np.diag(dag.covariance()))
    return EffectTable(
        names=dag.names,
        effects=effects,
        standard_errors=errors,
        lower=effects - reach,
        upper=effects + reach,
        standardised=effects * sd[:, None] / sd[None, :],
        level=level,
    )


def _quantiles(
    terms: np.ndarray,
    effects: np.ndarray,
    variances: np.ndarray,
    degrees: np.ndarray,
    level: float,
) -> np.ndarray:
    """Quantiles of Student's distribution with the degrees of Welch and Satterthwaite."""
    spread = (terms**2 / degrees[None, :]) @ effects**4
    known = np.full(variances.shape, np.inf)
    np.divide(variances**2, spread, out=known, where=spread > 0)
    return np.asarray(special.stdtrit(np.maximum(known, 1.0), (1 + level) / 2))
