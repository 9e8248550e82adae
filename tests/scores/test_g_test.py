"""The G test of a table, as Python calls it."""

import numpy as np
import pytest
from scipy import stats

from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.scores.g_test import g_test, rows_for_tests


def test_a_table_of_two_columns_is_scipys():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (200, 3))
    codes[:, 1] = np.where(rng.random(200) < 0.2, codes[:, 0], codes[:, 1])
    rows = rows_for_tests(CategoricalTable.of(Dataset.of(codes, discrete="all")))
    table = stats.contingency.crosstab(codes[:, 0], codes[:, 1]).count
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    g, degrees, p_value = g_test(rows, 0, 0, 1)
    assert (g, degrees) == (pytest.approx(expected.statistic), expected.dof)
    assert p_value == pytest.approx(expected.pvalue)
    assert g_test(rows, 0, 0, 1, [2]) == pytest.approx(g_test(rows, 0, 1, 0, [2]))


def test_p_values_are_uniform_under_independence():
    found = []
    for seed in range(300):
        codes = np.random.default_rng(seed).integers(0, 2, (400, 3))
        rows = rows_for_tests(CategoricalTable.of(Dataset.of(codes, discrete="all")))
        found.append(g_test(rows, 0, 0, 1, [2])[2])
    assert stats.kstest(found, "uniform").pvalue > 0.01


def test_without_degrees_of_freedom_there_is_no_evidence():
    codes = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 2], [1, 1, 3]])
    rows = rows_for_tests(CategoricalTable.of(Dataset.of(codes, discrete="all")))
    assert g_test(rows, 0, 0, 1, [2]) == (0.0, 0, 1.0)
