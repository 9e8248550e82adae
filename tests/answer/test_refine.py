"""Algorithm 3 against partial correlations of the rows themselves."""

import numpy as np
import pytest
from scipy.stats import norm

from arcs.answer import refine
from arcs.data import Dataset
from arcs.errors import SettingsError


def p_value(rows, a, b, given):
    """Fisher's z of the correlation of residuals."""
    rows = rows - rows.mean(axis=0)
    given = list(given)

    def residual(j):
        beta = np.linalg.lstsq(rows[:, given], rows[:, j], rcond=None)[0]
        return rows[:, j] - rows[:, given] @ beta

    r = np.corrcoef(residual(a), residual(b))[0, 1]
    z = 0.5 * np.sqrt(len(rows) - len(given) - 3) * np.log((1 + r) / (1 - r))
    return 2 * norm.sf(abs(z))


def algorithm_3(adjacency, order, values, mask, level):
    """As in the paper: sequentially, the last parent in the sort first."""
    adjacency = adjacency.copy()
    for j in range(adjacency.shape[0]):
        rows = values[~mask[:, j]]
        parents = [k for k in order if adjacency[k, j]]
        for k in reversed(list(parents)):
            rest = [i for i in parents if i != k]
            if p_value(rows, j, k, rest) > level:
                parents.remove(k)
        adjacency[:, j] = False
        adjacency[parents, j] = True
    return adjacency


@pytest.mark.parametrize("level", [0.3, 0.05, 1e-3])
@pytest.mark.parametrize("seed", range(5))
def test_against_the_algorithm_on_rows(experiment, seed, level):
    values, mask = experiment(70, 7, seed, density=0.3)
    order = np.random.default_rng(seed).permutation(7)
    adjacency = np.zeros((7, 7), dtype=bool)
    position = np.argsort(order)
    adjacency[:] = position[:, None] < position[None, :]
    statistics = Dataset.of(values, interventions=mask).statistics()
    found = refine(adjacency, order, statistics, level)
    expected = algorithm_3(adjacency, order, values, mask, level)
    np.testing.assert_array_equal(found.adjacency, expected)
    assert 0 < expected.sum() < adjacency.sum()
    assert np.isfinite(found.p_values[adjacency]).all()
    assert np.isnan(found.p_values[~adjacency]).all()
    assert (found.p_values[found.adjacency] <= level).all()
    assert (found.p_values[adjacency & ~found.adjacency] > level).all()


def test_the_last_in_the_order_is_tested_first():
    """Of two near copies neither is needed beside the other: the one tested first must go."""
    rng = np.random.default_rng(0)
    cause = rng.normal(size=300)
    copy = cause + 0.05 * rng.normal(size=300)
    effect = cause + copy + rng.normal(size=300)
    statistics = Dataset.of(np.column_stack([cause, copy, effect])).statistics()
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[[0, 1], 2] = True
    for order, left in (([0, 1, 2], 0), ([1, 0, 2], 1)):
        found = refine(adjacency, order, statistics, 1e-3)
        assert np.flatnonzero(found.adjacency[:, 2]).tolist() == [left]


def test_only_rows_in_which_the_node_was_not_set_count(linear_rows):
    """Rows in which the effect was set say nothing of it: with them the edge looks absent."""
    rng = np.random.default_rng(1)
    cause = rng.normal(size=400)
    effect = 0.5 * cause + rng.normal(size=400)
    mask = np.zeros((400, 2), dtype=bool)
    mask[40:, 1] = True
    effect[40:] = 10 * rng.normal(size=360)
    adjacency = np.array([[False, True], [False, False]])
    data = np.column_stack([cause, effect])
    experimental = Dataset.of(data, interventions=mask).statistics()
    pooled = Dataset.of(data).statistics()
    order = np.array([0, 1])
    assert refine(adjacency, order, experimental, 0.05).adjacency[0, 1]
    assert not refine(adjacency, order, pooled, 0.05).adjacency[0, 1]


def test_the_input_is_left_alone_and_required_edges_stay(linear_rows):
    values = np.random.default_rng(2).normal(size=(50, 3))
    statistics = Dataset.of(values).statistics()
    adjacency = np.triu(np.ones((3, 3), dtype=bool), 1)
    required = np.zeros((3, 3), dtype=bool)
    required[0, 2] = True
    order = np.array([0, 1, 2])
    found = refine(adjacency, order, statistics, 1e-6, required=required)
    assert adjacency.sum() == 3
    np.testing.assert_array_equal(found.adjacency, required)


@pytest.mark.parametrize("level", [0.0, 1.0, -1, 2, np.nan])
def test_bad_levels_are_refused(linear_rows, level):
    statistics = Dataset.of(linear_rows(30, 2, 0)).statistics()
    with pytest.raises(SettingsError, match="level between 0 and 1"):
        refine(np.zeros((2, 2)), np.array([0, 1]), statistics, level)
