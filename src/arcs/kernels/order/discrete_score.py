"""Scores of categorical families from counts.

For a node u with r levels and parents with q configurations, n_jk rows in configuration j and level
k, n_j in configuration j, in nats and smaller is better:

- likelihood with a price: ``sum_j n_j log n_j - sum_jk n_jk log n_jk + price (r - 1) q + toll k``
  (BIC: price = 1/2 log n; the extended BIC adds a toll per parent);
- Dirichlet priors (BDeu, BDs, K2): minus the log marginal likelihood, with a = ess / q per
  configuration (BDs: q of those that occur; K2: a = r) and a / r per cell.

Who is worth adding to some parents is found for all candidates at once: rows are sorted by cell of
(parents, node), and the levels of all variables are counted in each cell
(:mod:`arcs.kernels.order.bit_counts`), or rows compared in pairs where they are few
(:mod:`arcs.kernels.order.pair_counts`). A configuration in which the node has one level only says
nothing of anybody under a likelihood, and is passed over. Nor is somebody counted who cannot pay: a
parent c lowers the loss by ``n I(u; c | parents)``, which is at most ``n H(u | parents)``, the
loss, and at most ``n H(c)``. Under a Dirichlet prior, which foretells one row after the other, the
first row of a cell has a probability of ``(a / r) / (a + m)`` after m others of its configuration,
1 / r at most. Each cell that has rows keeps such a first row however it is split, so that with more
parents the loss is at least ``log r`` times their number; where that is too much, nobody can pay.

Sums are made of whole numbers (terms in units of 2^-s nats), so that the order of rows, levels,
parents and columns never shows, not even in the last bit.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.configurations import count_configuration
from arcs.kernels.order.counts import count_family, number_cells, sort_rows
from arcs.kernels.order.dirichlet import (
    BDEU,
    BDS,
    BIC,
    K2,
    dirichlet_loss,
    least_marginal,
    marginal_losses,
)
from arcs.kernels.order.family_engine import may_be_added
from arcs.kernels.order.memo import COUNTED, LISTED, sort_in
from arcs.kernels.order.pair_counts import LARGEST, add_configuration, add_steps, clear, gather
from arcs.kernels.order.risings import SAFE

__all__ = ["BDEU", "BDS", "BIC", "K2", "candidates_worth_adding", "family_score", "parent_price"]

#: Entries of the largest table of a node given its parents; larger sets of parents are not tried.
MOST_CELLS = 1_000_000
#: What an entry of a larger one costs, in nats.
_OUT_OF_REACH = 1e6
#: Bounds are exact up to rounding.
_ROUNDING = 1e-6


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


@kernel
def family_score(problem, u, chosen, k, scratch):
    """Score of u with the parents ``chosen[:k]``, from the data."""
    rows, counts = problem.rows, scratch.counts
    scratch.memo.sizes[COUNTED] += 1
    q, r = _configurations(rows, chosen, k), rows.levels[u]
    if q * r > MOST_CELLS:
        return _OUT_OF_REACH * q * r  # finite: what has fewer entries is better
    cells = count_family(rows, u, chosen, k, counts)
    if problem.kind == BIC:
        loss = _likelihood_loss(problem, cells, r, counts.table)
    else:
        loss = dirichlet_loss(problem, cells, r, q, counts)
    return loss + _fine(problem, u, k, q)


@kernel
def parent_price(problem, u, chosen, k):
    """What the parent ``chosen[k]`` costs beside ``chosen[:k]``."""
    r, rc = problem.rows.levels[u], problem.rows.levels[chosen[k]]
    price = problem.price[u] * (r - 1) * (rc - 1)
    if problem.kind == BIC:
        price *= _configurations(problem.rows, chosen, k)
    return problem.toll + price


@kernel
def _add_likelihoods(problem, held, counts):
    """Add what a configuration, split by each level of each variable, adds to the loss."""
    entropy, out = problem.entropy, counts.by_bit
    for level in range(held):
        own = counts.bit_counts[level]
        for i in range(out.shape[0]):
            out[i] -= entropy[own[i]]
    sums = counts.bit_counts[counts.bit_counts.shape[0] - 1]
    for i in range(out.shape[0]):
        out[i] += entropy[sums[i]]


@kernel
def _likelihood_losses(problem, u, cells, live, counts):
    """Losses after the rows were sorted, with each of the candidates."""
    entropy, pairs, rows = problem.entropy, counts.pairs, problem.rows
    counts.by_bit[:] = 0
    clear(pairs)
    for j in range(cells):
        if not add_configuration(rows, u, j, counts):
            held = count_configuration(rows, u, j, 2, counts)
            if held >= 0:
                _add_likelihoods(problem, held, counts)
    gather(pairs)
    pairs.column[:] = 0
    for m in range(pairs.sizes[LARGEST]):
        pairs.whole_steps[m, 0] = pairs.part_steps[m, 0] = entropy[m + 1] - entropy[m]
    add_steps(pairs)
    for t in range(live):
        c = counts.live[t]
        total = pairs.total[c]
        for i in range(rows.first[c], rows.first[c] + rows.width[c]):
            total += counts.by_bit[i]
        counts.loss[t] = total


@kernel
def _losses(problem, u, k, q, live, score, scratch):
    """What u loses with each of the candidates ``counts.live[:live]`` beside ``chosen[:k]``;
    returns how many of them were counted: all, or none if none can pay."""
    rows, counts = problem.rows, scratch.counts
    cells = number_cells(rows, u, scratch.chosen, k, counts)
    sort_rows(rows, u, cells * rows.levels[u], counts)
    if problem.kind != BIC:
        least = least_marginal(rows, u, cells, counts) + problem.toll * (k + 1)
        if least >= score + _ROUNDING:
            return np.int64(0)
    if problem.kind == BIC:
        _likelihood_losses(problem, u, cells, live, counts)
    else:
        step = min(SAFE, live) if problem.kind == BDS else live
        for first in range(0, live, step):
            marginal_losses(problem, u, cells, q, (first, min(first + step, live)), counts)
    return live


@kernel
def _who_may_pay(problem, u, k, q, score, scratch):
    """List in ``counts.live`` whom it is worth counting beside ``chosen[:k]``; returns how many."""
    rows, chosen = problem.rows, scratch.chosen
    spread, fine, live = problem.spread[rows.pattern[u]], _fine(problem, u, k, q), np.int64(0)
    for c in range(rows.levels.shape[0]):
        if min(rows.levels[u], rows.levels[c]) < 2 or not may_be_added(problem, u, chosen, k, c):
            continue
        if q * rows.levels[c] * rows.levels[u] > MOST_CELLS:
            continue
        if problem.kind == BIC:
            chosen[k] = c
            asked = problem.lenient * parent_price(problem, u, chosen, k)
            if asked >= min(score - fine, spread[c]) + _ROUNDING:
                continue
        scratch.counts.live[live] = c
        live += 1
    return live


@kernel
def candidates_worth_adding(problem, u, k, record, scratch):
    """List all candidates worth adding to the parents ``scratch.chosen[:k]`` of u, leniently, best
    first."""
    memo, rows, counts, chosen = scratch.memo, problem.rows, scratch.counts, scratch.chosen
    q, score = _configurations(rows, chosen, k), memo.score[record]
    start, count = memo.sizes[LISTED], np.int64(0)
    live = _who_may_pay(problem, u, k, q, score, scratch)
    if live > 0:
        live = _losses(problem, u, k, q, live, score, scratch)
    memo.sizes[COUNTED] += live
    for t in range(live):
        c = counts.live[t]
        chosen[k] = c
        slack = (1.0 - problem.lenient) * parent_price(problem, u, chosen, k)
        with_c = counts.loss[t] * problem.unit + _fine(problem, u, k + 1, q * rows.levels[c])
        if with_c < score + slack:
            sort_in(memo, start, count, c, with_c)
            count += 1
    memo.sizes[LISTED] += count
    memo.start[record] = start
    memo.length[record] = count
