"""Cliques one after the other, against all subsets."""

import itertools

import numpy as np
import pytest

from arcs.kernels.cliques import CLIQUE_BUDGET, clique_limit, next_clique


def visited(adjacent, pool, limit):
    chosen, depth, found = np.empty(len(pool) + 1, np.int64), 0, []
    while depth >= 0:
        found.append(tuple(pool[chosen[:depth]].tolist()))
        depth = next_clique(adjacent, pool, len(pool), chosen, depth, limit)
    return found


@pytest.mark.parametrize("limit", [0, 1, 2, 7])
@pytest.mark.parametrize("seed", range(3))
def test_every_clique_is_visited_once(seed, limit):
    rng = np.random.default_rng(seed)
    adjacent = np.triu(rng.random((9, 9)) < 0.6, 1)
    adjacent |= adjacent.T
    pool = rng.permutation(9)[:7]
    expected = {
        subset
        for size in range(limit + 1)
        for subset in itertools.combinations(pool.tolist(), size)
        if all(adjacent[a, b] for a, b in itertools.combinations(subset, 2))
    }
    found = visited(adjacent, pool, limit)
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_only_the_last_member_differs_from_a_prefix_of_the_clique_before():
    adjacent = ~np.eye(5, dtype=bool)
    found = visited(adjacent, np.arange(5), 5)
    for before, after in itertools.pairwise(found):
        assert before[: len(after) - 1] == after[:-1]


@pytest.mark.parametrize("p", [5, 10, 100])
def test_clique_limit(p):
    """Among the nodes of a path there are no cliques but its nodes and edges; among nodes that are
    all adjacent, there are too many of them."""
    path = np.abs(np.subtract.outer(np.arange(p), np.arange(p))) == 1
    assert clique_limit(path, np.arange(p), p, p) == (p if p <= 13 else 2)
    saturated = ~np.eye(p, dtype=bool)
    largest = {5: 5, 10: 10, 100: 2}[p]  # 1 + 100 + 4950 cliques; those of three are 161700 more
    assert clique_limit(saturated, np.arange(p), p, p) == largest
    assert clique_limit(saturated, np.arange(p), p, 4) == min(4, largest)
    assert clique_limit(saturated, np.arange(p), p, 0) == 0


def test_the_limit_keeps_to_the_budget():
    saturated = ~np.eye(20, dtype=bool)
    limit = clique_limit(saturated, np.arange(20), 20, 20)
    assert len(visited(saturated, np.arange(20), limit)) <= CLIQUE_BUDGET
    assert len(visited(saturated, np.arange(20), limit + 1)) > CLIQUE_BUDGET
