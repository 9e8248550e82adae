"""A second search that comes to the same ends the first; one that does not changes little."""

import numpy as np
import pytest

from arcs.learners import learner
from arcs.penalties import Ebic
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Checkpoint, Pulls, run_chains
from arcs.simulate import erdos_renyi_dag, random_weights, sample


class StoppingWatch(Watch):
    """Stops after so many ticks."""

    def __init__(self, ticks):
        super().__init__()
        self.left = ticks

    def tick(self, *args, **kwargs):
        self.left -= 1
        return self.left > 0


def dense(seed, p=16, n=400, degree=5):
    simulated = sample(random_weights(erdos_renyi_dag(p, degree, seed), seed), n, seed)
    return simulated.data.statistics()


def a_chain(statistics, seed, **knowledge):
    score = CholeskyScore(statistics, Ebic(1.0), **knowledge)
    rng = np.random.default_rng(seed)
    required = knowledge.get("required")
    p = statistics.p
    return Chain(score, np.arange(p) if required is not None else rng.permutation(p), rng)


def test_it_ends_sooner_and_finds_as_much():
    """Of eight searches none ends a nat higher; together they take much fewer steps."""
    steps = np.zeros(2)
    for seed in range(8):
        agreed, alone = a_chain(dense(seed), seed), a_chain(dense(seed), seed)
        run_chains([agreed], Pulls(agreement=True), Watch())
        run_chains([alone], Pulls(), Watch())
        assert agreed.best_energy <= alone.best_energy + 1.0
        steps += agreed.steps_done, alone.steps_done
    assert steps[0] < 0.8 * steps[1]


def test_both_are_at_the_same_score_when_they_agree():
    chain = a_chain(dense(0), 0)
    run_chains([chain], Pulls(agreement=True), Watch())
    assert chain.second.best_energy == pytest.approx(chain.best_energy, abs=1e-6)


def test_what_the_second_finds_is_kept():
    """The first search is at its end in a bad place, and says that it has tried everything."""
    statistics = dense(1)
    best = run_chains([a_chain(statistics, 0)], Pulls(), Watch()).best_energy
    chain = a_chain(statistics, 1)
    chain.solve()
    bad = chain.best_energy
    assert bad > best + 1.0
    chain.progress = {"queue": [], "done": 60, "idle": 60, "at": 0, "nodes": []}
    chain.record(0, 1.0)
    found = run_chains([chain], Pulls(agreement=True), Watch())
    assert found is chain
    assert chain.best_energy <= best + 1.0


@pytest.mark.parametrize("ticks", [2, 5, 8, 9, 10, 11, 12])
def test_an_interruption_changes_nothing(tmp_path, ticks):
    statistics = dense(2)
    whole = run_chains([a_chain(statistics, 3)], Pulls(agreement=True), Watch())
    checkpoint = Checkpoint(tmp_path / "search.npz", "key", every=0.0)
    stopped = a_chain(statistics, 3)
    run_chains([stopped], Pulls(agreement=True), StoppingWatch(ticks), checkpoint=checkpoint)
    assert stopped.steps_done < whole.steps_done
    resumed = a_chain(statistics, 99)
    checkpoint.load([resumed])
    again = run_chains([resumed], Pulls(agreement=True), Watch(), checkpoint=checkpoint)
    assert again.best_energy == whole.best_energy
    assert again.steps_done == whole.steps_done
    np.testing.assert_array_equal(again.best.order, whole.best.order)


def test_the_second_begins_where_required_edges_allow_it():
    required = np.zeros((16, 16), bool)
    required[np.arange(15), np.arange(1, 16)] = True
    chain = a_chain(dense(0), 0, required=required)
    second = chain.begin_second()
    assert second.state.order.tolist() == list(range(16))


def test_iterations_of_the_trace_do_not_go_back():
    chain = a_chain(dense(3), 5)
    run_chains([chain], Pulls(agreement=True), Watch())
    assert np.all(np.diff(chain.trace()["iteration"]) >= 0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, True),
        ({"effort": "quick"}, True),
        ({"effort": "thorough"}, False),
        ({"patience": 4}, False),
        ({"n_iter": 100}, False),
        ({"n_chains": 2}, False),
    ],
)
def test_who_says_how_long_it_is_to_be_is_obeyed(settings, expected):
    assert learner("arcs", **settings).strategy(10).agreement == expected
