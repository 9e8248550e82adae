"""The records of a search: what a new state and a new workspace hold."""

import numpy as np

from arcs.kernels.order.records import NOBODY, Candidates, before, copy_nodes


def test_positions_are_the_inverse_of_the_order(a_chain):
    state = a_chain("l0", 3).state
    np.testing.assert_array_equal(state.order[state.position], np.arange(8))


def test_nothing_is_open_in_a_new_workspace(a_chain):
    score = a_chain("l0").score
    _, work = score.new_state(np.arange(8))
    assert work.journal.size[0] == -1
    assert work.queue.ends.tolist() == [0, 0]
    assert np.isnan(work.memory.floor).all()
    assert not work.counters.any()
    assert not work.tried.any()
    # a power of two of slots, so that a signature is its own place
    assert work.memory.futile.size & (work.memory.futile.size - 1) == 0


def test_only_l0_remembers_who_is_useless(a_chain):
    assert a_chain("l0").work.memory.useless.shape == (8, 8)
    assert a_chain("mcp").work.memory.useless.shape == (0, 8)


def test_candidates_before_a_position():
    assert before.py_func(np.int64(3)) == Candidates(3, NOBODY, NOBODY)


def test_nodes_are_copied_as_far_as_asked():
    target = np.zeros(4, np.int64)
    copy_nodes(np.array([7, 8, 9, 10]), target, 2)
    assert target.tolist() == [7, 8, 0, 0]
