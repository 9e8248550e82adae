"""The engine of mixed tables whose effects interact: conditional Gaussian families.

Given the categories, the numbers are Gaussian with a mean and a covariance of their own for each
configuration. For a set T of variables, with categories that have configurations a (n_a of n rows)
and d numbers with covariance S_a in those rows, the largest log-likelihood is, but for what
depends on d alone,

    L(T) = sum_a n_a log(n_a / n) - n_a / 2 log det S_a,

and the parameters are df(T) = (number of a) (1 + d + d (d + 1) / 2) - 1. The term of node u with
parents P is that of a conditional density, the ratio of two joint ones (Andrews, Ramsey and Cooper,
2018, "Scoring Bayesian networks of mixed variables"), in nats and smaller is better:

    L(P) - L(P + u) + price (df(P + u) - df(P)) + toll k.

- A number u: q regressions, one per configuration of its categories, on its d numeric parents:
  ``sum_a n_a / 2 log s_a`` with s_a the residual variance, and q (d + 2) parameters.
- A category u with r levels k: ``sum_ak n_ak / 2 log det S_ak - n_ak log(n_ak / n_a)
  - sum_a n_a / 2 log det S_a``, and q (r - 1) (1 + d (d + 3) / 2) parameters.

Both are differences of one function of sets, so that equivalent graphs have equal scores.

A configuration with few rows has no covariance of its own. Each therefore has one more row, so to
speak, that has seen the variances of the whole table: with scatter C_a around the mean of a, and
numbers in units of their standard deviations, ``S_a = (C_a + I) / (n_a + 1)``. Terms are relative
to a node without parents. They are sums over rows in an order that hangs on the set of parents
alone, so that the same family has the same score to the last bit.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.counts import (
    CountScratch,
    Rows,
    new_count_scratch,
    number_cells,
    sort_rows,
)
from arcs.kernels.order.engine import list_candidates, price_of_parent, provide, score_family
from arcs.kernels.order.family_engine import (
    Nothing,
    family_columns,
    may_be_added,
    provide_families,
)
from arcs.kernels.order.memo import COUNTED, LISTED, Memo, sort_in
from arcs.kernels.order.records import State, Workspace, new_state, new_workspace

__all__ = [
    "ConditionalProblem",
    "ConditionalScratch",
    "conditional_score",
    "new_scratch",
    "start",
]

#: Cells of the largest family; larger ones are not tried, and what one of theirs costs, in nats.
MOST_CELLS = 1_000_000
_OUT_OF_REACH = 1e6
#: Rows that what is known of all rows is worth in each configuration.
_PRIOR = 1.0
#: Variances that are left by rounding.
_TINY = 1e-12


class ConditionalProblem(NamedTuple):
    """What is being minimised over a mixed table.

    Attributes
    ----------
    rows : Rows
        Codes of categories; a number has one level.
    values : float64 (rows, p), numbers in units of their standard deviations
    is_number : uint8 (p,)
    base : float64 (p,), the score of each node alone, which is taken off
    price : float64 (p,), per parameter
    toll : float64, per parent
    lenient : float64, share of the price that is asked while growing
    max_parents : int64 (p,)
    allowed, required : uint8 (p, p) or (0, 0) without knowledge
    """

    rows: Rows
    values: np.ndarray
    is_number: np.ndarray
    base: np.ndarray
    price: np.ndarray
    toll: float
    lenient: float
    max_parents: np.ndarray
    allowed: np.ndarray
    required: np.ndarray


class ConditionalScratch(NamedTuple):
    """Where a column is being solved."""

    chosen: np.ndarray  # (m + 2,) int64, the parents being collected
    plain: np.ndarray  # (m + 2,) int64, the outcome of plain growth
    best: np.ndarray  # (m + 2,) int64, that of the best slot
    fresh: np.ndarray  # (m + 2,) int64, the set found from nothing
    members: np.ndarray  # (m + 2,) int64, parents by number
    numbers: np.ndarray  # (m + 2,) int64, those that are numbers, and the node if it is one
    cell: np.ndarray  # (m + 3, m + 3), rows, sums and sums of products of a cell
    whole: np.ndarray  # (m + 3, m + 3), those of a configuration of the parents
    factor: np.ndarray  # (m + 2, m + 2), of a covariance
    counts: CountScratch
    memo: Memo


def new_scratch(rows: Rows, m: int, memo: Memo) -> ConditionalScratch:
    """Memory for solving columns of at most `m` parents."""
    lists = (np.zeros(m + 2, np.int64) for _ in range(6))
    sums = (np.zeros((m + 3, m + 3)) for _ in range(2))
    factor = np.zeros((m + 2, m + 2))
    return ConditionalScratch(*lists, *sums, factor, new_count_scratch(rows), memo)


def start(order: np.ndarray, m: int, rows: Rows, memo: Memo) -> tuple[State, Workspace]:
    """Empty columns of at most `m` parents for an order, and memory for the search."""
    p = order.size
    state = new_state(order, family_columns(p, m), Nothing())
    columns = (family_columns(p, m) for _ in range(2))
    return state, new_workspace(p, new_scratch(rows, m, memo), *columns, remembers=True)


@kernel
def _arrange(problem, u, chosen, k, scratch):
    """Sort the parents ``chosen[:k]``, and list the numbers of the family, u last; returns ``(how
    many parents are numbers, configurations of the others)``."""
    members, numbers, levels = scratch.members, scratch.numbers, problem.rows.levels
    for t in range(k):
        at = t
        while at > 0 and members[at - 1] > chosen[t]:
            members[at] = members[at - 1]
            at -= 1
        members[at] = chosen[t]
    d, q = np.int64(0), 1.0
    for t in range(k):
        q *= levels[members[t]]
        if problem.is_number[members[t]] != 0:
            numbers[d] = members[t]
            d += 1
    numbers[d] = u
    return d, q


@inlined
def _parameters(problem, u, d, q):
    """Free parameters of u with `d` numeric parents and `q` configurations of the others."""
    own = d + 2.0
    if problem.is_number[u] == 0:
        own = (problem.rows.levels[u] - 1) * (1.0 + 0.5 * d * (d + 3))
    return q * own


@kernel
def _add_up(problem, begin, end, d, scratch):
    """Rows, sums and products of the first d numbers in ``sorted[begin:end]``, into the cell."""
    cell, numbers, values = scratch.cell, scratch.numbers, problem.values
    cell[0, 0] = end - begin
    for i in range(1, d + 1):
        for j in range(i + 1):
            cell[i, j] = 0.0
    for at in range(begin, end):
        row = scratch.counts.sorted[at]
        for i in range(d):
            x = values[row, numbers[i]]
            cell[i + 1, 0] += x
            for j in range(i + 1):
                cell[i + 1, j + 1] += x * values[row, numbers[j]]


@kernel
def _log_volume(sums, d, factor):
    """``(log det of the covariance of d numbers, log variance of the last one given the others)``,
    from their sums."""
    n, total, last = sums[0, 0], 0.0, 0.0
    for i in range(d):
        for j in range(i + 1):
            value = sums[i + 1, j + 1] - sums[i + 1, 0] * sums[j + 1, 0] / n
            if i == j:
                value += _PRIOR
            value /= n + _PRIOR
            for t in range(j):
                value -= factor[i, t] * factor[j, t]
            if j < i:
                factor[i, j] = value / factor[j, j]
            else:
                value = max(value, _TINY)
                factor[i, i] = np.sqrt(value)
                last = np.log(value)
                total += last
    return total, last


@kernel
def _configuration_of_category(problem, u, j, d, scratch):
    """What configuration j of its parents adds to the loss of a category."""
    counts, r = scratch.counts, problem.rows.levels[u]
    cell, whole = scratch.cell, scratch.whole
    for a in range(d + 1):
        for b in range(a + 1):
            whole[a, b] = 0.0
    loss = 0.0
    for x in range(j * r, (j + 1) * r):
        begin = counts.end[x - 1] if x > 0 else 0
        if counts.end[x] > begin:
            _add_up(problem, begin, counts.end[x], d, scratch)
            volume, _ = _log_volume(cell, d, scratch.factor)
            loss += cell[0, 0] * (0.5 * volume - np.log(cell[0, 0]))
            for a in range(d + 1):
                for b in range(a + 1):
                    whole[a, b] += cell[a, b]
    if whole[0, 0] > 0.0:
        volume, _ = _log_volume(whole, d, scratch.factor)
        loss -= whole[0, 0] * (0.5 * volume - np.log(whole[0, 0]))
    return loss


@kernel
def _loss(problem, u, d, configurations, scratch):
    """What u loses with the parents that were arranged, whose configurations rows are sorted by."""
    end, total = scratch.counts.end, 0.0
    for j in range(configurations):
        if problem.is_number[u] == 0:
            total += _configuration_of_category(problem, u, j, d, scratch)
        else:
            begin = end[j - 1] if j > 0 else 0
            if end[j] > begin:
                _add_up(problem, begin, end[j], d + 1, scratch)
                _, left = _log_volume(scratch.cell, d + 1, scratch.factor)
                total += 0.5 * (end[j] - begin) * left
    return total


@kernel
def _sort(problem, u, k, scratch):
    """Sort rows by cell of the first k members; returns the number of configurations."""
    q = number_cells(problem.rows, u, scratch.members, k, scratch.counts)
    sort_rows(problem.rows, u, q * problem.rows.levels[u], scratch.counts)
    return q


@inlined
def _fine(problem, u, k, d, q):
    return problem.price[u] * _parameters(problem, u, d, q) + problem.toll * k - problem.base[u]


@kernel
def conditional_score(problem, u, chosen, k, scratch):
    """Score of u with the parents ``chosen[:k]``."""
    scratch.memo.sizes[COUNTED] += 1
    d, q = _arrange(problem, u, chosen, k, scratch)
    if q * problem.rows.levels[u] > MOST_CELLS:
        return _OUT_OF_REACH * q * problem.rows.levels[u]
    configurations = _sort(problem, u, k, scratch)
    return _loss(problem, u, d, configurations, scratch) + _fine(problem, u, k, d, q)


@kernel
def _price(problem, u, chosen, k):
    """What the parent ``chosen[k]`` costs beside ``chosen[:k]``."""
    d, q = np.int64(0), 1.0
    for t in range(k):
        q *= problem.rows.levels[chosen[t]]
        d += problem.is_number[chosen[t]]
    with_d, with_q = d + problem.is_number[chosen[k]], q * problem.rows.levels[chosen[k]]
    more = _parameters(problem, u, with_d, with_q) - _parameters(problem, u, d, q)
    return problem.toll + problem.price[u] * more


@kernel
def _list(problem, u, k, record, scratch):
    """List all candidates worth adding to the parents ``scratch.chosen[:k]`` of u, leniently."""
    memo, chosen = scratch.memo, scratch.chosen
    first, count = memo.sizes[LISTED], np.int64(0)
    # Numbers first: they leave the cells as they are, and rows are sorted once for all of them.
    for kind in range(2):
        configurations = np.int64(0)
        for c in range(problem.is_number.shape[0]):
            if problem.is_number[c] == kind or not may_be_added(problem, u, chosen, k, c):
                continue
            chosen[k] = c
            if kind == 1:
                with_c = conditional_score(problem, u, chosen, k + 1, scratch)
            else:
                memo.sizes[COUNTED] += 1
                d, q = _arrange(problem, u, chosen, k + 1, scratch)
                if q * problem.rows.levels[u] > MOST_CELLS:
                    continue
                if configurations == 0:
                    configurations = _sort(problem, u, k + 1, scratch)
                with_c = _loss(problem, u, d, configurations, scratch)
                with_c += _fine(problem, u, k + 1, d, q)
            slack = (1.0 - problem.lenient) * _price(problem, u, chosen, k)
            if with_c < memo.score[record] + slack:
                sort_in(memo, first, count, c, with_c)
                count += 1
    memo.sizes[LISTED] += count
    memo.start[record] = first
    memo.length[record] = count


@provide("ConditionalProblem", score_family)
def _score_family(problem, u, chosen, k, scratch):
    return conditional_score(problem, u, chosen, k, scratch)


@provide("ConditionalProblem", list_candidates)
def _list_candidates(problem, u, k, record, scratch):
    _list(problem, u, k, record, scratch)


@provide("ConditionalProblem", price_of_parent)
def _price_of_parent(problem, u, chosen, k):
    return _price(problem, u, chosen, k)


provide_families("ConditionalProblem")
