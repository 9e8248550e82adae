"""Random parameters: ranges, unit variances, agreement with the dense formula."""

import numpy as np
import pytest

from arcs.errors import ArcsError, SettingsError
from arcs.graphs.gaussian import LinearSystem
from arcs.simulate import network, random_dag, random_weights


def dense_covariance(coefficients, noise):
    total = np.linalg.inv(np.eye(len(noise)) - coefficients)
    return total.T @ np.diag(noise) @ total


@pytest.mark.parametrize("seed", range(5))
def test_variances_agree_with_the_dense_inverse(seed):
    rng = np.random.default_rng(seed)
    coefficients = np.where(random_dag(30, 120, rng), rng.normal(size=(30, 30)), 0.0)
    noise = rng.uniform(0.5, 2.0, 30)
    found = LinearSystem.from_coefficients(coefficients).variances(noise)
    np.testing.assert_allclose(found, np.diag(dense_covariance(coefficients, noise)), rtol=1e-10)


def test_unit_variance_model_is_the_raw_model_rescaled():
    adjacency = random_dag(25, 70, 1)
    raw = random_weights(adjacency, 7, unit_variance=False)
    unit = random_weights(adjacency, 7)
    covariance = dense_covariance(raw.coefficients, raw.noise_variances)
    scale = np.sqrt(np.diag(covariance))
    assert scale.max() > 1.5
    rescaled = dense_covariance(unit.coefficients, unit.noise_variances)
    np.testing.assert_allclose(rescaled, covariance / np.outer(scale, scale), atol=1e-12)
    np.testing.assert_allclose(np.diag(rescaled), 1.0)


def test_coefficients_are_on_both_sides_and_uniform():
    weights = random_weights(random_dag(200, 4000, 0), 0, unit_variance=False)
    assert (weights.noise_variances == 1.0).all()
    values = weights.coefficients[weights.adjacency]
    assert values.size == 4000
    sizes = abs(values)
    assert sizes.min() >= 0.5
    assert sizes.max() <= 0.8
    assert abs(sizes.mean() - 0.65) < 0.006
    assert abs((values > 0).mean() - 0.5) < 0.035


def test_noise_variances_from_bounds():
    noise = random_weights(
        np.zeros((500, 500), dtype=bool), 0, noise_variance=(0.5, 2.0), unit_variance=False
    ).noise_variances
    assert noise.min() >= 0.5
    assert noise.max() <= 2.0
    assert abs(noise.mean() - 1.25) < 0.08


def test_names_of_the_network_are_kept():
    weights = random_weights(network("asia"), 0)
    assert weights.names == network("asia").names
    assert (weights.adjacency == network("asia").adjacency).all()
    assert random_weights(random_dag(3, 2, 0), 0).names == ("V1", "V2", "V3")
    assert random_weights(random_dag(2, 1, 0), 0, names=["a", "b"]).names == ("a", "b")


def test_same_seed_same_model():
    adjacency = random_dag(20, 40, 0)
    one, two, other = (random_weights(adjacency, seed) for seed in (5, 5, 6))
    assert (one.coefficients == two.coefficients).all()
    assert (one.coefficients != other.coefficients).any()


@pytest.mark.parametrize(
    "options",
    [
        {"low": 0.0},
        {"low": 0.9},
        {"noise_variance": 0.0},
        {"noise_variance": (2.0, 1.0)},
        {"noise_variance": (0.0, 1.0)},
    ],
)
def test_bad_ranges_are_refused(options):
    with pytest.raises(SettingsError):
        random_weights(random_dag(4, 3, 0), 0, **options)


def test_bad_graphs_are_refused():
    with pytest.raises(ArcsError, match="square"):
        random_weights(np.zeros((2, 3), dtype=bool), 0)
    cycle = np.array([[0, 1], [1, 0]], dtype=bool)
    with pytest.raises(ArcsError, match="cycle"):
        random_weights(cycle, 0)
