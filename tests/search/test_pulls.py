"""Who takes part in a pull, what it does to the columns, and what it remembers."""

from itertools import pairwise

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.columns import is_as_before, journal_open, journal_undo, refresh_column
from arcs.kernels.moves import relax
from arcs.kernels.problem import REINSERTIONS
from arcs.kernels.pulls import (
    _keep_turned_edges,
    _mark_ancestors_inside,
    _mark_descendants,
    _parents_to_follow,
    _path_down,
    _reroot,
    _resort_around,
    _signature,
    _with_companions,
)
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain


def companions(chain, x, *chosen):
    chain.work.chosen[: len(chosen)] = chosen
    leaders = _with_companions(chain.state, x, len(chosen), chain.work)
    return chain.work.members[:leaders].tolist()


def test_companions_are_the_parents_that_all_chosen_children_share(searched, with_parents):
    with_parents(searched, {3: [0, 1, 2], 4: [0, 2, 5], 5: [0]})
    assert companions(searched, 0, 3) == [0, 1, 2]
    assert companions(searched, 0, 3, 4) == [0, 2]
    assert companions(searched, 2, 4, 3) == [2, 0]
    assert companions(searched, 0, 4, 5) == [0]


def test_a_pull_never_takes_more_companions_than_there_is_room_for(searched, with_parents):
    with_parents(searched, {13: list(range(12))})
    assert len(companions(searched, 0, 13)) == searched.work.members.size == 4


def test_leaders_jump_behind_the_chosen_and_their_ancestors(searched, with_parents):
    """0, 1 -> 3, 4; 0 -> 2 -> 3; 4 -> 5; 6 is unrelated."""
    state, work = searched.state, searched.work
    state.order[:] = state.position[:] = np.arange(14)
    with_parents(searched, {2: [0], 3: [0, 1, 2], 4: [0, 1], 5: [4]})
    work.chosen[:2] = [3, 4]
    leaders = _with_companions(state, 0, 2, work)
    _mark_descendants(state, leaders, work)
    work.mark[[3, 4]] = 3
    _mark_ancestors_inside(searched.score.problem, state, False, work)
    assert _resort_around(state, leaders, work) == 3
    assert state.order.tolist() == [*range(6, 14), 2, 3, 4, 0, 1, 5]
    np.testing.assert_array_equal(state.order[state.position], np.arange(14))


def test_firm_parents_are_what_elimination_at_the_double_price_leaves(searched, own_score):
    def likelihood(chain, v, parents):
        return own_score(chain, v, parents) - chain.score.edge_costs[v] * len(parents)

    state, chain = searched.state, searched
    dropped = 0
    for v in range(14):
        parents = state.columns.parents[v, : state.columns.count[v]].tolist()
        price = 2 * chain.score.edge_costs[v]
        firm = list(parents)
        while firm:
            fits = {c: likelihood(chain, v, [u for u in firm if u != c]) for c in firm}
            weakest = min(fits, key=fits.get)
            if fits[weakest] - likelihood(chain, v, firm) >= price:
                break
            firm.remove(weakest)
        dropped += len(parents) - len(firm)
        k = _parents_to_follow(chain.score.problem, state, v, True, chain.work)
        assert sorted(chain.work.scratch.copy[:k].tolist()) == sorted(firm)
        k = _parents_to_follow(chain.score.problem, state, v, False, chain.work)
        assert chain.work.scratch.copy[:k].tolist() == parents
    assert dropped > 0


def chain_of(rows, order=None, **knowledge):
    """A chain whose columns are solved for the order (or that of the columns)."""
    score = CholeskyScore(Dataset.of(rows).statistics(), 1.0, **knowledge)
    order = np.arange(rows.shape[1]) if order is None else np.array(order)
    chain = Chain(score, order, np.random.default_rng(0))
    chain.solve()
    return chain


def parents_of(chain, v):
    return set(chain.state.columns.parents[v, : chain.state.columns.count[v]].tolist())


@pytest.fixture
def path_rows():
    """0 -> 1 -> 2 -> 3, with 4 -> 5 apart."""
    rows = np.random.default_rng(1).normal(size=(400, 6))
    for child, parent in ((1, 0), (2, 1), (3, 2), (5, 4)):
        rows[:, child] += rows[:, parent]
    return rows


def test_a_path_is_turned_around_at_equal_score(path_rows):
    chain = chain_of(path_rows, [4, 0, 5, 1, 2, 3])
    assert parents_of(chain, 3) == {2}
    before = chain.state.columns.score.sum()
    _reroot(chain.score.problem, chain.state, 2, chain.work)
    assert chain.state.order.tolist() == [4, 2, 1, 0, 5, 3]
    np.testing.assert_array_equal(chain.state.order[chain.state.position], np.arange(6))
    assert [parents_of(chain, v) for v in range(6)] == [{1}, {2}, set(), {2}, set(), {4}]
    assert chain.state.columns.score.sum() == pytest.approx(before, abs=1e-8)


def test_a_path_through_a_collider_stays(path_rows):
    path_rows[:, 1] += path_rows[:, 5]
    chain = chain_of(path_rows, [4, 0, 5, 1, 2, 3])
    assert parents_of(chain, 1) == {0, 5}
    _reroot(chain.score.problem, chain.state, 3, chain.work)
    assert chain.state.order.tolist() == [4, 0, 5, 1, 2, 3]


