"""LISTEN on population covariances, on samples, and against the definitions it rests on."""

from __future__ import annotations

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import DataWarning, SettingsError
from arcs.graphs.topology import find_cycle
from arcs.learners import learner
from arcs.learners.listen import LISTEN
from arcs.metrics import evaluate
from arcs.simulate import random_dag, random_weights, sample


def equal_variance_model(p, edges, seed):
    return random_weights(random_dag(p, edges, seed), seed, unit_variance=False)


def covariance_of(model):
    p = len(model.names)
    total = np.linalg.inv(np.eye(p) - model.coefficients)
    return total.T @ np.diag(model.noise_variances) @ total


@pytest.mark.parametrize(("p", "edges"), [(6, 10), (12, 20), (25, 40)])
@pytest.mark.parametrize("seed", range(3))
def test_population_covariance_gives_the_graph_exactly(p, edges, seed):
    model = equal_variance_model(p, edges, seed)
    order = np.random.default_rng(seed).permutation(p)
    covariance = covariance_of(model)[np.ix_(order, order)]
    data = Dataset.from_covariance(covariance, 10**8, [model.names[j] for j in order])
    result = LISTEN().fit(data)
    np.testing.assert_array_equal(
        result.dag.adjacency, model.adjacency[np.ix_(order, order)], strict=True
    )
    np.testing.assert_allclose(result.trace["conditional_variance"], 1.0, rtol=1e-6)


def test_without_penalty_the_order_is_right_and_all_earlier_nodes_are_parents():
    model = equal_variance_model(8, 12, 1)
    data = Dataset.from_covariance(covariance_of(model), 10**6, model.names)
    result = LISTEN(lam=0.0).fit(data)
    assert result.order.admits(model.adjacency)
    assert result.n_edges == 8 * 7 // 2


def test_first_terminal_node_has_the_smallest_diagonal_of_the_precision_matrix():
    rows = sample(equal_variance_model(7, 10, 3), 300, 3).data.values
    result = LISTEN(lam=0.0).fit(rows)
    diagonal = np.diag(np.linalg.inv((rows - rows.mean(0)).T @ (rows - rows.mean(0))))
    assert result.trace["node"][0] == np.argmin(diagonal)
    assert result.trace["conditional_variance"][0] == pytest.approx(
        1 / diagonal.min() / (300 - 1 - 6)
    )


@pytest.mark.parametrize("seed", range(3))
def test_large_sample_gives_the_graph(seed):
    drawn = sample(equal_variance_model(20, 30, seed), 20_000, seed)
    found = evaluate(LISTEN().fit(drawn.data).dag, drawn.truth, experimental=True)
    # The default penalty lets in a false parent now and then, never a wrong direction.
    assert found.M == found.R == 0
    assert found.FP <= 8
    strict = LISTEN(lam=0.05).fit(drawn.data)
    np.testing.assert_array_equal(strict.dag.adjacency, drawn.truth.adjacency)


def test_scale_of_the_user_decides():
    """The same correlations, with the variance on either side."""
    covariance = np.array([[1.0, 0.7], [0.7, 1.49]])
    forwards = LISTEN().fit(Dataset.from_covariance(covariance, 1000, ["a", "b"]))
    backwards = LISTEN().fit(
        Dataset.from_covariance(covariance * np.outer([3, 1], [3, 1]), 1000, ["a", "b"])
    )
    np.testing.assert_array_equal(forwards.dag.adjacency, [[False, True], [False, False]])
    np.testing.assert_array_equal(backwards.dag.adjacency, [[False, False], [True, False]])


def test_common_rescaling_and_relabelling_change_nothing():
    data = sample(equal_variance_model(15, 25, 2), 100, 2).data
    order = np.random.default_rng(0).permutation(15)
    plain = LISTEN().fit(data).dag.adjacency
    turned = LISTEN().fit(37.0 * data.values[:, order]).dag.adjacency
    np.testing.assert_array_equal(turned, plain[np.ix_(order, order)])
    assert plain.any()


def test_fewer_rows_than_columns():
    drawn = sample(equal_variance_model(60, 70, 5), 50, 5)
    result = LISTEN().fit(drawn.data)
    assert find_cycle(result.dag.adjacency) is None
    assert result.order.admits(result.dag.adjacency)
    assert evaluate(result.dag, drawn.truth).skeleton_recall > 0.5
    dense = LISTEN(lam=0.05).fit(drawn.data)
    assert find_cycle(dense.dag.adjacency) is None
    assert np.isfinite(dense.dag.coefficients).all()
    with pytest.raises(SettingsError, match="50 rows of 60 columns"):
        LISTEN(lam=0.0).fit(drawn.data)


def test_interventions_are_ignored_with_a_warning():
    rows = sample(equal_variance_model(6, 8, 0), 100, 0).data.values
    mask = np.zeros(rows.shape, bool)
    mask[:50, 0] = True
    with pytest.warns(DataWarning, match="makes no use of interventions"):
        result = LISTEN().fit(rows, interventions=mask)
    np.testing.assert_array_equal(result.dag.adjacency, LISTEN().fit(rows).dag.adjacency)


def test_time_limit_gives_a_dag_and_says_so():
    events = []
    data = sample(equal_variance_model(30, 40, 1), 60, 1).data
    result = LISTEN(time_limit=1e-6).fit(data, listener=events.append)
    assert result.stopped == "time limit"
    assert not result.converged
    assert find_cycle(result.dag.adjacency) is None
    assert sorted(result.order.nodes.tolist()) == list(range(30))
    assert events[-1].iteration == events[-1].total == 30


def test_same_answer_twice_and_data_untouched():
    rows = sample(equal_variance_model(10, 15, 6), 80, 6).data.values.copy()
    before = rows.copy()
    first, second = (learner("listen", random_state=s).fit(rows) for s in (1, 2))
    np.testing.assert_array_equal(rows, before)
    np.testing.assert_array_equal(first.order.nodes, second.order.nodes)
    np.testing.assert_array_equal(first.dag.coefficients, second.dag.coefficients)


@pytest.mark.parametrize("settings", [{"lam": -1.0}, {"gamma": 1.0}, {"tolerance": 0.0}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(SettingsError, match=next(iter(settings))):
        LISTEN(**settings)
