"""Insertions: gains from their definition, cliques from theirs."""

import itertools

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.equivalence import neighbour_lists
from arcs.kernels.greedy_equivalence_insertions import insert_row
from arcs.kernels.greedy_equivalence_records import ClassGraph, Rules, empty_row


@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize("seed", range(3))
def test_all_improving_insertions_are_listed_with_their_gains(
    worth, class_graph, operators, seed, kind
):
    price = 2.0
    evidence, gain_of = worth(kind, seed, price)
    rng = np.random.default_rng(seed)
    graph = class_graph(np.triu(rng.random((6, 6)) < 0.4, 1))
    for y in range(6):
        parents = np.flatnonzero(graph.directed[:, y]).tolist()
        pool = np.flatnonzero(graph.undirected[:, y]).tolist()
        expected = {}
        for x in set(range(6)) - {y} - set(np.flatnonzero(graph.adjacent[y]).tolist()):
            needed = {c for c in pool if graph.adjacent[c, x]}
            for size in range(len(pool) + 1):
                for clique in itertools.combinations(pool, size):
                    pairs = itertools.combinations(clique, 2)
                    if needed <= set(clique) and all(graph.adjacent[a, b] for a, b in pairs):
                        gain = gain_of(y, [*parents, *clique], x)
                        if gain > 1e-7:
                            expected[x, clique] = gain
        found = operators(insert_row, evidence, graph, y, np.full(6, price))
        assert {(x, tuple(sorted(clique))) for _, x, clique in found} == set(expected)
        for gain, x, clique in found:
            assert gain == pytest.approx(expected[x, tuple(sorted(clique))], abs=1e-7)


def test_many_cliques_are_cut_short():
    """A saturated class of 20 nodes has 2^19 cliques at each node; only small ones are tried."""
    p = 20
    rows = np.random.default_rng(20).normal(size=(100, p + 1))
    statistics = Dataset.of(rows).statistics()
    skeleton = np.zeros((p + 1, p + 1), dtype=bool)
    skeleton[:p, :p] = ~np.eye(p, dtype=bool)
    graph = ClassGraph(np.zeros_like(skeleton), skeleton, skeleton, *neighbour_lists(skeleton))
    rules = Rules(np.full(p + 1, -1e5), np.full(p + 1, p), np.ones_like(skeleton))
    row = empty_row(0, 10_000, 0)
    insert_row(statistics.kernel, graph, rules, 0, row)
    sizes = np.diff(row.start[: row.size[1] + 1])
    assert len(sizes) == 1 + 19 + 171 + 969 + 3876  # cliques of up to 4 of 19 neighbours
    assert sizes.max() == 4
