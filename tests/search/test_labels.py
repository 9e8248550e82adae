"""Labels mean nothing: with start, nodes and seeds mapped, the search takes the same steps.

Equivalent graphs tie, and among ties rounding decides. So both labellings get the same numbers: a
Gram matrix, and the same with its rows and columns exchanged. (This is the law of the l0 score. A
column of a continuous penalty is swept by column number, and of several local minima of MCP or SCAD
the one that is found may depend on it.)
"""

import numpy as np
import pytest

from arcs.data import GramStatistics
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import Chain


def two_chains(linear_rows, seed, p=30, n=300):
    """The same problem under two labellings, and the new label of every old one."""
    covariance = np.corrcoef(linear_rows(n, p, seed), rowvar=False)
    rng = np.random.default_rng([seed, 1])
    old_label, start = rng.permutation(p), rng.permutation(p)
    new_label = np.argsort(old_label)
    chains = []
    for matrix, order in (
        (covariance, start),
        (covariance[np.ix_(old_label, old_label)], new_label[start]),
    ):
        statistics = GramStatistics.from_covariance(matrix, n, [str(v) for v in range(p)])
        score = CholeskyScore(statistics, Ebic(1.0))
        chains.append(Chain(score, order, np.random.default_rng(seed)))
        chains[-1].solve()
    return *chains, new_label


def assert_same_but_for_labels(one, other, new_label):
    assert other.energy == pytest.approx(one.energy, abs=1e-8)
    assert other.best_energy == pytest.approx(one.best_energy, abs=1e-8)
    np.testing.assert_array_equal(other.state.order, new_label[one.state.order])
    tails, heads = np.nonzero(state_adjacency(one.state))
    relabelled = np.zeros((new_label.size, new_label.size), dtype=bool)
    relabelled[new_label[tails], new_label[heads]] = True
    np.testing.assert_array_equal(state_adjacency(other.state), relabelled)


@pytest.mark.parametrize("seed", range(3))
def test_reinsertions_pulls_and_relocations(linear_rows, seed):
    one, other, new_label = two_chains(linear_rows, seed)
    rng = np.random.default_rng([seed, 2])
    queue = rng.permutation(new_label.size)
    one.descend(queue.tolist(), 10_000)
    other.descend(new_label[queue].tolist(), 10_000)
    assert_same_but_for_labels(one, other, new_label)
    for nodes in rng.permutation(np.repeat(np.arange(new_label.size), 4)).reshape(-1, 1):
        one.steps(nodes, 400, 1.0)
        other.steps(new_label[nodes], 400, 1.0)
        assert_same_but_for_labels(one, other, new_label)


def test_flips(linear_rows):
    one, other, new_label = two_chains(linear_rows, 0)
    temperatures = np.geomspace(10.0, 0.1, 500)
    np.testing.assert_allclose(one.flips(temperatures, 4), other.flips(temperatures, 4), atol=1e-8)
    assert_same_but_for_labels(one, other, new_label)
