"""Subsets in lexicographic order, against itertools."""

import itertools

import numpy as np
import pytest

from arcs.kernels.subsets import first_subset, next_subset, nonzero_among


@pytest.mark.parametrize(("m", "k"), [(5, 0), (5, 1), (5, 3), (5, 5), (1, 1), (0, 0)])
def test_all_subsets_in_order(m, k):
    positions, found, more = first_subset(k), [], True
    while more:
        found.append(tuple(positions.tolist()))
        more = next_subset(positions, m)
    assert found == list(itertools.combinations(range(m), k))


def test_nodes_with_a_weight():
    nodes, weights = np.array([4, 1, 3, 0]), np.array([0.5, 0.0, 1.0, -2.0, 0.0])
    out = np.empty(4, np.int64)
    assert nonzero_among(nodes, 4, weights, out) == 2
    assert out[:2].tolist() == [3, 0]
    assert nonzero_among(nodes, 2, weights, out) == 0
