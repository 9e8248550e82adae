"""Rows compared in pairs give the numbers of rows by what is before them, made by hand."""

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.counts import new_count_scratch, number_cells, sort_rows
from arcs.kernels.order.pair_counts import (
    FEW,
    LARGEST,
    SINGLE,
    add_cell,
    add_configuration,
    clear,
    gather,
)
from arcs.scores.discrete import count_rows


def before(codes):
    """Of each row, how many before it have its level, tallied by variable."""
    tallies = np.zeros((FEW, codes.shape[1]), int)
    for i, row in enumerate(codes):
        found = (codes[:i] == row).sum(axis=0)
        tallies[found, np.arange(codes.shape[1])] += 1
    return tallies


def sorted_table(p, heaviest, parents):
    """A table whose rows were sorted for node 0: its distinct rows as often as they count, their
    levels of 0 and configurations."""
    rng = np.random.default_rng(p)
    codes = rng.integers(0, 3, (900, p))
    rows = count_rows(codes, [3] * p, weights=rng.integers(0, heaviest + 1, 900))
    packed, scratch = bundle(rows), bundle(new_count_scratch(rows))
    chosen = np.array([*parents, 0])
    cells = number_cells(packed, 0, chosen, len(parents), scratch)
    sort_rows(packed, 0, cells * 3, scratch)
    return rows, packed, scratch, cells


@pytest.mark.parametrize("p", [6, 70])
@pytest.mark.parametrize("heaviest", [1, 4])
def test_few_rows_are_compared_and_many_are_not(p, heaviest):
    """More rows in all than bytes hold."""
    rows, packed, scratch, cells = sorted_table(p, heaviest, [1, 2, 3, 4])
    wholes, parts, single = np.zeros((FEW, p), int), np.zeros((FEW, p), int), 0
    begin, refused = 0, 0
    for j in range(cells):
        spans = [(begin if x == 0 else scratch.end[3 * j + x - 1]) for x in range(3)]
        ends = scratch.end[3 * j : 3 * j + 3]
        own = [
            np.repeat(scratch.sorted[a:b], rows.weight[0][scratch.sorted[a:b]])
            for a, b in zip(spans, ends, strict=True)
        ]
        begin, listed = ends[-1], np.concatenate(own)
        few = add_configuration(packed, 0, j, scratch)
        assert few == (listed.size <= FEW)
        refused += not few
        if few and listed.size == 1:
            single += 1
        elif few:
            wholes += before(rows.codes.T[listed])
            parts += sum(before(rows.codes.T[cell]) for cell in own)
    gather(scratch.pairs)
    assert scratch.pairs.sizes[SINGLE] == single
    np.testing.assert_array_equal(scratch.pairs.wholes[:, :p], wholes)
    np.testing.assert_array_equal(scratch.pairs.parts[:, :p], parts)
    assert refused == 0 or heaviest > 1
    assert wholes.sum() > 255 * p
    clear(scratch.pairs)
    assert not scratch.pairs.wholes.any()
    assert not scratch.pairs.parts.any()
    assert scratch.pairs.sizes[LARGEST] == 0


def test_a_cell_is_compared_alone():
    rows, packed, scratch, _ = sorted_table(20, 2, [1, 2, 3])
    begin, end = scratch.end[3], scratch.end[4]
    listed = np.repeat(scratch.sorted[begin:end], rows.weight[0][scratch.sorted[begin:end]])
    assert add_cell(packed, 0, begin, end, scratch)
    gather(scratch.pairs)
    np.testing.assert_array_equal(scratch.pairs.parts[:, :20], before(rows.codes.T[listed]))
    assert not scratch.pairs.wholes.any()
    assert not add_cell(packed, 0, np.int64(0), np.int64(FEW + 1), scratch)
