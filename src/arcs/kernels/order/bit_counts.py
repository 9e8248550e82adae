"""All levels of all variables counted at once: how often each bit of some rows is set.

A row of a table is a row of bits, one for each level (:class:`~arcs.kernels.order.counts.Rows`).
Adding up such rows bit by bit counts every level of every variable. The counts are held as binary
digits, one row of bits (a *plane*) per digit, so that one instruction adds 256 bits: a full adder
takes three rows of bits to a sum and a carry with five of them, and seven full adders take eight
rows to the first three planes and a carry into the fourth. That is about one instruction per row
and 40 candidates, however many cells there are, where counting candidate by candidate takes one
step per row and candidate.

Rows have weights: their binary digits are counted one after the other.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arcs.kernels.jit import kernel
from arcs.kernels.order.counts import BATCH, PLANES

__all__ = ["count_bits"]

_WORD = ir.IntType(64)
#: Words that are added at once, a divisor of the words of a row.
_WORDS = 4
_VECTOR = ir.VectorType(_WORD, _WORDS)
_BYTES = ir.VectorType(ir.IntType(8), 64)
#: No more rows than this have counts of eight digits.
_MOST = 2**PLANES - BATCH


def _array(context, builder, kind, value):
    """Where the elements of an array lie, and the length of its last axis."""
    array = context.make_array(kind)(context, builder, value)
    return array.data, builder.extract_value(array.shape, kind.ndim - 1)


def _vector(builder, data, words, row, word):
    """The address of some words of a row."""
    place = builder.gep(data, [builder.add(builder.mul(row, words), word)])
    return builder.bitcast(place, _VECTOR.as_pointer())


def _full_adder(builder, a, b, c):
    """Sum and carry of three bits."""
    either = builder.xor(a, b)
    carry = builder.or_(builder.and_(a, b), builder.and_(either, c))
    return builder.xor(either, c), carry


@intrinsic
def _add_batch(typing_context, planes, bits, listed, at, word):
    """Add the eight rows ``listed[at:]`` to the planes, four words from `word` on."""

    def generate(context, builder, signature, arguments):
        to, words = _array(context, builder, signature.args[0], arguments[0])
        data, _ = _array(context, builder, signature.args[1], arguments[1])
        names, _ = _array(context, builder, signature.args[2], arguments[2])
        rows = []
        for t in range(BATCH):
            name = builder.load(builder.gep(names, [builder.add(arguments[3], _WORD(t))]))
            row = builder.zext(name, _WORD)
            rows.append(builder.load(_vector(builder, data, words, row, arguments[4]), align=8))
        digit = [_vector(builder, to, words, _WORD(b), arguments[4]) for b in range(PLANES)]
        held = [builder.load(place, align=8) for place in digit]
        # Rows go into ones, carries of those into twos, and so on, until one carry is left.
        for b in range(3):
            carries = []
            for pair in zip(rows[::2], rows[1::2], strict=True):
                held[b], carry = _full_adder(builder, held[b], *pair)
                carries.append(carry)
            rows = carries
        (carry,) = rows
        for b in range(3, PLANES):
            held[b], carry = builder.xor(held[b], carry), builder.and_(held[b], carry)
        for place, value in zip(digit, held, strict=True):
            builder.store(value, place, align=8)
        return context.get_dummy_value()

    return types.void(planes, bits, listed, types.int64, types.int64), generate


@intrinsic
def _to_bytes(typing_context, planes, word, out):
    """Counts of the 64 bits of a word, from their digits, as bytes."""

    def generate(context, builder, signature, arguments):
        data, words = _array(context, builder, signature.args[0], arguments[0])
        to, _ = _array(context, builder, signature.args[2], arguments[2])
        counts = ir.Constant(_BYTES, [0] * 64)
        for b in range(PLANES):
            at = builder.add(builder.mul(_WORD(b), words), arguments[1])
            flags = builder.bitcast(
                builder.load(builder.gep(data, [at])), ir.VectorType(ir.IntType(1), 64)
            )
            digit = ir.Constant(_BYTES, [1 << b] * 64)
            nothing = ir.Constant(_BYTES, [0] * 64)
            counts = builder.or_(counts, builder.select(flags, digit, nothing))
        place = builder.gep(to, [builder.mul(arguments[1], _WORD(64))])
        builder.store(counts, builder.bitcast(place, _BYTES.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(planes, types.int64, out), generate


@kernel
def _add(bits, listed, at, planes):
    """Add a full batch of rows to the planes."""
    for word in range(0, bits.shape[1], _WORDS):
        _add_batch(planes, bits, listed, at, word)


@kernel
def _add_all(bits, begin, end, out, scratch):
    """Count the bits of rows each of which counts once."""
    held = 0
    for at in range(begin, end - BATCH + 1, BATCH):
        _add(bits, scratch.sorted, at, scratch.planes)
        held += BATCH
        if held == _MOST:
            _spill(0, out, scratch)
            held = 0
    left = end - (end - begin) % BATCH
    for at in range(left, left + BATCH):
        scratch.batch[at - left] = scratch.sorted[at] if at < end else bits.shape[0] - 1
    if left < end:
        _add(bits, scratch.batch, 0, scratch.planes)
    if left < end or held > 0:
        _spill(0, out, scratch)


@kernel
def _spill(digit, out, scratch):
    """Add what the planes hold, times a power of two, to the counts; the planes are cleared."""
    for word in range(scratch.planes.shape[1]):
        _to_bytes(scratch.planes, word, scratch.bytes)
    times = np.uint32(1 << digit)
    for i in range(out.shape[0]):
        out[i] += times * np.uint32(scratch.bytes[i])
    scratch.planes[:] = 0


@kernel
def count_bits(rows, u, begin, end, out, scratch):
    """Weight of the rows in which each bit is set, among ``scratch.sorted[begin:end]``, into `out`;
    returns the weight of all of them."""
    pattern, nobody = rows.pattern[u], rows.codes.shape[1]
    weight = rows.weight[pattern]
    out[:] = 0
    if rows.digits[pattern] == 1:  # rows that do not count are not among the sorted ones
        _add_all(rows.bits, begin, end, out, scratch)
        return np.int64(end - begin)
    total = np.int64(0)
    for digit in range(rows.digits[pattern]):
        waiting, held = 0, 0
        for i in range(begin, end):
            row = scratch.sorted[i]
            if (weight[row] >> digit) & 1:
                total += 1 << digit
                scratch.batch[waiting] = row
                waiting += 1
                if waiting == BATCH:
                    _add(rows.bits, scratch.batch, 0, scratch.planes)
                    waiting = 0
                    held += BATCH
                    if held == _MOST:
                        _spill(digit, out, scratch)
                        held = 0
        if waiting > 0:
            for t in range(waiting, BATCH):
                scratch.batch[t] = nobody
            _add(rows.bits, scratch.batch, 0, scratch.planes)
        if waiting + held > 0:
            _spill(digit, out, scratch)
    return total
