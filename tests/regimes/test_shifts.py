"""Prices of free means, against regressions on the rows."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.regimes.shifts import ShiftPrices

P, K = 4, 3


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    labels = np.repeat([f"c{k}" for k in range(K)], [40, 30, 20])
    values = rng.normal(size=(90, P))
    values[40:70, 1] += 1.5
    values[:, 2] += 0.7 * values[:, 1]
    mask = np.zeros((90, P), dtype=bool)
    mask[70:, 3] = True
    return Dataset.from_array(values, conditions=labels, interventions=mask)


def brute_force(data, adjacency, shifts):
    """The total in nats, from least squares on rows."""
    total, counted = 0.0, data.condition_rows()
    price = 0.5 * np.log(counted + 7)
    for v in range(P):
        keep = ~data.interventions.mask[:, v]
        x, code = data.values[keep], data.conditions.code[keep]
        used = np.flatnonzero(shifts[:, v] & (counted[:, v] > 0))
        design = [np.ones(len(x)), *(code == r for r in used), *x[:, adjacency[:, v]].T]
        design = np.column_stack(design).astype(float)
        left = x[:, v] - design @ np.linalg.lstsq(design, x[:, v], rcond=None)[0]
        n = len(x)
        total += n / 2 * np.log(left @ left / n)
        total += adjacency[:, v].sum() * (0.5 * np.log(n) + np.log(P))
    full = (shifts | (counted == 0)).all(axis=1)
    for r in range(K):
        single = price[r] + np.log(P) + np.log(K)
        whole = price[r] * (counted[r] > 0)
        total += whole.sum() if full[r] else single[shifts[r] & (counted[r] > 0)].sum()
    if full.all():
        total -= max((price[r] * (counted[r] > 0)).sum() for r in range(K))
    return total


@pytest.mark.parametrize("policy", ["common", "one", "condition", "free"])
def test_totals_are_those_of_regressions_on_rows(data, policy):
    shifts = np.zeros((K, P), dtype=bool)
    if policy == "one":
        shifts[1, 1] = True
    elif policy == "condition":
        shifts[2] = True
    elif policy == "free":
        shifts[:] = True
    adjacency = np.zeros((P, P), dtype=bool)
    adjacency[1, 2] = adjacency[0, 2] = True
    prices = ShiftPrices(data)
    assert prices.total(adjacency, shifts) == pytest.approx(brute_force(data, adjacency, shifts))


def test_the_shift_is_found_where_it_acts(data):
    adjacency = np.zeros((P, P), dtype=bool)
    prices = ShiftPrices(data)
    assert np.argwhere(prices.choose(adjacency)).tolist() == [[1, 1], [1, 2]]
    adjacency[1, 2] = True
    assert np.argwhere(prices.choose(adjacency)).tolist() == [[1, 1]]


def test_many_single_shifts_are_dearer_than_a_free_condition(data):
    prices = ShiftPrices(data)
    shifts = np.zeros((K, P), dtype=bool)
    shifts[1, 0] = True
    assert not prices.cheaper_free(shifts).any()
    shifts[1] = True
    assert prices.cheaper_free(shifts).tolist() == [False, True, False]
