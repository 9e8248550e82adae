"""Interval flips: what they change, and what is left of a rejected one."""

import numpy as np
import pytest

from arcs.kernels.order.records import KEPT_FLIPS

each_penalty = pytest.mark.parametrize(
    "kind", ["l0", "l0 fixed price", "mcp", "mcp wide", "l1", "scad"]
)


@each_penalty
def test_a_rejected_flip_leaves_no_trace(a_chain, kind, contents):
    chain = a_chain(kind, 1)
    rejected = 0
    for _ in range(300):
        before, energy = contents(chain.state), chain.energy
        kept = chain.work.counters[KEPT_FLIPS]
        chain.flips(np.zeros(1), 4)
        if chain.work.counters[KEPT_FLIPS] == kept:
            rejected += 1
            assert contents(chain.state) == before
            assert chain.energy == energy
    assert rejected > 50


@each_penalty
@pytest.mark.parametrize("length", [2, 3, 4, 6])
def test_at_temperature_zero_nothing_goes_uphill(a_chain, kind, length):
    chain = a_chain(kind, 3)
    scores = np.append(chain.energy, chain.flips(np.zeros(500), length))
    assert (np.diff(scores) <= 0).all()
    assert scores[-1] < scores[0]


@each_penalty
@pytest.mark.parametrize("length", [2, 4, 5])
def test_a_flip_reverses_one_interval_and_touches_no_other_column(a_chain, kind, length):
    chain = a_chain(kind, 7)
    flipped = 0
    for _ in range(60):
        order, columns = chain.state.order.copy(), column_bytes(chain.state)
        chain.flips(np.full(1, 1e12), length)
        moved = np.flatnonzero(chain.state.order != order)
        if not moved.size:
            continue
        flipped += 1
        middle = (moved[0] + moved[-1]) / 2
        start = int(middle - (length - 1) / 2)
        expected = order.copy()
        expected[start : start + length] = order[start : start + length][::-1]
        np.testing.assert_array_equal(chain.state.order, expected)
        after = column_bytes(chain.state)
        outside = np.setdiff1d(order, order[start : start + length])
        assert all(after[v] == columns[v] for v in outside)
    assert flipped > 50


def column_bytes(state):
    return [
        b"|".join(
            (array[v] if array.ndim == 1 else array[v, :k]).tobytes() for array in state.columns
        )
        for v, k in enumerate(state.columns.count)
    ]


@each_penalty
def test_moves_reach_far(a_chain, kind):
    """At a high temperature flips forget the start: every node visits both ends of the order."""
    chain = a_chain(kind, 8)
    first, last = set(), set()
    for _ in range(300):
        chain.flips(np.full(5, 1e6), 4)
        first.add(int(chain.state.order[0]))
        last.add(int(chain.state.order[-1]))
    assert first == last == set(range(8))
