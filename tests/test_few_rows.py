"""Prices where rows are few: the risk of chance is that of many rows, and the paper's are left."""

import numpy as np
import pytest
from scipy import stats

from arcs import ARCS
from arcs.edge_rule import EdgeRule
from arcs.few_rows import ENOUGH, HARDLY_ANY, exact_price, rows_needed, with_few_rows
from arcs.penalties import Ebic


@pytest.mark.parametrize("n", [12.0, 20.0, 45.0])
@pytest.mark.parametrize("price", [3.0, 6.8, 11.0])
def test_chance_pays_as_often_as_with_many_rows(n, price):
    paid = exact_price(n, price)
    k = np.arange(1, int(n // 4) + 1)
    chance = stats.beta.cdf(np.exp(-2 * k * paid / n), (n - 1 - k) / 2, k / 2)
    promised = stats.chi2.sf(2 * k * price, k)
    assert np.all(chance <= promised * (1 + 1e-6))
    # ... and no more is asked for than that: for one number of parents the two are equal.
    assert np.max(chance / promised) == pytest.approx(1.0, rel=1e-6)


def test_many_rows_cost_what_they_did():
    prices, n = np.array([5.0, 6.0]), np.array([rows_needed(50, ENOUGH), 1e4])
    assert with_few_rows(prices, n, 50) is prices
    np.testing.assert_array_equal(Ebic(1.0).costs(n, 50), 0.5 * np.log(n) + np.log(50))


def test_the_price_fades_and_has_no_step():
    n = np.linspace(25.0, 70.0, 4501)
    prices = 0.5 * np.log(n) + np.log(50)
    raised = with_few_rows(prices, n, 50)
    ratio = raised / prices
    full = rows_needed(50)
    assert ratio[n < full].min() > 1.15
    assert ratio[-1] == 1.0
    # Steps come from whole numbers of parents only.
    assert np.abs(np.diff(ratio)).max() < 0.05


def test_hardly_any_rows_and_odd_numbers_have_a_price():
    for n in (0.5, 1.0, 2.0, 3.0, 4.0, 7.5):
        assert np.isfinite(exact_price(n, 5.0))
    assert exact_price(40.0, 1e4) == 1e4
    assert Ebic(1.0).costs(0.0, 50) == np.log(50)
    assert rows_needed(1) == rows_needed(2) == 0.0
    assert Ebic(1.0).costs([20.0, 500.0], 50).shape == (2,)


def test_the_rule_of_an_answer_knows_the_price():
    price = float(Ebic(1.5).costs(20.0, 200))
    assert EdgeRule(ebic=1.5).limit(20, 200, 1) == EdgeRule(price=price).limit(20, 200, 1)


@pytest.mark.filterwarnings("ignore")
def test_noise_gives_next_to_no_edges():
    rows = np.random.default_rng(3).normal(size=(20, 200))
    assert len(rows) < rows_needed(200, HARDLY_ANY)
    assert ARCS(random_state=0).fit(rows).result_.n_edges <= 3
