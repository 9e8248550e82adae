"""The G test against SciPy, table by table."""

import numpy as np
import pytest
from scipy import stats

from arcs.data.categorical import CategoricalTable
from arcs.kernels.fisher_z import condition_room, dependence, prepare_condition
from arcs.kernels.g_test import g_statistic, log_tail
from arcs.scores.g_test import rows_for_tests


@pytest.mark.parametrize("degrees", [1, 2, 7, 60, 1000, 30_000])
def test_tails_are_those_of_chi_squared(degrees):
    points = stats.chi2.isf([1 - 1e-9, 0.9, 0.5, 1e-3, 1e-12, 1e-200], degrees)
    for x in points:
        assert log_tail(x, float(degrees)) == pytest.approx(
            stats.chi2.logsf(x, degrees), rel=1e-8, abs=1e-11
        )
    assert log_tail(0.0, 3.0) == 0.0


def test_tails_do_not_run_out_of_digits():
    """One degree: twice the normal tail at 60 standard deviations."""
    expected = np.log(2) + stats.norm.logsf(60.0)
    assert log_tail(3600.0, 1.0) == pytest.approx(expected, rel=1e-12)


def drawn(seed, n=120):
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 4, 3, 2]
    codes = np.column_stack([rng.integers(0, size, n) for size in sizes])
    codes[:, 2] = np.where(rng.random(n) < 0.5, codes[:, 1], codes[:, 2])
    was_set = np.zeros(codes.shape, bool)
    was_set[:30, 2] = True
    levels = tuple(tuple(str(k) for k in range(size)) for size in sizes)
    return CategoricalTable(tuple("abcde"), levels, codes, was_set, ((), (2,)), np.zeros(5, bool))


def by_scipy(codes, a, b, given):
    """Sum over configurations, each with the levels that occur in it."""
    total, degrees = 0.0, 0
    configurations = np.unique(codes[:, given], axis=0) if given else [[]]
    for values in configurations:
        rows = codes[(codes[:, given] == values).all(axis=1)] if given else codes
        table = stats.contingency.crosstab(rows[:, a], rows[:, b]).count
        found = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        total, degrees = total + found.statistic, degrees + found.dof
    return total, degrees


@pytest.mark.parametrize("given", [[], [1], [3, 0], [0, 1, 3]])
@pytest.mark.parametrize("node", [0, 2])
def test_the_statistic_and_its_degrees_of_freedom(given, node):
    table = drawn(len(given))
    rows = rows_for_tests(table)
    counted = table.codes[~table.was_set[:, node]]
    room = condition_room(rows, len(given))
    condition = prepare_condition(rows, node, 2, np.array(given, np.int64), room)
    for b in (4, *({0, 1, 3} - set(given))):
        g, degrees = g_statistic(rows, node, 2, b, condition.configurations)
        expected = by_scipy(counted, 2, b, given)
        assert (g, degrees) == (pytest.approx(expected[0], abs=1e-9), expected[1])
        tail = stats.chi2.logsf(*expected)
        assert dependence(rows, condition, b) == pytest.approx(-tail, abs=1e-8)


def test_many_configurations_and_levels_that_do_not_occur():
    """More configurations than rows, which are numbered as they occur."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30, (50, 5))
    levels = tuple(tuple(str(k) for k in range(40)) for _ in range(5))
    table = CategoricalTable(tuple("abcde"), levels, codes, None, ((),), np.zeros(5, bool))
    rows = rows_for_tests(table)
    for given in ([], [2], [2, 3, 4]):
        condition = prepare_condition(rows, 0, 0, np.array(given, np.int64), len(given))
        found = g_statistic(rows, 0, 0, 1, condition.configurations)
        expected = by_scipy(codes, 0, 1, given)
        assert found == (pytest.approx(expected[0], abs=1e-8), expected[1])
    assert found[1] == 0
    assert dependence(rows, condition, 1) == 0.0
