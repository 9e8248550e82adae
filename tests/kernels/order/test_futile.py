"""What a pull remembers of what was tried in vain."""

import numpy as np
import pytest

from arcs.kernels.order.draws import CHOSEN, LEADER, mark_descendants
from arcs.kernels.order.futile import is_futile, note_futile, sign
from arcs.kernels.order.records import REINSERTIONS
from arcs.search import Chain


@pytest.fixture
def marked(searched, with_parents):
    """0 is about to jump over 1; 2 is a child of both, 3 of 2; 4 -> 5 are unrelated."""
    with_parents(searched, {1: [0], 2: [0, 1], 3: [2], 5: [4]})
    state, jump = searched.state, searched.work.jump
    state.order[:] = state.position[:] = np.arange(14)
    jump.leaders[0] = 0
    mark_descendants(state, jump.leaders, 1, jump.mark)
    jump.mark[1] = CHOSEN
    return searched


def test_a_signature_tells_what_is_tried_and_where(marked):
    state, jump = marked.state, marked.work.jump
    columns = state.columns
    first = sign(state, jump, 1, False)
    assert sign(state, jump, 1, True) != first
    columns.parents[2, :2] = [1, 0]
    columns.parents[5, 0] = 6
    columns.parents[3, 0] = 7
    assert sign(state, jump, 1, False) == first
    columns.parents[2, 0] = 8
    assert sign(state, jump, 1, False) != first
    columns.parents[2, 0] = 1
    jump.mark[3] = CHOSEN
    assert sign(state, jump, 1, False) != first


def test_the_order_of_those_who_jump_belongs_to_the_signature(marked):
    jump = marked.work.jump
    jump.leaders[:2] = [0, 4]
    jump.mark[4] = LEADER
    first = sign(marked.state, jump, 2, False)
    jump.leaders[:2] = [4, 0]
    assert sign(marked.state, jump, 2, False) != first


def reinsertions(chain, node, times):
    """Those of `times` steps of one node, each."""
    counts = []
    for _ in range(times):
        before = int(chain.work.counters[REINSERTIONS])
        chain.steps(np.array([node]), 400, 0.0)
        counts.append(int(chain.work.counters[REINSERTIONS]) - before)
    return counts


def test_what_was_tried_in_vain_is_not_tried_again(chain_of):
    """0, 1 -> 2 -> 3: there are few ways to pull 2 over its child, and none of them pays."""
    rows = np.random.default_rng(1).normal(size=(400, 6))
    rows[:, 2] += rows[:, 0] + rows[:, 1]
    rows[:, 3] += rows[:, 2]
    chain = chain_of(rows)
    counts = reinsertions(chain, 2, 60)
    assert counts[0] > 0
    assert sum(counts[30:]) == 0
    revived = Chain(chain.score, np.arange(6), np.random.default_rng(9))
    revived.restore(chain.snapshot())
    assert sum(reinsertions(revived, 2, 20)) == 0
    revived.work.memory.futile[:] = 0
    assert sum(reinsertions(revived, 2, 20)) > 0


def test_what_is_noted_is_futile_and_the_last_of_a_place_stays(searched):
    memory = searched.work.memory
    size = memory.futile.size
    note_futile(memory, np.array([5, 5 + size, -3]))
    for signature, known in ((5, False), (5 + size, True), (-3, True), (4, False)):
        memory.signature[0] = signature
        assert is_futile.py_func(memory) == known
