"""The conditional Gaussian score: against densities written out, and laws."""

from itertools import combinations, permutations

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.mixed import MixedData
from arcs.errors import DataError
from arcs.scores.conditional import ConditionalScore
from arcs.simulate import mixed_table, random_dag


@pytest.fixture(scope="module")
def table():
    return mixed_table(random_dag(6, 7, 1), 300, 1, interacting=True).data


def joint(data, members, rows):
    """Log-likelihood of a set of variables, and its parameters."""
    values = np.asarray(data.values, dtype=float)
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    numbers = [j for j in members if data.levels[j] is None]
    categories = [j for j in members if data.levels[j] is not None]
    d, n, total = len(numbers), len(rows), 0.0
    cells = np.unique(values[np.ix_(rows, categories)], axis=0) if categories else [()]
    for cell in cells:
        own = rows[(values[np.ix_(rows, categories)] == cell).all(axis=1)] if categories else rows
        total += len(own) * np.log(len(own) / n)
        if numbers:
            x = scaled[np.ix_(own, numbers)]
            scatter = (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))
            covariance = (scatter + np.eye(d)) / (len(own) + 1)
            total -= len(own) / 2 * np.linalg.slogdet(covariance)[1]
    sizes = [np.unique(values[:, j]).size for j in categories]
    return total, np.prod(sizes, dtype=float) * (1 + d + d * (d + 1) / 2) - 1


def by_hand(data, v, parents, rows=None):
    rows = np.arange(data.n) if rows is None else rows

    def term(given):
        (both, more), (alone, less) = (joint(data, s, rows) for s in ([*given, v], [*given]))
        return alone - both + 0.5 * np.log(len(rows)) * (more - less)

    return term(parents) - term([]) + np.log(data.p) * len(parents)


def test_terms_equal_the_formula(table):
    score = ConditionalScore(table)
    for v in range(6):
        for size in range(4):
            for parents in combinations(sorted({*range(6)} - {v}), size):
                assert score.node(v, parents) == pytest.approx(by_hand(table, v, parents), abs=1e-8)


def test_the_order_of_parents_does_not_show(table):
    score = ConditionalScore(table)
    for parents in combinations(range(1, 6), 3):
        terms = {score.node(0, order) for order in permutations(parents)}
        assert len(terms) == 1


def test_equivalent_graphs_have_equal_scores(table):
    score = ConditionalScore(table)
    for a, b, c in permutations(range(6), 3):
        chain = score.node(b, [a]) + score.node(c, [b])
        fork = score.node(a, [b]) + score.node(c, [b])
        assert chain == pytest.approx(fork, abs=1e-8)
        full = score.node(b, [a]) + score.node(c, [a, b])
        turned = score.node(b, [c]) + score.node(a, [b, c])
        assert full == pytest.approx(turned, abs=1e-8)


def test_units_levels_columns_and_rows_do_not_show(table):
    rng = np.random.default_rng(0)
    order = rng.permutation(6)
    values = np.asarray(table.values).copy()
    for j, own in enumerate(table.levels):
        if own is None:
            values[:, j] = 1000 * values[:, j] + 7
        else:
            values[:, j] = rng.permutation(len(own))[values[:, j].astype(int)]
    names = [table.names[j] for j in order]
    levels = tuple(table.levels[j] for j in order)
    other = Dataset(names, values=values[rng.permutation(300)][:, order], levels=levels)
    score, moved = ConditionalScore(table), ConditionalScore(other)
    for v in range(6):
        for parents in combinations(sorted({*range(6)} - {v}), 2):
            again = moved.node(names.index(table.names[v]), [list(order).index(u) for u in parents])
            assert again == pytest.approx(score.node(v, parents), abs=1e-6)


def test_rows_in_which_a_node_was_set_are_left_out_of_its_own_term(table):
    was_set = np.zeros((300, 6), bool)
    was_set[:100, 2] = True
    score, plain = ConditionalScore(table, was_set), ConditionalScore(table)
    expected = by_hand(table, 2, [0, 4], np.arange(100, 300))
    assert score.node(2, [0, 4]) == pytest.approx(expected, abs=1e-8)
    assert score.node(0, [2, 4]) == plain.node(0, [2, 4])


def test_what_is_paid_is_the_price_of_the_parameters(table):
    adjacency = np.triu(np.ones((6, 6), bool), 1)
    score = ConditionalScore(table, gamma=0.0)
    rows = np.arange(300)
    more = sum(
        joint(table, range(v + 1), rows)[1] - joint(table, range(v), rows)[1] for v in range(6)
    ) - sum(joint(table, [v], rows)[1] for v in range(6))
    paid = score.prices(adjacency)
    assert paid["parameters"] == pytest.approx(more)
    assert paid["price"] == pytest.approx(more * 0.5 * np.log(300))
    lost = score.strengths(adjacency)
    assert lost[0, 1] == pytest.approx(score.node(1, []) - score.node(1, [0]))
    assert not lost[~adjacency].any()


def test_what_cannot_be_scored_is_refused():
    values = np.column_stack([np.arange(400) % 300, np.arange(400) / 7.0])
    levels = (tuple(f"l{k}" for k in range(300)), None)
    wide = Dataset(["id", "x"], values=values, levels=levels)
    with pytest.raises(DataError, match=r"column 'id' has 300 levels; at most 255"):
        ConditionalScore(wide).problem  # noqa: B018
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.integers(0, 2, 50), rng.normal(size=50)])
    rows = Dataset.of(values, names=["a", "x"], adjust=rng.normal(size=(50, 1)), discrete=["a"])
    with pytest.raises(DataError, match="adjust: covariates are regressed out"):
        ConditionalScore(MixedData.of(rows).dataset).problem  # noqa: B018
