"""A chain that has searched for a while, and ways to look at it."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.regression import residual_variance
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls


@pytest.fixture
def searched(experiment):
    values, mask = experiment(120, 14, 3)
    score = CholeskyScore(Dataset.of(values, interventions=mask).statistics(), 1.0)
    chain = Chain(score, np.arange(14), np.random.default_rng(0))
    for _ in Pulls(patience=1, n_iter=60).slices(chain):
        pass
    return chain


@pytest.fixture(scope="session")
def with_parents():
    """A function ``(chain, parents)`` that makes these the parents, and nobody else."""

    def make(chain, parents):
        columns = chain.state.columns
        columns.count[:] = 0
        for node, of_node in parents.items():
            columns.count[node] = len(of_node)
            columns.parents[node, : len(of_node)] = of_node

    return make


@pytest.fixture(scope="session")
def own_score():
    """A function ``(chain, v, parents)``: the score of one node, from its definition."""

    def make(chain, v, parents):
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

    return make
