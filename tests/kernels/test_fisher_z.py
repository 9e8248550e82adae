"""Partial correlations and Fisher's z, against regressions on the rows."""

import math

import numpy as np
import pytest
from scipy import stats as distributions

from arcs.data import Dataset
from arcs.kernels.fisher_z import (
    condition_room,
    fisher_z_kernel,
    p_value_of,
    prepare_condition,
    residual_correlation,
    z_statistic,
)


def partial_correlation(rows, a, b, given):
    design = np.column_stack([np.ones(len(rows)), rows[:, given]])
    left = rows - design @ np.linalg.lstsq(design, rows, rcond=None)[0]
    return np.corrcoef(left[:, a], left[:, b])[0, 1]


@pytest.mark.parametrize("given", [[], [2], [4, 1, 5]])
def test_correlations_of_what_a_condition_leaves(linear_rows, given):
    rows = linear_rows(80, 7, 3)
    kernel = Dataset.of(rows).statistics().kernel
    condition = prepare_condition(
        kernel, 0, 0, np.array(given, dtype=np.int64), condition_room(kernel, len(given))
    )
    for b in (3, 6):
        expected = partial_correlation(rows, 0, b, given)
        assert residual_correlation(kernel, condition, b) == pytest.approx(expected, abs=1e-12)
        z, p_value = fisher_z_kernel(kernel, 0, 0, b, np.array(given, dtype=np.int64))
        assert z == pytest.approx(math.sqrt(80 - len(given) - 3) * math.atanh(expected))
        assert p_value == pytest.approx(2 * distributions.norm.sf(abs(z)), rel=1e-9)


def test_what_the_condition_determines_is_uncorrelated():
    rows = np.random.default_rng(1).normal(size=(40, 3))
    rows[:, 2] = rows[:, 1]
    kernel = Dataset.of(rows).statistics().kernel
    condition = prepare_condition(kernel, 0, 0, np.array([1]), condition_room(kernel, 1))
    assert residual_correlation(kernel, condition, 2) == 0.0


def test_ends_of_the_scale():
    assert z_statistic(0.9, 5.0, 2) == 0.0
    assert z_statistic(-1.0, 50.0, 2) == -math.inf
    assert p_value_of(0.0) == 1.0
    assert p_value_of(math.inf) == 0.0
