"""Resamples as weights: the same statistics as copied rows, the same answers for any workers."""

import numpy as np
import pytest

from arcs.confidence import bootstrap
from arcs.confidence.replicates import Replicate, drawn_rows
from arcs.data import Dataset
from arcs.learners import learner
from arcs.learners.conditions import _Task
from arcs.scores import fit_dag
from arcs.scores.least_squares import edge_coefficients
from arcs.simulate import random_dag, random_weights, sample

P, N = 6, 90
VALUES = sample(random_weights(random_dag(P, 7, 1), 1), N, 1).data.values
LABELS = [("", "x0", "x1")[i % 3] for i in range(N)]
BATCH = [f"b{i % 2}" for i in range(N)]
KINDS = {
    "plain": {},
    "experiments": {"interventions": LABELS, "conditions": "none"},
    "few rows of each": {"interventions": [f"x{i % P}" if i < 12 else "" for i in range(N)]},
    "conditions": {"conditions": BATCH, "condition_policy": "free"},
    "sparse": {"conditions": BATCH, "condition_policy": "sparse"},
    "covariates": {"adjust": np.linspace(-1, 1, N)[:, None]},
    "covariates of experiments": {
        "adjust": np.linspace(-1, 1, N)[:, None],
        "interventions": LABELS,
    },
}


@pytest.mark.parametrize("draw", ["resample", "half"])
@pytest.mark.parametrize("kind", KINDS)
def test_weighted_statistics_are_those_of_copied_rows(kind, draw):
    data = Dataset.of(VALUES + 50.0, **KINDS[kind])
    rows = drawn_rows(data, draw, np.random.default_rng(0))
    copied = data.take(rows, constant="isolate")
    counted = data.counted_times(np.bincount(rows, minlength=N), constant="isolate")
    assert counted.n == copied.n
    one, other = copied.statistics(), counted.statistics()
    np.testing.assert_array_equal(one.n, other.n)
    for v in range(P):
        np.testing.assert_allclose(other.gram(v), one.gram(v), atol=1e-12)
        np.testing.assert_allclose(other.mean(v), one.mean(v), rtol=1e-12)
        np.testing.assert_allclose(other.norm(v), one.norm(v), rtol=1e-12)
    if data.conditions is not None:
        np.testing.assert_array_equal(counted.condition_rows(), copied.condition_rows())


@pytest.mark.parametrize("kind", ["plain", "sparse", "covariates of experiments"])
def test_graphs_are_those_of_copied_rows(kind, monkeypatch):
    data = Dataset.of(VALUES, **KINDS[kind])
    stream = np.random.SeedSequence(3)
    replicate = Replicate(0, "one", learner("arcs"), "resample", stream)
    weighted = replicate.run(data)
    monkeypatch.setattr("arcs.confidence.replicates._looks_at_rows", lambda model: True)
    copied = replicate.run(data)
    np.testing.assert_array_equal(weighted.dag, copied.dag)
    np.testing.assert_array_equal(weighted.directed, copied.directed)
    np.testing.assert_allclose(weighted.coefficients, copied.coefficients, rtol=1e-9)


def test_incomplete_rows_are_copied():
    values = VALUES.copy()
    values[3, 2] = np.nan
    data = Dataset.of(values, missing="pairwise")
    with pytest.raises(ValueError, match="take"):
        data.counted_times(np.ones(N, np.int64))
    assert bootstrap(data, "arcs", 2).n_resamples == 2


def test_the_policy_of_conditions_is_chosen_once(monkeypatch):
    shifted = VALUES.copy()
    shifted[::2] += np.linspace(2, 4, P)
    data = Dataset.of(shifted, conditions=BATCH)
    asked, choose = [], _Task.cheapest
    monkeypatch.setattr(_Task, "cheapest", lambda task: asked.append(1) or choose(task))
    bootstrap(data, "arcs", 3)
    assert len(asked) == 1


@pytest.mark.parametrize("n_jobs", [2])
def test_workers_change_nothing(n_jobs):
    data = Dataset.of(VALUES, **KINDS["sparse"])
    one, other = (bootstrap(data, "arcs", 4, random_state=5, n_jobs=k) for k in (1, n_jobs))
    for name in ("dag", "directed", "undirected"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("kind", ["plain", "few rows of each", "covariates"])
def test_coefficients_alone_are_those_of_the_fit(kind):
    statistics = Dataset.of(VALUES, **KINDS[kind]).statistics()
    adjacency = random_dag(P, 9, 4)
    adjacency = np.asarray(getattr(adjacency, "adjacency", adjacency), dtype=bool)
    expected = fit_dag(adjacency, statistics).dag.coefficients
    np.testing.assert_allclose(edge_coefficients(adjacency, statistics), expected, atol=1e-12)
