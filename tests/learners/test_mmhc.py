"""MMHC: candidates against a plain Python version, and the search confined to them."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.graphs.equivalence import cpdag_of
from arcs.kernels.max_min import max_min_candidates
from arcs.learners.hc import HC
from arcs.learners.mmhc import MMHC
from arcs.scores.fisher_z import critical_z


def model(seed, p=8, density=0.35):
    """True adjacency and covariance, columns in random order."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.5, 1.0, (p, p)) * (rng.random((p, p)) < density), 1)
    mixing = np.linalg.inv(np.eye(p) - weights)
    order = np.ix_(*[rng.permutation(p)] * 2)
    return (weights != 0)[order], (mixing.T @ mixing)[order]


def simulated(seed, p=8, n=200):
    _, covariance = model(seed, p)
    rng = np.random.default_rng(seed + 1000)
    return rng.multivariate_normal(np.zeros(p), covariance, size=n)


@pytest.mark.parametrize("seed", range(4))
def test_population_gives_the_true_class(seed):
    truth, covariance = model(seed)
    result = MMHC(alpha=1e-4, max_condition_size=None, restarts=20, random_state=0).fit(
        (covariance, 10**9)
    )
    np.testing.assert_array_equal(result.cpdag.skeleton, truth | truth.T)
    np.testing.assert_array_equal(result.cpdag.directed, cpdag_of(truth).directed)


def test_edges_are_mutual_candidates():
    rows = simulated(9, p=10, n=60)
    statistics = Dataset.of(rows).statistics()
    candidates = np.array(
        [max_min_candidates(statistics.kernel, v, critical_z(0.01), 4) for v in range(10)]
    )
    mutual = candidates & candidates.T
    found = MMHC().fit(rows).dag.adjacency
    assert found.any()
    assert not (found & ~mutual).any()
    expected = HC(allowed=mutual).fit(rows).dag.adjacency
    np.testing.assert_array_equal(found, expected)


def test_stops_at_the_time_limit():
    limited = MMHC(time_limit=1e-6).fit(simulated(1))
    assert limited.stopped == "time limit"
    assert limited.n_edges == 0


def test_allowed_and_max_parents_hold():
    rows = simulated(2, p=10, n=300)
    allowed = np.triu(np.ones((10, 10), bool))
    found = MMHC(allowed=allowed, max_parents=1).fit(rows).dag.adjacency
    assert found.any()
    assert not (found & ~allowed).any()
    assert found.sum(axis=0).max() == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"alpha": 2.0}, "alpha"), ({"max_condition_size": -2}, "max_cond"), ({"tabu": -1}, "tabu")],
)
def test_bad_settings(settings, message):
    with pytest.raises(SettingsError, match=message):
        MMHC(**settings)
