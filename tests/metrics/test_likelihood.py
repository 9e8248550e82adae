"""Held-out likelihood against the multivariate normal density."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from arcs.data import Dataset
from arcs.errors import DataError
from arcs.graphs import DiscreteDag, GaussianDag
from arcs.metrics import held_out_log_likelihood
from arcs.simulate import random_dag, random_weights, sample, sample_experiments


@pytest.fixture
def dag():
    model = random_weights(random_dag(6, 9, 1), 2, noise_variance=(0.5, 2.0))
    return GaussianDag(
        model.coefficients, model.noise_variances, list("abcdef"), intercepts=np.arange(6.0)
    )


def test_observational_rows_have_the_joint_density(dag):
    values = sample(dag, 30, 0, shuffle=False).data.values
    mean = np.linalg.solve((np.eye(6) - dag.coefficients).T, dag.intercepts)
    expected = multivariate_normal(mean, dag.covariance()).logpdf(values).mean()
    assert held_out_log_likelihood(dag, values) == pytest.approx(expected)


def test_columns_of_a_dataset_are_matched_by_name(dag):
    simulated = sample(dag, 30, 0)
    assert simulated.data.names != dag.names
    plain = sample(dag, 30, 0, shuffle=False).data.values
    assert held_out_log_likelihood(dag, simulated.data) == pytest.approx(
        held_out_log_likelihood(dag, plain)
    )


def test_terms_of_intervened_nodes_are_left_out(dag):
    simulated = sample_experiments(dag, "each", 3, 0, n_observational=4, value=(50.0, 1.0))
    data, truth = simulated.data, simulated.truth
    total = 0.0
    for x, is_set in zip(data.values, data.interventions.mask, strict=True):
        for j in range(6):
            if not is_set[j]:
                mean = truth.intercepts[j] + x @ truth.coefficients[:, j]
                total += norm.logpdf(x[j], mean, np.sqrt(truth.noise_variances[j]))
    assert held_out_log_likelihood(dag, data) == pytest.approx(total / 22)


def test_truth_predicts_better_than_the_empty_graph(dag):
    values = sample(dag, 500, 3, shuffle=False).data.values
    empty = GaussianDag(
        np.zeros((6, 6)), values.var(axis=0), dag.names, intercepts=values.mean(axis=0)
    )
    fresh = sample(dag, 500, 4, shuffle=False).data.values
    assert held_out_log_likelihood(dag, fresh) > held_out_log_likelihood(empty, fresh) + 0.2


def test_bad_rows_are_refused(dag):
    with pytest.raises(DataError, match="rows of 6 values"):
        held_out_log_likelihood(dag, np.zeros((3, 5)))
    bad = np.zeros((2, 6))
    bad[1, 2] = np.nan
    with pytest.raises(DataError, match="row 1, column 'c'"):
        held_out_log_likelihood(dag, bad)
    values = np.random.default_rng(0).normal(size=(5, 6))
    with pytest.raises(DataError, match="1 of the model's 6 nodes"):
        held_out_log_likelihood(dag, Dataset.from_array(values, list("abcdeF")))
    with pytest.raises(DataError, match="sums only"):
        held_out_log_likelihood(dag, Dataset.from_covariance(np.eye(6), 10, list("abcdef")))


def test_networks_of_categories_are_sent_elsewhere():
    network = DiscreteDag([[0]], [["no", "yes"]], [[0.4, 0.6]], ["a"])
    with pytest.raises(DataError, match="Gaussian networks; of categories"):
        held_out_log_likelihood(network, np.zeros((2, 1)))
