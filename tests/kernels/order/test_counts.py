"""Counts of cells, and rows sorted by cell, equal counting by hand."""

from collections import Counter

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.counts import count_family, new_count_scratch, number_cells, sort_rows
from arcs.kernels.order.discrete_score import candidates_worth_adding
from arcs.kernels.order.memo import insert
from arcs.scores.discrete import DiscreteScore, count_rows

LEVELS = np.array([2, 3, 4, 2, 5, 2, 2, 3, 2, 2, 2, 2])
#: The last two have more configurations than there are rows.
PARENTS = [[], [0], [4, 2], [1, 7, 2], [1, 2, 3, 4, 6, 7, 8], [*range(10)]]


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


@pytest.mark.parametrize("parents", PARENTS)
def test_counts_are_those_made_by_hand(table, parents):
    codes, weights, rows, arrays = table
    scratch, u = bundle(arrays), 11
    chosen = np.array([*parents, 0], dtype=np.int64)
    q = count_family(rows, u, chosen, len(parents), scratch)
    assert q <= 700
    found = sorted(int(count) for count in scratch.table[scratch.table > 0])
    assert not scratch.table[q * 2 :].any()
    scratch.table[:] = 0
    assert found == by_hand(codes, weights[:, u], [*parents, u])
    assert not scratch.number.any()


@pytest.mark.parametrize("parents", PARENTS)
def test_rows_that_count_are_sorted_by_cell(table, parents):
    _, _, rows, arrays = table
    scratch, u = bundle(arrays), 7
    chosen = np.array([p for p in parents if p != u], dtype=np.int64)
    q = number_cells(rows, u, np.append(chosen, 0), chosen.size, scratch)
    sort_rows(rows, u, q * 3, scratch)
    weight = rows.weight[rows.pattern[u]]
    ends = scratch.end[: q * 3]
    assert ends[-1] == (weight > 0).sum()
    assert sorted(scratch.sorted[: ends[-1]]) == np.flatnonzero(weight > 0).tolist()
    members = np.append(chosen, u)
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        own = rows.codes[np.ix_(members, scratch.sorted[begin:end])]
        assert (own == own[:, :1]).all()


def test_as_many_levels_as_codes_can_tell():
    """A column of 255 levels has room in every table, as a node and as a parent."""
    codes = np.column_stack([np.arange(510) % 255, np.arange(510) % 2])
    rows = count_rows(codes, np.array([255, 2]))
    packed, scratch = bundle(rows), bundle(new_count_scratch(rows))
    for u, chosen, expected in ((0, [], [2] * 255), (0, [1], [1] * 510), (1, [0], [1] * 510)):
        count_family(packed, u, np.array([*chosen, 0], dtype=np.int64), len(chosen), scratch)
        assert sorted(scratch.table[scratch.table > 0].tolist()) == expected
        scratch.table[:] = 0
    score = DiscreteScore(rows, "bic")
    _, work = score.new_state(np.arange(2))
    memo = work.scratch.memo
    for u in range(2):
        record = insert(memo, u, work.scratch.chosen, 0, score.node(u, []))
        candidates_worth_adding(score.problem, u, 0, record, work.scratch)
        assert memo.length[record] == 0  # 254 parameters for at most a bit per row
