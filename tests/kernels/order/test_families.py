"""Parent sets of categorical nodes, against all sets."""

from itertools import combinations

import numpy as np
import pytest

from arcs.kernels.order.families import (
    firm_members,
    is_worth_adding,
    solve_from_nothing,
)


def all_sets(others):
    return [s for size in range(len(others) + 1) for s in combinations(others, size)]


@pytest.mark.parametrize("kind", ["bic", "bdeu"])
def test_sets_found_from_nothing_are_the_best(categorical, kind):
    chain = categorical(kind)
    score, state, work = chain.score, chain.state, chain.work
    for u in range(5):
        before = state.order[: state.position[u]].tolist()
        k, found = solve_from_nothing(
            score.problem, state.position, u, np.int64(state.position[u]), work
        )
        parents = work.scratch.chosen[:k].tolist()
        assert set(parents) <= set(before)
        assert found == pytest.approx(score.node(u, parents), abs=1e-8)
        assert found == pytest.approx(min(score.node(u, s) for s in all_sets(before)), abs=1e-8)


def test_who_lowers_the_score_is_worth_adding(categorical):
    chain = categorical()
    score, state = chain.score, chain.state
    for u in range(5):
        parents = state.columns.parents[u, : state.columns.count[u]].tolist()
        now = score.node(u, parents)
        for v in set(range(5)) - {u, *parents}:
            if score.node(u, [*parents, v]) < now - 1e-6:
                assert is_worth_adding(score.problem, state, u, v, chain.work)


def test_firm_parents_are_worth_twice_their_price(categorical):
    chain, out = categorical(), np.zeros(8, np.int64)
    state, score = chain.state, chain.score
    for u in range(5):
        parents = state.columns.parents[u, : state.columns.count[u]].tolist()
        k = firm_members(score.problem, state, u, out, chain.work)
        firm = out[:k].tolist()
        assert set(firm) <= set(parents)
        for gone in firm:
            rest = [c for c in firm if c != gone]
            assert score.node(u, rest) > score.node(u, firm)
