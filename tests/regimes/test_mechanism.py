"""The likelihood of changed mechanisms, against the plain one."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from arcs.data import GramStatistics
from arcs.data.accumulate import GramAccumulator
from arcs.penalties import L0
from arcs.regimes import mechanism as mechanisms
from arcs.regimes.mechanism import (
    COEFFICIENTS,
    KINDS,
    NOISE,
    SET,
    SHIFT,
    UNCHANGED,
    NodeMechanism,
)
from arcs.regimes.moments import RegimeMoments
from arcs.scores import fit_dag
from arcs.scores.cholesky import CholeskyScore


def sums_of(values, regime):
    sums = GramAccumulator(values.shape[1], regime.max() + 1)
    sums.add(values, regime)
    return sums


def log_likelihood(values, regime, kinds, theta, node, parents):
    """Of a common regression with a standard deviation or a mean per changed regime, by rows."""
    k = len(parents)
    mean = theta[0] + values[:, parents] @ theta[1 : k + 1]
    total = 0.0
    for r in np.unique(regime):
        at = regime == r
        if kinds[r] == SHIFT:
            mean[at] += theta[k + 1 + r]
        if kinds[r] in (UNCHANGED, NOISE, SHIFT):
            deviation = np.exp(theta[k + 1 + (r if kinds[r] == NOISE else len(kinds))])
            total += norm.logpdf(values[at, node], mean[at], deviation).sum()
    return total


@pytest.mark.parametrize(
    "kinds", list(itertools.product([UNCHANGED], range(len(KINDS)), [UNCHANGED, NOISE, SHIFT]))
)
def test_price_is_the_best_likelihood_and_the_parameters(chain_regimes, monkeypatch, kinds):
    monkeypatch.setattr(mechanisms, "PSEUDO_ROWS", 0.0)
    values, regime = chain_regimes(rows=40)
    moments = RegimeMoments(sums_of(values, regime))
    parents = np.array([0])
    weights, price = NodeMechanism(moments, 1, parents, lambda n: 3.0).fit(np.array([kinds]))
    start = np.zeros(2 + len(kinds) + 1)
    found = minimize(
        lambda theta: -log_likelihood(values, regime, kinds, theta, 1, parents),
        start,
        method="BFGS",
    )
    expected = found.fun + 3.0
    rows = 40
    for r, kind in enumerate(kinds):
        if kind in (NOISE, SHIFT):
            expected += 0.5 * np.log(rows)
        if kind in (COEFFICIENTS, SET):
            part = values[regime == r]
            design = np.column_stack([np.ones(rows), part[:, :1]][: 1 if kind == SET else 2])
            residual = part[:, 1] - design @ np.linalg.lstsq(design, part[:, 1], rcond=None)[0]
            expected -= norm.logpdf(residual, 0, residual.std()).sum()
            expected += 0.5 * (design.shape[1] + 1) * np.log(rows)
    # Columns are scaled to unit variance: a change of unit, the same for every mechanism.
    expected -= len(values) * np.log(moments.scale[1])
    assert price[0] == pytest.approx(expected, abs=1e-4)
    ratio = np.exp(2 * (found.x[2 + len(kinds)] - found.x[2 : 2 + len(kinds)]))
    for r, kind in enumerate(kinds):
        if kind == NOISE:
            assert weights[0, r] == pytest.approx(ratio[r], rel=1e-3)


def test_weighted_statistics_give_the_likelihood_of_the_rows(chain_regimes):
    """Score, noise variance, standard errors and likelihood are those of weighted least squares."""
    values, regime = chain_regimes()
    sums = sums_of(values, regime)
    weights = np.ones((3, 3))
    weights[1] = [1.0, 0.2, 1.7]
    statistics = GramStatistics.from_accumulator(sums, ["a", "b", "c"], weights=weights)
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[0, 1] = True
    fitted = fit_dag(adjacency, statistics)
    w = weights[1][regime]
    design = np.column_stack([np.ones(len(values)), values[:, 0]])
    inverse = np.linalg.inv(design.T @ (design * w[:, None]))
    beta = inverse @ design.T @ (w * values[:, 1])
    residual = values[:, 1] - design @ beta
    variance = w @ residual**2 / len(values)
    assert fitted.dag.coefficients[0, 1] == pytest.approx(beta[1])
    assert fitted.dag.intercepts[1] == pytest.approx(beta[0])
    assert fitted.dag.noise_variances[1] == pytest.approx(variance)
    unbiased = w @ residual**2 / (len(values) - 2)
    assert fitted.dag.standard_errors[0, 1] == pytest.approx(np.sqrt(unbiased * inverse[1, 1]))
    expected = norm.logpdf(residual, 0, np.sqrt(variance / w)).sum()
    for j in (0, 2):
        expected += norm.logpdf(values[:, j], values[:, j].mean(), values[:, j].std()).sum()
    assert fitted.log_likelihood == pytest.approx(expected)


@pytest.mark.parametrize("columns", [0, 40])
def test_search_and_mechanisms_agree_on_the_gain_of_a_parent(chain_regimes, columns):
    """For given weights the search's score is the profile likelihood, all rows counted."""
    values, regime = chain_regimes(rows=30)
    # Regimes are kept as rows if they are shorter than the data are wide.
    more = np.random.default_rng(5).normal(size=(len(values), columns))
    values = np.column_stack([values, more])
    sums = sums_of(values, regime)
    weights = np.ones((values.shape[1], 3))
    weights[1] = [1.0, 0.3, 1.0]
    names = [f"v{j}" for j in range(values.shape[1])]
    statistics = GramStatistics.from_accumulator(sums, names, weights=weights)
    assert statistics.n[1] == len(values)
    score = CholeskyScore(statistics, L0(1e-6))
    gain = score.node(1, []).score - score.node(1, [0]).score
    w = weights[1][regime]
    squares = []
    for design in (np.ones((90, 1)), np.column_stack([np.ones(90), values[:, 0]])):
        root = np.sqrt(w)[:, None]
        squares.append(np.linalg.lstsq(design * root, values[:, 1] * root[:, 0], rcond=None)[1][0])
    assert gain == pytest.approx(45 * np.log(squares[0] / squares[1]), abs=1e-5)
    moments = RegimeMoments(sums)
    for parents, expected in zip(([], [0]), squares, strict=True):
        mechanism = NodeMechanism(moments, 1, np.array(parents, int), lambda n: 0.0)
        total, _ = mechanism._weighted(weights[1][None])
        assert total[0] * moments.scale[1] ** 2 == pytest.approx(expected, rel=1e-6)


