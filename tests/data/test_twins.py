"""Copies of a column: the unit in which one was written down decides nothing."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.twins import GRID, ROUNDING
from arcs.learners import learner

UNITS = [(1.0, 0.0), (0.3048, 0.0), (-1 / 3, 7.0), (1e4, -5.0), (np.pi, 100.0)]


def rows_with_copy(unit, offset, n=60, seed=0):
    rng = np.random.default_rng(seed)
    a, noise = rng.normal(size=n), rng.normal(size=(4, n))
    b = 0.8 * a + noise[0]
    c, d = 0.7 * b + noise[1], 0.6 * b + noise[2]
    return np.column_stack([a, b, c, d, unit * b + offset])


@pytest.mark.parametrize(("unit", "offset"), UNITS)
@pytest.mark.parametrize(
    "further", [{}, {"interventions": [["x0", ""][i % 20 > 1] for i in range(60)]}]
)
def test_copies_have_the_same_rows_to_the_last_bit(unit, offset, further):
    statistics = Dataset.of(rows_with_copy(unit, offset), **further).statistics()
    for node in range(5):
        gram, sign = statistics.gram(node), np.sign(unit)
        np.testing.assert_array_equal(gram[4, [0, 2, 3]], sign * gram[1, [0, 2, 3]])
        np.testing.assert_array_equal(gram, gram.T)
        assert gram[1, 4] == pytest.approx(sign, abs=1e-14)


def test_covariates_leave_copies_equal():
    values = rows_with_copy(0.3048, 3.0)
    batch = np.arange(60) % 3
    gram = Dataset.of(values, adjust=batch[:, None].astype(float)).statistics().gram(0)
    np.testing.assert_array_equal(gram[4, [0, 2, 3]], gram[1, [0, 2, 3]])


def test_what_is_no_copy_is_left_as_it_is():
    values = rows_with_copy(1.0, 0.0)
    values[:, 4] += 1e-4 * np.random.default_rng(1).normal(size=60)
    gram = Dataset.of(values).statistics().gram(0)
    assert 1 - gram[1, 4] ** 2 > ROUNDING
    centred = values - values.mean(axis=0)
    expected = centred.T @ centred / np.outer(*2 * [np.linalg.norm(centred, axis=0)])
    np.testing.assert_allclose(gram, expected, atol=1e-13)
    assert gram[4, 2] != gram[1, 2]


@pytest.mark.parametrize("method", ["arcs", "ges", "hc"])
def test_units_do_not_choose_between_copies(method):
    model = learner(method, random_state=0)
    for seed in range(4):
        found = []
        for unit, offset in UNITS:
            with pytest.warns(match="copies"):
                found.append(model.fit(rows_with_copy(unit, offset, seed=seed)).dag.adjacency)
        assert all(np.array_equal(found[0], other) for other in found[1:])


def test_units_of_all_columns_decide_nothing_beside_copies():
    """Of equally good graphs the same one is found: all entries are the same to the last bit."""
    units = np.array([3.7, -1e-5, 0.3, 1 / 7, 1e6])
    for seed in range(8):
        rows = rows_with_copy(2.54, 1.0, seed=seed)
        one, other = (Dataset.of(x).statistics().gram(0) for x in (rows, rows * units + 0.5))
        np.testing.assert_array_equal(np.abs(one), np.abs(other))
        assert (one % GRID == 0).all()
