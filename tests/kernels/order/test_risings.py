"""Logarithms of rising factorials, near and far, equal those of the gamma function."""

from math import lgamma

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.risings import NEAR, SAFE, far_rising, new_risings, room_for
from arcs.scores.discrete import DiscreteScore, count_rows


@pytest.fixture(scope="module")
def problem():
    codes = np.random.default_rng(0).integers(0, 2, (20_000, 2))
    return DiscreteScore(count_rows(codes, [2, 2]), "bdeu").problem


@pytest.mark.parametrize("a", [1e-7, 0.003, 0.4, 1.0, 2.5, 40.0])
def test_they_are_those_of_the_gamma_function(problem, a):
    risings = bundle(new_risings())
    row = room_for(risings, a, 1, problem.unit)
    for m in (0, 1, 2, 17, NEAR - 1, NEAR, NEAR + 1, 700, 5_000, 20_000):
        if m < NEAR:
            found = risings.near[row * NEAR + m]
        else:
            found = far_rising(risings, row, m, problem.unit)
        expected = lgamma(a + m) - lgamma(a)
        assert found * problem.unit == pytest.approx(expected, rel=1e-14, abs=1e-12)


def test_rows_stay_while_one_asks():
    """Also where all priors begin to look for room in one place."""
    risings = bundle(new_risings())
    priors = 1e9 + np.arange(SAFE, dtype=float)
    rows = [room_for(risings, a, 1, 1e-9) for a in priors]
    assert len(set(rows)) == SAFE
    assert risings.prior[rows].tolist() == priors.tolist()
    assert [room_for(risings, a, 1, 1e-9) for a in priors] == rows
    other = room_for(risings, 2e9, 2, 1e-9)
    assert other == rows[0]  # somebody else may have it
