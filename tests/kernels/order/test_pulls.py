"""What a pull does to order and columns."""

import numpy as np
import pytest

from arcs.kernels.order.draws import (
    CHOSEN,
    mark_ancestors_inside,
    mark_descendants,
    with_companions,
)
from arcs.kernels.order.pulls import keep_turned_edges, reroot, resort_around


def test_leaders_jump_behind_the_chosen_and_their_ancestors(searched, with_parents):
    """0, 1 -> 3, 4; 0 -> 2 -> 3; 4 -> 5; 6 is unrelated."""
    state, work = searched.state, searched.work
    jump = work.jump
    state.order[:] = state.position[:] = np.arange(14)
    with_parents(searched, {2: [0], 3: [0, 1, 2], 4: [0, 1], 5: [4]})
    jump.chosen[:2] = [3, 4]
    leaders = with_companions(state, 0, jump.chosen, 2, jump.leaders)
    mark_descendants(state, jump.leaders, leaders, jump.mark)
    jump.mark[[3, 4]] = CHOSEN
    mark_ancestors_inside(searched.score.problem, state, False, work)
    assert resort_around(state, leaders, jump) == 3
    assert state.order.tolist() == [*range(6, 14), 2, 3, 4, 0, 1, 5]
    np.testing.assert_array_equal(state.order[state.position], np.arange(14))


def test_a_path_is_turned_around_at_equal_score(path_rows, chain_of, parents_of):
    chain = chain_of(path_rows, [4, 0, 5, 1, 2, 3])
    assert parents_of(chain, 3) == {2}
    before = chain.state.columns.score.sum()
    reroot(chain.score.problem, chain.state, 2, chain.work)
    assert chain.state.order.tolist() == [4, 2, 1, 0, 5, 3]
    np.testing.assert_array_equal(chain.state.order[chain.state.position], np.arange(6))
    assert [parents_of(chain, v) for v in range(6)] == [{1}, {2}, set(), {2}, set(), {4}]
    assert chain.state.columns.score.sum() == pytest.approx(before, abs=1e-8)


def test_a_path_through_a_collider_stays(path_rows, chain_of, parents_of):
    path_rows[:, 1] += path_rows[:, 5]
    chain = chain_of(path_rows, [4, 0, 5, 1, 2, 3])
    assert parents_of(chain, 1) == {0, 5}
    reroot(chain.score.problem, chain.state, 3, chain.work)
    assert chain.state.order.tolist() == [4, 0, 5, 1, 2, 3]


@pytest.fixture
def difference_rows():
    """2 is the difference of two nodes that are nearly the same: alone, neither explains it."""
    rows = np.random.default_rng(2).normal(size=(200, 3))
    rows[:, 1] = rows[:, 0] + 0.05 * rows[:, 1]
    rows[:, 2] = rows[:, 0] - rows[:, 1] + 0.05 * rows[:, 2]
    return rows


def test_turned_edges_find_parents_that_help_only_together(difference_rows, chain_of, parents_of):
    chain = chain_of(difference_rows)
    chain.work.jump.leaders[0], chain.work.jump.chosen[0] = 2, 0
    assert parents_of(chain, 2) != {0, 1}
    before = chain.state.columns.score[2]
    keep_turned_edges(chain.score.problem, chain.state, 1, 1, chain.work)
    assert parents_of(chain, 2) == {0, 1}
    assert chain.state.columns.score[2] < before - 20


def test_a_forbidden_edge_is_not_turned(difference_rows, chain_of, parents_of):
    allowed = np.ones((3, 3), dtype=bool)
    allowed[0, 2] = False
    chain = chain_of(difference_rows, allowed=allowed)
    chain.work.jump.leaders[0], chain.work.jump.chosen[0] = 2, 0
    keep_turned_edges(chain.score.problem, chain.state, 1, 1, chain.work)
    assert 0 not in parents_of(chain, 2)
