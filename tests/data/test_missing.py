"""Covariances from rows with holes, against independent implementations and the likelihood."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from arcs.data import Dataset
from arcs.data.missing import PairwiseSums, em_covariance, nearest_correlation
from arcs.errors import DataError, DataWarning, SettingsError

NAMES = ("a", "b", "c", "d")


def correlated(seed, n=400, p=4):
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(p, p))
    return rng.normal(size=(n, p)) @ mixing * [1, 10, 100, 1000][:p] + [5, 0, -3, 1e4][:p], rng


def with_holes(seed, share=0.2, **size):
    values, rng = correlated(seed, **size)
    values[rng.random(values.shape) < share] = np.nan
    return values


def observed_log_likelihood(values, mean, covariance):
    total = 0.0
    for row in values:
        o = np.isfinite(row)
        if o.any():
            total += multivariate_normal(mean[o], covariance[np.ix_(o, o)]).logpdf(row[o])
    return total


def test_pairwise_correlations_are_those_of_pandas():
    values = with_holes(0)
    pairs = PairwiseSums(4)
    for start in range(0, 400, 37):
        pairs.add(values[start : start + 37])
    frame = pd.DataFrame(values)
    np.testing.assert_allclose(pairs.correlation(), frame.corr(), atol=1e-12)
    mean, sd = pairs.moments()
    np.testing.assert_allclose(mean, frame.mean(), rtol=1e-12)
    np.testing.assert_allclose(sd, frame.std(ddof=0), rtol=1e-10)
    shared = np.isfinite(values).astype(int).T @ np.isfinite(values).astype(int)
    upper = shared[np.triu_indices(4, 1)]
    assert pairs.effective_rows(NAMES) == int(6 / (1 / upper).sum())


def test_repair_makes_positive_definite_and_keeps_what_is():
    good = np.corrcoef(np.random.default_rng(0).normal(size=(5, 50)))
    assert nearest_correlation(good) is good
    bad = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    repaired = nearest_correlation(bad)
    assert np.linalg.eigvalsh(bad)[0] < -0.7
    assert np.linalg.eigvalsh(repaired)[0] > 0.3  # the matrix is wrong by at least 0.8
    np.testing.assert_array_equal(np.diag(repaired), 1)
    np.testing.assert_array_equal(repaired, repaired.T)
    assert np.array_equal(np.sign(repaired), np.sign(bad))


def test_em_of_complete_rows_is_the_covariance():
    values, _ = correlated(1)
    found = em_covariance(values, NAMES)
    np.testing.assert_allclose(found.covariance, np.cov(values.T, ddof=0), rtol=1e-8)
    np.testing.assert_allclose(found.mean, values.mean(axis=0), rtol=1e-10)
    assert found.n == 400


def test_em_climbs_to_a_stationary_point_of_the_observed_likelihood():
    values = with_holes(2, 0.3, n=120, p=3)
    likelihoods = []
    for iterations in (1, 2, 4, 8, 16):
        with pytest.warns(DataWarning, match="still changes"):
            step = em_covariance(values, NAMES[:3], max_iterations=iterations, tolerance=0)
        likelihoods.append(observed_log_likelihood(values, step.mean, step.covariance))
    assert np.all(np.diff(likelihoods) > -1e-6)
    best = em_covariance(values, NAMES[:3], tolerance=1e-9)
    top = observed_log_likelihood(values, best.mean, best.covariance)
    assert top >= likelihoods[-1] - 1e-6
    rng = np.random.default_rng(0)
    root = np.linalg.cholesky(best.covariance)
    for _ in range(20):
        shake = 0.02 * rng.normal(size=(3, 3))
        other = root @ (np.eye(3) + shake + shake.T) @ root.T
        assert observed_log_likelihood(values, best.mean, other) < top + 1e-4
        moved = best.mean + 0.02 * root @ rng.normal(size=3)
        assert observed_log_likelihood(values, moved, best.covariance) < top + 1e-4


def test_em_uses_what_pairwise_ignores():
    """Values missing at random given another column: EM is consistent, pairwise means are not."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=20_000)
    y = x + 0.5 * rng.normal(size=20_000)
    y[x > 0.5] = np.nan
    values = np.column_stack([x, y])
    em = em_covariance(values, ("x", "y"))
    assert em.mean[1] == pytest.approx(0, abs=0.03)
    assert em.covariance[1, 1] == pytest.approx(1.25, abs=0.05)
    pairs = PairwiseSums(2)
    pairs.add(values)
    assert pairs.covariance(("x", "y")).mean[1] < -0.4


def test_em_survives_collinear_columns_and_few_rows():
    values, rng = correlated(4, n=60)
    values = np.column_stack([values, values[:, 0], rng.normal(size=(60, 70))])
    values[rng.random(values.shape) < 0.03] = np.nan
    names = [f"x{j}" for j in range(75)]
    found = em_covariance(values, names)
    assert np.isfinite(found.covariance).all()
    assert np.linalg.eigvalsh(found.covariance)[0] > -1e-6 * found.covariance.max()


