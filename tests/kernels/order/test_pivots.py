"""Sets that grow and are cut back."""

import numpy as np
import pytest

from arcs.kernels.order.pivots import cut_back, rebuild


@pytest.mark.parametrize("left", [[4, 9], [4, 7, 11], [2, 7, 9, 11], [2, 4], []])
def test_a_set_cut_back_is_as_good_as_rebuilt(searched, left):
    problem, scratch = searched.score.problem, searched.work.scratch
    whole = [4, 2, 7, 9, 11]
    left = [u for u in whole if u in left]
    kept = next((t for t, u in enumerate(left) if u != whole[t]), len(left))
    scratch.chosen[:5] = whole
    rebuild(problem, 0, 5, scratch)
    scratch.chosen[: len(left)] = left
    cut_back(problem, 0, kept, 5, len(left), scratch)
    parts = (scratch.covariance, scratch.variance, scratch.pivots[: len(left)])
    cut = [part.copy() for part in parts]
    rebuild(problem, 0, len(left), scratch)
    for one, other in zip(cut, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("k", range(7))
def test_what_parents_leave_is_the_partial_covariance(searched, k):
    problem, scratch = searched.score.problem, searched.work.scratch
    gram, parents = searched.score.statistics.gram(0), [4, 2, 7, 9, 11, 5][:k]
    left = gram.copy()
    if k:
        inner = gram[np.ix_(parents, parents)]
        left -= gram[:, parents] @ np.linalg.solve(inner, gram[parents])
    scratch.chosen[:k] = parents
    rebuild(problem, 0, k, scratch)
    np.testing.assert_allclose(scratch.covariance, left[:, 0], atol=1e-10)
    np.testing.assert_allclose(scratch.variance, np.diag(left), atol=1e-10)
