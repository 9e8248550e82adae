"""Contingency counts of categorical columns: cells, and the rows in them.

The distinct rows of a table are kept once, with weights (how often they occur, or how often a
bootstrap drew them; zero where the node in question was set). Counting a family gives every row the
number of its cell, (configuration of the parents, level of the node), and adds weights up. For all
candidates beside the parents at once, rows are sorted by cell, and
:mod:`arcs.kernels.order.bit_counts` counts in each of them.

Tables lie as ``[configuration][level]`` and are zero between uses. No table has more than ``rows x
levels`` entries: where more configurations are possible than there are rows, they are numbered as
they occur.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel

__all__ = [
    "CountScratch",
    "Rows",
    "count_family",
    "new_count_scratch",
    "number_cells",
    "sort_rows",
]

#: Rows are handed on in batches, see :mod:`arcs.kernels.order.bit_counts`.
BATCH = 8
#: Digits of the counts that are made of bits; no more than ``2^PLANES - BATCH`` rows at a time.
PLANES = 8
#: Priors and counts of which rising factorials are remembered; a prime, so that priors spread.
RISING_PRIORS, RISING_COUNTS = 251, 1024


class Rows(NamedTuple):
    """Distinct rows of categorical data.

    Attributes
    ----------
    codes : uint8 (p, rows), level of each variable
    levels : int64 (p,), number of levels, also of those that do not occur
    bits : uint64 (rows + 1, words), for each level that occurs, but one of each variable, whether
        the row has it; the last row has none, and the number of words is a multiple of four
    first, width : int64 (p,), the bits of each variable
    pattern : int64 (p,), which weights count for a node
    weight : int32 (patterns, rows)
    digits : int64 (patterns,), binary digits of the largest weight
    n : float64 (patterns,), total weight
    """

    codes: np.ndarray
    levels: np.ndarray
    bits: np.ndarray
    first: np.ndarray
    width: np.ndarray
    pattern: np.ndarray
    weight: np.ndarray
    digits: np.ndarray
    n: np.ndarray


class Risings(NamedTuple):
    """Logarithms of rising factorials that were needed before (Dirichlet scores): a family has one
    prior for all of its configurations and one for all of their cells, and small counts recur."""

    prior: np.ndarray  # float64 (rows,), which prior a row is about; zero: none
    log: np.ndarray  # int64 (rows, counts), log of a (a + 1) ... (a + m - 1); zero: not known yet


def new_risings() -> Risings:
    """Room for some priors and counts of moderate size: 2 MB."""
    return Risings(np.zeros(RISING_PRIORS), np.zeros((RISING_PRIORS, RISING_COUNTS), np.int64))


class CountScratch(NamedTuple):
    """Where counts are made."""

    cell: np.ndarray  # int32 (rows,), configuration of the parents, then with the level of the node
    number: np.ndarray  # int32 (rows x levels,), new numbers of configurations; zero between uses
    table: np.ndarray  # int32 (rows x levels,), zero between uses
    end: np.ndarray  # int32 (rows x levels,), where the rows of a cell end among the sorted ones
    sorted: np.ndarray  # int32 (rows,), rows by cell
    batch: np.ndarray  # int64 (8,), rows that wait to be counted
    planes: np.ndarray  # uint64 (8, words), binary digits of the counts of bits; zero between uses
    bytes: np.ndarray  # uint8 (bits,), counts of bits
    bit_counts: np.ndarray  # uint32 (levels + 1, bits), by level of the node, and their sums
    rows_with: np.ndarray  # uint32 (levels + 1,), weight of the rows behind them
    live: np.ndarray  # int64 (p,), candidates that are worth counting
    loss: np.ndarray  # int64 (p,), what the score of the node is with each of them, in units
    occurring: np.ndarray  # int64 (p,), configurations that occur with each of them
    risings: Risings  # of whole configurations
    cell_risings: Risings  # of their cells


def new_count_scratch(rows: Rows) -> CountScratch:
    """Scratch memory for one chain."""
    n, words, p = rows.codes.shape[1], rows.bits.shape[1], rows.levels.size
    most_levels = int(max(rows.levels.max(initial=1), 2))
    cells = max(n, 64) * most_levels
    return CountScratch(
        cell=np.zeros(n, np.int32),
        number=np.zeros(cells, np.int32),
        table=np.zeros(cells, np.int32),
        end=np.zeros(cells, np.int32),
        sorted=np.zeros(n, np.int32),
        batch=np.zeros(BATCH, np.int64),
        planes=np.zeros((PLANES, words), np.uint64),
        bytes=np.zeros(64 * words, np.uint8),
        bit_counts=np.zeros((most_levels + 1, 64 * words), np.uint32),
        rows_with=np.zeros(most_levels + 1, np.uint32),
        live=np.zeros(p, np.int64),
        loss=np.zeros(p, np.int64),
        occurring=np.zeros(p, np.int64),
        risings=new_risings(),
        cell_risings=new_risings(),
    )


@inlined
def _refine(cell, code, q, r, number):
    """Split `q` configurations by a variable of `r` levels, new numbers as they occur; returns how
    many there are."""
    new = np.int64(0)
    for i in range(cell.shape[0]):
        at = cell[i] * r + code[i]
        if number[at] == 0:
            new += 1
            number[at] = new
        cell[i] = number[at] - 1
    for at in range(q * r):
        number[at] = 0
    return new


@inlined
def _multiply(cell, code, r):
    """Split configurations by a variable of `r` levels, whether all of them occur or not."""
    base = np.int32(r)
    for i in range(cell.shape[0]):
        cell[i] = cell[i] * base + np.int32(code[i])


@kernel
def number_cells(rows, u, chosen, k, scratch):
    """Give every row the number of its cell in (``chosen[:k]``, u); returns the number of
    configurations, at most that of the rows or 64."""
    n = rows.codes.shape[1]
    cell, room = scratch.cell, max(n, 64)
    for i in range(n):
        cell[i] = 0
    q = np.int64(1)
    for t in range(k):
        c = chosen[t]
        if q * rows.levels[c] <= room:
            _multiply(cell, rows.codes[c], rows.levels[c])
            q *= rows.levels[c]
        else:
            q = _refine(cell, rows.codes[c], q, rows.levels[c], scratch.number)
    _multiply(cell, rows.codes[u], rows.levels[u])
    return q


@kernel
def count_family(rows, u, chosen, k, scratch):
    """Counts of (configuration, level of u) into the table; returns the number of
    configurations."""
    q = number_cells(rows, u, chosen, k, scratch)
    weight = rows.weight[rows.pattern[u]]
    for i in range(weight.shape[0]):
        scratch.table[scratch.cell[i]] += weight[i]
    return q


@kernel
def sort_rows(rows, u, cells, scratch):
    """Sort the rows that count for u by cell, after :func:`number_cells`.

    Those of cell x end at ``scratch.end[x]``, where those of the next one begin.
    """
    weight, end = rows.weight[rows.pattern[u]], scratch.end
    for x in range(cells):
        end[x] = 0
    for i in range(weight.shape[0]):
        if weight[i] > 0:
            end[scratch.cell[i]] += 1
    place = np.int32(0)
    for x in range(cells):
        place, end[x] = place + end[x], place
    for i in range(weight.shape[0]):
        if weight[i] > 0:
            x = scratch.cell[i]
            scratch.sorted[end[x]] = i
            end[x] += 1
