"""Moments of a linear Gaussian system, observed or under intervention, and draws from it.

With ``coefficients[i, j]`` the edge i -> j, noise variances Omega and intercepts c, the system is
x_j = c_j + sum_i B_ij x_i + e_j. In matrices, x' = (c + e)' T with T = (I - B)^{-1}, so that

    mean = T' c        and        Sigma = T' Omega T = (I - B)^{-T} Omega (I - B)^{-1},

which is equation (4) of the paper. T is also the matrix of total causal effects: T_ij is the change
of the mean of x_j per unit of do(x_i). A hard intervention do(x_k = v) cuts the edges into k and
replaces its noise by the given value or distribution (Pearl, 2009, Chapter 3).

Parents come first in a topological order, so one pass computes any quantity that a node inherits
linearly from its parents (:class:`LinearSystem`): samples, and the effects of all noise terms on
it, whose squares add up to its variance. A pass costs one axpy per edge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcs.errors import GraphError
from arcs.graphs.names import Node, node_index
from arcs.graphs.topology import topological_order
from arcs.lazily import Lazily

__all__ = [
    "GaussianMoments",
    "Intervention",
    "LinearSystem",
    "draw",
    "moments",
    "total_effect_matrix",
]

linalg = Lazily("scipy.linalg")

Intervention = (
    float | tuple[float, float] | Callable[[np.random.Generator, int], NDArray[np.float64]]
)
"""A value, a (mean, standard deviation), or a function (rng, n) -> n values."""


@dataclass(frozen=True)
class GaussianMoments:
    """The mean and covariance of the nodes, observed or under an intervention.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> moments = dag.do({"a": 1.0})
    >>> moments.mean.tolist()
    [1.0, 2.0, 1.0]
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Coefficients of a DAG, stored by child, with an order of the nodes.

    Attributes
    ----------
    order : ndarray of int
        A topological order, parents first.
    parents : tuple of ndarray of int
        Parents of each node.
    weights : tuple of ndarray of float
        Coefficients, parallel to `parents`.
    """

    order: np.ndarray
    parents: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]

    @classmethod
    def from_coefficients(
        cls, coefficients: np.ndarray, order: np.ndarray | None = None
    ) -> LinearSystem:
        """From a matrix with `coefficients[i, j]` on the edge i -> j, and a topological order."""
        children, parents = np.nonzero(coefficients.T)
        ends = np.searchsorted(children, np.arange(1, len(coefficients)))
        return cls(
            order=topological_order(coefficients != 0) if order is None else order,
            parents=tuple(np.split(parents, ends)),
            weights=tuple(np.split(coefficients[parents, children], ends)),
        )

    @property
    def p(self) -> int:
        """Number of nodes."""
        return len(self.parents)

    def propagate(
        self, state: np.ndarray, damping: Mapping[int, tuple[np.ndarray, float]] | None = None
    ) -> None:
        """Turn exogenous terms into values of the nodes, in place.

        Parameters
        ----------
        state : ndarray, shape (p, n)
            On entry intercept plus noise of each node, on exit its values.
        damping : mapping of node to (columns of `state`, factor), optional
            In these columns what the node inherits from its parents is multiplied by the factor:
            0 for a hard intervention.
        """
        damping = damping or {}
        for node in self.order:
            if not self.parents[node].size:
                continue
            inherited = self.weights[node] @ state[self.parents[node]]
            if node in damping:
                columns, factor = damping[node]
                inherited[columns] *= factor
            state[node] += inherited

    def variances(self, noise_variances: np.ndarray) -> np.ndarray:
        """Marginal variances: the diagonal of ``(I - B)^-T diag(noise_variances) (I - B)^-1``.

        Row k of `effects` holds the effects of the noise terms on the k-th node of the order;
        only earlier noise terms can matter, so the rows form a triangle.
        """
        place = np.empty(self.p, dtype=np.int64)
        place[self.order] = np.arange(self.p)
        effects = np.zeros((self.p, self.p))
        for k, node in enumerate(self.order):
            if self.parents[node].size:
                effects[k, :k] = self.weights[node] @ effects[place[self.parents[node]], :k]
            effects[k, k] = 1.0
        ordered = np.einsum("kl,kl,l->k", effects, effects, noise_variances[self.order])
        variances: np.ndarray = ordered[place]
        return variances


def total_effect_matrix(
    coefficients: NDArray[np.float64], order: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(I - B)^{-1}, by back substitution along a topological `order`."""
    grid = np.ix_(order, order)
    upper = np.eye(len(order)) - coefficients[grid]
    effects = np.empty_like(upper)
    effects[grid] = linalg.solve_triangular(upper, np.eye(len(order)), unit_diagonal=True)
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
    cut = coefficients.copy()
    for node, value in interventions.items():
        values[node] = _intervened_values(value, n, rng)
        cut[:, node] = 0.0
    LinearSystem.from_coefficients(cut, order).propagate(values)
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
