"""From the best state to the graph."""

import numpy as np
import pytest

from arcs.answer import Finish, refine
from arcs.answer.prune import prune, prune_adaptively
from arcs.data import Dataset
from arcs.penalties import L0, MCP, Ebic
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import Chain, Pulls, run_chains


@pytest.fixture(scope="module")
def searched(linear_rows):
    def make(penalty, **known):
        statistics = Dataset.of(linear_rows(120, 8, 3, density=0.3)).statistics()
        chain = Chain(
            CholeskyScore(statistics, penalty, **known), np.arange(8), np.random.default_rng(0)
        )
        return run_chains([chain], Pulls(1), Watch())

    return make


def test_a_fixed_price(searched):
    best = searched(L0(0.2))
    answer = Finish(Ebic(1.5)).answer(best)
    costs = Ebic(1.5).costs(best.score.statistics.n, 8)
    expected = prune(best, costs)
    np.testing.assert_array_equal(answer.adjacency, expected)
    assert answer.adjacency.sum() < state_adjacency(best.best).sum()
    assert answer.level is None


def test_a_level_that_the_data_choose(searched):
    best = searched(Ebic(1.0))
    answer = Finish(Ebic(1.5), adaptive=True, relax=False).answer(best)
    costs = Ebic(1.5).costs(best.score.statistics.n, 8)
    expected = prune_adaptively(best, costs, relax=False)
    np.testing.assert_array_equal(answer.adjacency, expected.adjacency)
    assert answer.level == expected.level


def test_small_coefficients_of_a_continuous_penalty_are_cut(searched):
    best = searched(MCP(1.0, 2.0))
    everything = Finish(MCP(1.0, 2.0)).answer(best).adjacency
    np.testing.assert_array_equal(everything, state_adjacency(best.best))
    columns = best.best.columns
    sizes = np.zeros((8, 8))
    for v in range(8):
        k = columns.count[v]
        sizes[columns.parents[v, :k], v] = np.abs(columns.weight[v, :k]) / columns.diagonal[v]
    middle = np.median(sizes[everything])
    cut = Finish(MCP(1.0, 2.0), threshold=middle).answer(best).adjacency
    np.testing.assert_array_equal(cut, sizes > middle)


def test_tests_come_last_and_required_edges_stay(searched):
    required = np.zeros((8, 8), dtype=bool)
    required[0, 7] = True
    best = searched(Ebic(0.0), required=required)
    plain = Finish(Ebic(0.0)).answer(best)
    assert plain.adjacency[0, 7]
    tested = Finish(Ebic(0.0), refine=1e-12).answer(best)
    expected = refine(plain.adjacency, plain.order, best.score.statistics, 1e-12, required=required)
    np.testing.assert_array_equal(tested.adjacency, expected.adjacency)
    assert tested.adjacency[0, 7]
