"""Columns: trials change nothing until they are committed, and knowledge is obeyed."""

import numpy as np
import pytest

from arcs.kernels.order.columns import (
    children,
    commit_trial,
    is_candidate,
    required_parents,
    solve_trial,
    total_score,
)
from arcs.kernels.order.records import NOBODY, Candidates


@pytest.mark.parametrize("kind", ["l0", "mcp"])
def test_a_trial_is_the_column_for_its_candidates(a_chain, contents, own_score, kind):
    chain = a_chain(kind, 2)
    problem, state, work = chain.score.problem, chain.state, chain.work
    untouched = contents(state)
    for u in range(8):
        everybody = Candidates(np.int64(8), NOBODY, NOBODY)
        score = solve_trial(problem, state, u, everybody, work)
        assert contents(state) == untouched
        assert score == work.trial.score[u]
        parents = work.trial.parents[u, : work.trial.count[u]].tolist()
        assert u not in parents
        # more candidates than the present ones: it can only be better
        assert score <= state.columns.score[u] + 1e-6
        if kind == "l0":
            assert score == pytest.approx(own_score(chain, u, parents), abs=1e-8)


@pytest.mark.parametrize("kind", ["l0", "mcp"])
def test_a_committed_trial_is_the_column(a_chain, kind):
    chain = a_chain(kind, 2)
    problem, state, work = chain.score.problem, chain.state, chain.work
    u = int(state.order[-1])
    before, version = total_score(state), work.memory.version[u]
    second = Candidates(np.int64(2), NOBODY, NOBODY)
    score = solve_trial(problem, state, u, second, work)
    old = state.columns.score[u]
    commit_trial(problem, state, u, work)
    assert work.tried[u] == 0
    assert work.memory.version[u] != version
    assert state.columns.score[u] == score
    assert total_score(state) == pytest.approx(before - old + score)
    assert set(state.columns.parents[u, : state.columns.count[u]]) <= set(state.order[:2])


def test_children_come_in_their_order(chain_of, path_rows):
    chain = chain_of(path_rows)
    out = np.zeros(6, np.int64)
    for x in range(6):
        found = children(chain.state, x, out)
        expected = [
            u
            for u in chain.state.order
            if x in chain.state.columns.parents[u, : chain.state.columns.count[u]]
        ]
        assert out[:found].tolist() == expected


def test_who_may_be_a_parent(a_chain):
    allowed = np.ones((8, 8), dtype=bool)
    allowed[1, 4] = False
    required = np.zeros((8, 8), dtype=bool)
    required[0, 4] = required[2, 4] = True
    order = np.arange(8)
    chain = a_chain("l0", allowed=allowed, required=required, order=order)
    problem, position = chain.score.problem, chain.state.position
    candidates = Candidates(np.int64(4), np.int64(6), np.int64(3))
    may = [c for c in range(8) if is_candidate(problem, position, c, 4, candidates)]
    assert may == [0, 2, 6]
    out = np.zeros(8, np.int64)
    assert out[: required_parents(problem, 4, out)].tolist() == [0, 2]
