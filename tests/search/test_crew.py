"""Steps in rounds: the same answer for any number of workers, and as good a search."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.order.records import STEPS
from arcs.learners.arcs import Arcs
from arcs.penalties import Ebic
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import Chain, Checkpoint, Pulls, run_chains, strategies


@pytest.fixture(autouse=True)
def rounds_for_everybody(monkeypatch):
    monkeypatch.setattr(strategies, "FEWEST_IN_ROUNDS", 2)


@pytest.mark.parametrize("n_chains", [1, 2])
def test_the_answer_does_not_depend_on_the_number_of_workers(linear_rows, n_chains, same):
    values = linear_rows(200, 25, 0, density=0.15)
    fits = [Arcs(random_state=1, n_chains=n_chains, n_jobs=jobs).fit(values) for jobs in (1, 2, 5)]
    for other in fits[1:]:
        same(fits[0], other)


def a_score(linear_rows, seed, p=25, **knowledge):
    statistics = Dataset.of(linear_rows(200, p, seed, density=0.15)).statistics()
    return CholeskyScore(statistics, Ebic(0.7), **knowledge)


def a_chain(score, seed=0):
    rng = np.random.default_rng(seed)
    return Chain(score, rng.permutation(score.statistics.p), rng)


@pytest.mark.parametrize("seed", range(5))
def test_rounds_find_what_single_steps_find(linear_rows, monkeypatch, seed):
    score = a_score(linear_rows, seed)
    in_rounds = run_chains([a_chain(score)], Pulls(patience=12), Watch(), workers=2)
    monkeypatch.setattr(strategies, "FEWEST_IN_ROUNDS", 1000)
    one_by_one = run_chains([a_chain(score)], Pulls(patience=12), Watch())
    assert in_rounds.best_energy == pytest.approx(one_by_one.best_energy, abs=1e-6)
    assert in_rounds.work.counters[STEPS] > 0


def test_required_edges_stay(linear_rows):
    required = np.zeros((25, 25), bool)
    required[3, 4] = required[4, 7] = required[20, 1] = True
    score = a_score(linear_rows, 1, required=required)
    rng = np.random.default_rng(0)
    start = [v for v in rng.permutation(25) if v not in (3, 4, 7, 20, 1)]
    chain = Chain(score, np.array([3, 4, 7, 20, 1, *start]), rng)
    found = run_chains([chain], Pulls(), Watch(), workers=2)
    assert state_adjacency(found.best)[required].all()


def test_interrupted_and_resumed_is_uninterrupted(linear_rows, tmp_path):
    """Also with other numbers of workers before and after."""
    score = a_score(linear_rows, 2)
    whole = run_chains([a_chain(score)], Pulls(), Watch(), workers=1)
    checkpoint = Checkpoint(tmp_path / "run.npz", "key", every=0.0)
    events = iter(range(6))
    stopping = Watch(listener=lambda event: next(events) < 5)
    stopped = run_chains([a_chain(score)], Pulls(), stopping, workers=2, checkpoint=checkpoint)
    assert 0 < stopped.progress["done"] < whole.progress["done"]
    resumed = a_chain(score, seed=99)
    checkpoint.load([resumed])
    ended = run_chains([resumed], Pulls(), Watch(), workers=3)
    assert ended.best_energy == whole.best_energy
    np.testing.assert_array_equal(ended.best.order, whole.best.order)
    np.testing.assert_array_equal(ended.trace()["score"], whole.trace()["score"])
