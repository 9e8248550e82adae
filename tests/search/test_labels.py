"""Labels mean nothing: with start, nodes and seeds mapped, the search takes the same steps.

Equivalent graphs tie, and among ties rounding decides. So both labellings get the same numbers: a
Gram matrix, and the same with its rows and columns exchanged. Sums over neighbours are still added
up in another order, so that a few steps out of a hundred may part at a tie, which ones depending on
the processor; the chains are then brought together again. (This is the law of the l0 score. A
column of a continuous penalty is swept by column number, and of several local minima of MCP or SCAD
the one that is found may depend on it.)
"""

import numpy as np
import pytest

from arcs.data import GramStatistics
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import Chain

#: Steps out of 120 that may part at a tie.
FEW = 4


class Pair:
    """The same problem under two labellings; ``new_label[old]`` tells one from the other."""

    def __init__(self, linear_rows, seed, p=30, n=300):
        covariance = np.corrcoef(linear_rows(n, p, seed), rowvar=False)
        rng = np.random.default_rng([seed, 1])
        old_label, start = rng.permutation(p), rng.permutation(p)
        self.new_label = np.argsort(old_label)
        names = [str(v) for v in range(p)]
        self.scores = [
            CholeskyScore(GramStatistics.from_covariance(matrix, n, names), Ebic(1.0))
            for matrix in (covariance, covariance[np.ix_(old_label, old_label)])
        ]
        self.start(start, seed)

    def start(self, order, seed):
        orders = order, self.new_label[order]
        self.one, self.other = (
            Chain(score, each, np.random.default_rng(seed))
            for score, each in zip(self.scores, orders, strict=True)
        )
        self.one.solve()
        self.other.solve()

    def agree(self):
        one, other, new_label = self.one, self.other, self.new_label
        tails, heads = np.nonzero(state_adjacency(one.state))
        relabelled = np.zeros((new_label.size, new_label.size), dtype=bool)
        relabelled[new_label[tails], new_label[heads]] = True
        return (
            other.energy == pytest.approx(one.energy, abs=1e-8)
            and other.best_energy == pytest.approx(one.best_energy, abs=1e-8)
            and np.array_equal(other.state.order, new_label[one.state.order])
            and np.array_equal(state_adjacency(other.state), relabelled)
        )


@pytest.mark.parametrize("seed", range(3))
def test_reinsertions_pulls_and_relocations(linear_rows, seed):
    pair = Pair(linear_rows, seed)
    rng = np.random.default_rng([seed, 2])
    queue = rng.permutation(pair.new_label.size)
    pair.one.descend(queue.tolist(), 10_000)
    pair.other.descend(pair.new_label[queue].tolist(), 10_000)
    parted = 0
    for nodes in rng.permutation(np.repeat(np.arange(pair.new_label.size), 4)).reshape(-1, 1):
        if not pair.agree():
            parted += 1
            pair.start(pair.one.state.order.copy(), [seed, parted])
        pair.one.steps(nodes, 400, 1.0)
        pair.other.steps(pair.new_label[nodes], 400, 1.0)
    assert parted <= FEW


def test_flips(linear_rows):
    pair = Pair(linear_rows, 0)
    temperatures = np.geomspace(10.0, 0.1, 500)
    np.testing.assert_allclose(
        pair.one.flips(temperatures, 4), pair.other.flips(temperatures, 4), atol=1e-8
    )
    assert pair.agree()
