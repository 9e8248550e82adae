"""Deletions: gains from their definition, cliques from theirs."""

import itertools

import numpy as np
import pytest

from arcs.kernels.greedy_equivalence_deletions import delete_row, parents_but, without_and_with


@pytest.mark.parametrize("seed", range(3))
def test_all_improving_deletions_are_listed_with_their_gains(
    gram_statistics, share, class_graph, operators, seed
):
    statistics = gram_statistics(seed=seed)
    rng = np.random.default_rng(seed)
    graph = class_graph(np.triu(rng.random((6, 6)) < 0.7, 1))
    price = 30.0
    for y in range(6):
        expected = {}
        for x in np.flatnonzero(graph.directed[:, y] | graph.undirected[:, y]).tolist():
            parents = [i for i in np.flatnonzero(graph.directed[:, y]).tolist() if i != x]
            pool = [c for c in np.flatnonzero(graph.undirected[:, y]) if graph.adjacent[c, x]]
            for size in range(len(pool) + 1):
                for clique in itertools.combinations(sorted(pool), size):
                    if all(graph.adjacent[a, b] for a, b in itertools.combinations(clique, 2)):
                        given = [*parents, *clique]
                        rise = share(statistics, y, given) / share(statistics, y, [*given, x])
                        gain = price - statistics.n[y] * np.log(rise)
                        if gain > 1e-7:
                            expected[x, clique] = gain
        found = operators(delete_row, statistics, graph, y, np.full(6, price))
        assert {(x, tuple(sorted(clique))) for _, x, clique in found} == set(expected)
        for gain, x, clique in found:
            assert gain == pytest.approx(expected[x, tuple(sorted(clique))], abs=1e-7)


def test_residuals_without_and_with_one_more(gram_statistics, share):
    statistics = gram_statistics()
    columns, room = np.array([1, 2, 0]), (np.empty((3, 3)), np.empty(3))
    without, within = without_and_with(statistics.kernel, 5, columns, 2, 4, *room)
    assert without == pytest.approx(share(statistics, 5, [1, 2]))
    assert within == pytest.approx(share(statistics, 5, [1, 2, 4]))


def test_other_parents(class_graph):
    dag = np.zeros((4, 4), dtype=bool)
    dag[:3, 3] = True
    columns = np.empty(4, np.int64)
    count = parents_but(class_graph(dag), 3, 1, columns)
    assert sorted(columns[:count].tolist()) == [0, 2]
