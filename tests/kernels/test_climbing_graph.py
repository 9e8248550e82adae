"""The graph of a hill climb: descendants and keys from their definitions."""

import numpy as np
import pytest

from arcs.kernels.climbing_graph import (
    edge_key,
    initial_state,
    parents_of,
    reaches,
    refresh_descendants,
)


@pytest.mark.parametrize("p", [5, 70])
def test_descendants_are_what_paths_lead_to(p):
    rng = np.random.default_rng(p)
    order = rng.permutation(p)
    adjacency = np.triu(rng.random((p, p)) < 3 / p, 1)[np.ix_(order, order)]
    state = initial_state(np.ones((p, p), dtype=bool), np.full(p, p))
    refresh_descendants(adjacency, adjacency.sum(axis=0), state.descendants)
    paths = np.linalg.matrix_power(adjacency.astype(float) + np.eye(p), p) > 0
    for i in range(p):
        found = [bool(reaches(state.descendants, i, j)) for j in range(p)]
        np.testing.assert_array_equal(found, paths[i] & (np.arange(p) != i))


def test_parents_are_listed():
    adjacency = np.zeros((5, 5), dtype=bool)
    adjacency[[0, 3, 4], 2] = True
    out = np.empty(5, np.int64)
    assert parents_of(adjacency, 2, out) == 3
    assert out[:3].tolist() == [0, 3, 4]
    assert parents_of(adjacency, 0, out) == 0


def test_keys_tell_edges_and_sets_of_edges_apart():
    keys = {(i, j): int(edge_key(i, j, 8)) for i in range(8) for j in range(8) if i != j}
    assert len(set(keys.values())) == len(keys)
    pairs = {a ^ b for a in keys.values() for b in keys.values() if a < b}
    assert len(pairs) == len(keys) * (len(keys) - 1) // 2
