"""The operators of greedy equivalence search against brute force, and the laws of the search.

An operator leads from a class to the class of some member with one edge inserted, deleted or
turned; the operators are right if they lead to all of these classes and to no others, and their
gains are differences of scores.
"""

import numpy as np
import pytest

from arcs.graphs import interventional_cpdag_of
from arcs.kernels.greedy_equivalence_deletions import delete_row
from arcs.kernels.greedy_equivalence_insertions import insert_row
from arcs.kernels.greedy_equivalence_records import empty_row
from arcs.kernels.greedy_equivalence_steps import (
    DELETE,
    INSERT,
    TURN,
)
from arcs.kernels.greedy_equivalence_turns import turn_row
from arcs.learners.equivalence_search import (
    BACKWARD,
    FORWARD,
    TURNING,
    EquivalenceSearch,
)
from arcs.progress import Watch
from arcs.scores import GaussianBic
from arcs.simulate import random_dag, random_weights, sample, sample_experiments

DESIGNS = [((),), ((), (0,)), ((0,), (1, 2)), ((0, 1), (2, 3)), ((0,), (1,), (2,), (3,))]
KINDS = {INSERT: insert_row, DELETE: delete_row, TURN: turn_row}
PHASES = (FORWARD, BACKWARD, TURNING)
IN_TURN = tuple((phase,) for phase in PHASES)
EAGERLY = ((BACKWARD, TURNING, FORWARD),)
SEED = 20


# ---------------------------------------------------------------------- laws of the search


class ForgetfulSearch(EquivalenceSearch):
    """Computes all rows anew after every step."""

    def _absorb(self, effect, pools):
        for pool in pools:
            pool.dirty[:] = True


def simulated_statistics(seed, experimental, p=30, edges=60):
    model = random_weights(random_dag(p, edges, seed), seed)
    if experimental:
        targets = [[j] for j in range(0, p, 4)]
        drawn = sample_experiments(model, targets, 10, seed, n_observational=60)
    else:
        drawn = sample(model, 120, seed)
    return drawn.data.statistics()


@pytest.mark.parametrize("plan", [IN_TURN, EAGERLY])
@pytest.mark.parametrize("experimental", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_old_rows_are_as_good_as_new(seed, experimental, plan):
    """Keeping rows and passing over blocked operators does not change a single step."""
    statistics = simulated_statistics(seed, experimental)
    searches = [cls(statistics) for cls in (EquivalenceSearch, ForgetfulSearch)]
    for search in searches:
        assert search.run(plan, Watch(), iterate=True)
    kept, forgetful = searches
    assert len(kept.history) > 60
    assert {kind for kind, _, _ in kept.history} >= {INSERT, DELETE}
    np.testing.assert_allclose(kept.history, forgetful.history, rtol=1e-12)
    assert kept.pdag() == forgetful.pdag()


@pytest.mark.parametrize("experimental", [False, True])
@pytest.mark.parametrize("penalty", [1.0, 3.0])
def test_carried_score_is_the_score_of_the_graph(experimental, penalty):
    statistics = simulated_statistics(7, experimental)
    search = EquivalenceSearch(statistics, penalty)
    score = GaussianBic(statistics, penalty)
    for phase in PHASES:
        search.climb([phase], Watch())
        dag = search.pdag().consistent_dag()
        assert search.score == pytest.approx(score.total(dag), abs=1e-6)
        assert search.pdag() == interventional_cpdag_of(
            dag, statistics.targets, names=statistics.names
        )
    scores = np.array([value for _, value, _ in search.history])
    assert np.all(np.diff(scores) > 0)


def test_eager_search_prefers_deletions_to_turns_to_insertions():
    """No deletion or turn improves a class that is left by an insertion; none at all the last."""
    statistics = simulated_statistics(2, experimental=False)
    search = EquivalenceSearch(statistics, penalty=1.0)
    states = [search.graph]
    watch = Watch(listener=lambda event: states.append(search.graph))
    assert search.run(EAGERLY, watch, iterate=False)
    kinds = [kind for kind, _, _ in search.history]
    assert INSERT in kinds[kinds.index(DELETE) :]
    assert INSERT in kinds[kinds.index(TURN) :]

    def has_improvement(graph, plan):
        fresh = EquivalenceSearch(statistics, penalty=1.0)
        fresh.graph = graph
        fresh.run(plan, Watch(), iterate=False)
        return bool(fresh.history)

    for before, kind in list(zip(states, kinds, strict=False))[5::5]:
        assert has_improvement(before, ((BACKWARD,), (TURNING,))) == (kind != INSERT)
    assert not has_improvement(search.graph, IN_TURN)


def test_edges_that_are_not_allowed_never_enter():
    statistics = simulated_statistics(3, experimental=False)
    free = EquivalenceSearch(statistics)
    free.run(IN_TURN, Watch(), iterate=True)
    rng = np.random.default_rng(SEED)
    forbidden = rng.random((statistics.p, statistics.p)) < 0.3
    forbidden |= forbidden.T
    assert (free.graph.adjacent & forbidden).any()
    bound = EquivalenceSearch(statistics, allowed=~forbidden)
    bound.run(IN_TURN, Watch(), iterate=True)
    assert bound.n_edges > 20
    assert not (bound.graph.adjacent & forbidden).any()


def test_rows_that_do_not_fit_are_counted_and_made_room_for():
    statistics = simulated_statistics(1, experimental=False)
    search = EquivalenceSearch(statistics)
    search.climb([FORWARD], Watch())
    tight = EquivalenceSearch(statistics)
    tight._buffer = empty_row(1, 1, 1)
    tight.climb([FORWARD], Watch())
    assert tight.history == search.history
    assert len(tight._buffer.gain) > 1
