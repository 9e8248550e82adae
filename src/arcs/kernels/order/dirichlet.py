"""Losses of categorical families under Dirichlet priors: BDeu, BDs and K2.

Formulas and bounds are in :mod:`arcs.kernels.order.discrete_score`.
"""

import math

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.configurations import count_configuration
from arcs.kernels.order.pair_counts import (
    LARGEST,
    SINGLE,
    add_configuration,
    add_steps,
    clear,
    gather,
)
from arcs.kernels.order.risings import NEAR, far_rising, rising, room_for

__all__ = ["BDEU", "BDS", "BIC", "K2", "dirichlet_loss", "least_marginal", "marginal_losses"]

BIC, BDEU, BDS, K2 = range(4)


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
def dirichlet_loss(problem, cells, r, q, counts):
    """Minus the log marginal likelihood from the counted table, which is cleared."""
    table, unit, whole, part = counts.table, problem.unit, counts.risings, counts.cell_risings
    occurring = _occurring(table, cells, r) if problem.kind == BDS else 0
    a = _prior(problem, r, q, occurring)
    counts.asked[0] += 1
    of_whole = room_for(whole, a, counts.asked[0], unit)
    of_part = room_for(part, a / r, counts.asked[0], unit)
    total = np.int64(0)
    at = 0
    for _ in range(cells):
        rows = 0
        for _ in range(r):
            m = table[at]
            if m > 0:
                total -= rising(part, of_part, m, unit)
                rows += m
                table[at] = 0
            at += 1
        if rows > 0:
            total += rising(whole, of_whole, rows, unit)
    return total * unit


@kernel
def least_marginal(rows, u, cells, counts):
    """What u loses at least with more parents, after rows were sorted."""
    r, held = rows.levels[u], np.int64(0)
    for x in range(cells * r):
        held += counts.end[x] > (counts.end[x - 1] if x > 0 else 0)
    return held * math.log(r)


@kernel
def _count_occurring(problem, u, cells, live, counts):
    """Count the configurations that occur with each candidate."""
    rows, sums = problem.rows, counts.bit_counts[counts.bit_counts.shape[0] - 1]
    counts.by_bit[:] = 0
    for j in range(cells):
        if count_configuration(rows, u, j, 1, counts) >= 0:
            for i in range(sums.shape[0]):
                counts.by_bit[i] += sums[i] > 0
    for t in range(live[0], live[1]):
        c, counts.occurring[t] = counts.live[t], 0
        for i in range(rows.first[c], rows.first[c] + rows.width[c]):
            counts.occurring[t] += counts.by_bit[i]


@kernel
def _set_priors(problem, r, q, live, counts):
    """Find where the rising factorials with each candidate are. Those with as many levels have the
    same, but for BDs."""
    rows, unit = problem.rows, problem.unit
    counts.asked[0] += 1
    counts.like[:] = -1
    for t in range(live[0], live[1]):
        c = counts.live[t]
        first = counts.like[rows.levels[c]]
        if first < 0 or problem.kind == BDS:
            a = _prior(problem, r, q * rows.levels[c], counts.occurring[t])
            counts.whole_row[t] = room_for(counts.risings, a, counts.asked[0], unit)
            counts.part_row[t] = room_for(counts.cell_risings, a / r, counts.asked[0], unit)
            counts.like[rows.levels[c]] = t
        else:
            counts.whole_row[t], counts.part_row[t] = (
                counts.whole_row[first],
                counts.part_row[first],
            )
        for i in range(rows.first[c], rows.first[c] + rows.width[c]):
            counts.whole_of_bit[i] = counts.whole_row[t] * NEAR
            counts.part_of_bit[i] = counts.part_row[t] * NEAR


@kernel
def _add_risings(risings, begins, counted, out):
    """Add those of the counts of all bits; wrong by what :func:`_correct` puts right where a count
    is not below NEAR."""
    near = risings.near
    for i in range(out.shape[0]):
        out[i] += near[begins[i] + np.uint64(min(counted[i], np.uint32(NEAR - 1)))]


@kernel
def _subtract_risings(risings, begins, counted, out):
    """The same with the other sign."""
    near = risings.near
    for i in range(out.shape[0]):
        out[i] -= near[begins[i] + np.uint64(min(counted[i], np.uint32(NEAR - 1)))]


@kernel
def _correct(risings, begins, counted, sign, unit, out):
    """Put large counts right."""
    for i in range(out.shape[0]):
        if counted[i] >= NEAR:
            row = np.int64(begins[i]) // NEAR
            right = far_rising(risings, row, np.int64(counted[i]), unit)
            out[i] += sign * (right - risings.near[row * NEAR + NEAR - 1])


@kernel
def _add_marginals(problem, held, counts):
    """Add what a configuration, split by each level of each variable, adds to the loss."""
    whole, part, last = counts.risings, counts.cell_risings, counts.bit_counts.shape[0] - 1
    of_whole, of_part, out = counts.whole_of_bit, counts.part_of_bit, counts.by_bit
    for level in range(held):
        own = counts.bit_counts[level]
        _subtract_risings(part, of_part, own, out)
        if counts.rows_with[level] >= NEAR:
            _correct(part, of_part, own, -1, problem.unit, out)
    sums = counts.bit_counts[last]
    _add_risings(whole, of_whole, sums, out)
    if counts.rows_with[last] >= NEAR:
        _correct(whole, of_whole, sums, 1, problem.unit, out)


@kernel
def _set_all_steps(problem, live, counts):
    """What one more row adds, for each number of levels; for BDs for each candidate."""
    pairs, bds, largest = counts.pairs, problem.kind == BDS, max(counts.pairs.sizes[LARGEST], 1)
    for t in range(live[0], live[1]):
        c = counts.live[t]
        levels = problem.rows.levels[c]
        pairs.column[c] = t - live[0] if bds else levels
        if bds or counts.like[levels] == t:
            for m in range(largest):
                whole, part = counts.whole_row[t] * NEAR + m, counts.part_row[t] * NEAR + m
                more = counts.risings.near[whole + 1] - counts.risings.near[whole]
                pairs.whole_steps[m, pairs.column[c]] = more
                more = counts.cell_risings.near[part + 1] - counts.cell_risings.near[part]
                pairs.part_steps[m, pairs.column[c]] = more


@kernel
def _sum_up(problem, live, counts):
    """The losses, from what was counted by bits and in pairs."""
    pairs, rows = counts.pairs, problem.rows
    gather(pairs)
    _set_all_steps(problem, live, counts)
    add_steps(pairs)
    for t in range(live[0], live[1]):
        c = counts.live[t]
        at, total = pairs.column[c], pairs.total[c]
        total += pairs.sizes[SINGLE] * (pairs.whole_steps[0, at] - pairs.part_steps[0, at])
        for i in range(rows.first[c], rows.first[c] + rows.width[c]):
            total += counts.by_bit[i]
        counts.loss[t] = total


@kernel
def marginal_losses(problem, u, cells, q, live, counts):
    """What u loses with each of the candidates ``counts.live[live[0]:live[1]]``, after rows were
    sorted."""
    rows, pairs = problem.rows, counts.pairs
    if problem.kind == BDS:
        _count_occurring(problem, u, cells, live, counts)
        gather(pairs)
    clear(pairs)
    _set_priors(problem, rows.levels[u], q, live, counts)
    counts.by_bit[:] = 0
    for j in range(cells):
        if not add_configuration(rows, u, j, counts):
            held = count_configuration(rows, u, j, 1, counts)
            if held >= 0:
                _add_marginals(problem, held, counts)
    _sum_up(problem, live, counts)
