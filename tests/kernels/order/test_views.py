"""What is kept of a column follows from its parents."""

import numpy as np
import pytest

from arcs.kernels.order.views import load_view, look_at_all
from arcs.search import Pulls


def partial(gram, v, parents):
    left = gram.copy()
    if parents:
        inner = gram[np.ix_(parents, parents)]
        left -= gram[:, parents] @ np.linalg.solve(inner, gram[parents])
    return left


def test_every_view_is_that_of_its_parents(searched):
    state, p = searched.state, 14
    look_at_all(searched.score.problem, state, searched.work)
    views = state.derived
    assert views.known.all()
    for v, k in enumerate(state.columns.count):
        parents = state.columns.parents[v, :k].tolist()
        gram = searched.score.statistics.gram(v)
        left = partial(gram, v, parents)
        np.testing.assert_allclose(views.covariance[v * p : v * p + p], left[:, v], atol=1e-9)
        np.testing.assert_allclose(views.variance[v * p : v * p + p], np.diag(left), atol=1e-9)
        np.testing.assert_allclose(state.columns.residual[v], left[v, v], atol=1e-9)
        precision = np.zeros((k, k))
        precision[np.tril_indices(k)] = views.precision[v, : k * (k + 1) // 2]
        precision += np.tril(precision, -1).T
        inner = gram[np.ix_(parents, parents)]
        np.testing.assert_allclose(precision @ inner, np.eye(k), atol=1e-8)
        coefficients = views.coefficient[v, :k]
        np.testing.assert_allclose(inner @ coefficients, gram[parents, v], atol=1e-9)


@pytest.mark.parametrize("v", range(0, 14, 3))
def test_a_view_that_is_loaded_is_the_one_that_was_kept(searched, v):
    scratch, state = searched.work.scratch, searched.state
    k = load_view(searched.score.problem, state, v, searched.work)
    assert scratch.chosen[:k].tolist() == state.columns.parents[v, :k].tolist()
    left = partial(searched.score.statistics.gram(v), v, scratch.chosen[:k].tolist())
    np.testing.assert_allclose(scratch.covariance, left[:, v], atol=1e-9)
    np.testing.assert_allclose(scratch.variance, np.diag(left), atol=1e-9)


def test_no_view_outlives_its_column(a_chain):
    """After many steps, kept and undone, what is said to be known is what it would be anew."""
    chain = a_chain("l0", 5, p=10)
    for _ in Pulls(n_iter=60).slices(chain):
        pass
    views, known = chain.state.derived, chain.state.derived.known.astype(bool)
    assert known.any()
    kept = [array.copy() for array in (views.covariance, views.variance)]
    views.known[:] = 0
    look_at_all(chain.score.problem, chain.state, chain.work)
    for before, after in zip(kept, (views.covariance, views.variance), strict=True):
        before, after = before.reshape(10, 10)[known], after.reshape(10, 10)[known]
        np.testing.assert_array_equal(before, after)
