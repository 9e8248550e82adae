"""All variables counted at once where rows are few: by comparing rows, two and two.

Loss terms of a configuration and of its cells hang on how many rows share the level of a candidate:
``sum f(m)`` over its levels, and f(m) is the sum of ``f(i + 1) - f(i)`` over the i < m. So it is
enough to know how many rows there are that have i rows of their own level before them. Rows take a
byte per variable, one instruction compares 32 variables or more of two rows, and the number of rows
before which agree, and how often each number occurs, are bytes as well. With m rows that is some
m^2 instructions per 32 variables, where counting all levels (:mod:`arcs.kernels.order.bit_counts`)
takes a step for each of them and then one more to look up f; most configurations of several parents
have a few rows only.

A row that counts several times is compared with itself.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from arcs.kernels.jit import kernel

__all__ = [
    "FEW",
    "LARGEST",
    "SINGLE",
    "PairScratch",
    "add_cell",
    "add_configuration",
    "add_steps",
    "clear",
    "gather",
    "new_pair_scratch",
]

#: Rows of a configuration, or of a cell, that are compared in pairs, at most.
FEW = 24
#: Variables that are compared at once, a divisor of the bytes of a row.
BLOCK = 64
#: Entries of `PairScratch.sizes`: rows since bytes were added up, rows of the largest
#: configuration and cell, configurations of a single row.
WAITING, LARGEST, SINGLE = range(3)
#: Bytes hold no more.
_MOST_WAITING = 255
_WORD = ir.IntType(64)
_BYTES = ir.VectorType(ir.IntType(8), BLOCK)


class PairScratch(NamedTuple):
    """Where rows are compared. "Before" is among the rows of the same configuration or cell."""

    rows: np.ndarray  # int64 (FEW,), the rows, those of a cell together
    cell: np.ndarray  # int64 (FEW,), where the cell of each row begins
    whole: np.ndarray  # uint8 (FEW, p), how many rows have so many before them in a configuration
    part: np.ndarray  # uint8 (FEW, p), the same in a cell
    wholes: np.ndarray  # int64 (FEW, p), sums of these
    parts: np.ndarray  # int64 (FEW, p)
    column: np.ndarray  # int64 (p,), of each variable in the following two
    whole_steps: np.ndarray  # int64 (FEW, 256), what one more row adds to the loss
    part_steps: np.ndarray  # int64 (FEW, 256), the same for a cell
    total: np.ndarray  # int64 (p,), what all rows add
    sizes: np.ndarray  # int64 (3,)


def new_pair_scratch(p: int) -> PairScratch:
    """Scratch memory for rows of `p` bytes."""
    return PairScratch(
        rows=np.zeros(FEW, np.int64),
        cell=np.zeros(FEW, np.int64),
        whole=np.zeros((FEW, p), np.uint8),
        part=np.zeros((FEW, p), np.uint8),
        wholes=np.zeros((FEW, p), np.int64),
        parts=np.zeros((FEW, p), np.int64),
        column=np.zeros(p, np.int64),
        whole_steps=np.zeros((FEW, 256), np.int64),
        part_steps=np.zeros((FEW, 256), np.int64),
        total=np.zeros(p, np.int64),
        sizes=np.zeros(3, np.int64),
    )


def _place(context, builder, kind, value, row, block):
    """The address of a block of bytes of a row."""
    array = context.make_array(kind)(context, builder, value)
    width = builder.extract_value(array.shape, kind.ndim - 1)
    start = builder.add(builder.mul(row, width), builder.mul(block, _WORD(BLOCK)))
    return builder.bitcast(builder.gep(array.data, [start]), _BYTES.as_pointer())


def _count_true(builder, truths):
    """Ones for truths."""
    return builder.zext(truths, _BYTES)


@intrinsic
def _compare(typing_context, by_row, rows, span, block, part, whole):
    """Compare a block of ``rows[i]`` with that of the rows before, of which those from `first` on
    are of its cell, and tally how many agree: ``span`` is (i, first, how many tallies of the
    configuration are made, i + 1 or none)."""

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        i, first, tallies = (builder.extract_value(arguments[2], t) for t in range(3))
        names = context.make_array(kinds[1])(context, builder, arguments[1]).data

        def bytes_of(at):
            row = builder.load(builder.gep(names, [at]))
            place = _place(context, builder, kinds[0], arguments[0], row, arguments[3])
            return builder.load(place, align=1)

        def agreeing(begin, end):
            total = cgutils.alloca_once_value(builder, ir.Constant(_BYTES, [0] * BLOCK))
            with cgutils.for_range_slice(builder, begin, end, _WORD(1), _WORD) as (at, _):
                same = builder.icmp_unsigned("==", levels, bytes_of(at))
                builder.store(builder.add(builder.load(total), _count_true(builder, same)), total)
            return builder.load(total)

        def tally(found, count, to):
            with cgutils.for_range(builder, count, intp=_WORD) as loop:
                place = _place(context, builder, kinds[to], arguments[to], loop.index, arguments[3])
                number = builder.insert_element(
                    ir.Constant(_BYTES, ir.Undefined),
                    builder.trunc(loop.index, ir.IntType(8)),
                    ir.IntType(32)(0),
                )
                mask = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
                number = builder.shuffle_vector(number, number, mask)
                more = _count_true(builder, builder.icmp_unsigned("==", found, number))
                builder.store(builder.add(builder.load(place, align=1), more), place, align=1)

        levels = bytes_of(i)
        own = agreeing(first, i)
        tally(own, builder.add(builder.sub(i, first), _WORD(1)), 4)
        tally(builder.add(own, agreeing(_WORD(0), first)), tallies, 5)
        return context.get_dummy_value()

    return types.void(by_row, rows, span, types.int64, part, whole), generate


@kernel
def _compare_with_those_before(rows, i, first, tallies, pairs):
    """The same for all variables."""
    for block in range(rows.by_row.shape[1] // BLOCK):
        span = (np.int64(i), np.int64(first), np.int64(tallies))
        _compare(rows.by_row, pairs.rows, span, block, pairs.part, pairs.whole)


@kernel
def gather(pairs):
    """Add the bytes up."""
    for m in range(pairs.sizes[LARGEST] if pairs.sizes[WAITING] > 0 else 0):
        for c in range(pairs.whole.shape[1]):
            pairs.wholes[m, c] += np.int64(pairs.whole[m, c])
            pairs.parts[m, c] += np.int64(pairs.part[m, c])
            pairs.whole[m, c] = 0
            pairs.part[m, c] = 0
    pairs.sizes[WAITING] = 0


@kernel
def _list_cell(rows, u, begin, end, listed, counts):
    """List the rows ``sorted[begin:end]`` as often as they count, after those that are listed;
    returns how many there are now, -1 if they are too many."""
    pairs, weight, first = counts.pairs, rows.weight[rows.pattern[u]], listed
    if listed + end - begin > FEW:
        return np.int64(-1)
    for at in range(begin, end):
        row = counts.sorted[at]
        if listed + weight[row] > FEW:
            return np.int64(-1)
        for _ in range(weight[row]):
            pairs.rows[listed] = row
            pairs.cell[listed] = first
            listed += 1
    return listed


@kernel
def _make_room(pairs, listed):
    """Before so many rows are compared."""
    if pairs.sizes[WAITING] + listed > _MOST_WAITING:
        gather(pairs)
    pairs.sizes[WAITING] += listed
    pairs.sizes[LARGEST] = max(pairs.sizes[LARGEST], listed)


@kernel
def add_cell(rows, u, begin, end, counts):
    """Compare the rows ``sorted[begin:end]`` of a cell, whose configuration is counted elsewhere;
    returns whether they are few enough."""
    pairs = counts.pairs
    listed = _list_cell(rows, u, begin, end, np.int64(0), counts)
    if listed < 0:
        return False
    _make_room(pairs, listed)
    for i in range(listed):
        _compare_with_those_before(rows, i, 0, 0, pairs)
    return True


@kernel
def add_configuration(rows, u, j, counts):
    """Compare the rows of configuration j; returns whether they are few enough."""
    pairs, r, listed = counts.pairs, rows.levels[u], np.int64(0)
    begin = np.int64(counts.end[j * r - 1] if j > 0 else 0)
    if counts.end[(j + 1) * r - 1] > begin + FEW:
        return False
    for x in range(j * r, (j + 1) * r):
        end = np.int64(counts.end[x])
        if end > begin:
            listed = _list_cell(rows, u, begin, end, listed, counts)
            if listed < 0:
                return False
        begin = end
    if listed == 1:
        pairs.sizes[SINGLE] += 1
        return True
    _make_room(pairs, listed)
    for i in range(listed):
        _compare_with_those_before(rows, i, pairs.cell[i], i + 1, pairs)
    return True


@kernel
def add_steps(pairs):
    """What all rows that were compared add, after :func:`gather`."""
    column, total = pairs.column, pairs.total
    total[:] = 0
    for m in range(pairs.sizes[LARGEST]):
        whole, part = pairs.whole_steps[m], pairs.part_steps[m]
        wholes, parts = pairs.wholes[m], pairs.parts[m]
        for c in range(total.shape[0]):
            at = np.uint64(column[c])
            total[c] += wholes[c] * whole[at] - parts[c] * part[at]


@kernel
def clear(pairs):
    """Begin anew, after :func:`gather`."""
    for m in range(pairs.sizes[LARGEST]):
        for c in range(pairs.whole.shape[1]):
            pairs.wholes[m, c] = 0
            pairs.parts[m, c] = 0
    pairs.sizes[LARGEST] = 0
    pairs.sizes[SINGLE] = 0
