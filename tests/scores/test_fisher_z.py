"""Fisher's z against regressions on the rows themselves."""

import numpy as np
import pytest
from scipy import stats

from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.scores.fisher_z import critical_z, fisher_z


def direct(rows, a, b, given):
    """z and p-value from the residuals of two least-squares fits with intercept."""
    n = len(rows)
    design = np.column_stack([np.ones(n), rows[:, list(given)]])
    residuals = [
        rows[:, v] - design @ np.linalg.lstsq(design, rows[:, v], rcond=None)[0] for v in (a, b)
    ]
    r = np.corrcoef(residuals)[0, 1]
    z = np.sqrt(n - len(given) - 3) * np.arctanh(r)
    return z, 2 * stats.norm.sf(abs(z))


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return rng.normal(size=(60, 7)) @ rng.normal(size=(7, 7)) + 5.0


@pytest.mark.parametrize(
    ("a", "b", "given"), [(0, 1, ()), (2, 5, (3,)), (5, 2, (3, 0)), (6, 1, (0, 2, 3, 4, 5))]
)
def test_equals_residual_correlation_of_the_rows(rows, a, b, given):
    z, p = fisher_z(Dataset.of(rows).statistics(), 0, a, b, given)
    assert (z, p) == pytest.approx(direct(rows, a, b, given), rel=1e-8)


def test_uses_the_rows_that_count_for_the_node(rows):
    targets = np.full(60, -1)
    targets[:20] = 2
    targets[20:30] = 4
    statistics = Dataset.of(rows, interventions=targets).statistics()
    assert fisher_z(statistics, 2, 2, 4, (1,)) == pytest.approx(direct(rows[20:], 2, 4, (1,)))
    kept = np.r_[0:20, 30:60]
    assert fisher_z(statistics, 4, 2, 4, (1,)) == pytest.approx(direct(rows[kept], 2, 4, (1,)))


def test_without_degrees_of_freedom_there_is_no_evidence(rows):
    statistics = Dataset.of(rows[:6]).statistics()
    assert fisher_z(statistics, 0, 0, 1, (2, 3, 4)) == (0.0, 1.0)
    assert fisher_z(statistics, 0, 0, 1, (2, 3))[1] < 1.0


def test_deterministic_relations():
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    rows = np.column_stack([x, 2 * x, rng.normal(size=50)])
    statistics = Dataset.of(rows).statistics()
    z, p = fisher_z(statistics, 0, 0, 1)
    assert z > 25
    assert p < 1e-100
    assert fisher_z(statistics, 0, 0, 2, (1,)) == (0.0, 1.0)


def test_critical_value():
    assert critical_z(0.05) == pytest.approx(1.959963985)
    with pytest.raises(SettingsError, match="alpha"):
        critical_z(1.0)


def test_refuses_repeated_and_unknown_variables(rows):
    statistics = Dataset.of(rows).statistics()
    with pytest.raises(SettingsError, match="differ"):
        fisher_z(statistics, 0, 1, 2, (2,))
    with pytest.raises(SettingsError, match="0 to 6"):
        fisher_z(statistics, 0, 1, 7)
