"""Least squares on Gram statistics, against NumPy."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.regression import (
    COLLINEAR,
    factorise,
    forward_solve,
    regression_coefficients,
    residual_variance,
)


@pytest.mark.parametrize("columns", [[], [3], [1, 4, 0], [5, 4, 3, 1, 0]])
def test_factor_solution_and_residual(gram_statistics, share, columns):
    statistics, v, k = gram_statistics(), 2, len(columns)
    gram = statistics.gram(v)
    given = np.array([*columns, 0])
    factor, work, out = np.zeros((6, 6)), np.empty(6), np.empty(6)
    factorise(statistics.kernel, v, given, k, factor)
    inner = gram[np.ix_(columns, columns)]
    np.testing.assert_allclose(np.tril(factor[:k, :k]), np.linalg.cholesky(inner), atol=1e-12)
    explained = forward_solve(statistics.kernel, v, given, k, factor, v, work)
    assert 1.0 - explained == pytest.approx(share(statistics, v, columns))
    found = regression_coefficients(statistics.kernel, v, given, k, factor, work, out)
    assert found == pytest.approx(share(statistics, v, columns))
    np.testing.assert_allclose(out[:k], np.linalg.solve(inner, gram[columns, v]), atol=1e-10)


def test_columns_that_others_determine_count_for_nothing():
    rows = np.random.default_rng(0).normal(size=(50, 4))
    rows[:, 2] = rows[:, 0] - rows[:, 1]
    statistics = Dataset.of(rows).statistics()
    factor, work, out = np.zeros((4, 4)), np.empty(4), np.empty(4)
    args = (statistics.kernel, 3)
    both = residual_variance(*args, np.array([0, 1]), 2, factor, work)
    assert residual_variance(*args, np.array([0, 1, 2]), 3, factor, work) == pytest.approx(both)
    assert factor[2, 2] == 0.0
    regression_coefficients(*args, np.array([0, 1, 2]), 3, factor, work, out)
    assert out[2] == 0.0


def test_a_node_that_is_determined_keeps_a_little():
    rows = np.random.default_rng(0).normal(size=(50, 3))
    rows[:, 2] = rows[:, 0] + rows[:, 1]
    kernel = Dataset.of(rows).statistics().kernel
    left = residual_variance(kernel, 2, np.array([0, 1]), 2, np.zeros((2, 2)), np.empty(2))
    assert left == COLLINEAR
