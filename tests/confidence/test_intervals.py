"""Intervals against ordinary least squares, and their coverage."""

import numpy as np
import pytest
from scipy import stats

from arcs.confidence import intervals
from arcs.errors import SettingsError
from arcs.learners import learner


def test_intervals_are_those_of_a_regression_on_the_users_scale():
    rng = np.random.default_rng(0)
    x = rng.normal(5, 1e3, size=60)
    y = 2e-3 * x + rng.normal(size=60)
    result = learner("hc").fit(np.column_stack([x, y]))
    tail, head = np.argwhere(result.dag.adjacency)[0]
    columns = (x, y)
    fit = stats.linregress(columns[tail], columns[head])
    found = intervals(result, 0.9)
    reach = stats.t.ppf(0.95, 58) * fit.stderr
    assert found.lower[tail, head] == pytest.approx(fit.slope - reach)
    assert found.upper[tail, head] == pytest.approx(fit.slope + reach)
    assert found.standard_errors[tail, head] == pytest.approx(fit.stderr)
    assert np.isnan(found.lower).sum() == 3


def test_rows_in_which_a_node_was_set_do_not_count(experimental):
    result = learner("hc").fit(experimental)
    found = intervals(result)
    parents = result.dag.adjacency.sum(axis=0)
    rows = np.array([90, 110, 120, 120, 120, 120])
    np.testing.assert_array_equal(found.degrees, rows - parents - 1)


def test_coverage():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        x = rng.normal(size=12)
        y = 3 * x + rng.normal(size=12)
        result = learner("arcs", init=[0, 1], search="none").fit(np.column_stack([x, y]))
        found = intervals(result, 0.8)
        covered += found.lower[0, 1] < 3 < found.upper[0, 1]
    # 160 expected; three standard deviations are 17. Normal quantiles would give 152.
    assert 143 <= covered <= 177


def test_level_is_checked(simulated):
    with pytest.raises(SettingsError, match="level"):
        intervals(learner("hc").fit(simulated.data), 95)
