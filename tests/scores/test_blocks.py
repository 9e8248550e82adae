"""The score of mixed tables: against linear algebra, and laws."""

from itertools import combinations

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import DataError
from arcs.scores.blocks import Blocks, BlockScore
from arcs.simulate import mixed_table, random_dag


@pytest.fixture(scope="module")
def table():
    return mixed_table(random_dag(6, 7, 1), 300, 1).data


def by_hand(data, v, parents, rows=slice(None)):
    """n / 2 times the change of log det of the residual covariance, and the price."""
    parts = []
    for j, own in enumerate(data.levels):
        x = data.values[rows, j]
        parts.append(x[:, None] if own is None else x[:, None] == np.unique(data.values[:, j])[1:])
    own = parts[v] - parts[v].mean(axis=0)
    n, left, k = len(own), own, 0
    if parents:
        others = np.hstack([parts[u] for u in parents]).astype(float)
        others -= others.mean(axis=0)
        left, k = own - others @ np.linalg.lstsq(others, own, rcond=None)[0], others.shape[1]
    gain = np.linalg.slogdet(left.T @ left)[1] - np.linalg.slogdet(own.T @ own)[1]
    return n / 2 * gain + 0.5 * np.log(n) * k * own.shape[1] + np.log(data.p) * len(parents)


def test_terms_equal_the_formula(table):
    score = BlockScore(Blocks.of(table))
    for v in range(6):
        for size in range(4):
            for parents in combinations(sorted({*range(6)} - {v}), size):
                assert score.node(v, parents) == pytest.approx(by_hand(table, v, parents), abs=1e-8)


def test_units_levels_and_rows_of_experiments(table):
    score = BlockScore(Blocks.of(table))
    values = table.values.copy()
    number = next(j for j, own in enumerate(table.levels) if own is None)
    category = next(j for j, own in enumerate(table.levels) if own is not None)
    values[:, number] = 1000 * values[:, number] + 7
    values[:, category] = len(table.levels[category]) - 1 - values[:, category]
    other = BlockScore(Blocks.of(Dataset(table.names, values=values, levels=table.levels)))
    for v in (number, category, 5):
        parents = [u for u in (number, category) if u != v]
        assert other.node(v, parents) == pytest.approx(score.node(v, parents), abs=1e-6)
    labels = [table.names[category]] * 100 + ["control"] * 200
    from arcs.data.design import recognise_design

    design = recognise_design(labels, table.names, 300)
    setting = Dataset(table.names, values=table.values, levels=table.levels, interventions=design)
    known = BlockScore(Blocks.of(setting))
    expected = by_hand(table, category, [number], slice(100, None))
    assert known.node(category, [number]) == pytest.approx(expected, abs=1e-6)
    assert known.node(number, [category]) == pytest.approx(score.node(number, [category]))


def test_more_levels_than_there_is_room_for_are_refused():
    """They would have an infinite score, alone or with parents that are required."""
    codes = np.column_stack([np.arange(120) % 100, np.arange(120) % 60, np.arange(120) % 50])
    levels = tuple(tuple(f"l{k}" for k in range(n)) for n in (100, 60, 50))
    with pytest.raises(DataError, match=r"column 'id' has 100 levels; beside numbers at most 97"):
        Blocks.of(Dataset(["id", "b"], values=codes[:, :2].astype(float), levels=levels[:2]))
    both = Dataset(["b", "c"], values=codes[:, 1:].astype(float), levels=levels[1:])
    blocks, required = Blocks.of(both), np.array([[False, True], [False, False]])
    with pytest.raises(DataError, match="108 levels of a variable and its required parents"):
        BlockScore(blocks, required=required)
    assert np.isinf(BlockScore(blocks).node(1, [0]))
