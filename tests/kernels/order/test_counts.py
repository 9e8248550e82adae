"""Counts by masks and by tally equal counting by hand."""

from collections import Counter

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.counts import begin_counts, count_family, count_with, new_count_scratch
from arcs.scores.discrete import count_rows

LEVELS = np.array([2, 3, 4, 2, 5, 2, 2, 3, 2, 2, 2, 2])


@pytest.fixture(scope="module", params=["plain", "weighted", "set"])
def table(request):
    """Codes, weights per node, and what the kernels make of them."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, LEVELS, (700, LEVELS.size))
    weights = rng.integers(0, 6, 700) if request.param == "weighted" else np.ones(700, int)
    was_set = rng.random(codes.shape) < (0.2 if request.param == "set" else 0.0)
    rows = count_rows(codes, LEVELS, was_set=was_set, weights=weights)
    return codes, np.where(was_set, 0, weights[:, None]), bundle(rows), new_count_scratch(rows)


def by_hand(codes, weights, columns):
    counts = Counter()
    for row, weight in zip(codes[:, columns], weights, strict=True):
        counts[tuple(row)] += int(weight)
    return sorted(count for count in counts.values() if count)


def taken(scratch):
    """The counts of the table, which is cleared."""
    counts = sorted(int(count) for count in scratch.table[scratch.table > 0])
    scratch.table[:] = 0
    return counts


@pytest.mark.parametrize(
    "parents", [[], [0], [4, 2], [1, 7, 2], [1, 2, 3, 4, 6, 7, 8], [*range(10)]]
)
def test_counts_are_those_made_by_hand(table, parents):
    codes, weights, rows, arrays = table
    scratch, u = bundle(arrays), 11
    chosen = np.array([*parents, 0], dtype=np.int64)
    begin_counts(rows, u, chosen, len(parents), scratch)
    count_family(rows, u, scratch)
    assert taken(scratch) == by_hand(codes, weights[:, u], [*parents, u])
    for c in set(range(LEVELS.size)) - {u, *parents}:
        count_with(rows, u, chosen, len(parents), c, scratch)
        assert taken(scratch) == by_hand(codes, weights[:, u], [*parents, c, u])
    assert not scratch.number.any()


def test_few_cells_are_counted_by_masks_and_many_by_the_tally(table):
    _, _, rows, arrays = table
    scratch, chosen = bundle(arrays), np.arange(10, dtype=np.int64)
    begin_counts(rows, 11, chosen, 1, scratch)
    assert scratch.masked[0] == 2
    begin_counts(rows, 11, chosen, 10, scratch)
    assert scratch.masked[0] == -1


def test_more_levels_than_masks():
    """A column of 200 levels is counted by the tally: masks have room for 128 cells."""
    codes = np.column_stack([np.arange(400) % 200, np.arange(400) % 2])
    rows = count_rows(codes, np.array([200, 2]))
    packed, scratch = bundle(rows), bundle(new_count_scratch(rows))
    chosen = np.array([1, 0], dtype=np.int64)
    begin_counts(packed, 0, chosen, 0, scratch)
    assert scratch.masked[0] == -1
    count_family(packed, 0, scratch)
    assert taken(scratch) == [2] * 200
    count_with(packed, 0, chosen, 0, 1, scratch)
    assert taken(scratch) == [2] * 200
