"""What a pass tries, and what columns remember of useless candidates."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.regression import residual_variance
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls
from arcs.search.strategies import _nodes_of_a_pass


@pytest.fixture
def searched(experiment):
    values, mask = experiment(120, 14, 3)
    score = CholeskyScore(Dataset.of(values, interventions=mask).statistics(), 1.0)
    chain = Chain(score, np.arange(14), np.random.default_rng(0))
    for _ in Pulls(patience=1, n_iter=60).slices(chain):
        pass
    return chain


def test_heads_of_triangles_are_tried_once_more_for_each(searched):
    columns = searched.state.columns
    columns.count[:] = 0
    # 0 heads 0 -> 1 -> 2 and 0 -> 1 -> 3; 4 -> 5, 4 -> 6 are not adjacent.
    for node, parents in {1: [0], 2: [0, 1], 3: [1, 0], 5: [4], 6: [4]}.items():
        columns.count[node] = len(parents)
        columns.parents[node, : len(parents)] = parents
    times = np.bincount(_nodes_of_a_pass(searched), minlength=14)
    assert times.tolist() == [3] + [1] * 13


def own_score(chain, v, parents):
    k = len(parents)
    statistics = chain.score.statistics
    share = residual_variance(
        statistics.kernel,
        v,
        np.array(parents, dtype=np.int64),
        k,
        np.zeros((k + 1, k + 1)),
        np.zeros(k + 1),
    )
    return statistics.n[v] / 2 * np.log(share) + chain.score.edge_costs[v] * k


def test_a_candidate_that_is_called_useless_does_not_help_alone(searched):
    """A mark that outlived its column would show here: nearly every edge was useless once."""
    work, columns = searched.work, searched.state.columns
    marked = 0
    for v, u in np.argwhere(work.useless == work.version):
        parents = columns.parents[u, : columns.count[u]].tolist()
        if v != u and v not in parents:
            marked += 1
            gained = own_score(searched, u, [*parents, int(v)])
            assert gained >= own_score(searched, u, parents) - 1e-6
    assert marked > 20


def test_a_revived_chain_remembers_as_much(searched):
    work = searched.work
    known = work.useless == work.version
    revived = Chain(searched.score, np.arange(14), np.random.default_rng(1))
    revived.restore(searched.snapshot())
    np.testing.assert_array_equal(revived.work.useless == revived.work.version, known)
    assert known.any()
    assert not known.all()
