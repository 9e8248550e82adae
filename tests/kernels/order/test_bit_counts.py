"""Bits of rows are added up as numbers are, whatever weights the rows have."""

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.bit_counts import count_bits
from arcs.kernels.order.counts import new_count_scratch
from arcs.scores.discrete import count_rows


def table(n, p, seed, heaviest=1):
    rng = np.random.default_rng(seed)
    levels = rng.integers(1, 6, p)
    codes = rng.integers(0, levels, (n, p))
    weights = rng.integers(0, heaviest + 1, n) if heaviest > 1 else np.ones(n, int)
    return count_rows(codes, levels + 1, weights=weights)


# Fewer bits than a word, several vectors of words; batches that are full, and planes that spill.
@pytest.mark.parametrize("p", [1, 30, 400])
@pytest.mark.parametrize(("begin", "end"), [(0, 0), (3, 4), (0, 8), (5, 22), (0, 257), (0, 1200)])
def test_counts_of_bits_are_those_of_levels(p, begin, end):
    rows = table(1200, p, p)
    packed, scratch = bundle(rows), bundle(new_count_scratch(rows))
    end = min(end, rows.codes.shape[1])
    begin = min(begin, end)
    scratch.sorted[:] = np.random.default_rng(1).permutation(rows.codes.shape[1])
    out = scratch.bit_counts[0]
    out[:] = 7  # what was there before does not count
    total = count_bits(packed, 0, begin, end, out, scratch)
    among = scratch.sorted[begin:end]
    weight = rows.weight[0][among]
    assert total == weight.sum()
    assert not scratch.planes.any()
    for j in range(p):
        occurring = np.unique(rows.codes[j])
        assert rows.width[j] == occurring.size
        for k, level in enumerate(occurring):
            expected = weight[rows.codes[j][among] == level].sum()
            assert out[rows.first[j] + k] == expected
    assert not out[rows.width.sum() :].any()


def test_weights_are_counted_digit_by_digit():
    rows = table(900, 20, 0, heaviest=900)
    assert rows.digits[0] == 10
    packed, scratch = bundle(rows), bundle(new_count_scratch(rows))
    scratch.sorted[:] = np.arange(rows.codes.shape[1])
    out = scratch.bit_counts[0]
    total = count_bits(packed, 0, 0, rows.codes.shape[1], out, scratch)
    assert total == rows.n[0]
    last = int(np.flatnonzero(rows.width)[-1])
    highest = rows.codes[last].max()
    expected = rows.weight[0][rows.codes[last] == highest].sum()
    assert out[rows.first[last] + rows.width[last] - 1] == expected
