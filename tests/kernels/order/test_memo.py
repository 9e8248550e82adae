"""A memo finds what was put into it, and nothing else."""

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.memo import MOST_PARENTS, find, forget_if_full, insert, new_memo


def nodes(*members):
    return np.array([*members, 0], dtype=np.int64)


def test_sets_are_recognised_in_any_order_and_nothing_else_is():
    memo = bundle(new_memo(20, 8, records=1 << 14))
    rng = np.random.default_rng(0)
    known = {}
    for _ in range(3000):
        u, *members = rng.permutation(20)[: rng.integers(1, 8)].tolist()
        key = (u, frozenset(members))
        at = find(memo, u, nodes(*members), len(members))
        assert (at >= 0) == (key in known)
        if at < 0:
            known[key] = insert(memo, u, nodes(*members), len(members), rng.normal())
        else:
            assert at == known[key]
    assert len(known) > 1000


def test_neighbours_of_a_crowded_table_are_told_apart():
    """With eight slots nearly everything collides."""
    memo = bundle(new_memo(6, 3, records=4))
    for u in range(4):
        insert(memo, u, nodes(5), 1, float(u))
    for u in range(4):
        assert memo.score[find(memo, u, nodes(5), 1)] == u
        assert find(memo, u, nodes(4), 1) == -1


def test_a_full_memo_is_emptied():
    memo = bundle(new_memo(6, 3, records=4100))
    for u in range(5):
        insert(memo, u, nodes(5), 1, 0.0)
    forget_if_full(memo, 6)
    assert find(memo, 0, nodes(5), 1) == -1
    assert memo.sizes[0] == 0


@pytest.mark.parametrize("p", [8, 1300])
def test_the_memory_is_as_stated(p):
    """In the description of the function, and 62 MB in docs/howto/categories.md."""
    taken = sum(part.nbytes for part in new_memo(p, MOST_PARENTS))
    assert taken == pytest.approx((1 << 18) * (4 * MOST_PARENTS + 172), rel=1e-6)
    assert 61e6 < taken < 62e6
