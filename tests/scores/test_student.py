"""Intervals and p-values against ordinary least squares, and their coverage."""

import numpy as np
import pytest
from scipy import stats

from arcs.errors import SettingsError
from arcs.learners import learner
from arcs.scores.student import intervals_and_p_values


def test_figures_are_those_of_a_regression_on_the_users_scale():
    rng = np.random.default_rng(0)
    x = rng.normal(5, 1e3, size=60)
    y = 2e-3 * x + rng.normal(size=60)
    result = learner("hc").fit(np.column_stack([x, y]))
    columns = dict(zip(result.names, (x, y), strict=True))
    (row,) = result.edge_table(0.9).rows()
    fit = stats.linregress(columns[row["from"]], columns[row["to"]])
    reach = stats.t.ppf(0.95, 58) * fit.stderr
    assert row["interval_low"] == pytest.approx(fit.slope - reach)
    assert row["interval_high"] == pytest.approx(fit.slope + reach)
    assert row["std_error"] == pytest.approx(fit.stderr)
    assert row["p_value"] == pytest.approx(fit.pvalue)


@pytest.mark.parametrize("degrees", [1, 2, 7, 50, 10_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_p_values_and_intervals_never_contradict_each_other(degrees, level):
    edge = stats.t.ppf((1 + level) / 2, degrees)
    ratios = edge * np.array([0.5, 0.999, 1 - 1e-7, 1 + 1e-7, 1.001, 2.0])
    errors = np.geomspace(1e-5, 1e5, ratios.size)
    low, high, p_values = intervals_and_p_values(
        ratios * errors, errors, np.full(ratios.size, degrees), level
    )
    np.testing.assert_array_equal((low <= 0) & (high >= 0), p_values >= 1 - level)


def test_coverage():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        x = rng.normal(size=12)
        y = 3 * x + rng.normal(size=12)
        result = learner("arcs", init=[0, 1], search="none").fit(np.column_stack([x, y]))
        (row,) = result.edge_table(0.8).rows()
        covered += row["interval_low"] < 3 < row["interval_high"]
    # 160 expected; three standard deviations are 17. Normal quantiles would give 152.
    assert 143 <= covered <= 177


def test_level_is_checked():
    one = np.ones(1)
    with pytest.raises(SettingsError, match="level"):
        intervals_and_p_values(one, one, one, 95)
