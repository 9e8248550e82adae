"""Steps that are told instead of done, and what of them fits together."""

import numpy as np
import pytest

from arcs.kernels.bundles import bundle
from arcs.kernels.order.futile import note_futile
from arcs.kernels.order.records import EPSILON, Outcome
from arcs.kernels.order.rounds import (
    FUTILE,
    KEPT,
    NOTED,
    SIGNATURE,
    SIZE,
    attempt,
    follow,
    learn,
    merge,
    unlearn,
)
from arcs.scores.cholesky import state_adjacency
from arcs.search.crew import Crew, _new_outcome


def tell(chain, x, seed=0, temperature=1.0):
    """What a step from x would do."""
    outcome = _new_outcome(chain, np.zeros(5, np.int64))
    rng = np.random.default_rng(seed)
    attempt(chain.score.problem, chain.state, rng, x, 400, temperature, chain.work, outcome)
    return outcome


def telling(chain, parents, order):
    """An outcome that gives nodes these parents."""
    outcome = _new_outcome(chain, np.zeros(5, np.int64))
    for i, (v, who) in enumerate(parents.items()):
        outcome.nodes[i] = v
        outcome.columns.count[v] = len(who)
        outcome.columns.parents[v, : len(who)] = who
        outcome.columns.score[v] = 0.0
    outcome.order[:] = order
    outcome.facts[KEPT], outcome.facts[SIZE] = 1, len(parents)
    return outcome


def done(chain, outcome, changed):
    return merge(chain.score.problem, chain.state, outcome, changed, chain.work)


@pytest.mark.parametrize("seed", range(2, 6))
def test_an_attempt_leaves_no_trace_and_tells_what_the_step_itself_would_do(
    a_chain, contents, seed
):
    """The same step, told and merged, or done: the same state."""
    ways = [a_chain("l0", seed, p=12, n=60) for _ in range(2)]
    for chain in ways:
        chain.descend(list(range(12)), 1000)
        chain.work.memory.frozen[:] = 1
    told, doer = ways
    changes = 0
    for x in range(12):
        before = contents(told.state)
        outcome = tell(told, x, seed=x, temperature=20.0)
        assert contents(told.state) == before
        assert told.work.journal.size[0] == -1
        everybody = np.ones(12, np.uint8)
        follow(doer.score.problem, told.state, doer.state, everybody, doer.work)
        doer.rng = np.random.default_rng(x)
        energy = doer.state.columns.score.sum()
        doer.steps(np.array([x]), 400, 20.0)
        if outcome.facts[KEPT]:
            assert doer.energy - energy == pytest.approx(outcome.change[0], abs=1e-9)
            assert done(told, outcome, np.zeros(12, np.uint8))
            changes += int(outcome.facts[SIZE] > 0)
        if outcome.facts[FUTILE]:
            note_futile(told.work.memory, outcome.facts[[SIGNATURE]])
        np.testing.assert_array_equal(state_adjacency(told.state), state_adjacency(doer.state))
        np.testing.assert_array_equal(told.state.order, doer.state.order)
    assert changes > 0


def test_what_changes_the_same_column_does_not_fit(chain_of, path_rows, contents):
    chain = chain_of(path_rows)
    changed = np.zeros(6, np.uint8)
    assert done(chain, telling(chain, {3: []}, np.arange(6)), changed)
    assert changed.tolist() == [0, 0, 0, 1, 0, 0]
    before = contents(chain.state)
    assert not done(chain, telling(chain, {3: [4], 5: []}, [4, 0, 1, 2, 3, 5]), changed)
    assert contents(chain.state) == before
    assert changed.sum() == 1


def test_edges_that_close_a_circle_together_do_not_fit(chain_of, path_rows, contents):
    """4 -> 0 in one step, 3 -> 4 in another: with 0 -> 1 -> 2 -> 3 that is a circle."""
    chain = chain_of(path_rows)
    changed = np.zeros(6, np.uint8)
    assert done(chain, telling(chain, {0: [4]}, [4, 0, 1, 2, 3, 5]), changed)
    before = contents(chain.state)
    assert not done(chain, telling(chain, {4: [3]}, [0, 1, 2, 3, 4, 5]), changed)
    assert contents(chain.state) == before
    assert changed.tolist() == [1, 0, 0, 0, 0, 0]


def test_what_fits_is_sorted_anew_and_everybody_else_stays(chain_of, path_rows, parents_of):
    chain = chain_of(path_rows)
    changed = np.zeros(6, np.uint8)
    assert done(chain, telling(chain, {3: [2, 4]}, [0, 1, 2, 4, 3, 5]), changed)
    assert done(chain, telling(chain, {2: [1, 5]}, [0, 1, 4, 5, 2, 3]), changed)
    assert parents_of(chain, 3) == {2, 4}
    assert parents_of(chain, 2) == {1, 5}
    assert chain.state.order.tolist() == [0, 1, 4, 5, 2, 3]
    np.testing.assert_array_equal(chain.state.order[chain.state.position], np.arange(6))


def test_members_of_a_crew_are_alike_after_every_round(a_chain, contents):
    chain = a_chain("l0", 3, p=20)
    chain.work.memory.frozen[:] = 1
    with Crew(chain, 3) as crew:
        for i in range(6):
            nodes = np.random.default_rng(i).integers(0, 20, size=16)
            crew.round(nodes, 400, 1.0)
            others = {contents(state) for state, _ in crew.members}
            assert len(others) == 1
            for name in ("failed", "futile"):
                known = [getattr(work.memory, name) for _, work in crew.members]
                assert all(np.array_equal(known[0], other) for other in known[1:])
            assert chain.energy == pytest.approx(chain.state.columns.score.sum(), abs=EPSILON)


def test_an_outcome_is_a_bundle_of_its_own(chain_of, path_rows):
    chain = chain_of(path_rows)
    one, other = (
        _new_outcome(chain, np.zeros(5, np.int64)),
        _new_outcome(chain, np.zeros(5, np.int64)),
    )
    one.columns.count[0] = 7
    assert other.columns.count[0] == 0
    assert chain.state.columns.count[0] != 7
    assert type(one) is type(bundle(Outcome(*one)))


def test_who_was_of_no_use_is_told_and_known_to_all_after_the_round(a_chain):
    """And nothing of it while the round lasts: another step from the same state is not helped."""
    chain = a_chain("l0", 3, p=20, n=60)
    chain.descend(list(range(20)), 2000)
    memory = chain.work.memory
    memory.frozen[:] = 1
    noted = 0
    for x in range(20):
        known = memory.failed.copy()
        outcome = tell(chain, x, seed=x)
        np.testing.assert_array_equal(memory.failed, known)
        pairs = outcome.noted[: outcome.facts[NOTED]]
        noted += len(pairs)
        changed = np.zeros(20, np.uint8)
        changed[pairs[:1, 1]] = 1
        learn(outcome, changed, memory)
        unlearn(changed, memory)
        for v, u in pairs:
            assert memory.failed[u, v] == (changed[u] == 0)
        assert memory.failed[changed == 0][known[changed == 0] == 1].all()
    assert noted > 0
