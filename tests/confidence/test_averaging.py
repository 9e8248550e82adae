"""Averaged graphs: the best order against all permutations, and results made of them."""

import itertools

import numpy as np
import pytest

from arcs.confidence import averaging, bootstrap
from arcs.confidence.averaging import agreement_order, averaged_adjacency, averaged_result
from arcs.errors import DataError, SettingsError
from arcs.graphs.equivalence import find_cycle
from arcs.learners import learner
from arcs.results import FitResult


def agreement(weights, order):
    position = np.argsort(order)
    return weights[position[:, None] < position[None, :]].sum()


@pytest.mark.parametrize("seed", range(10))
def test_the_order_agrees_most(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random((6, 6)) * (rng.random((6, 6)) < 0.6)
    np.fill_diagonal(weights, 0)
    best = max(agreement(weights, np.array(o)) for o in itertools.permutations(range(6)))
    order = agreement_order(weights)
    assert sorted(order.tolist()) == list(range(6))
    assert agreement(weights, order) == pytest.approx(best)


def test_large_parts_are_improved_until_nothing_helps(monkeypatch):
    monkeypatch.setattr(averaging, "_EXACT", 2)
    rng = np.random.default_rng(0)
    weights = rng.random((7, 7))
    np.fill_diagonal(weights, 0)
    order = agreement_order(weights).tolist()
    found = agreement(weights, np.array(order))
    for node, place in itertools.product(range(7), range(7)):
        moved = [other for other in order if other != node]
        moved.insert(place, node)
        assert agreement(weights, np.array(moved)) <= found + 1e-9


def test_lines_may_be_turned_and_unseen_arrows_may_not():
    nothing = np.zeros((3, 3))
    cycle = np.array([[0, 0.9, 0], [0, 0, 0.9], [0.8, 0, 0]])
    shares = {"dag": cycle, "directed": cycle, "undirected": nothing}
    assert averaged_adjacency(shares, 10).sum() == 2
    lines = np.array([[0, 0, 0.8], [0, 0, 0], [0.8, 0, 0]])
    arrows = cycle * (lines == 0)
    lined = {"dag": cycle, "directed": arrows, "undirected": lines}
    np.testing.assert_array_equal(averaged_adjacency(lined, 10), [[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    for wrong in (1.0, -0.1, "half"):
        with pytest.raises(SettingsError, match="threshold"):
            averaged_adjacency(shares, 10, wrong)


def test_half_samples_have_a_threshold_of_their_own(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 5)) @ np.triu(np.full((5, 5), 0.4), 0)
    fitted = learner("hc").fit(rows)
    for draw, threshold in (("resample", 0.5), ("half", 0.2)):
        found = bootstrap(rows, "hc", 9, draw=draw)
        np.testing.assert_array_equal(found.averaged(), found.averaged(threshold))
        result = FitResult.load(found.attach(fitted).save(tmp_path / f"{draw}.npz"))
        assert result.averaged().settings["threshold"] == threshold
        np.testing.assert_array_equal(result.averaged().dag.adjacency, found.averaged())


@pytest.fixture(scope="module")
def told(experimental):
    found = bootstrap(experimental, "hc", 12, random_state=2)
    return found, found.attach(learner("hc").fit(experimental))


def test_the_averaged_result_is_that_of_a_fit_to_the_data(told, experimental, tmp_path):
    found, result = told
    read = FitResult.load(result.save(tmp_path / "result.npz"))
    for threshold in (0.5, 0.25, "l1"):
        expected = found.averaged_result(experimental, threshold)
        for average in (result.averaged(threshold), read.averaged(threshold)):
            assert find_cycle(average.dag.adjacency) is None
            np.testing.assert_array_equal(average.dag.adjacency, expected.dag.adjacency)
            np.testing.assert_allclose(average.dag.coefficients, expected.dag.coefficients)
            np.testing.assert_allclose(average.dag.standard_errors, expected.dag.standard_errors)
            np.testing.assert_allclose(average.dag.intercepts, expected.dag.intercepts)
            assert average.bic == pytest.approx(expected.bic)
            assert average.n_per_node == expected.n_per_node
            assert "confidence" in average.edge_values
    assert "average of 12 graphs" in result.averaged().method
    with pytest.raises(DataError, match="confidence above"):
        result.with_(moments=None).averaged()


def test_no_graphs_no_average(experimental):
    with pytest.raises(DataError, match="no bootstrap graphs"):
        averaged_result(learner("hc").fit(experimental))
