"""Gram statistics against what the rows themselves say."""

import numpy as np
import pytest

from arcs.data import Dataset, GramStatistics
from arcs.data.accumulate import GramAccumulator
from arcs.kernels.statistics import gram_entry, gram_row


def by_hand(values, weights=None, center=True):
    """Unit-diagonal Gram matrix, mean and norm of weighted rows."""
    w = np.ones(len(values)) if weights is None else weights
    mean = w @ values / w.sum() if center else np.zeros(values.shape[1])
    centred = (values - mean) * np.sqrt(w)[:, None]
    norm = np.sqrt((centred**2).sum(axis=0))
    gram = (centred / norm).T @ (centred / norm)
    return gram, mean, norm


def assert_same(statistics, values, mask, center=True, atol=1e-12):
    for v in range(values.shape[1]):
        rows = ~mask[:, v]
        gram, mean, norm = by_hand(values[rows], center=center)
        np.testing.assert_allclose(statistics.gram(v), gram, atol=atol, rtol=0)
        np.testing.assert_allclose(statistics.mean(v), mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(statistics.norm(v), norm, rtol=1e-9)
        assert statistics.n[v] == rows.sum()


def draw(seed, n, p):
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.4) + np.eye(p)
    return rng.normal(size=(n, p)) @ mixing * 10.0 ** rng.uniform(-3, 3, p) + rng.normal(
        size=p
    ), rng


@pytest.mark.parametrize("center", [True, False])
def test_observational_gram_is_that_of_the_rows(center):
    values, _ = draw(0, 50, 6)
    statistics = Dataset.of(values, center=center).statistics()
    assert_same(statistics, values, np.zeros(values.shape, bool), center)
    assert not statistics.experimental
    assert statistics.n_rows == 50
    if center:
        np.testing.assert_allclose(statistics.gram(0), np.corrcoef(values.T), atol=1e-12)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(("n", "p", "blocks"), [(80, 20, 5), (200, 6, 60), (30, 12, 2)])
