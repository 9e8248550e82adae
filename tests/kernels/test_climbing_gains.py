"""Gains of toggling a parent are differences of scores."""

import numpy as np
import pytest

from arcs.kernels.climbing_gains import relative_score
from arcs.kernels.climbing_graph import initial_state
from arcs.kernels.hill_climbing import load_graph
from arcs.scores import GaussianBic


@pytest.mark.parametrize("penalty", [1.0, 2.5])
@pytest.mark.parametrize("seed", range(3))
def test_gains_are_differences_of_scores(gram_statistics, seed, penalty):
    statistics = gram_statistics(seed=seed)
    score = GaussianBic(statistics, penalty)
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((6, 6)) < 0.5, 1)
    required, allowed = np.zeros((6, 6), dtype=bool), rng.random((6, 6)) < 0.8
    tails, heads = np.nonzero(dag)
    required[tails[0], heads[0]] = True
    limit = np.full(6, 3)
    state = initial_state(allowed, limit, required)
    load_graph(statistics.kernel, penalty, state, dag)
    before = score.total(dag)
    assert relative_score(statistics.kernel, penalty, dag) == pytest.approx(
        before - score.total(np.zeros((6, 6), dtype=bool))
    )
    for i in range(6):
        for j in range(6):
            toggled = dag.copy()
            toggled[i, j] = not dag[i, j]
            barred = required[i, j] if dag[i, j] else not allowed[i, j] or dag[:, j].sum() >= 3
            if i == j or barred:
                assert state.gain[i, j] == -np.inf
            else:
                after = sum(score.node(v, np.flatnonzero(toggled[:, v])) for v in range(6))
                assert state.gain[i, j] == pytest.approx(after - before, abs=1e-7)
