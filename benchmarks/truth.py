"""The score of the true DAG: what a search has to reach to count as solved."""

import numpy as np

from arcs.data import GramStatistics
from arcs.graphs import GaussianDag
from arcs.kernels.regression import residual_variance
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore

EBIC = 1.0


def true_score(statistics: GramStatistics, truth: GaussianDag) -> float:
    """The score of the true DAG, its coefficients estimated, at the search's price."""
    score = CholeskyScore(statistics, Ebic(EBIC))
    total = score.offset
    for v in range(statistics.p):
        parents = np.flatnonzero(truth.adjacency[:, v])
        k = parents.size
        share = residual_variance(
            statistics.kernel, v, parents, k, np.zeros((k + 1, k + 1)), np.zeros(k + 1)
        )
        total += statistics.n[v] / 2 * np.log(share) + score.edge_costs[v] * k
    return total
