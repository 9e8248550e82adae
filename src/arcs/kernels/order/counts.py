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
from arcs.kernels.order.pair_counts import PairScratch, new_pair_scratch
from arcs.kernels.order.risings import Risings, new_risings

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


class Rows(NamedTuple):
    """Distinct rows of categorical data.

    Attributes
    ----------
    codes : uint8 (p, rows), level of each variable
    by_row : uint8 (rows, p and more), the same row by row, filled up with zeros
    levels : int64 (p,), number of levels, also of those that do not occur
    bits : uint64 (rows + 1, words), for each level that occurs whether the row has it; the last row
        has none, and the number of words is a multiple of four
    first, width : int64 (p,), the bits of each variable
    pattern : int64 (p,), which weights count for a node
    weight : int32 (patterns, rows)
    digits : int64 (patterns,), binary digits of the largest weight
    n : float64 (patterns,), total weight
    """

    codes: np.ndarray
    by_row: np.ndarray
    levels: np.ndarray
    bits: np.ndarray
    first: np.ndarray
    width: np.ndarray
    pattern: np.ndarray
    weight: np.ndarray
    digits: np.ndarray
    n: np.ndarray


class CountScratch(NamedTuple):
    """Where counts are made."""

    cell: np.ndarray  # int32 (rows,), configuration of the parents, then with the level of the node
    number: np.ndarray  # int32 (rows x levels,), new numbers of configurations; zero between uses
    table: np.ndarray  # int32 (rows x levels,), zero between uses
    end: np.ndarray  # int32 (rows x levels,), where the rows of a cell end among the sorted ones
    sorted: np.ndarray  # int32 (rows,), rows by cell
    batch: np.ndarray  # int32 (8,), rows that wait to be counted
    planes: np.ndarray  # uint64 (8, words), binary digits of the counts of bits; zero between uses
    bytes: np.ndarray  # uint8 (bits,), counts of bits
    bit_counts: np.ndarray  # uint32 (levels + 1, bits), by level of the node, and their sums
    rows_with: np.ndarray  # uint32 (levels + 1,), weight of the rows behind them
    live: np.ndarray  # int64 (p,), candidates that are worth counting
    loss: np.ndarray  # int64 (p,), what the score of the node is with each of them, in units
    by_bit: np.ndarray  # int64 (bits,), what each level of each variable adds to that
    occurring: np.ndarray  # int64 (p,), configurations that occur with each candidate
    like: np.ndarray  # int64 (256,), by number of levels the first of them in `live`
    whole_row: np.ndarray  # int64 (p,), where the rising factorials with each candidate are
    part_row: np.ndarray  # int64 (p,), and those of a cell
    whole_of_bit: np.ndarray  # uint64 (bits,), where those of a level begin
    part_of_bit: np.ndarray  # uint64 (bits,)
    asked: np.ndarray  # int64 (1,), how often rising factorials were asked for
    pairs: PairScratch
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
        batch=np.zeros(BATCH, np.int32),
        planes=np.zeros((PLANES, words), np.uint64),
        bytes=np.zeros(64 * words, np.uint8),
        bit_counts=np.zeros((most_levels + 1, 64 * words), np.uint32),
        rows_with=np.zeros(most_levels + 1, np.uint32),
        live=np.zeros(p, np.int64),
        loss=np.zeros(p, np.int64),
        by_bit=np.zeros(64 * words, np.int64),
        occurring=np.zeros(p, np.int64),
        like=np.zeros(256, np.int64),
        whole_row=np.zeros(p, np.int64),
        part_row=np.zeros(p, np.int64),
        whole_of_bit=np.zeros(64 * words, np.uint64),
        part_of_bit=np.zeros(64 * words, np.uint64),
        asked=np.zeros(1, np.int64),
        pairs=new_pair_scratch(rows.by_row.shape[1]),
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
    cell, half = scratch.cell, weight.shape[0] // 2
    table, later = scratch.table, scratch.number
    for i in range(half):  # two tables: see `_count_halves`
        table[cell[i]] += weight[i]
        later[cell[half + i]] += weight[half + i]
    for i in range(2 * half, weight.shape[0]):
        later[cell[i]] += weight[i]
    for x in range(q * rows.levels[u]):
        table[x] += later[x]
        later[x] = 0
    return q


@inlined
def _place_row(i, ends, weight, scratch):
    """Put a row that counts at the end of its cell."""
    if weight[i] > 0:
        x = scratch.cell[i]
        scratch.sorted[ends[x]] = i
        ends[x] += 1


@kernel
def _count_halves(weight, cell, end, later):
    """Count the rows of each cell, those of the second half apart: what counts the same cell twice
    in a row has to wait for itself."""
    half = weight.shape[0] // 2
    for i in range(half):
        end[cell[i]] += weight[i] > 0
        later[cell[half + i]] += weight[half + i] > 0
    for i in range(2 * half, weight.shape[0]):
        later[cell[i]] += weight[i] > 0


@kernel
def sort_rows(rows, u, cells, scratch):
    """Sort the rows that count for u by cell, after :func:`number_cells`.

    Those of cell x end at ``scratch.end[x]``, where those of the next one begin.
    """
    weight, end, later = rows.weight[rows.pattern[u]], scratch.end, scratch.number
    half, place = weight.shape[0] // 2, np.int32(0)
    for x in range(cells):
        end[x] = 0
    _count_halves(weight, scratch.cell, end, later)
    for x in range(cells):
        begin, second = place, place + end[x]
        place = second + later[x]
        end[x], later[x] = begin, second
    for i in range(half):
        _place_row(i, end, weight, scratch)
        _place_row(half + i, later, weight, scratch)
    for i in range(2 * half, weight.shape[0]):
        _place_row(i, later, weight, scratch)
    for x in range(cells):
        end[x], later[x] = later[x], 0