def test_node_grams_are_those_of_the_rows_that_count(center, n, p, blocks):
    """Few excluded rows (corrections to one matrix) and many (a matrix of their own)."""
    values, rng = draw(1, n, p)
    mask = np.zeros((n, p), bool)
    for j in range(3):
        at = rng.choice(n, min(blocks, n // 4), replace=False)
        mask[at, j] = True
    statistics = Dataset.of(values, interventions=mask, center=center).statistics()
    assert_same(statistics, values, mask, center, atol=1e-10)


def test_the_first_case_corrects_and_the_second_does_not():
    values, _ = draw(2, 80, 20)
    mask = np.zeros((80, 20), bool)
    mask[:5, 0] = True
    few = Dataset.of(values, interventions=mask).statistics()
    assert few.kernel.grams.shape[0] == 1
    assert few.kernel.rows.shape == (6, 20)  # five rows and the move of the mean
    mask[:30, 1] = True
    many = Dataset.of(values, interventions=mask).statistics()
    assert many.kernel.grams.shape[0] == 2
    assert_same(many, values, mask, atol=1e-10)


@pytest.mark.parametrize("size", [1e3, 1e5, 1e8])
def test_huge_interventions_do_not_cancel(size):
    """Rows that dwarf all others are excluded: what is left must keep its digits."""
    values, rng = draw(3, 120, 15)
    mask = np.zeros((120, 15), bool)
    mask[:5, 2] = True
    values[:5] += size * values.std(axis=0) * rng.normal(size=(5, 15))
    statistics = Dataset.of(values, interventions=mask).statistics()
    assert_same(statistics, values, mask, atol=1e-9)
    assert (statistics.kernel.grams.shape[0] == 1) == (size == 1e3)


def test_offsets_keep_their_digits():
    rng = np.random.default_rng(4)
    plain = rng.normal(size=(500, 4))
    offset = np.array([0.0, 1e6, -1e8, 1e9])
    shifted = plain + offset
    exact = shifted - offset  # what is left of the values once they were stored
    statistics = Dataset.of(shifted).statistics()
    np.testing.assert_allclose(statistics.gram(0), np.corrcoef(exact.T), atol=1e-12)
    np.testing.assert_allclose(statistics.norm(0), exact.std(axis=0) * np.sqrt(500), rtol=1e-12)


def test_drifting_chunks_do_not_cancel():
    """A first chunk far away from the others (a sorted file)."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(3000, 3)) * [1e-3, 1, 1]
    values[:, 0] += np.repeat([1e6, 0.0, 3.0], 1000)
    sums = GramAccumulator(3)
    for start in range(0, 3000, 100):
        sums.add(values[start : start + 100])
    statistics = GramStatistics.from_accumulator(sums, ("a", "b", "c"))
    np.testing.assert_allclose(statistics.gram(0), np.corrcoef(values.T), atol=1e-12)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("n", [40, 400])
def test_weights_count_rows_in_part(center, n):
    values, rng = draw(6, n, 8)
    regime = rng.integers(0, 3, n)
    sums = GramAccumulator(8, 3)
    sums.add(values, regime)
    weights = np.ones((8, 3))
    weights[1] = [1.0, 0.25, 1.0]
    weights[2] = [0.5, 0.0, 1.0]
    statistics = GramStatistics.from_accumulator(
        sums, tuple("abcdefgh"), weights=weights, center=center
    )
    for v in range(8):
        gram, mean, norm = by_hand(values, weights[v][regime], center)
        np.testing.assert_allclose(statistics.gram(v), gram, atol=1e-11)
        np.testing.assert_allclose(statistics.mean(v), mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(statistics.norm(v), norm, rtol=1e-9)
    assert statistics.n[2] == (regime != 1).sum()


def test_kernels_read_the_same_entries():
    values, _ = draw(7, 60, 10)
    mask = np.zeros((60, 10), bool)
    mask[:4, 3] = True
    statistics = Dataset.of(values, interventions=mask).statistics()
    row = np.empty(10)
    for v in (0, 3):
        gram = statistics.gram(v)
        gram_row(statistics.kernel, v, 5, row)
        np.testing.assert_allclose(row, gram[5], atol=1e-14)
        assert gram_entry(statistics.kernel, v, 2, 7) == pytest.approx(gram[2, 7], abs=1e-14)
        part = np.array([7, 2, 3])
        np.testing.assert_allclose(statistics.sub_gram(v, part), gram[np.ix_(part, part)])


def test_a_mask_of_zeros_is_observational_exactly():
    values, _ = draw(8, 40, 5)
    plain = Dataset.of(values).statistics()
    masked = Dataset.of(values, interventions=np.zeros((40, 5))).statistics()
    for one, other in zip(plain.kernel, masked.kernel, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(plain.norms, masked.norms)
    assert masked.targets == ((),)


def test_a_covariance_and_its_data_agree():
    values, _ = draw(9, 70, 5)
    from_rows = Dataset.of(values).statistics()
    from_matrix = Dataset.of((np.cov(values.T, ddof=0), 70)).statistics()
    np.testing.assert_allclose(from_matrix.gram(0), from_rows.gram(0), atol=1e-12)
    np.testing.assert_allclose(from_matrix.norm(0), from_rows.norm(0), rtol=1e-12)
    assert (from_matrix.n == 70).all()


def test_memory_stays_quadratic_with_every_variable_a_target():
    p, per_target = 400, 5
    rng = np.random.default_rng(10)
    n = p * per_target
    values = rng.normal(size=(n, p))
    targets = np.repeat(np.arange(p), per_target)
    statistics = Dataset.of(values, interventions=targets).statistics()
    kernel = statistics.kernel
    assert kernel.grams.shape == (1, p, p)
    assert kernel.rows.shape == (p * (per_target + 1), p)
    assert sum(array.size for array in kernel) < 2 * (p * p + n * p + p * p)
    v = 17
    gram, _, _ = by_hand(values[targets != v])
    np.testing.assert_allclose(statistics.gram(v), gram, atol=1e-12)


def test_pooled_statistics_count_all_rows_alike():
    values, _ = draw(11, 60, 5)
    targets = np.repeat([-1, 0, 3], 20)
    pooled = Dataset.of(values, interventions=targets).pooled_statistics()
    plain = Dataset.of(values).statistics()
    np.testing.assert_allclose(pooled.gram(3), plain.gram(3), atol=1e-12)
    assert pooled.n.tolist() == [60] * 5
    assert pooled.targets == ((),)


def test_a_node_without_rows_has_moments_but_no_relations():
    values, _ = draw(12, 30, 4)
    statistics = Dataset.of(values, interventions=np.tile([1, 0, 0, 0], (30, 1))).statistics()
    assert statistics.n.tolist() == [0, 30, 30, 30]
    np.testing.assert_array_equal(statistics.gram(0), np.eye(4))
    assert statistics.mean(0)[0] == pytest.approx(values[:, 0].mean())
    assert statistics.norm(0)[0] == pytest.approx(values[:, 0].std() * np.sqrt(30))
    np.testing.assert_allclose(statistics.gram(1), np.corrcoef(values.T), atol=1e-12)


def test_a_column_that_is_constant_only_in_some_pattern_is_uncorrelated_there():
    values, _ = draw(13, 40, 4)
    values[10:, 2] = 7.0  # varies only where column 0 is set
    mask = np.zeros((40, 4))
    mask[:10, 0] = 1
    mask[:10, 2] = 1
    statistics = Dataset.of(values, interventions=mask, constant="isolate").statistics()
    gram = statistics.gram(0)
    assert gram[2].tolist() == [0, 0, 1, 0]
    expected = np.corrcoef(values[10:][:, [0, 1, 3]].T)
    np.testing.assert_allclose(gram[np.ix_([0, 1, 3], [0, 1, 3])], expected, atol=1e-12)
    assert np.abs(statistics.gram(1)[2, [0, 1, 3]]).max() > 0
    assert np.isfinite(statistics.norms).all()
