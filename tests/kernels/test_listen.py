"""Neighbours by scaled regression are a stationary point of what is minimised."""

import numpy as np
import pytest

from arcs.kernels.listen import neighbours
from arcs.simulate import random_dag, random_weights, sample


def equal_variance_model(p, edges, seed):
    return random_weights(random_dag(p, edges, seed), seed, unit_variance=False)


def refined(gram, v, nodes, lam, gamma, n):
    """Weights and scale on given neighbours, by plain coordinate descent."""
    weights, rho = np.zeros(len(nodes)), np.sqrt(n)
    for _ in range(1000):
        for t, i in enumerate(nodes):
            z = rho * gram[v, i] - gram[i, nodes] @ weights + weights[t]
            size = abs(z)
            shrunk = max(size - lam, 0) / (1 - 1 / gamma)
            weights[t] = np.sign(z) * (size if size > gamma * lam else shrunk)
        c = gram[v, nodes] @ weights
        rho = (c + np.sqrt(c * c + 4 * n)) / 2
    return weights, rho


@pytest.mark.parametrize("lam", [1.5, 3.0])
def test_neighbours_are_a_stationary_point(lam):
    """Least squares with the MCP's slope on neighbours, small products with all others."""
    statistics = sample(equal_variance_model(12, 20, 4), 80, 4).data.statistics()
    gram, gamma = statistics.gram(0), 2.0
    for v in range(12):
        others = np.array([j for j in range(12) if j != v])
        found = neighbours(statistics.kernel, v, others, lam, gamma, 1e-12, 12)
        weights, rho = refined(gram, v, found, lam, gamma, 80)
        residual = rho * gram[v] - gram[:, found] @ weights
        slope = np.sign(weights) * np.maximum(lam - np.abs(weights) / gamma, 0)
        np.testing.assert_allclose(residual[found], slope, atol=1e-6)
        outside = np.setdiff1d(others, found)
        assert np.abs(residual[outside]).max(initial=0) <= lam + 1e-6
