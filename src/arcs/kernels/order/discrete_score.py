"""Scores of categorical families from counts.

For a node u with r levels and parents with q configurations, n_jk rows in configuration j and level
k, n_j in configuration j, in nats and smaller is better:

- likelihood with a price: ``sum_j n_j log n_j - sum_jk n_jk log n_jk + price (r - 1) q + toll k``
  (BIC: price = 1/2 log n; the extended BIC adds a toll per parent);
- Dirichlet priors (BDeu, BDs, K2): minus the log marginal likelihood, with a = ess / q per
  configuration (BDs: q of those that occur; K2: a = r) and a / r per cell.

Who is worth adding to some parents is found for all candidates at once: rows are sorted by cell of
(parents, node), and the levels of all variables are counted in each cell
(:mod:`arcs.kernels.order.bit_counts`). A configuration in which the node has one level only says
nothing of anybody under a likelihood, and is passed over. Nor is somebody counted who cannot pay: a
parent c lowers the loss by ``n I(u; c | parents)``, which is at most ``n H(u | parents)``, the
loss, and at most ``n H(c)``. Under a Dirichlet prior, which foretells one row after the other, the
first row of a cell has a probability of ``(a / r) / (a + m)`` after m others of its configuration,
1 / r at most. Each cell that has rows keeps such a first row however it is split, so that with more
parents the loss is at least ``log r`` times their number; where that is too much, nobody can pay.

Sums are made of whole numbers (terms in units of 2^-s nats), so that the order of rows, levels,
parents and columns never shows, not even in the last bit.
"""

import math

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.bit_counts import count_bits
from arcs.kernels.order.counts import count_family, number_cells, sort_rows
from arcs.kernels.order.family_engine import may_be_added
from arcs.kernels.order.memo import COUNTED, LISTED, sort_in

__all__ = ["BDEU", "BDS", "BIC", "K2", "candidates_worth_adding", "family_score", "parent_price"]

BIC, BDEU, BDS, K2 = range(4)
#: Entries of the largest table of a node given its parents; larger sets of parents are not tried.
MOST_CELLS = 1_000_000
#: What an entry of a larger one costs, in nats.
_OUT_OF_REACH = 1e6
#: Bounds are exact up to rounding.
_ROUNDING = 1e-6
#: Takes priors of different families to different rows of what is remembered.
_SPREAD = 1e6


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
def _room_for(risings, a):
    """The row of remembered risings of a prior, emptied if it was that of another one."""
    row = np.int64(_SPREAD / a) % risings.prior.shape[0]
    if risings.prior[row] != a:
        risings.prior[row] = a
        risings.log[row] = 0
    return row


@inlined
def _rising(risings, row, m, unit):
    """log of a (a + 1) ... (a + m - 1), in units, with the prior a of that row."""
    known = np.int64(0)
    if m < risings.log.shape[1]:
        known = risings.log[row, m]
    if known == 0:
        a = risings.prior[row]
        known = np.int64(np.round((math.lgamma(a + m) - math.lgamma(a)) / unit))
        if m < risings.log.shape[1]:
            risings.log[row, m] = known
    return known


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


@inlined
def _prior(problem, r, q, occurring):
    """Rows that a Dirichlet prior is worth in a configuration."""
    a = 1.0 * r
    if problem.kind == BDEU:
        a = problem.sample_size / q
    elif problem.kind == BDS:
        a = problem.sample_size / max(occurring, 1)
    return a


@kernel
def _dirichlet_loss(problem, cells, r, q, counts):
    """Minus the log marginal likelihood from the counted table, which is cleared."""
    table, unit, whole, part = counts.table, problem.unit, counts.risings, counts.cell_risings
    a = _prior(problem, r, q, _occurring(table, cells, r))
    of_whole, of_part = _room_for(whole, a), _room_for(part, a / r)
    total = np.int64(0)
    at = 0
    for _ in range(cells):
        rows = 0
        for _ in range(r):
            m = table[at]
            if m > 0:
                total -= _rising(part, of_part, m, unit)
                rows += m
                table[at] = 0
            at += 1
        if rows > 0:
            total += _rising(whole, of_whole, rows, unit)
    return total * unit


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
        loss = _dirichlet_loss(problem, cells, r, q, counts)
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
def _count_configuration(problem, u, j, scratch):
    """Counts of all bits in configuration j by level of u, levels that occur only, and their sums;
    returns how many levels do. A likelihood has no use for them if it is one."""
    rows, counts = problem.rows, scratch.counts
    r, held = rows.levels[u], np.int64(0)
    for x in range(j * r, (j + 1) * r):
        held += counts.end[x] > (counts.end[x - 1] if x > 0 else 0)
    if held < 2 and (problem.kind == BIC or held == 0):
        return np.int64(0)
    sums, total = counts.bit_counts[held], np.uint32(0)
    sums[:] = 0
    level = 0
    for x in range(j * r, (j + 1) * r):
        begin = counts.end[x - 1] if x > 0 else 0
        if counts.end[x] > begin:
            own = counts.bit_counts[level]
            counts.rows_with[level] = count_bits(rows, u, begin, counts.end[x], own, counts)
            total += counts.rows_with[level]
            for i in range(own.shape[0]):
                sums[i] += own[i]
            level += 1
    counts.rows_with[held] = total
    return held


