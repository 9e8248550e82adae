"""What kernels read of the statistics is the Gram matrix of the rows that count."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.statistics import combine_rows, gather_row, gram_entry, gram_row


@pytest.mark.parametrize("experimental", [False, True])
def test_entries_are_those_of_the_rows_that_count(experiment, experimental):
    values, mask = experiment(60, 5, 2)
    statistics = Dataset.of(values, interventions=mask if experimental else None).statistics()
    row = np.empty(5)
    for v in range(5):
        counted = values[~mask[:, v]] if experimental else values
        gram = np.corrcoef(counted.T)
        for a in range(5):
            gram_row(statistics.kernel, v, a, row)
            np.testing.assert_allclose(row, gram[a], atol=1e-12)
            assert gram_entry(statistics.kernel, v, a, 3) == pytest.approx(gram[a, 3], abs=1e-12)


def test_corrections_and_scales_are_applied():
    """The formula of the module, with one base, two correction rows and a scale."""
    statistics = Dataset.of(np.random.default_rng(0).normal(size=(30, 3))).statistics()
    rng = np.random.default_rng(1)
    rows, scale = 0.1 * rng.normal(size=(2, 3)), np.array([[1.1, 0.9, 1.3]])
    kernel = statistics.kernel._replace(
        rows=rows,
        row_start=np.array([0]),
        row_stop=np.array([2]),
        scale=scale,
        scaled=np.array([True]),
    )
    expected = (kernel.grams[0] - rows.T @ rows) * np.outer(scale[0], scale[0])
    row = np.empty(3)
    for a in range(3):
        gram_row(kernel, 0, a, row)
        np.testing.assert_allclose(row, expected[a], atol=1e-14)
        assert gram_entry(kernel, 0, a, 1) == pytest.approx(expected[a, 1], abs=1e-14)


@pytest.mark.parametrize("experimental", [False, True])
def test_some_entries_and_sums_of_rows(experiment, experimental):
    values, mask = experiment(60, 7, 3)
    statistics = Dataset.of(values, interventions=mask if experimental else None).statistics()
    nodes, out = np.array([4, 0, 6, 2, 5, 1]), np.empty(7)
    for v in range(7):
        gram = statistics.gram(v)
        gather_row(statistics.kernel, v, 3, nodes, 5, out)
        np.testing.assert_allclose(out[:5], gram[3, nodes[:5]], atol=1e-12)
        for k in range(1, 7):
            weights = np.random.default_rng(v).normal(size=7)
            expected = weights[:k] @ gram[nodes[:k]]
            combine_rows(statistics.kernel, v, nodes, weights.copy(), k, out)
            np.testing.assert_allclose(out, expected, atol=1e-12)
