"""Scores of categorical families from counts.

For a node u with r levels and parents with q configurations, n_jk rows in configuration j and level
k, n_j in configuration j, in nats and smaller is better:

- likelihood with a price: ``sum_j n_j log n_j - sum_jk n_jk log n_jk + price (r - 1) q + toll k``
  (BIC: price = 1/2 log n; the extended BIC adds a toll per parent);
- Dirichlet priors (BDeu, BDs, K2): minus the log marginal likelihood, with a = ess / q per
  configuration (BDs: q of those that occur; K2: a = r) and a / r per cell.

Sums are made of whole numbers (terms in units of 2^-s nats), so that the order of rows, levels,
parents and columns never shows, not even in the last bit.
"""

import math

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.counts import begin_counts, count_family, count_with
from arcs.kernels.order.family_engine import may_be_added
from arcs.kernels.order.memo import COUNTED, LISTED, sort_in

__all__ = ["BDEU", "BDS", "BIC", "K2", "candidates_worth_adding", "family_score", "parent_price"]

BIC, BDEU, BDS, K2 = range(4)
#: Entries of the largest table of a node given its parents; larger sets of parents are not tried.
MOST_CELLS = 1_000_000
#: What an entry of a larger one costs, in nats.
_OUT_OF_REACH = 1e6


@inlined
def _configurations(rows, chosen, k):
    """Number of configurations of parents, whether they occur or not."""
    q = 1.0
    for t in range(k):
        q *= rows.levels[chosen[t]]
    return q


@inlined
def _fine(problem, u, k, q):
    """What parents cost, apart from what they explain."""
    fine = problem.toll * k
    if problem.kind == BIC:
        fine += problem.price[u] * (problem.rows.levels[u] - 1) * q
    return fine


@kernel
def _likelihood_loss(problem, cells, r, table):
    """Minus the largest log-likelihood from the counted table, which is cleared."""
    total = np.int64(0)
    at = 0
    for _ in range(cells):
        rows = 0
        for _ in range(r):
            m = table[at]
            if m > 0:
                total -= problem.entropy[m]
                rows += m
                table[at] = 0
            at += 1
        total += problem.entropy[rows]
    return total * problem.unit


@inlined
def _rising(a, m, unit):
    """log of a (a + 1) ... (a + m - 1), in units."""
    return np.int64(np.round((math.lgamma(a + m) - math.lgamma(a)) / unit))


@kernel
def _occurring(table, cells, r):
    """Number of configurations with rows."""
    count = 0
    for j in range(cells):
        for level in range(r):
            if table[j * r + level] > 0:
                count += 1
                break
    return count


@kernel
def _dirichlet_loss(problem, cells, r, q, table):
    """Minus the log marginal likelihood from the counted table, which is cleared."""
    a = 1.0 * r
    if problem.kind == BDEU:
        a = problem.sample_size / q
    elif problem.kind == BDS:
        a = problem.sample_size / max(_occurring(table, cells, r), 1)
    total = np.int64(0)
    at = 0
    for _ in range(cells):
        rows = 0
        for _ in range(r):
            m = table[at]
            if m > 0:
                total -= _rising(a / r, m, problem.unit)
                rows += m
                table[at] = 0
            at += 1
        if rows > 0:
            total += _rising(a, rows, problem.unit)
    return total * problem.unit


@inlined
def _loss(problem, cells, r, q, table):
    if problem.kind == BIC:
        loss = _likelihood_loss(problem, cells, r, table)
    else:
        loss = _dirichlet_loss(problem, cells, r, q, table)
    return loss


@kernel
def family_score(problem, u, chosen, k, scratch):
    """Score of u with the parents ``chosen[:k]``, from the data."""
    rows, counts = problem.rows, scratch.counts
    scratch.memo.sizes[COUNTED] += 1
    q = _configurations(rows, chosen, k)
    if q * rows.levels[u] > MOST_CELLS:
        return _OUT_OF_REACH * q * rows.levels[u]  # finite: what has fewer entries is better
    begin_counts(rows, u, chosen, k, counts)
    cells = count_family(rows, u, counts)
    return _loss(problem, cells, rows.levels[u], q, counts.table) + _fine(problem, u, k, q)


@kernel
def parent_price(problem, u, chosen, k):
    """What the parent ``chosen[k]`` costs beside ``chosen[:k]``."""
    r, rc = problem.rows.levels[u], problem.rows.levels[chosen[k]]
    price = problem.price[u] * (r - 1) * (rc - 1)
    if problem.kind == BIC:
        price *= _configurations(problem.rows, chosen, k)
    return problem.toll + price


@kernel
def candidates_worth_adding(problem, u, k, record, scratch):
    """List all candidates worth adding to the parents ``scratch.chosen[:k]`` of u, leniently, best
    first."""
    memo, rows, counts, chosen = scratch.memo, problem.rows, scratch.counts, scratch.chosen
    r, q, score = rows.levels[u], _configurations(rows, chosen, k), memo.score[record]
    start, count, ready = memo.sizes[LISTED], np.int64(0), False
    for c in range(rows.levels.shape[0]):
        if min(r, rows.levels[c]) < 2 or not may_be_added(problem, u, chosen, k, c):
            continue
        chosen[k] = c
        slack = (1.0 - problem.lenient) * parent_price(problem, u, chosen, k)
        q_with = q * rows.levels[c]
        if q_with * r > MOST_CELLS:
            continue
        fine = _fine(problem, u, k + 1, q_with)
        if problem.kind == BIC and fine >= score + slack:
            continue  # even a perfect fit would not pay
        if not ready:
            begin_counts(rows, u, chosen, k, counts)
            ready = True
        memo.sizes[COUNTED] += 1
        cells = count_with(rows, u, chosen, k, c, counts)
        with_c = _loss(problem, cells, r, q_with, counts.table) + fine
        if with_c < score + slack:
            sort_in(memo, start, count, c, with_c)
            count += 1
    memo.sizes[LISTED] += count
    memo.start[record] = start
    memo.length[record] = count
