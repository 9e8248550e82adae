r"""What a parent must be worth where rows are few: the extended BIC's price without asymptotics.

A set of k parents chosen among p candidates pays c = 1/2 log n + gamma log p nats for each of them.
If none of them matters, n log(RSS_0 / RSS_k) has about a chi-squared distribution with k degrees of
freedom, and chance pays the price with probability

    a_k = P(chi2_k > 2 k c).

That holds for many rows. Exactly, RSS_k / RSS_0 has a Beta((n - 1 - k) / 2, k / 2) distribution,
and with few rows chance pays far more often: 20 rows of pure noise in 200 variables gave some 200
edges. The same risk as with many rows needs C_k nats for k parents,

    P(-n/2 log Beta((n - 1 - k) / 2, k / 2) > C_k) = a_k.

The search knows prices per parent only, so each costs the largest C_k / k of all numbers of parents
that it may try, a quarter of the rows at most.

This is the price below 10 (log p - 1) rows (20 rows of 20 variables, 43 of 200). Above it fades,
linearly, into the usual one, which is in force from 11 (log p - 1) rows on: beyond that pure noise
gives few edges at the usual price either, and a higher one misses true ones.
Below 7 (log p - 1) rows the answer's level is not left to the data either
(:mod:`arcs.answer.prune`): null edges that were selected so hard are too many for it.
"""

from __future__ import annotations

import numpy as np

from arcs.lazily import Lazily

__all__ = ["HARDLY_ANY", "exact_price", "rows_needed", "with_few_rows"]

special = Lazily("scipy.special")

#: Rows per log p - 1 below which the exact price is in force, and up to which it counts in part.
FEW, ENOUGH = 10.0, 11.0
#: And below which the data do not choose the level of the answer.
HARDLY_ANY = 7.0
#: The search tries no more parents than a quarter of the rows, and 32 at most.
_SHARE, _MOST = 4, 32


def rows_needed(p: int, each: float = FEW) -> float:
    """Rows below which chance alone explains much in `p` variables: so many times log p - 1.

    Examples
    --------
    >>> round(rows_needed(200), 1)
    43.0
    """
    return each * max(float(np.log(max(p, 1))) - 1.0, 0.0)


def exact_price(n: float, price: float) -> float:
    """What a parent must cost so that chance pays no more often than `price` would have it.

    Examples
    --------
    >>> round(exact_price(20.0, 6.8), 2), round(exact_price(2000.0, 9.1), 2)
    (9.09, 9.18)
    """
    rows = max(n, 3.0)
    k = np.arange(1, min(max(int(rows // _SHARE), 1), _MOST) + 1)
    risk = special.chdtrc(k, 2.0 * k * price)
    k, risk = k[risk > 1e-290], risk[risk > 1e-290]
    left = special.betaincinv(0.5 * (rows - 1.0 - k), 0.5 * k, risk)
    total = -0.5 * rows * np.log(np.maximum(left, np.finfo(float).tiny))
    return float(max(price, np.max(total / k, initial=price)))


def with_few_rows(prices: np.ndarray, n: np.ndarray, p: int) -> np.ndarray:
    """The prices, higher where rows are few; `n` rows count for each node."""
    full, enough = rows_needed(p), rows_needed(p, ENOUGH)
    few = (n > 0) & (n < enough)
    if not few.any():
        return prices
    raised = np.array(prices, dtype=np.float64)
    for place in np.argwhere(few):
        at = tuple(place)
        share = min((enough - n[at]) / (enough - full), 1.0)
        raised[at] += share * (exact_price(float(n[at]), float(prices[at])) - prices[at])
    return raised
