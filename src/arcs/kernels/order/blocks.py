"""The engine of mixed tables: nodes are blocks of columns (degenerate Gaussian).

A number is a block of one column, a category with K levels one of K - 1 indicators; all columns
together are taken for Gaussian. With S the covariance of the columns that count for u, the term of
node u with parents P is, in nats and smaller is better,

    n / 2 (log det S_uu.P - log det S_uu) + price |u| |P| + toll k,

S_uu.P the residual covariance of the block of u given all columns of P, |.| numbers of columns, and
the price 1/2 log n per coefficient (Andrews, Ramsey and Cooper, 2019, "Learning high-dimensional
directed acyclic graphs with mixed data-types"). Only Gram matrices are needed.

The Cholesky factor of (columns of P, columns of u) is made row by row; log det S_uu.P is in the
pivots of its last rows. Columns that others determine have pivot zero and are passed over.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.engine import list_candidates, price_of_parent, provide, score_family
from arcs.kernels.order.family_engine import (
    Nothing,
    family_columns,
    may_be_added,
    provide_families,
)
from arcs.kernels.order.memo import COUNTED, LISTED, Memo, sort_in
from arcs.kernels.order.records import ZERO, State, Workspace, new_state, new_workspace
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import Stats, gram_entry

__all__ = ["BlockProblem", "BlockScratch", "block_score", "new_scratch", "start"]

#: Columns of a family, at most; a larger one has an infinite score.
MOST_COLUMNS = 96


class BlockProblem(NamedTuple):
    """What is being minimised over a mixed table.

    Attributes
    ----------
    stats : Stats
        Of all columns.
    begin, size : int64 (p,), first column and number of columns of each node
    live : uint8 (columns,), whether a column varies beside those of its block before it
    base : float64 (p,), log det of each node's own covariance, which is taken off
    price : float64 (p,), per coefficient
    toll : float64, per parent
    lenient : float64, share of the price that is asked while growing
    max_parents : int64 (p,)
    allowed, required : uint8 (p, p) or (0, 0) without knowledge
    """

    stats: Stats
    begin: np.ndarray
    size: np.ndarray
    live: np.ndarray
    base: np.ndarray
    price: np.ndarray
    toll: float
    lenient: float
    max_parents: np.ndarray
    allowed: np.ndarray
    required: np.ndarray


class BlockScratch(NamedTuple):
    """Where a column is being solved."""

    chosen: np.ndarray  # (m + 2,) int64, the parents being collected
    plain: np.ndarray  # (m + 2,) int64, the outcome of plain growth
    best: np.ndarray  # (m + 2,) int64, that of the best slot
    fresh: np.ndarray  # (m + 2,) int64, the set found from nothing
    factor: np.ndarray  # (columns, columns), rows of a Cholesky factor
    columns: np.ndarray  # (columns,) int64, whose rows they are
    memo: Memo


def new_scratch(m: int, memo: Memo) -> BlockScratch:
    """Memory for solving columns of at most `m` parents."""
    lists = (np.zeros(m + 2, np.int64) for _ in range(4))
    factor = np.zeros((MOST_COLUMNS, MOST_COLUMNS))
    return BlockScratch(*lists, factor, np.zeros(MOST_COLUMNS, np.int64), memo)


def start(order: np.ndarray, m: int, memo: Memo) -> tuple[State, Workspace]:
    """Empty columns of at most `m` parents for an order, and memory for the search."""
    p = order.size
    state = new_state(order, family_columns(p, m), Nothing())
    columns = (family_columns(p, m) for _ in range(2))
    return state, new_workspace(p, new_scratch(m, memo), *columns, remembers=True)


@kernel
def _append(problem, u, v, m, scratch):
    """Rows of the factor for the block of v after the first m, as they count for u; returns the
    new number of rows, or -1 if there is no room."""
    factor, columns = scratch.factor, scratch.columns
    if m + problem.size[v] > columns.shape[0]:
        return np.int64(-1)
    node = problem.begin[u]
    for i in range(m, m + problem.size[v]):
        columns[i] = problem.begin[v] + i - m
        for j in range(i + 1):
            value = gram_entry(problem.stats, node, columns[i], columns[j])
            for t in range(j):
                value -= factor[i, t] * factor[j, t]
            if j < i:
                pivot = factor[j, j]
                factor[i, j] = value / pivot if pivot > 0.0 else 0.0
            else:
                factor[i, i] = np.sqrt(value) if value > COLLINEAR else 0.0
    return m + problem.size[v]


@kernel
def _with_own(problem, u, k, m, scratch):
    """The score of u if the first m rows of the factor are those of its k parents."""
    rows = problem.stats.n[problem.stats.pattern[problem.begin[u]]]
    end = _append(problem, u, u, m, scratch)
    if end < 0:
        return np.inf
    loss = -problem.base[u]
    for i in range(m, end):
        if problem.live[scratch.columns[i]] != 0:
            pivot = scratch.factor[i, i]
            loss += np.log(max(pivot * pivot, COLLINEAR))
    coefficients = problem.size[u] * m
    return 0.5 * rows * loss + problem.price[u] * coefficients + problem.toll * k


@kernel
def _parents(problem, u, chosen, k, scratch):
    """Rows of the factor for the parents; returns their number, or -1."""
    m = ZERO
    for t in range(k):
        m = _append(problem, u, chosen[t], m, scratch)
        if m < 0:
            break
    return m


@kernel
def block_score(problem, u, chosen, k, scratch):
    """Score of u with the parents ``chosen[:k]``."""
    scratch.memo.sizes[COUNTED] += 1
    m = _parents(problem, u, chosen, k, scratch)
    return _with_own(problem, u, k, m, scratch) if m >= 0 else np.inf


@inlined
def _price(problem, u, c):
    return problem.toll + problem.price[u] * problem.size[u] * problem.size[c]


@kernel
def _list(problem, u, k, record, scratch):
    """List all candidates worth adding to the parents ``scratch.chosen[:k]`` of u, leniently."""
    memo, chosen = scratch.memo, scratch.chosen
    score = memo.score[record]
    first, count = memo.sizes[LISTED], np.int64(0)
    m = _parents(problem, u, chosen, k, scratch)
    for c in range(problem.size.shape[0]):
        if m < 0 or not may_be_added(problem, u, chosen, k, c):
            continue
        memo.sizes[COUNTED] += 1
        with_m = _append(problem, u, c, m, scratch)
        if with_m < 0:
            continue
        with_c = _with_own(problem, u, k + 1, with_m, scratch)
        if with_c < score + (1.0 - problem.lenient) * _price(problem, u, c):
            sort_in(memo, first, count, c, with_c)
            count += 1
    memo.sizes[LISTED] += count
    memo.start[record] = first
    memo.length[record] = count


@provide("BlockProblem", score_family)
def _score_family(problem, u, chosen, k, scratch):
    return block_score(problem, u, chosen, k, scratch)


@provide("BlockProblem", list_candidates)
def _list_candidates(problem, u, k, record, scratch):
    _list(problem, u, k, record, scratch)


@provide("BlockProblem", price_of_parent)
def _price_of_parent(problem, u, chosen, k):
    return _price(problem, u, chosen[k])


provide_families("BlockProblem")
