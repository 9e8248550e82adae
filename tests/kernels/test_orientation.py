"""Orienting graphs whose statements contradict each other."""

import itertools

import numpy as np

from arcs.graphs.topology import find_cycle
from arcs.kernels.equivalence import cpdag_kernel
from arcs.kernels.orientation import nearest_extension_kernel, orient_colliders_inplace


def lines(p, pairs):
    matrix = np.zeros((p, p), dtype=bool)
    for a, b in pairs:
        matrix[a, b] = matrix[b, a] = True
    return matrix


def test_earlier_triples_win_and_conflicts_are_counted():
    directed, undirected = np.zeros((4, 4), dtype=bool), lines(4, [(0, 1), (1, 2), (2, 3)])
    triples = np.array([[0, 1, 2], [1, 2, 3]])
    assert orient_colliders_inplace(directed, undirected, triples) == 1
    assert sorted(zip(*np.nonzero(directed), strict=True)) == [(0, 1), (2, 1)]
    assert undirected[2, 3]
    assert not undirected[0, 1]


def test_colliders_never_close_a_cycle():
    rng = np.random.default_rng(0)
    for _ in range(100):
        undirected = ~np.eye(5, dtype=bool)
        directed = np.zeros((5, 5), dtype=bool)
        triples = np.array([rng.permutation(5)[:3] for _ in range(6)])
        passed_over = orient_colliders_inplace(directed, undirected, triples)
        assert find_cycle(directed) is None
        assert 0 <= passed_over < 6


def colliders(dag):
    joined = dag | dag.T
    return sum(
        1
        for c in range(len(dag))
        for a, b in itertools.combinations(np.flatnonzero(dag[:, c]), 2)
        if not joined[a, b]
    )


def test_extensions_keep_skeleton_and_arrows_and_are_members_of_classes():
    rng = np.random.default_rng(1)
    for _ in range(60):
        dag = np.triu(rng.random((6, 6)) < 0.5, 1)
        directed, undirected = cpdag_kernel(dag)
        found = nearest_extension_kernel(directed, undirected)
        assert find_cycle(found) is None
        np.testing.assert_array_equal(found | found.T, dag | dag.T)
        assert not (directed & ~found).any()
        assert colliders(found) == colliders(dag)


def test_a_square_of_lines_gets_the_one_collider_that_it_needs():
    square = lines(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    found = nearest_extension_kernel(np.zeros_like(square), square)
    assert find_cycle(found) is None
    np.testing.assert_array_equal(found | found.T, square)
    assert colliders(found) == 1
