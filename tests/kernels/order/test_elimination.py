"""Backward elimination on a factor, against least squares at every step."""

import numpy as np
import pytest

from arcs.kernels.order.elimination import shrink


def plain(gram, threshold, fixed):
    """Drop the member whose loss raises the residual least, while that is below the threshold."""
    members = list(range(len(gram) - 1))

    def residual(kept):
        if not kept:
            return 1.0
        inner = gram[np.ix_(kept, kept)]
        return 1.0 - gram[-1, kept] @ np.linalg.solve(inner, gram[kept, -1])

    while len(members) > fixed:
        now = residual(members)
        losses = {m: residual([o for o in members if o != m]) - now for m in members[fixed:]}
        weakest = min(losses, key=losses.get)
        if losses[weakest] >= threshold * (now + losses[weakest]):
            break
        members.remove(weakest)
    return members, residual(members)


@pytest.mark.parametrize("fixed", [0, 2])
@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_members_and_residual_are_those_of_plain_elimination(linear_rows, seed, threshold, fixed):
    gram, k = np.corrcoef(linear_rows(60, 7, seed).T), 6
    small, inverse = np.zeros((k, k)), np.zeros((2 * k + 2, k))
    small[:] = np.linalg.cholesky(gram[:k, :k])
    vector = np.linalg.solve(small, gram[:k, k])
    chosen = np.arange(10, 10 + k)
    left, residual, kept = shrink(threshold, fixed, chosen, k, small, vector, inverse)
    members, expected = plain(gram, threshold, fixed)
    assert chosen[:left].tolist() == [10 + m for m in members]
    assert residual == pytest.approx(expected, abs=1e-9)
    assert members[:kept] == list(range(kept))
    assert kept == len(members) or members[kept] != kept
