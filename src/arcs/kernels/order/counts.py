"""Contingency counts of categorical columns: from bit masks where that is cheap, by a tally where
it is not.

The distinct rows of a table are kept once, with weights (how often they occur, or how often a
bootstrap drew them). For every level of every variable a *mask* has one bit per distinct row, and
the binary digits of the weights are masks, too (*planes*): the weight of the rows in a mask M is
``sum_b 2^b popcount(M & plane_b)``, 64 rows at a time. Rows in which a variable was set have weight
zero in the planes of that variable, so that hard interventions cost nothing.

Counting variable c within the cells of (parents, u) takes ``cells x (levels - 1) x planes x words``
steps of about a third of a nanosecond; a tally takes one step of about a nanosecond per row. Few
cells are counted by masks, many by the tally.

Tables lie as ``[level of c][configuration of the parents][level of u]`` and are zero between uses.
No table has more than ``rows x levels`` entries: configurations are numbered as they occur.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from arcs.kernels.jit import inlined, kernel

__all__ = [
    "CountScratch",
    "Rows",
    "begin_counts",
    "count_family",
    "count_with",
    "new_count_scratch",
]

#: At most so many cells of (parents, node) are held as masks.
_MOST_MASKS = 128
#: What a row of a tally costs, in words of a mask.
_ROW = 3


class Rows(NamedTuple):
    """Distinct rows of categorical data.

    Attributes
    ----------
    codes : uint8 (p, rows), level of each variable
    levels : int64 (p,), number of levels, also of those that do not occur
    masks : uint64 (levels of all variables, words), rows in which a variable has a level
    mask_start : int64 (p,), first mask of each variable
    pattern : int64 (p,), which weights count for a node
    weight : int32 (patterns, rows)
    included : uint64 (patterns, words), rows with positive weight
    planes : uint64 (patterns, digits, words), binary digits of the weights
    n : float64 (patterns,), total weight
    """

    codes: np.ndarray
    levels: np.ndarray
    masks: np.ndarray
    mask_start: np.ndarray
    pattern: np.ndarray
    weight: np.ndarray
    included: np.ndarray
    planes: np.ndarray
    n: np.ndarray


class CountScratch(NamedTuple):
    """Where counts are made."""

    config: np.ndarray  # int32 (rows,), configuration of the parents
    cell: np.ndarray  # int32 (rows,), configuration and level of the node
    number: np.ndarray  # int32 (rows x levels,), new numbers of configurations; zero between uses
    table: np.ndarray  # int32 (rows x levels,), zero between uses
    split: np.ndarray  # uint64 (2, masks, words), rows by configuration
    base: np.ndarray  # uint64 (masks x digits, words), rows by cell and digit of their weight
    total: np.ndarray  # int32 (masks,), weight of a cell
    pair: np.ndarray  # int32 (rows,), configuration of the parents and one more
    masked: np.ndarray  # int64 (1,), configurations held as masks; -1: none
    numbered: np.ndarray  # int64 (1,), configurations numbered by row; -1: none


def new_count_scratch(rows: Rows) -> CountScratch:
    """Scratch memory for one chain."""
    n, words, digits = rows.codes.shape[1], rows.masks.shape[1], rows.planes.shape[1]
    cells = max(n, 64) * int(max(rows.levels.max(), 2))
    return CountScratch(
        config=np.zeros(n, np.int32),
        cell=np.zeros(n, np.int32),
        number=np.zeros(cells, np.int32),
        table=np.zeros(cells, np.int32),
        split=np.zeros((2, _MOST_MASKS, words), np.uint64),
        base=np.zeros((_MOST_MASKS * digits, words), np.uint64),
        total=np.zeros(_MOST_MASKS, np.int32),
        pair=np.zeros(n, np.int32),
        masked=np.zeros(1, np.int64),
        numbered=np.zeros(1, np.int64),
    )


@intrinsic
def _popcount(typing_context, bits):
    """Number of ones, by the machine's instruction."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@kernel
def _split(rows, u, chosen, k, scratch):
    """Rows that count for u by configuration of its parents, as masks.

    Returns ``(configurations, side)``: masks in ``scratch.split[side]``; or ``(-1, 0)`` if there
    are too many.
    """
    words = rows.masks.shape[1]
    side, q = 0, 1
    for w in range(words):
        scratch.split[0, 0, w] = rows.included[rows.pattern[u], w]
    most = _MOST_MASKS // rows.levels[u]
    if most == 0:
        return -1, 0  # the levels of u alone are more than there is room for
    for t in range(k):
        c = chosen[t]
        other, new = 1 - side, 0
        for j in range(q):
            for level in range(rows.levels[c]):
                if new == most:
                    return -1, 0
                at = rows.mask_start[c] + level
                some = np.uint64(0)
                for w in range(words):
                    both = scratch.split[side, j, w] & rows.masks[at, w]
                    scratch.split[other, new, w] = both
                    some |= both
                if some != 0:
                    new += 1
        side, q = other, new
    return q, side


