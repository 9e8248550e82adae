"""Turns: their gains are differences of scores of DAGs that differ by one turned edge."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.greedy_equivalence_steps import TURN, after_operator, path_exists
from arcs.kernels.greedy_equivalence_turns import turn_row
from arcs.kernels.orientation import nearest_extension_kernel
from arcs.scores import GaussianBic


@pytest.mark.parametrize(
    ("kind", "seed"), [(None, 0), (None, 1), (None, 2), (None, 3), ("bic", 1), ("bdeu", 2)]
)
def test_gains_are_differences_of_scores(
    linear_rows, category_score, class_graph, operators, seed, kind
):
    if kind is None:
        statistics = Dataset.of(linear_rows(90, 6, seed)).statistics()
        score = GaussianBic(statistics, 0.5)
        price = 0.5 * np.log(statistics.n)
    else:
        score, price = category_score(seed, kind, observed=True), np.zeros(6)
    rng = np.random.default_rng(seed)
    graph = class_graph(np.triu(rng.random((6, 6)) < 0.5, 1))
    before = score.total(nearest_extension_kernel(graph.directed, graph.undirected))
    turned = 0
    for y in range(6):
        for gain, x, clique in operators(turn_row, score, graph, y, price):
            assert graph.directed[y, x] or graph.undirected[x, y]
            members = np.array(clique, dtype=np.int64)
            if path_exists(graph, TURN, x, y, members, np.zeros(6, dtype=bool)):
                continue
            known = np.zeros((6, 6), dtype=bool)
            new, valid = after_operator(graph, known, TURN, x, y, members)
            assert valid
            np.testing.assert_array_equal(new.adjacent, graph.adjacent)
            after = score.total(nearest_extension_kernel(new.directed, new.undirected))
            assert gain == pytest.approx(after - before, abs=1e-6)
            turned += 1
    assert turned > 0
