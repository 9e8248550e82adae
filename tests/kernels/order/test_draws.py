"""Who takes part in a pull."""

from itertools import pairwise

import numpy as np

from arcs.kernels.order.draws import path_down, with_companions


def companions(chain, x, *chosen):
    jump = chain.work.jump
    jump.chosen[: len(chosen)] = chosen
    found = with_companions(chain.state, x, jump.chosen, len(chosen), jump.leaders)
    return jump.leaders[:found].tolist()


def test_companions_are_the_parents_that_all_chosen_children_share(searched, with_parents):
    with_parents(searched, {3: [0, 1, 2], 4: [0, 2, 5], 5: [0]})
    assert companions(searched, 0, 3) == [0, 1, 2]
    assert companions(searched, 0, 3, 4) == [0, 2]
    assert companions(searched, 2, 4, 3) == [2, 0]
    assert companions(searched, 0, 4, 5) == [0]


def test_a_pull_never_takes_more_companions_than_there_is_room_for(searched, with_parents):
    with_parents(searched, {13: list(range(12))})
    assert len(companions(searched, 0, 13)) == searched.work.jump.leaders.size == 4


def test_a_path_down_follows_edges_to_the_chosen_one(searched, with_parents):
    edges = {1: [0], 2: [1], 3: [2], 4: [3], 5: [4], 6: [1], 7: [0]}
    with_parents(searched, edges)
    state, jump = searched.state, searched.work.jump
    state.order[:] = state.position[:] = np.arange(14)
    lengths = set()
    for seed in range(200):
        leaders = path_down(state, np.random.default_rng(seed), 0, jump)
        path = [int(jump.chosen[0]), *jump.leaders[:leaders].tolist()]
        assert path[-1] == 0
        assert all(above in edges[below] for below, above in pairwise(path))
        lengths.add(leaders)
    assert lengths == {1, 2, 3, 4}
