"""A node goes to the best of all places, and what that disturbs is repaired."""

import numpy as np
import pytest

from arcs.kernels.order.columns import refresh_column
from arcs.kernels.order.journal import is_as_before, journal_open, undo_with_order
from arcs.kernels.order.records import REINSERTIONS
from arcs.kernels.order.reinsertion import repair

each_penalty = pytest.mark.parametrize(
    "kind", ["l0", "l0 fixed price", "mcp", "mcp wide", "l1", "scad"]
)


@each_penalty
def test_reinsertion_never_goes_uphill_and_comes_to_rest(a_chain, kind, contents):
    chain = a_chain(kind, 5)
    queue, energies = list(range(8)), [chain.energy]
    while queue:
        queue = chain.descend(queue, 1)
        energies.append(chain.energy)
    assert (np.diff(energies) <= 1e-9).all()
    for _ in range(10):
        before = contents(chain.state)
        assert chain.descend(list(range(8)), 1000) == []
        if contents(chain.state) == before:
            break
    assert contents(chain.state) == before


@each_penalty
def test_reinsertion_puts_a_node_at_the_best_of_all_places(a_chain, kind):
    """Brute force over the slots of one node, all columns solved from nothing."""
    for seed in range(4):
        chain = a_chain(kind, seed, p=6, n=300)
        order = chain.state.order.copy()
        v = int(order[seed])
        rest = [u for u in order if u != v]
        totals = [
            chain.score.total(np.array([*rest[:i], v, *rest[i:]])) - chain.score.offset
            for i in range(6)
        ]
        chain.descend([v], 1)
        assert chain.energy <= min(totals) + 1e-6


def test_relaxing_ends_where_the_step_began(path_rows, chain_of):
    """The child of a node that was torn from it comes back; the others need not be asked."""
    path_rows[:, 2] += path_rows[:, 5]
    chain = chain_of(path_rows, [4, 0, 5, 1, 2, 3])
    chain.descend(list(range(6)), 1000)
    problem, state, work = chain.score.problem, chain.state, chain.work
    journal, queue = work.journal, work.queue
    before = state.columns.score.sum()
    journal_open(state, journal, True)
    assert is_as_before(state, journal)
    first, last = state.position[2], state.position[3]
    assert first < last
    state.order[[first, last]] = 3, 2
    state.position[[2, 3]] = last, first
    for v in state.order[first : last + 1]:
        refresh_column(problem, state, v, work)
    assert not is_as_before(state, journal)
    assert state.columns.score.sum() > before + 1
    everybody = np.concatenate([[2], np.delete(np.arange(6), 2)])
    queue.nodes[:6] = everybody
    queue.ends[:] = 0, 6
    queue.queued[:] = 1
    work.counters[REINSERTIONS] = 0
    repair(problem, state, 100, work)
    assert is_as_before(state, journal)
    assert work.counters[REINSERTIONS] < 6
    assert not queue.queued.any()
    assert state.columns.score.sum() == pytest.approx(before, abs=1e-8)
    undo_with_order(problem, state, work)
