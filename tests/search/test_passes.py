"""What a pass tries, and what columns remember of candidates."""

import numpy as np
import pytest

from arcs.kernels.l0 import l0_cut_back, l0_rebuild
from arcs.search import Chain
from arcs.search.strategies import _nodes_of_a_pass


def test_a_pass_tries_nodes_by_the_choices_that_they_offer(searched, with_parents):
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


def test_dense_graphs_do_not_make_a_pass_endless(searched, with_parents):
    with_parents(searched, {v: list(range(v)) for v in range(14)})
    times = np.bincount(_nodes_of_a_pass(searched), minlength=14)
    assert times[0] == 4 + 12


def test_without_edges_passes_still_try_every_node(searched, with_parents):
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


def test_a_candidate_that_is_called_useless_does_not_help_alone(searched, own_score):
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
