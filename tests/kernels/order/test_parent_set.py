"""Sets that grow and shrink, against linear algebra and plain backward elimination."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.order.parent_set import (
    add_member,
    best_open,
    drop_member,
    rebuild,
    shrink,
    shrink_copy,
)
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain


def what_is_left(gram, parents):
    """Partial covariances of everybody given the parents."""
    left = gram.copy()
    if parents:
        inner = gram[np.ix_(parents, parents)]
        left -= gram[:, parents] @ np.linalg.solve(inner, gram[parents])
    return left


def assert_is_the_set(chain, v, parents):
    """What the scratch holds is what these parents leave of v and everybody."""
    scratch, gram, k = chain.work.scratch, chain.score.statistics.gram(v), len(parents)
    left = what_is_left(gram, parents)
    assert scratch.chosen[:k].tolist() == parents
    np.testing.assert_allclose(scratch.covariance, left[:, v], atol=1e-10)
    np.testing.assert_allclose(scratch.variance, np.diag(left), atol=1e-10)
    np.testing.assert_allclose(scratch.residual[0], left[v, v], atol=1e-10)
    precision = np.linalg.inv(gram[np.ix_(parents, parents)])
    np.testing.assert_allclose(scratch.precision[:k, :k], precision, atol=1e-8)
    np.testing.assert_allclose(scratch.coefficient[:k], precision @ gram[parents, v], atol=1e-9)


@pytest.mark.parametrize("v", [0, 3])
@pytest.mark.parametrize("k", range(7))
def test_what_parents_leave_is_the_partial_covariance(searched, k, v):
    parents = [4, 2, 7, 9, 11, 5][:k]
    searched.work.scratch.chosen[:k] = parents
    rebuild(searched.score.problem, v, k, searched.work.scratch)
    assert_is_the_set(searched, v, parents)


@pytest.mark.parametrize("v", [0, 3])
@pytest.mark.parametrize("j", range(5))
def test_a_set_that_lost_one_and_took_another_is_as_good_as_a_new_one(searched, j, v):
    problem, scratch, parents = searched.score.problem, searched.work.scratch, [4, 2, 7, 9, 11]
    scratch.chosen[:5] = parents
    rebuild(problem, v, 5, scratch)
    drop_member(problem, v, j, 5, scratch)
    rest = parents[:j] + parents[j + 1 :]
    assert_is_the_set(searched, v, rest)
    add_member(problem, v, 12, 4, scratch)
    assert_is_the_set(searched, v, [*rest, 12])


def test_a_member_that_others_determine_says_nothing_until_they_go(linear_rows):
    rows = linear_rows(80, 6, 1)
    rows[:, 2] = rows[:, 0] + rows[:, 1]
    score = CholeskyScore(Dataset.of(rows).statistics(), Ebic(1.0))
    chain = Chain(score, np.arange(6), np.random.default_rng(0))
    problem, scratch = score.problem, chain.work.scratch
    scratch.chosen[:4] = [0, 1, 2, 4]
    rebuild(problem, 5, 4, scratch)
    assert scratch.coefficient[2] == 0.0
    gram = score.statistics.gram(5)
    np.testing.assert_allclose(scratch.covariance, what_is_left(gram, [0, 1, 4])[:, 5], atol=1e-7)
    drop_member(problem, 5, 0, 4, scratch)
    assert_is_the_set(chain, 5, [1, 2, 4])


def test_members_that_are_nearly_the_same_cost_no_digits(linear_rows):
    rows = linear_rows(80, 6, 2)
    rows[:, 1] = rows[:, 0] + 1e-4 * np.random.default_rng(0).normal(size=80)
    score = CholeskyScore(Dataset.of(rows).statistics(), Ebic(1.0))
    chain = Chain(score, np.arange(6), np.random.default_rng(0))
    scratch = chain.work.scratch
    scratch.chosen[:3] = [0, 1, 3]
    rebuild(score.problem, 5, 3, scratch)
    drop_member(score.problem, 5, 1, 3, scratch)
    assert_is_the_set(chain, 5, [0, 3])


def test_the_best_open_candidate_explains_most(searched):
    problem, scratch = searched.score.problem, searched.work.scratch
    for v in range(14):
        parents = [u for u in (4, 2, 7) if u != v]
        scratch.chosen[: len(parents)] = parents
        rebuild(problem, v, len(parents), scratch)
        open_ = [u for u in range(14) if u != v and u not in parents and u % 3]
        scratch.open[:] = np.isin(np.arange(14), open_)
        left = what_is_left(searched.score.statistics.gram(v), parents)
        shares = {c: left[c, v] ** 2 / left[c, c] / left[v, v] for c in open_}
        best = max(shares, key=shares.get)
        assert best_open(shares[best] * 0.999, scratch) == best
        assert best_open(0.0, scratch) == best
        assert best_open(shares[best] * 1.001, scratch) == -1


def plain(gram, v, threshold, fixed, members):
    """Drop the member whose loss raises the residual least, while that is below the threshold."""
    members = list(members)

    def residual(kept):
        return what_is_left(gram, kept)[v, v]

    while len(members) > fixed:
        now = residual(members)
        losses = {m: residual([o for o in members if o != m]) - now for m in members[fixed:]}
        weakest = min(losses, key=losses.get)
        if losses[weakest] >= threshold * (now + losses[weakest]):
            break
        members.remove(weakest)
    return members, residual(members)


@pytest.mark.parametrize("fixed", [0, 2])
@pytest.mark.parametrize("threshold", [0.0, 0.02, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("v", [0, 3, 8])
def test_members_and_residual_are_those_of_plain_elimination(searched, v, threshold, fixed):
    problem, scratch, parents = searched.score.problem, searched.work.scratch, [4, 2, 7, 9, 11, 5]
    members, expected = plain(searched.score.statistics.gram(v), v, threshold, fixed, parents)
    scratch.chosen[:6] = parents
    rebuild(problem, v, 6, scratch)
    copies = [scratch.chosen.copy(), scratch.precision.copy(), scratch.coefficient.copy()]
    residual = scratch.residual[0]
    left = shrink(problem, v, threshold, fixed, 6, scratch)
    assert scratch.chosen[:left].tolist() == members
    assert scratch.residual[0] == pytest.approx(expected, abs=1e-9)
    if members:
        assert_is_the_set(searched, v, members)
    chosen, precision, coefficient = copies
    left, residual = shrink_copy(threshold, fixed, chosen, 6, residual, precision, coefficient)
    assert chosen[:left].tolist() == members
    assert residual == pytest.approx(expected, abs=1e-9)
