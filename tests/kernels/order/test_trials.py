"""What others would gain or lose is what they gain or lose when their candidates change."""

import numpy as np
import pytest

from arcs.kernels.order.trials import change_of_others, try_gaining, try_losing


def parents(chain, u):
    return set(chain.state.columns.parents[u, : chain.state.columns.count[u]].tolist())


@pytest.mark.parametrize("kind", ["l0", "mcp"])
@pytest.mark.parametrize("seed", range(3))
def test_those_before_a_node_gain_by_it_or_stay(a_chain, kind, seed):
    chain = a_chain(kind, seed)
    problem, state, work = chain.score.problem, chain.state, chain.work
    v = int(state.order[-1])
    first = try_gaining(problem, state, v, np.int64(0), work)
    gained = 0.0
    for i in range(7):
        u = state.order[i]
        if work.tried[u]:
            gained += work.trial.score[u] - state.columns.score[u]
            assert work.trial.score[u] < state.columns.score[u]
            assert v in work.trial.parents[u, : work.trial.count[u]]
            assert i >= first
    assert first == min([i for i in range(7) if work.tried[state.order[i]]], default=7)
    assert change_of_others(state, np.int64(7), np.int64(0), work) == pytest.approx(gained)


@pytest.mark.parametrize("kind", ["l0", "mcp"])
def test_children_lose_a_node_that_moves_behind_them(a_chain, kind):
    chain = a_chain(kind, 3)
    problem, state, work = chain.score.problem, chain.state, chain.work
    v = int(state.order[0])
    last = try_losing(problem, state, v, np.int64(7), np.inf, work)
    assert last == 7
    lost = 0.0
    for u in state.order[1:].tolist():
        assert bool(work.tried[u]) == (v in parents(chain, u))
        if work.tried[u]:
            assert v not in work.trial.parents[u, : work.trial.count[u]]
            lost += work.trial.score[u] - state.columns.score[u]
    assert lost > 0.0
    assert change_of_others(state, np.int64(0), np.int64(7), work) == pytest.approx(lost)
    # what it cannot afford ends the way
    assert try_losing(problem, state, v, np.int64(7), 0.5 * lost, work) < 7