@kernel
def _add_likelihoods(problem, live, held, counts):
    """Add what a configuration, split by each candidate, adds to the loss."""
    entropy, first, width = problem.entropy, problem.rows.first, problem.rows.width
    for t in range(live):
        c = counts.live[t]
        total = np.int64(0)
        for level in range(held + 1):
            left, own = np.uint64(counts.rows_with[level]), np.int64(0)
            for i in range(first[c], first[c] + width[c]):
                m = np.uint64(counts.bit_counts[level, i])
                own += entropy[m]
                left -= m
            own += entropy[left]
            total += own if level == held else -own
        counts.loss[t] += total


@inlined
def _level_of(counts, first, width, level, step):
    """Weight of the rows with a level of a candidate: that of a bit, or what they leave."""
    m = np.int64(counts.rows_with[level])
    if step < width:
        m = np.int64(counts.bit_counts[level, first + step])
    else:
        for i in range(first, first + width):
            m -= np.int64(counts.bit_counts[level, i])
    return m


@inlined
def _risings_of(risings, row, counts, level, first, width, unit):
    """Sum over the levels of a candidate, among the rows with a level of the node."""
    total, left = np.int64(0), np.int64(counts.rows_with[level])
    for i in range(first, first + width):
        m = np.int64(counts.bit_counts[level, i])
        if m > 0:
            total += _rising(risings, row, m, unit)
            left -= m
    if left > 0:
        total += _rising(risings, row, left, unit)
    return total


@kernel
def _add_marginals(problem, r, q, live, held, counts):
    """The same under a Dirichlet prior."""
    whole, part, unit = counts.risings, counts.cell_risings, problem.unit
    for t in range(live):
        c = counts.live[t]
        first, width = problem.rows.first[c], problem.rows.width[c]
        a = _prior(problem, r, q * problem.rows.levels[c], counts.occurring[t])
        of_whole, of_part = _room_for(whole, a), _room_for(part, a / r)
        total = np.int64(0)
        for level in range(held):
            total -= _risings_of(part, of_part, counts, level, first, width, unit)
        total += _risings_of(whole, of_whole, counts, held, first, width, unit)
        counts.loss[t] += total


@kernel
def _add_single_rows(problem, r, q, live, single, counts):
    """Add what so many configurations with a single row add under a Dirichlet prior: nobody splits
    them."""
    whole, part = counts.risings, counts.cell_risings
    for t in range(live):
        a = _prior(problem, r, q * problem.rows.levels[counts.live[t]], counts.occurring[t])
        of_whole, of_part = _room_for(whole, a), _room_for(part, a / r)
        one = _rising(whole, of_whole, 1, problem.unit) - _rising(part, of_part, 1, problem.unit)
        counts.loss[t] += single * one


@inlined
def _is_single_row(rows, u, j, counts):
    """Whether one row that counts once is all that there is in configuration j."""
    r = rows.levels[u]
    begin = counts.end[j * r - 1] if j > 0 else 0
    weight = rows.weight[rows.pattern[u]]
    return counts.end[(j + 1) * r - 1] == begin + 1 and weight[counts.sorted[begin]] == 1


@kernel
def _add_occurring(problem, live, held, counts):
    """Count the configurations that occur with each candidate."""
    for t in range(live):
        c = counts.live[t]
        first, width = problem.rows.first[c], problem.rows.width[c]
        for step in range(width + 1):
            counts.occurring[t] += _level_of(counts, first, width, held, step) > 0


@kernel
def _marginal_losses(problem, u, cells, q, live, scratch):
    """The same under a Dirichlet prior, after the rows were sorted."""
    rows, counts = problem.rows, scratch.counts
    r, single = rows.levels[u], np.int64(0)
    if problem.kind == BDS:
        for j in range(cells):
            held = _count_configuration(problem, u, j, scratch)
            if held > 0:
                _add_occurring(problem, live, held, counts)
    for j in range(cells):
        if _is_single_row(rows, u, j, counts):
            single += 1
        else:
            held = _count_configuration(problem, u, j, scratch)
            if held > 0:
                _add_marginals(problem, r, q, live, held, counts)
    if single > 0:
        _add_single_rows(problem, r, q, live, single, counts)


@kernel
def _least_marginal(problem, u, cells, counts):
    """Under a Dirichlet prior, what u loses at least with more parents, after rows were sorted."""
    r, held = problem.rows.levels[u], np.int64(0)
    for x in range(cells * r):
        held += counts.end[x] > (counts.end[x - 1] if x > 0 else 0)
    return held * math.log(r)


@kernel
def _losses(problem, u, k, q, live, score, scratch):
    """What u loses with each of the candidates ``counts.live[:live]`` beside ``chosen[:k]``;
    returns how many of them were counted: all, or none if none can pay."""
    rows, counts = problem.rows, scratch.counts
    r = rows.levels[u]
    cells = number_cells(rows, u, scratch.chosen, k, counts)
    sort_rows(rows, u, cells * r, counts)
    if problem.kind != BIC:
        least = _least_marginal(problem, u, cells, counts) + problem.toll * (k + 1)
        if least >= score + _ROUNDING:
            return np.int64(0)
    for t in range(live):
        counts.loss[t] = 0
        counts.occurring[t] = 0
    if problem.kind == BIC:
        for j in range(cells):
            held = _count_configuration(problem, u, j, scratch)
            if held > 0:
                _add_likelihoods(problem, live, held, counts)
    else:
        _marginal_losses(problem, u, cells, q, live, scratch)
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