def test_policies():
    values = with_holes(5, 0.05)
    values[3, 1] = np.inf
    complete = np.isfinite(values).all(axis=1)
    dropped = Dataset.of(values, missing="drop")
    assert dropped.n == complete.sum()
    np.testing.assert_array_equal(dropped.values, values[complete])
    pairwise = Dataset.of(values, missing="pairwise").statistics()
    frame = pd.DataFrame(np.where(np.isfinite(values), values, np.nan))
    np.testing.assert_allclose(pairwise.gram(0), frame.corr(), atol=1e-12)
    assert pairwise.n_rows == 400
    assert complete.sum() < pairwise.n[0] < 400
    em = Dataset.of(values, missing="em").statistics()
    assert em.n[0] == pairwise.n[0]
    np.testing.assert_allclose(em.gram(0), pairwise.gram(0), atol=0.05)
    with pytest.raises(SettingsError, match="'em', 'level'; got 'ignore'"):
        Dataset.of(values, missing="ignore")


@pytest.mark.parametrize("missing", ["drop", "pairwise", "em"])
def test_without_holes_every_policy_is_the_same(missing):
    values, _ = correlated(6)
    plain, other = Dataset.of(values), Dataset.of(values, missing=missing)
    for one, two in zip(plain.statistics().kernel, other.statistics().kernel, strict=True):
        np.testing.assert_array_equal(one, two)
    assert other.audit().to_dict() == plain.audit().to_dict()


@pytest.mark.parametrize("missing", ["pairwise", "em"])
def test_bootstrap_samples_keep_the_policy(missing):
    data = Dataset.of(with_holes(7), missing=missing)
    rows = np.random.default_rng(0).integers(0, 400, 400)
    sample = data.take(rows)
    expected = Dataset.of(data.values[rows], missing=missing)
    np.testing.assert_array_equal(sample.statistics().gram(0), expected.statistics().gram(0))


def test_missing_values_and_interventions():
    values = with_holes(8, 0.05)
    design = np.repeat([-1, 0, 1, 2], 100)
    data = Dataset.of(values, interventions=design, missing="drop")
    complete = np.isfinite(values).all(axis=1)
    assert data.interventions.n_rows == complete.sum()
    np.testing.assert_array_equal(data.interventions.mask[:, 0], design[complete] == 0)
    for policy in ("pairwise", "em"):
        remedy = f"with interventions use missing='drop', which keeps {complete.sum()} of 400 rows"
        with pytest.raises(DataError, match=remedy):
            Dataset.of(values, interventions=design, missing=policy)
        # An empty design is none.
        Dataset.of(values, interventions=np.full(400, -1), missing=policy).statistics()


def test_too_little_is_refused_by_name():
    values = with_holes(9, 0.0)
    values[:200, 0] = np.nan
    values[199:, 2] = np.nan
    for policy in ("pairwise", "em"):
        with pytest.raises(DataError, match=r"'x0' and 'x2' are both present in only 0 rows"):
            Dataset.of(values, missing=policy).statistics()
    with pytest.raises(DataError, match=r"3 rows are needed, the data have 0 after 400 with"):
        Dataset.of(values, missing="drop").statistics()
    values[:, 1] = np.nan
    with pytest.raises(DataError, match="1 columns have no value at all: 'x1'"):
        Dataset.of(values, missing="em")


def test_constant_columns_among_holes():
    values = with_holes(10)
    values[:, 2] = np.where(np.isfinite(values[:, 2]), 4.0, np.nan)
    for policy in ("pairwise", "em"):
        with pytest.raises(DataError, match="1 column is constant: 'x2'"):
            Dataset.of(values, missing=policy).statistics()
        kept = Dataset.of(values, missing=policy, constant="isolate").statistics()
        assert kept.n[2] == 0
        assert kept.gram(0)[2].tolist() == [0, 0, 1, 0]
        assert kept.mean(2)[2] == pytest.approx(4)


@pytest.mark.parametrize("power", [300, -300])
def test_correlations_of_shared_rows_do_not_depend_on_the_unit(power):
    """To the last bit: products of squares must not leave the range of numbers on the way."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 5)) @ (np.eye(5) + np.triu(rng.normal(size=(5, 5)), 1))
    values[rng.random(values.shape) < 0.1] = np.nan

    def correlations(rows):
        sums = PairwiseSums(5)
        sums.add(rows)
        return sums.correlation()

    expected = correlations(values)
    assert np.abs(expected[np.triu_indices(5, 1)]).max() > 0.3
    np.testing.assert_array_equal(correlations(values * 2.0**power), expected)
