"""The G test: are two categories independent given others?

With n_abc rows of level a, level b and configuration c of the given variables,

    G = 2 sum n_abc log (n_abc n_c / (n_ac n_bc))

is close to chi-squared under independence. Its degrees of freedom are counted configuration by
configuration, (levels of a that occur there - 1) (levels of b that do - 1), since what never occurs
constrains nothing; without any there is no evidence for dependence. The dependence is told by
-log p, which does not run out of digits.

Rows are sorted by configuration once for all partners of a variable
(:func:`arcs.kernels.order.counts.sort_rows`). As in scores of categories, sums are made of whole
numbers, so that nothing depends on the order of rows, levels or variables.
"""

import math
from typing import NamedTuple

import numpy as np

from arcs.kernels.asking import provide
from arcs.kernels.fisher_z import condition_room, dependence, prepare_condition
from arcs.kernels.jit import allocating, kernel
from arcs.kernels.order.counts import CountScratch, Rows, number_cells, sort_rows

__all__ = ["CountedRows", "counted_rows", "g_statistic", "log_tail"]

#: Terms of a series, more than are needed for 1e9 degrees of freedom.
_MOST_TERMS = 1_000_000
_TINY = 1e-300


class CountedRows(NamedTuple):
    """Rows of categories that tests are made of.

    Attributes
    ----------
    rows : Rows
    pattern : int64 (p,), which weights count for a node
    entropy : int64 (n + 1,), m log m in units
    unit : float64, nats per unit
    scratch : CountScratch
    joint : int64 (levels, levels), counts in one configuration; zero between uses
    ours, theirs : int64 (levels,), their sums; zero between uses
    """

    rows: Rows
    pattern: np.ndarray
    entropy: np.ndarray
    unit: float
    scratch: CountScratch
    joint: np.ndarray
    ours: np.ndarray
    theirs: np.ndarray


def counted_rows(
    rows: Rows, entropy: np.ndarray, unit: float, scratch: CountScratch
) -> CountedRows:
    """Rows and room for tests of them."""
    most = int(max(rows.levels.max(initial=1), 1))
    room = np.zeros((most, most), np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    return CountedRows(rows, rows.pattern, entropy, unit, scratch, *room)


@kernel
def log_tail(x, degrees):
    """log of the probability that a chi-squared variable of so many degrees is larger than x."""
    a, half = 0.5 * degrees, 0.5 * x
    if half <= 0.0:
        return 0.0
    scale = a * math.log(half) - half - math.lgamma(a)
    if half < a + 1.0:  # the series of the lower tail
        term = total = 1.0 / a
        for i in range(1, _MOST_TERMS):
            term *= half / (a + i)
            total += term
            if term < total * 1e-17:
                break
        return math.log1p(-min(math.exp(scale) * total, 1.0))
    # Lentz's way of going through the continued fraction of the upper tail
    b = half + 1.0 - a
    c, d = 1.0 / _TINY, 1.0 / b
    value = d
    for i in range(1, _MOST_TERMS):
        step = -i * (i - a)
        b += 2.0
        d = step * d + b
        d = 1.0 / (_TINY if abs(d) < _TINY else d)
        c = b + step / c
        c = _TINY if abs(c) < _TINY else c
        value *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return scale + math.log(value)


class _Sorted(NamedTuple):
    """A variable whose rows were sorted by cell, and in how many configurations they are."""

    node: int
    variable: int
    configurations: int


@provide("CountedRows", condition_room)
def _no_room(tests, k):
    return k


@provide("CountedRows", prepare_condition)
@allocating
def _sort(tests, v, a, given, room):
    q = number_cells(tests.rows, a, given, room, tests.scratch)
    sort_rows(tests.rows, v, q * tests.rows.levels[a], tests.scratch)
    return _Sorted(v, a, q)


@kernel
def _add_up(tests, a, b, weight, begin, end):
    """Count the sorted rows between two places; returns their weight."""
    rows, total = tests.rows, np.int64(0)
    for at in range(begin, end):
        i = tests.scratch.sorted[at]
        tests.joint[rows.codes[a, i], rows.codes[b, i]] += weight[i]
        tests.ours[rows.codes[a, i]] += weight[i]
        tests.theirs[rows.codes[b, i]] += weight[i]
        total += weight[i]
    return total


@kernel
def _take_out(tests, a, b, begin, end):
    """``(sum of m log m over cells less that over both margins, levels of a, levels of b)``, all
    counts back to zero."""
    rows, entropy = tests.rows, tests.entropy
    joint, ours, theirs = tests.joint, tests.ours, tests.theirs
    total, of_a, of_b = np.int64(0), np.int64(0), np.int64(0)
    for at in range(begin, end):
        i = tests.scratch.sorted[at]
        one, two = rows.codes[a, i], rows.codes[b, i]
        total += entropy[joint[one, two]] - entropy[ours[one]] - entropy[theirs[two]]
        of_a += ours[one] > 0
        of_b += theirs[two] > 0
        joint[one, two] = ours[one] = theirs[two] = 0
    return total, of_a, of_b


@kernel
def g_statistic(tests, v, a, b, configurations):
    """G and its degrees of freedom for a, whose rows were sorted (those of node v), and b."""
    rows, end = tests.rows, tests.scratch.end
    weight, r = rows.weight[rows.pattern[v]], rows.levels[a]
    total, degrees, begin = np.int64(0), np.int64(0), np.int64(0)
    for j in range(configurations):
        stop = np.int64(end[(j + 1) * r - 1])
        if stop > begin:
            n = _add_up(tests, a, b, weight, begin, stop)
            part, of_a, of_b = _take_out(tests, a, b, begin, stop)
            total += part + tests.entropy[n]
            degrees += (of_a - 1) * (of_b - 1)
        begin = stop
    return 2.0 * total * tests.unit, degrees


@provide("CountedRows", dependence)
@kernel
def _evidence(tests, condition, b):
    g, degrees = g_statistic(tests, condition.node, condition.variable, b, condition.configurations)
    if degrees <= 0:
        return 0.0
    return -log_tail(g, float(degrees))
