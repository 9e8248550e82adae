"""The conditional Gaussian engine: lists, what a state holds, and exhaustive search."""

from itertools import permutations

import numpy as np
import pytest

from arcs.kernels.order.conditional import MOST_CELLS, _list, _price
from arcs.kernels.order.memo import insert
from arcs.scores.conditional import ConditionalScore
from arcs.search import Chain
from arcs.simulate import mixed_table, random_dag


def sets_of(nodes):
    found = [()]
    for c in nodes:
        found += [(*s, c) for s in found]
    return found


@pytest.fixture(scope="module")
def scored():
    def make(p, seed):
        data = mixed_table(random_dag(p, p, seed), 250, seed, interacting=True).data
        return ConditionalScore(data)

    return make


def test_all_candidates_worth_adding_are_listed_best_first(scored):
    score = scored(6, 3)
    problem = score.problem
    _, work = score.new_state(np.arange(6))
    scratch, memo = work.scratch, work.scratch.memo
    for u in range(6):
        for parents in sets_of(sorted({*range(6)} - {u})[:3]):
            k, present = len(parents), score.node(u, parents)
            scratch.chosen[:k] = parents
            record = insert(memo, u, scratch.chosen, k, present)
            _list(problem, u, k, record, scratch)
            entries = slice(memo.start[record], memo.start[record] + memo.length[record])
            assert (np.diff(memo.with_them[entries]) >= 0).all()
            listed = dict(zip(memo.who[entries].tolist(), memo.with_them[entries], strict=True))
            for c in {*range(6)} - {u, *parents}:
                scratch.chosen[: k + 1] = (*parents, c)
                slack = 0.5 * _price(problem, u, scratch.chosen, k)
                with_c = score.node(u, (*parents, c))
                assert (c in listed) == (with_c < present + slack)
                assert c not in listed or listed[c] == with_c


@pytest.mark.slow  # the moves are compiled for another engine
@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_best_of_all_graphs(scored, seed):
    score = scored(4, seed)
    best = min(
        sum(min(score.node(u, s) for s in sets_of(order[:place])) for place, u in enumerate(order))
        for order in permutations(range(4))
    )
    chain = Chain(score, np.arange(4), np.random.default_rng(seed))
    chain.solve()
    for _ in range(4):
        chain.steps(np.arange(4), 50, 0.0)
    state = chain.state
    terms = [
        score.node(u, state.columns.parents[u, :k].tolist())
        for u, k in enumerate(state.columns.count)
    ]
    assert state.columns.score == pytest.approx(terms, abs=1e-12)
    assert sum(terms) == pytest.approx(best, abs=1e-8)


def test_families_out_of_reach_have_a_finite_score():
    """No table is made of them, and fewer cells are better."""
    from arcs.data import Dataset

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 200, (300, 4))
    values = np.column_stack([codes, rng.normal(size=300)])
    levels = (*(tuple(f"l{k}" for k in range(200)) for _ in range(4)), None)
    score = ConditionalScore(Dataset("abcdx", values=values.astype(float), levels=levels))
    assert np.prod(score.problem.rows.levels[:3]) > MOST_CELLS
    assert np.isfinite(score.node(4, [0, 1, 2]))
    assert score.node(4, [0, 1]) < score.node(4, [0, 1, 2]) < score.node(4, [0, 1, 2, 3]) < np.inf
