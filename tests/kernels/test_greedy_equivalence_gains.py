"""What a parent is worth: differences of scores, asked of numbers and of categories."""

import numpy as np
import pytest

from arcs.kernels.greedy_equivalence_gains import (
    _without_and_with,
    add_insertions,
    gain_of_parent,
    insertion_room,
    one_more_parent,
    parent_room,
)
from arcs.kernels.greedy_equivalence_records import Rules, empty_row

PRICE = 2.0
RULES = Rules(np.full(6, PRICE), np.full(6, 6), np.ones((6, 6), dtype=bool))


def test_residuals_without_and_with_one_more(gram_statistics, share):
    statistics = gram_statistics()
    columns, room = np.array([1, 2, 0]), (np.empty((3, 3)), np.empty(3))
    without, within = _without_and_with(statistics.kernel, 5, columns, 2, 4, *room)
    assert without == pytest.approx(share(statistics, 5, [1, 2]))
    assert within == pytest.approx(share(statistics, 5, [1, 2, 4]))


@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_one_parent(worth, kind):
    evidence, gain_of = worth(kind, 1, PRICE)
    columns, room = np.array([1, 2, 0]), parent_room(evidence.kernel, 3)
    for y, x in ((5, 4), (4, 3), (0, 3)):
        found = gain_of_parent(evidence.kernel, RULES, y, columns, 2, x, room)
        assert found == pytest.approx(gain_of(y, [1, 2], x), abs=1e-7)
        assert columns[:2].tolist() == [1, 2]


@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_parents_one_after_the_other(worth, kind):
    evidence, gain_of = worth(kind, 2, PRICE)
    room = insertion_room(evidence.kernel, 3, 3)
    missing = np.array([1, 0, 0, 9, 0, 0])
    for level, given in enumerate(([], [5], [5, 0])):
        if given:
            one_more_parent(evidence.kernel, 3, given[-1], level - 1, room)
        row = empty_row(10, 10, 10)
        add_insertions(evidence.kernel, RULES, 3, level, missing, room, row)
        found = dict(zip(row.source[: row.size[0]].tolist(), row.gain, strict=False))
        expected = {x: gain_of(3, given, x) for x in (1, 2, 4, 5) if x not in given}
        assert set(found) == {x for x, gain in expected.items() if gain > 1e-7}
        assert all(found[x] == pytest.approx(expected[x], abs=1e-7) for x in found)
