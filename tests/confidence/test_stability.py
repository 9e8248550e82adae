"""Stability selection."""

import numpy as np
import pytest

from arcs.confidence import Stability, stability_selection
from arcs.errors import DataError, SettingsError
from arcs.learners import learner


def test_probabilities_are_the_largest_over_the_path(experimental):
    found = stability_selection(
        experimental, [4.0, 1.0], learner="hc", setting="penalty", n_resamples=6
    )
    assert found.values == (4.0, 1.0)
    assert found.path.shape == (2, 6, 6)
    np.testing.assert_array_equal(found.probabilities, found.path.max(axis=0))
    np.testing.assert_array_equal(found.path, found.path.transpose(0, 2, 1))
    assert (found.arrows <= found.path + 1e-12).all()
    # A smaller penalty selects more.
    assert found.path[1].sum() >= found.path[0].sum()
    selected = np.triu(found.path[1]).sum()
    assert found.q >= selected - 1e-9


def test_default_grid_finds_the_strong_edges(simulated):
    found = stability_selection(simulated.data, n_resamples=8, random_state=1)
    assert len(found.values) == 8
    assert list(found.values) == sorted(found.values, reverse=True)
    assert found.values[-1] == pytest.approx(0.5 * np.log(60))
    joined = simulated.truth.adjacency | simulated.truth.adjacency.T
    assert found.probabilities[joined].mean() > 0.8
    assert found.probabilities[joined].mean() > found.probabilities[~joined].mean() + 0.3


def test_all_penalties_see_the_same_halves(simulated):
    found = stability_selection(
        simulated.data, [1.5, 1.5], learner="hc", setting="penalty", n_resamples=4
    )
    np.testing.assert_array_equal(found.path[0], found.path[1])


def test_the_error_bound_is_the_formula():
    path = np.zeros((1, 5, 5))
    found = Stability(tuple("abcde"), "lam", (1.0,), path, path, q=2.0)
    assert found.false_edges(0.75) == pytest.approx(4 / (0.5 * 10))
    threshold = found.threshold_for(1.0)
    assert threshold == pytest.approx(0.7)
    assert found.false_edges(threshold) == pytest.approx(1.0)
    assert found.threshold_for(0.1) is None
    for wrong in (0.5, 1.1):
        with pytest.raises(SettingsError, match="threshold"):
            found.stable(wrong)
        with pytest.raises(SettingsError, match="threshold"):
            found.false_edges(wrong)
    with pytest.raises(SettingsError, match="false_edges"):
        found.threshold_for(0.0)


def test_stable_pairs_and_attach(simulated):
    found = stability_selection(
        simulated.data, [1.0], learner="hc", setting="penalty", n_resamples=5
    )
    np.testing.assert_array_equal(found.stable(0.8), found.probabilities >= 0.8)
    told = found.attach(learner("hc").fit(simulated.data))
    np.testing.assert_array_equal(told.edge_values["stability"], found.probabilities)
    with pytest.raises(DataError, match="other variables"):
        found.attach(learner("hc").fit(simulated.data.values))


def test_refusals(simulated):
    with pytest.raises(SettingsError, match="no setting 'lam'"):
        stability_selection(simulated.data, [1.0], learner="hc")
    with pytest.raises(SettingsError, match="values must be given"):
        stability_selection(simulated.data, learner="hc", setting="penalty")
    with pytest.raises(SettingsError, match="at least one"):
        stability_selection(simulated.data, [])