def test_a_path_down_follows_edges_to_the_chosen_one(searched, with_parents):
    edges = {1: [0], 2: [1], 3: [2], 4: [3], 5: [4], 6: [1], 7: [0]}
    with_parents(searched, edges)
    state, work = searched.state, searched.work
    state.order[:] = state.position[:] = np.arange(14)
    lengths = set()
    for seed in range(200):
        leaders = _path_down(state, np.random.default_rng(seed), 0, work)
        path = [int(work.chosen[0]), *work.members[:leaders].tolist()]
        assert path[-1] == 0
        assert all(above in edges[below] for below, above in pairwise(path))
        lengths.add(leaders)
    assert lengths == {1, 2, 3, 4}


@pytest.fixture
def difference_rows():
    """2 is the difference of two nodes that are nearly the same: alone, neither explains it."""
    rows = np.random.default_rng(2).normal(size=(200, 3))
    rows[:, 1] = rows[:, 0] + 0.05 * rows[:, 1]
    rows[:, 2] = rows[:, 0] - rows[:, 1] + 0.05 * rows[:, 2]
    return rows


def test_turned_edges_find_parents_that_help_only_together(difference_rows):
    chain = chain_of(difference_rows)
    chain.work.members[0], chain.work.chosen[0] = 2, 0
    assert parents_of(chain, 2) != {0, 1}
    before = chain.state.columns.score[2]
    _keep_turned_edges(chain.score.problem, chain.state, 1, 1, chain.work)
    assert parents_of(chain, 2) == {0, 1}
    assert chain.state.columns.score[2] < before - 20


def test_a_forbidden_edge_is_not_turned(difference_rows):
    allowed = np.ones((3, 3), dtype=bool)
    allowed[0, 2] = False
    chain = chain_of(difference_rows, allowed=allowed)
    chain.work.members[0], chain.work.chosen[0] = 2, 0
    _keep_turned_edges(chain.score.problem, chain.state, 1, 1, chain.work)
    assert 0 not in parents_of(chain, 2)


@pytest.fixture
def marked(searched, with_parents):
    """0 is about to jump over 1; 2 is a child of both, 3 of 2; 4 -> 5 are unrelated."""
    with_parents(searched, {1: [0], 2: [0, 1], 3: [2], 5: [4]})
    state, work = searched.state, searched.work
    state.order[:] = state.position[:] = np.arange(14)
    work.members[0] = 0
    _mark_descendants(state, 1, work)
    work.mark[1] = 3
    return searched


def test_a_signature_tells_what_is_tried_and_where(marked):
    state, work = marked.state, marked.work
    columns = state.columns
    first = _signature(state, 1, False, work)
    assert _signature(state, 1, True, work) != first
    columns.parents[2, :2] = [1, 0]
    columns.parents[5, 0] = 6
    columns.parents[3, 0] = 7
    assert _signature(state, 1, False, work) == first
    columns.parents[2, 0] = 8
    assert _signature(state, 1, False, work) != first
    columns.parents[2, 0] = 1
    work.mark[3] = 3
    assert _signature(state, 1, False, work) != first


def test_the_order_of_those_who_jump_belongs_to_the_signature(marked):
    work = marked.work
    work.members[:2] = [0, 4]
    work.mark[4] = 4
    first = _signature(marked.state, 2, False, work)
    work.members[:2] = [4, 0]
    assert _signature(marked.state, 2, False, work) != first


def reinsertions(chain, node, times):
    """Those of `times` steps of one node, each."""
    counts = []
    for _ in range(times):
        before = int(chain.work.counters[REINSERTIONS])
        chain.steps(np.array([node]), 400, 0.0)
        counts.append(int(chain.work.counters[REINSERTIONS]) - before)
    return counts


def test_what_was_tried_in_vain_is_not_tried_again():
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
    revived.work.futile[:] = 0
    assert sum(reinsertions(revived, 2, 20)) > 0


def test_relaxing_ends_where_the_step_began(path_rows):
    """The child of a node that was torn from it comes back; the others need not be asked."""
    path_rows[:, 2] += path_rows[:, 5]
    chain = chain_of(path_rows, [4, 0, 5, 1, 2, 3])
    chain.descend(list(range(6)), 1000)
    problem, state, work = chain.score.problem, chain.state, chain.work
    before = state.columns.score.sum()
    journal_open(state, work, True)
    assert is_as_before(state, work)
    first, last = state.position[2], state.position[3]
    assert first < last
    state.order[[first, last]] = 3, 2
    state.position[[2, 3]] = last, first
    for v in state.order[first : last + 1]:
        refresh_column(problem, state, v, work)
    assert not is_as_before(state, work)
    assert state.columns.score.sum() > before + 1
    everybody = np.concatenate([[2], np.delete(np.arange(6), 2)])
    work.queue[:6] = everybody
    work.queued[:] = 1
    work.counters[6] = work.counters[REINSERTIONS] = 0
    assert relax(problem, state, 6, 100, work) > 0
    assert is_as_before(state, work)
    assert work.counters[REINSERTIONS] < 6
    assert not work.queued.any()
    assert state.columns.score.sum() == pytest.approx(before, abs=1e-8)
    journal_undo(problem, state, work, True)