def test_translation_leads_to_the_common_regression(chain_regimes):
    """In translated rows the node has the common coefficients and the noise of its regime."""
    values, regime = chain_regimes("coefficients", rows=50)
    wide = np.column_stack([values, np.random.default_rng(1).normal(size=(150, 60))])
    for data in (values, wide):  # cross-products, and rows
        sums = sums_of(data, regime)
        moments = RegimeMoments(sums)
        mechanism = NodeMechanism(moments, 1, np.array([0]), lambda n: 0.0)
        weights, _ = mechanism.fit(np.array([[0, COEFFICIENTS, 0]]))
        slopes, shift = mechanism.translation(np.array([0, COEFFICIENTS, 0]), weights[0], 1)
        slopes = slopes * moments.scale[1] / moments.scale[0]
        moved = sums.regimes[1].translated(1, np.array([0]), slopes, shift * moments.scale[1])
        part, rest = data[regime == 1], data[regime != 1]
        common = np.polyfit(rest[:, 0], rest[:, 1], 1)
        own = np.polyfit(part[:, 0], part[:, 1], 1)
        rows = part.copy()
        rows[:, 1] += np.polyval(common, part[:, 0]) - np.polyval(own, part[:, 0])
        again = np.polyfit(rows[:, 0], rows[:, 1], 1)
        np.testing.assert_allclose(again, common, rtol=1e-6)
        centred = rows - rows.mean(axis=0)
        np.testing.assert_allclose(
            moved.cross_about(moved.mean), centred.T @ centred, rtol=1e-6, atol=1e-6
        )
        np.testing.assert_allclose(moved.mean + sums.shift, rows.mean(axis=0), rtol=1e-8)


def test_without_intercepts_the_origin_is_the_users_zero(chain_regimes, monkeypatch):
    monkeypatch.setattr(mechanisms, "PSEUDO_ROWS", 0.0)
    values, regime = chain_regimes()
    mechanism = NodeMechanism(
        RegimeMoments(sums_of(values, regime)), 1, np.array([0]), lambda n: 0.0, center=False
    )
    total, _ = mechanism._weighted(np.ones((1, 3)))
    beta = values[:, 0] @ values[:, 1] / (values[:, 0] @ values[:, 0])
    expected = ((values[:, 1] - beta * values[:, 0]) ** 2).sum() / values[:, 1].var()
    assert total[0] == pytest.approx(expected, rel=1e-6)


def test_a_perfect_fit_in_few_rows_is_not_worth_any_price():
    """As many parents as rows: the likelihood has no bound, the price has one."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(104, 6))
    regime = np.repeat([0, 1], [100, 4])
    parents = np.arange(1, 6)
    moments = RegimeMoments(sums_of(values, regime))
    mechanism = NodeMechanism(moments, 0, parents, lambda n: 0.0)
    assert not mechanism.possible(COEFFICIENTS)[1]
    _, price = mechanism.fit(np.array([[0, 0], [0, NOISE]]))
    assert np.isfinite(price).all()
    assert price[1] > price[0] - 10
