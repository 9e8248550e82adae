"""Moments of a linear Gaussian system, observed or under intervention, and draws from it.

With ``coefficients[i, j]`` the edge i -> j, noise variances Omega and intercepts c, the system is
x_j = c_j + sum_i B_ij x_i + e_j. In matrices, x' = (c + e)' T with T = (I - B)^{-1}, so that

    mean = T' c        and        Sigma = T' Omega T = (I - B)^{-T} Omega (I - B)^{-1},

which is equation (4) of the paper. T is also the matrix of total causal effects: T_ij is the change
of the mean of x_j per unit of do(x_i). A hard intervention do(x_k = v) cuts the edges into k and
replaces its noise by the given value or distribution (Pearl, 2009, Chapter 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from arcs.errors import GraphError
from arcs.graphs.names import Node, node_index

__all__ = ["GaussianMoments", "Intervention", "draw", "moments", "total_effect_matrix"]

Intervention = (
    float | tuple[float, float] | Callable[[np.random.Generator, int], NDArray[np.float64]]
)
"""A value, a (mean, standard deviation), or a function (rng, n) -> n values."""


@dataclass(frozen=True)
class GaussianMoments:
    """The mean and covariance of the nodes, observed or under an intervention."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    names: tuple[str, ...]


def total_effect_matrix(
    coefficients: NDArray[np.float64], order: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(I - B)^{-1}, by back substitution along a topological `order`."""
    grid = np.ix_(order, order)
    upper = np.eye(len(order)) - coefficients[grid]
    effects = np.empty_like(upper)
    effects[grid] = solve_triangular(upper, np.eye(len(order)), unit_diagonal=True)
    return effects


def moments(
    coefficients: NDArray[np.float64],
    noise_variances: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    order: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance of the system."""
    effects = total_effect_matrix(coefficients, order)
    scaled = effects * np.sqrt(noise_variances)[:, None]
    return intercepts @ effects, scaled.T @ scaled


def moments_under(
    coefficients: NDArray[np.float64],
    noise_variances: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    order: NDArray[np.int64],
    interventions: Mapping[int, Intervention],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance after hard interventions with given values or (mean, sd)."""
    cut, variances, means = coefficients.copy(), noise_variances.copy(), intercepts.copy()
    for node, value in interventions.items():
        if callable(value):
            raise GraphError("do() needs a value or (mean, sd); sample() also takes functions")
        cut[:, node] = 0.0
        means[node], deviation = value if isinstance(value, tuple) else (value, 0.0)
        variances[node] = deviation**2
    return moments(cut, variances, means, order)


def draw(
    coefficients: NDArray[np.float64],
    noise_variances: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    order: NDArray[np.int64],
    n: int,
    rng: np.random.Generator,
    interventions: Mapping[int, Intervention],
) -> NDArray[np.float64]:
    """Draw `n` rows; the noise does not depend on which nodes are intervened upon."""
    # One node per row: the sums below then run over contiguous memory.
    values = np.ascontiguousarray(rng.standard_normal((n, len(order))).T)
    values *= np.sqrt(noise_variances)[:, None]
    values += intercepts[:, None]
    for node, value in interventions.items():
        values[node] = _intervened_values(value, n, rng)
    for node in order:
        parents = np.flatnonzero(coefficients[:, node])
        if parents.size and node not in interventions:
            values[node] += coefficients[parents, node] @ values[parents]
    return np.ascontiguousarray(values.T)


def check_interventions(
    interventions: Mapping[Node, Intervention] | None, names: tuple[str, ...]
) -> dict[int, Intervention]:
    """Resolve names to indices and check the values; the result is sorted by node."""
    checked: dict[int, Intervention] = {}
    for node, value in (interventions or {}).items():
        target = node_index(node, names)
        if target in checked:
            raise GraphError(f"node {names[target]!r} is intervened upon twice")
        checked[target] = _checked_value(value, names[target])
    return dict(sorted(checked.items()))


def _checked_value(value: Intervention, name: str) -> Intervention:
    if callable(value):
        return value
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = np.asarray(np.nan)
    if numbers.shape not in [(), (2,)] or not np.isfinite(numbers).all():
        raise GraphError(
            f"the intervention on {name!r} must be a finite value, a pair (mean, sd), or a "
            f"function (rng, n) -> values; got {value!r}"
        )
    if numbers.ndim == 0:
        return float(numbers)
    if numbers[1] < 0:
        raise GraphError(f"the intervention on {name!r} has the negative sd {numbers[1]:g}")
    return float(numbers[0]), float(numbers[1])


def _intervened_values(
    value: Intervention, n: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    if callable(value):
        drawn = np.asarray(value(rng, n), dtype=float)
        if drawn.shape not in [(), (n,)]:
            raise GraphError(f"an intervention returned shape {drawn.shape} instead of ({n},)")
        return np.broadcast_to(drawn, (n,))
    if isinstance(value, tuple):
        return rng.normal(value[0], value[1], n)
    return np.full(n, value)
