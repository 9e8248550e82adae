"""Deletions: gains from their definition, cliques from theirs."""

import itertools

import numpy as np
import pytest

from arcs.kernels.greedy_equivalence_deletions import delete_row, parents_but


@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize("seed", range(3))
def test_all_improving_deletions_are_listed_with_their_gains(
    worth, class_graph, operators, seed, kind
):
    price = 30.0
    evidence, gain_of = worth(kind, seed, price)
    rng = np.random.default_rng(seed)
    graph = class_graph(np.triu(rng.random((6, 6)) < 0.7, 1))
    for y in range(6):
        expected = {}
        for x in np.flatnonzero(graph.directed[:, y] | graph.undirected[:, y]).tolist():
            parents = [i for i in np.flatnonzero(graph.directed[:, y]).tolist() if i != x]
            pool = [c for c in np.flatnonzero(graph.undirected[:, y]) if graph.adjacent[c, x]]
            for size in range(len(pool) + 1):
                for clique in itertools.combinations(sorted(pool), size):
                    if all(graph.adjacent[a, b] for a, b in itertools.combinations(clique, 2)):
                        gain = -gain_of(y, [*parents, *clique], x)
                        if gain > 1e-7:
                            expected[x, clique] = gain
        found = operators(delete_row, evidence, graph, y, np.full(6, price))
        assert {(x, tuple(sorted(clique))) for _, x, clique in found} == set(expected)
        for gain, x, clique in found:
            assert gain == pytest.approx(expected[x, tuple(sorted(clique))], abs=1e-7)


def test_other_parents(class_graph):
    dag = np.zeros((4, 4), dtype=bool)
    dag[:3, 3] = True
    columns = np.empty(4, np.int64)
    count = parents_but(class_graph(dag), 3, 1, columns)
    assert sorted(columns[:count].tolist()) == [0, 2]
