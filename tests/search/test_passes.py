"""What a pass tries, who takes part in a pull, and what columns remember of candidates."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.l0 import l0_cut_back, l0_rebuild
from arcs.kernels.leaps import (
    _mark_ancestors_inside,
    _mark_descendants,
    _parents_to_follow,
    _resort_around,
    _with_companions,
)
from arcs.kernels.regression import residual_variance
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls
from arcs.search.strategies import _nodes_of_a_pass


@pytest.fixture
def searched(experiment):
    values, mask = experiment(120, 14, 3)
    score = CholeskyScore(Dataset.of(values, interventions=mask).statistics(), 1.0)
    chain = Chain(score, np.arange(14), np.random.default_rng(0))
    for _ in Pulls(patience=1, n_iter=60).slices(chain):
        pass
    return chain


def with_parents(chain, parents):
    columns = chain.state.columns
    columns.count[:] = 0
    for node, of_node in parents.items():
        columns.count[node] = len(of_node)
        columns.parents[node, : len(of_node)] = of_node


def test_a_pass_tries_nodes_by_the_choices_that_they_offer(searched):
    # 0 heads 0 -> 1 -> 2 and 0 -> 1 -> 3, and has a third child 4; the children 6, 7 of 5 are not
    # adjacent; 2 -> 8 has one child, the others none.
    parents = {1: [0], 2: [0, 1], 3: [1, 0], 4: [0], 6: [5], 7: [5], 8: [2]}
    with_parents(searched, parents)
    passes = 300
    times = sum(np.bincount(_nodes_of_a_pass(searched), minlength=14) for _ in range(passes))
    assert times[0] == (2 + 3 * 2) * passes
    assert times[1] == 1 * passes
    assert times[5] == 1 * passes
    rest = np.delete(times, [0, 1, 5])
    assert rest.min() > 0.2 * passes
    assert rest.max() < 0.5 * passes


def test_dense_graphs_do_not_make_a_pass_endless(searched):
    with_parents(searched, {v: list(range(v)) for v in range(14)})
    times = np.bincount(_nodes_of_a_pass(searched), minlength=14)
    assert times[0] == 4 + 12


def test_without_edges_passes_still_try_every_node(searched):
    with_parents(searched, {})
    tried = np.concatenate([_nodes_of_a_pass(searched) for _ in range(60)])
    assert set(tried) == set(range(14))


@pytest.mark.parametrize("left", [[4, 9], [4, 7, 11], [2, 7, 9, 11], [2, 4], []])
def test_a_set_cut_back_is_as_good_as_rebuilt(searched, left):
    problem, scratch = searched.score.problem, searched.work.scratch
    whole = [4, 2, 7, 9, 11]
    left = [u for u in whole if u in left]
    kept = next((t for t, u in enumerate(left) if u != whole[t]), len(left))
    scratch.chosen[:5] = whole
    l0_rebuild(problem, 0, 5, scratch)
    scratch.chosen[: len(left)] = left
    l0_cut_back(problem, 0, kept, 5, len(left), scratch)
    parts = (scratch.covariance, scratch.variance, scratch.pivots[: len(left)])
    cut = [part.copy() for part in parts]
    l0_rebuild(problem, 0, len(left), scratch)
    for one, other in zip(cut, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_no_column_is_better_than_its_floor(searched):
    """The floor rules out places: it must not lie above what a node can come to."""
    work, columns = searched.work, searched.state.columns
    assert np.isfinite(work.floor).sum() > 10
    solved = np.isfinite(work.floor)
    assert np.all(work.floor[solved] <= columns.score[solved] + 1e-6)


def companions(chain, x, *chosen):
    chain.work.chosen[: len(chosen)] = chosen
    leaders = _with_companions(chain.state, x, len(chosen), chain.work)
    return chain.work.members[:leaders].tolist()


def test_companions_are_the_parents_that_all_chosen_children_share(searched):
    with_parents(searched, {3: [0, 1, 2], 4: [0, 2, 5], 5: [0]})
    assert companions(searched, 0, 3) == [0, 1, 2]
    assert companions(searched, 0, 3, 4) == [0, 2]
    assert companions(searched, 2, 4, 3) == [2, 0]
    assert companions(searched, 0, 4, 5) == [0]


def test_a_pull_never_takes_more_companions_than_there_is_room_for(searched):
    with_parents(searched, {13: list(range(12))})
    assert len(companions(searched, 0, 13)) == searched.work.members.size == 4


def test_leaders_jump_behind_the_chosen_and_their_ancestors(searched):
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


def test_firm_parents_are_what_elimination_at_the_double_price_leaves(searched):
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


def likelihood(chain, v, parents):
    return own_score(chain, v, parents) - chain.score.edge_costs[v] * len(parents)


def own_score(chain, v, parents):
    k = len(parents)
    statistics = chain.score.statistics
    share = residual_variance(
        statistics.kernel,
        v,
        np.array(parents, dtype=np.int64),
        k,
        np.zeros((k + 1, k + 1)),
        np.zeros(k + 1),
    )
    return statistics.n[v] / 2 * np.log(share) + chain.score.edge_costs[v] * k


def test_a_candidate_that_is_called_useless_does_not_help_alone(searched):
    """A mark that outlived its column would show here: nearly every edge was useless once."""
    work, columns = searched.work, searched.state.columns
    marked = 0
    for v, u in np.argwhere(work.useless == work.version):
        parents = columns.parents[u, : columns.count[u]].tolist()
        if v != u and v not in parents:
            marked += 1
            gained = own_score(searched, u, [*parents, int(v)])
            assert gained >= own_score(searched, u, parents) - 1e-6
    assert marked > 20


def test_a_revived_chain_remembers_as_much(searched):
    work = searched.work
    known = work.useless == work.version
    revived = Chain(searched.score, np.arange(14), np.random.default_rng(1))
    revived.restore(searched.snapshot())
    np.testing.assert_array_equal(revived.work.useless == revived.work.version, known)
    assert known.any()
    assert not known.all()
