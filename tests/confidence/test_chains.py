"""Agreement of chains."""

import numpy as np
import pytest

from arcs.confidence import chain_agreement
from arcs.errors import DataError, SettingsError
from arcs.learners import learner


def test_chains_of_an_easy_problem_agree(simulated):
    found = chain_agreement(simulated.data, 4)
    assert found.n_chains == 4
    assert found.largest_group() == 1.0
    assert found.score_range() < 1e-6
    assert set(np.unique(found.skeleton)) <= {0.0, 1.0}
    assert "4 chains, 100%" in repr(found)


def test_searches_that_stop_at_once_disagree(simulated):
    model = learner("arcs", search="none", ebic=0.0, final_ebic=0.0, n_chains=3)
    found = chain_agreement(simulated.data, 5, model, random_state=1)
    assert found.n_chains == 5
    assert found.score_range() > 0
    assert found.largest_group() < 1
    np.testing.assert_array_equal(found.distances, found.distances.T)
    assert (np.diag(found.distances) == 0).all()
    assert found.distances.max() <= 15


def test_scores_and_edges_are_those_of_single_fits(simulated):
    model = learner("arcs", search="none")
    found = chain_agreement(simulated.data, 3, model, random_state=7)
    edges = np.zeros((6, 6))
    for stream, score in zip(np.random.SeedSequence(7).spawn(3), found.scores, strict=True):
        seed = int(np.random.default_rng(stream).integers(2**31 - 1))
        result = learner("arcs", search="none", random_state=seed).fit(simulated.data)
        assert result.score == pytest.approx(score)
        edges += result.dag.adjacency
    np.testing.assert_allclose(found.edges, edges / 3)


def test_resumes(simulated, tmp_path):
    path = tmp_path / "chains.npz"
    model = learner("arcs", search="none")
    chain_agreement(simulated.data, 2, model, checkpoint=path)
    more = chain_agreement(simulated.data, 4, model, checkpoint=path, resume=True)
    whole = chain_agreement(simulated.data, 4, model)
    np.testing.assert_array_equal(more.scores, whole.scores)
    np.testing.assert_array_equal(more.edges, whole.edges)


def test_attach_and_refusals(simulated):
    found = chain_agreement((np.eye(6), 50), 2)
    with pytest.raises(DataError, match="other variables"):
        found.attach(learner("hc").fit(simulated.data))
    agreed = chain_agreement(simulated.data, 2)
    told = agreed.attach(learner("hc").fit(simulated.data))
    np.testing.assert_array_equal(told.edge_values["agreement"], agreed.skeleton)
    with pytest.raises(SettingsError, match="n_chains"):
        chain_agreement(simulated.data, 0)
