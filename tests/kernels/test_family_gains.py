"""Families under hill climbing: gains are differences of scores."""

import numpy as np
import pytest

from arcs.kernels.climbing_gains import relative_score
from arcs.kernels.climbing_graph import initial_state
from arcs.kernels.hill_climbing import climb, load_graph


@pytest.mark.parametrize("kind", ["bic", "ebic", "bdeu", "bds", "k2"])
def test_gains_are_differences_of_scores(category_score, kind):
    score = category_score(1, kind)
    rng = np.random.default_rng(3)
    dag = np.triu(rng.random((6, 6)) < 0.5, 1)
    required, allowed = np.zeros((6, 6), dtype=bool), rng.random((6, 6)) < 0.8
    tails, heads = np.nonzero(dag)
    required[tails[0], heads[0]] = True
    state = initial_state(allowed, np.full(6, 3), required)
    load_graph(score.kernel, 1.0, state, dag)
    before = score.total(dag)
    empty = score.total(np.zeros((6, 6), dtype=bool))
    assert relative_score(score.kernel, 1.0, dag) == pytest.approx(before - empty)
    for i in range(6):
        for j in range(6):
            toggled = dag.copy()
            toggled[i, j] = not dag[i, j]
            barred = required[i, j] if dag[i, j] else not allowed[i, j] or dag[:, j].sum() >= 3
            if i == j or barred:
                assert state.gain[i, j] == -np.inf
            else:
                after = -2 * sum(
                    score.score.node(v, np.flatnonzero(toggled[:, v]).tolist()) for v in range(6)
                )
                assert state.gain[i, j] == pytest.approx(after - before, abs=1e-7)


def test_a_climb_keeps_its_score(category_score):
    score = category_score(4)
    state = initial_state(np.ones((6, 6), dtype=bool), score.max_parents)
    load_graph(score.kernel, 1.0, state, np.zeros((6, 6), dtype=bool))
    made, done = climb(score.kernel, 1.0, state, 100)
    assert done
    assert made > 3
    again = relative_score(score.kernel, 1.0, state.adjacency)
    assert state.total[0] == pytest.approx(again, abs=1e-7)
