"""Hill climbing: every move is the best one, the tabu list is kept, the best is remembered."""

import itertools

import numpy as np
import pytest

from arcs.graphs.topology import find_cycle
from arcs.kernels.climbing_gains import relative_score
from arcs.kernels.climbing_graph import initial_state
from arcs.kernels.hill_climbing import (
    climb,
    climb_with_tabu,
    load_graph,
    new_tabu_search,
    perturb,
)

P = 5


def begun(statistics, dag=None):
    state = initial_state(np.ones((P, P), dtype=bool), np.full(P, P))
    dag = np.zeros((P, P), dtype=bool) if dag is None else dag
    load_graph(statistics.kernel, 1.0, state, dag)
    return state


def one_move_away(dag):
    """All DAGs with one edge more, less or turned."""
    for i, j in itertools.permutations(range(P), 2):
        for turned in (False, True):
            other = dag.copy()
            if dag[i, j]:
                other[i, j], other[j, i] = False, turned
            elif dag[j, i] or turned:
                continue
            else:
                other[i, j] = True
            if find_cycle(other) is None:
                yield other


@pytest.mark.parametrize("seed", range(3))
def test_every_step_is_the_best_of_all(gram_statistics, seed):
    statistics = gram_statistics(P, seed)
    state, done = begun(statistics), False

    def score(dag):
        return relative_score(statistics.kernel, 1.0, dag)

    while not done:
        before = state.adjacency.copy()
        best = max(map(score, one_move_away(before)))
        made, done = climb(statistics.kernel, 1.0, state, 1)
        assert state.total[0] == pytest.approx(score(state.adjacency), abs=1e-7)
        if made:
            assert state.total[0] == pytest.approx(best, abs=1e-7)
        else:
            assert best <= score(before) + 1e-7
    assert state.n_parents.tolist() == state.adjacency.sum(axis=0).tolist()


def test_a_tabu_list_leads_on_and_never_back(gram_statistics):
    statistics = gram_statistics(P, 1)
    state = begun(statistics)
    climb(statistics.kernel, 1.0, state, 100)
    top = float(state.total[0])
    search = new_tabu_search(6, state.adjacency.copy(), state.total.copy())
    seen = [state.adjacency.tobytes()]
    for _ in range(12):
        climb_with_tabu(statistics.kernel, 1.0, state, search, 10**6, 1)
        assert state.adjacency.tobytes() not in seen[-6:]
        seen.append(state.adjacency.tobytes())
        assert find_cycle(state.adjacency) is None
    assert search.best_total[0] >= top
    assert search.best_total[0] == pytest.approx(
        relative_score(statistics.kernel, 1.0, search.best), abs=1e-7
    )


def test_patience_ends_the_walk(gram_statistics):
    statistics = gram_statistics(P, 1)
    state = begun(statistics)
    climb(statistics.kernel, 1.0, state, 100)
    search = new_tabu_search(3, state.adjacency.copy(), np.array([np.inf]))
    assert climb_with_tabu(statistics.kernel, 1.0, state, search, 4, 100) == (4, True)
    assert search.stale[0] == 4


def test_perturbed_graphs_are_acyclic_and_their_state_is_up_to_date(gram_statistics):
    statistics, rng = gram_statistics(P, 2), np.random.default_rng(0)
    state = begun(statistics)
    moved = 0
    for _ in range(20):
        before = state.adjacency.copy()
        perturb(statistics.kernel, 1.0, state, 3, rng)
        assert find_cycle(state.adjacency) is None
        fresh = begun(statistics, state.adjacency)
        np.testing.assert_allclose(state.gain, fresh.gain, atol=1e-9)
        assert state.total[0] == pytest.approx(fresh.total[0], abs=1e-7)
        assert state.hash[0] == fresh.hash[0]
        moved += int((before != state.adjacency).any())
    assert moved > 10
