"""Adjustment distances against effects computed from covariances."""

import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import Pdag
from arcs.graphs.equivalence import cpdag_of
from arcs.metrics import adjustment_distances
from arcs.simulate import random_dag, random_weights


def wrong_effects(estimate, model):
    """Pairs (i, j) whose effect, adjusted for the estimated parents of i, is not the true one.

    For random coefficients the numbers agree exactly where the graphs say so.
    """
    p = model.p
    total = np.linalg.inv(np.eye(p) - model.coefficients)
    covariance = model.covariance()
    wrong = 0
    for i in range(p):
        parents = np.flatnonzero(estimate[:, i])
        predictors = np.concatenate([[i], parents])
        inverse = np.linalg.inv(covariance[np.ix_(predictors, predictors)])
        for j in range(p):
            if j == i:
                continue
            if estimate[j, i]:
                claimed = 0.0
            else:
                claimed = (inverse @ covariance[predictors, j])[0]
            wrong += abs(claimed - total[i, j]) > 1e-8
    return wrong


@pytest.mark.parametrize("seed", range(10))
def test_sid_counts_wrong_effects(seed):
    truth = random_dag(9, 14, seed)
    estimate = random_dag(9, 14, seed + 40)
    model = random_weights(truth, seed)
    found = adjustment_distances(estimate, model.adjacency)
    assert found.sid == wrong_effects(estimate, model)
    assert found.parent_aid == found.sid
    assert found.n_pairs == 72


def test_true_graph_makes_no_mistake():
    truth = random_dag(12, 20, 0)
    found = adjustment_distances(truth, truth)
    assert (found.parent_aid, found.ancestor_aid, found.oset_aid, found.sid) == (0, 0, 0, 0)


def test_direction_matters():
    # 0 -> 1, estimated 1 -> 0: the effect of 0 on 1 is missed, that of 1 on 0 is made up.
    truth = np.array([[0, 1], [0, 0]], dtype=bool)
    assert adjustment_distances(truth.T, truth).sid == 2
    # The empty graph misses one effect: that of 0 on 1 is claimed to be the regression, which is
    # right, and that of 1 on 0 as well, which is wrong.
    empty = adjustment_distances(np.zeros((2, 2), dtype=bool), truth)
    assert empty.sid == 1
    assert empty.ancestor_aid == 1


def test_equivalent_graphs_up_to_equivalence():
    truth = random_dag(10, 12, 3)
    twin = cpdag_of(truth).consistent_dag()
    assert adjustment_distances(twin, truth, up_to_equivalence=True).parent_aid == 0
    assert adjustment_distances(twin, truth, up_to_equivalence=True).sid is None


def test_cpdag_estimates_are_accepted():
    truth = random_dag(10, 15, 5)
    found = adjustment_distances(cpdag_of(truth), truth)
    assert found.sid is None
    # Only effects that the class leaves open can be wrong.
    assert found.parent_aid >= (cpdag_of(truth).undirected.sum() // 2)


def test_graphs_without_meaning_are_refused():
    chain_half_directed = Pdag(
        np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool),
        np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=bool),
    )
    truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    with pytest.raises(GraphError, match="not the CPDAG of any DAG"):
        adjustment_distances(chain_half_directed, truth)


def test_as_dictionary():
    truth = random_dag(4, 3, 0)
    assert set(adjustment_distances(truth, truth).to_dict()) == {
        "parent_aid",
        "ancestor_aid",
        "oset_aid",
        "sid",
        "n_pairs",
    }
