"""Local statistics: the same regressions as from the whole, in and out of files."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.local import LocalStatistics
from arcs.errors import GraphError
from arcs.scores import fit_dag


@pytest.fixture
def whole(experiment):
    values, mask = experiment(80, 6, 3)
    return Dataset.of(values, interventions=mask).statistics()


@pytest.fixture
def candidates():
    rng = np.random.default_rng(1)
    return np.triu(rng.random((6, 6)) < 0.6, 1)


def test_regressions_are_those_of_the_whole(whole, candidates):
    local = LocalStatistics.of(whole, candidates)
    back = LocalStatistics.from_arrays(local.arrays(), whole.names, whole.n_rows, whole.targets)
    assert local.covers(candidates)
    assert not local.covers(candidates.T)
    for adjacency in (candidates, np.triu(candidates, 2), np.zeros((6, 6), bool)):
        expected = fit_dag(adjacency, whole)
        for statistics in (local, back):
            found = fit_dag(adjacency, statistics)
            np.testing.assert_allclose(found.dag.coefficients, expected.dag.coefficients)
            np.testing.assert_allclose(found.dag.standard_errors, expected.dag.standard_errors)
            np.testing.assert_allclose(found.dag.noise_variances, expected.dag.noise_variances)
            assert found.log_likelihood == pytest.approx(expected.log_likelihood)


def test_who_was_no_candidate_is_refused(whole, candidates):
    local = LocalStatistics.of(whole, candidates)
    with pytest.raises(GraphError, match="never a candidate"):
        fit_dag(candidates.T, local)


def test_arrays_that_do_not_fit_are_refused(whole, candidates):
    arrays = LocalStatistics.of(whole, candidates).arrays()
    for change in (
        {"grams": arrays["grams"][:-1]},
        {"members": arrays["members"] + 1},
        {"n": arrays["n"][:-1]},
        {"start": arrays["start"][:-1]},
        {"norms": arrays["norms"][:-1]},
    ):
        with pytest.raises(GraphError, match="fit together"):
            LocalStatistics.from_arrays({**arrays, **change}, whole.names, 80, whole.targets)