@kernel
def _masks_of_cells(rows, u, q, side, scratch):
    """Rows by cell of (configuration, level of u) and digit of their weight; weights of cells."""
    words, digits, r = rows.masks.shape[1], rows.planes.shape[1], rows.levels[u]
    for j in range(q):
        for level in range(r):
            cell = j * r + level
            at = rows.mask_start[u] + level
            total = np.uint64(0)
            for b in range(digits):
                ones = np.uint64(0)
                for w in range(words):
                    found = (
                        scratch.split[side, j, w]
                        & rows.masks[at, w]
                        & rows.planes[rows.pattern[u], b, w]
                    )
                    scratch.base[cell * digits + b, w] = found
                    ones += _popcount(found)
                total += ones << np.uint64(b)
            scratch.total[cell] = total


@inlined
def _refine(config, code, q, r, number):
    """Split `q` configurations by a variable of `r` levels, new numbers as they occur; returns how
    many there are."""
    new = np.int64(0)
    for i in range(config.shape[0]):
        at = config[i] * r + code[i]
        if number[at] == 0:
            new += 1
            number[at] = new
        config[i] = number[at] - 1
    for at in range(q * r):
        number[at] = 0
    return new


@kernel
def _number_cells(rows, u, chosen, k, scratch):
    """Configurations of all rows, numbered as they occur, and their cells with u."""
    n, r = rows.codes.shape[1], rows.levels[u]
    for i in range(n):
        scratch.config[i] = 0
    q = np.int64(1)
    for t in range(k):
        c = chosen[t]
        q = _refine(scratch.config, rows.codes[c], q, rows.levels[c], scratch.number)
    for i in range(n):
        scratch.cell[i] = scratch.config[i] * r + rows.codes[u, i]
    scratch.numbered[0] = q


@kernel
def begin_counts(rows, u, chosen, k, scratch):
    """Make ready to count in the cells of (``chosen[:k]``, u)."""
    q, side = _split(rows, u, chosen, k, scratch)
    scratch.masked[0] = q
    scratch.numbered[0] = -1
    if q >= 0:
        _masks_of_cells(rows, u, q, side, scratch)
    else:
        _number_cells(rows, u, chosen, k, scratch)


@kernel
def count_family(rows, u, scratch):
    """Counts of (configuration, level of u) into the table; returns the number of configurations.

    To be called after :func:`begin_counts`.
    """
    r = rows.levels[u]
    q = scratch.masked[0]
    if q >= 0:
        for cell in range(q * r):
            scratch.table[cell] = scratch.total[cell]
        return q
    weight = rows.weight[rows.pattern[u]]
    for i in range(weight.shape[0]):
        scratch.table[scratch.cell[i]] += weight[i]
    return scratch.numbered[0]


@kernel
def count_with(rows, u, chosen, k, c, scratch):
    """Counts of (level of c, configuration, level of u) into the table; returns the number of
    configurations, c included.

    To be called after :func:`begin_counts` with the same `u`, `chosen` and `k`.
    """
    n, words, digits = rows.codes.shape[1], rows.masks.shape[1], rows.planes.shape[1]
    r, rc = rows.levels[u], rows.levels[c]
    q = scratch.masked[0]
    if q >= 0 and q * r * (rc - 1) * digits * words <= _ROW * n and q * r * rc <= n:
        _count_by_masks(rows, c, q * r, scratch)
        return q * rc
    if scratch.numbered[0] < 0:
        _number_cells(rows, u, chosen, k, scratch)
    q = scratch.numbered[0]
    weight = rows.weight[rows.pattern[u]]
    if q * r * rc <= scratch.table.shape[0]:
        _tally(scratch.cell, rows.codes[c], weight, np.int32(q * r), scratch.table)
        return q * rc
    for i in range(n):
        scratch.pair[i] = scratch.config[i]
    q = _refine(scratch.pair, rows.codes[c], q, rc, scratch.number)
    for i in range(n):
        scratch.table[scratch.pair[i] * r + rows.codes[u, i]] += weight[i]
    return q


@kernel
def _count_by_masks(rows, c, cells, scratch):
    """Count the levels of c in every cell; the last one is what is left."""
    words, digits, rc = rows.masks.shape[1], rows.planes.shape[1], rows.levels[c]
    for cell in range(cells):
        left = scratch.total[cell]
        for level in range(rc - 1):
            if left == 0:
                break
            at = rows.mask_start[c] + level
            total = np.uint64(0)
            for b in range(digits):
                ones = np.uint64(0)
                for w in range(words):
                    ones += _popcount(scratch.base[cell * digits + b, w] & rows.masks[at, w])
                total += ones << np.uint64(b)
            scratch.table[level * cells + cell] = total
            left -= np.int32(total)
        scratch.table[(rc - 1) * cells + cell] = left


@inlined
def _tally(cell, code, weight, stride, table):
    """Count rows; distant ones in turn, so that neighbours in the same cell do not wait for each
    other."""
    part = cell.shape[0] // 4
    for a in range(part):
        b, c, d = a + part, a + 2 * part, a + 3 * part
        table[cell[a] + stride * code[a]] += weight[a]
        table[cell[b] + stride * code[b]] += weight[b]
        table[cell[c] + stride * code[c]] += weight[c]
        table[cell[d] + stride * code[d]] += weight[d]
    for a in range(4 * part, cell.shape[0]):
        table[cell[a] + stride * code[a]] += weight[a]
