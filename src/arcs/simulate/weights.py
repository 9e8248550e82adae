"""Random parameters for a given graph, as in Section 5.1 of the paper.

Coefficients are drawn uniformly from [-high, -low] ∪ [low, high], noise variances are constant or
uniform; then the variables are rescaled to variance one. With Σ the covariance before and
``s_j = sqrt(Σ_jj)``, the rescaled model has coefficients ``B_ij s_i / s_j`` and noise variances
``ω_j / s_j²``. Without rescaling the marginal variance grows along the causal order and gives the
order away to any method that sorts by variance [1]_; benchmarks should rescale.

.. [1] A. Reisach, C. Seiler, S. Weichwald, Beware of the simulated DAG! Causal discovery
   benchmarks may be easy to game, NeurIPS 2021.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcs.errors import DataError, SettingsError
from arcs.graphs import GaussianDag
from arcs.graphs.gaussian import LinearSystem
from arcs.simulate.random_dags import RandomState
from arcs.simulate.repository import Network

__all__ = ["random_weights"]


def random_weights(
    adjacency: np.ndarray | Network,
    random_state: RandomState = None,
    *,
    low: float = 0.5,
    high: float = 0.8,
    noise_variance: float | tuple[float, float] = 1.0,
    unit_variance: bool = True,
    names: Sequence[str] | None = None,
) -> GaussianDag:
    """A Gaussian model with random coefficients on the given graph.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (p, p), or Network
        `adjacency[i, j]` is the edge i → j.
    random_state : int, Generator or None
        Source of randomness.
    low, high : float
        Coefficients are uniform on [-high, -low] ∪ [low, high] (before rescaling).
    noise_variance : float or (float, float)
        Variance of every noise term, or the bounds it is drawn from uniformly.
    unit_variance : bool
        Rescale the model so that every variable has variance one.
    names : sequence of str, optional
        Names of the nodes; by default those of the network if it is one, else V1, ..., Vp. These
        differ on purpose from the names that the columns of a nameless array get, so that a
        position in shuffled data is never taken for a node of the model.

    Examples
    --------
    >>> from arcs.simulate import random_dag, random_weights
    >>> random_weights(random_dag(10, 12, 0), 0, low=0.2, high=0.5).n_edges
    12
    """
    if isinstance(adjacency, Network):
        names = adjacency.names if names is None else names
        adjacency = adjacency.adjacency
    adjacency = _square_bool(adjacency)
    if not 0 < low <= high:
        raise SettingsError(f"need 0 < low <= high, got low = {low}, high = {high}")
    rng = np.random.default_rng(random_state)
    names = [f"V{k}" for k in range(1, adjacency.shape[0] + 1)] if names is None else names
    coefficients = _random_coefficients(adjacency, low, high, rng)
    noise = _noise_variances(noise_variance, adjacency.shape[0], rng)
    if unit_variance:
        scale = np.sqrt(LinearSystem.from_coefficients(coefficients).variances(noise))
        coefficients *= scale[:, None] / scale[None, :]
        noise = noise / scale**2
    return GaussianDag(coefficients, noise, names)


def _square_bool(adjacency: np.ndarray) -> np.ndarray:
    adjacency = np.asarray(adjacency)
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise DataError(f"adjacency must be a square matrix, got shape {adjacency.shape}")
    return adjacency.astype(bool)


def _random_coefficients(
    adjacency: np.ndarray, low: float, high: float, rng: np.random.Generator
) -> np.ndarray:
    edges = np.nonzero(adjacency)
    size = edges[0].size
    coefficients = np.zeros(adjacency.shape)
    coefficients[edges] = rng.uniform(low, high, size) * rng.choice([-1.0, 1.0], size)
    return coefficients


def _noise_variances(
    noise_variance: float | tuple[float, float], p: int, rng: np.random.Generator
) -> np.ndarray:
    bounds = np.broadcast_to(np.asarray(noise_variance, dtype=float), (2,))
    if not (0 < bounds[0] <= bounds[1] < np.inf):
        raise SettingsError(
            f"noise_variance must be positive, or an increasing pair of positive bounds, "
            f"got {noise_variance!r}"
        )
    if bounds[0] == bounds[1]:
        return np.full(p, bounds[0])
    return rng.uniform(bounds[0], bounds[1], p)
