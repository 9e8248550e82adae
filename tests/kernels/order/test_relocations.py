"""Relocations: energies stay right, and required edges are obeyed."""

import numpy as np
import pytest

from arcs.kernels.order.columns import total_score
from arcs.kernels.order.journal import journal_open, undo_with_order
from arcs.kernels.order.search import solve_all

KINDS = pytest.mark.parametrize("kind", ["l0", "mcp wide"])


@KINDS
def test_steps_of_childless_nodes_leave_columns_that_fit_their_order(a_chain, kind):
    """A chain whose last nodes have no children steps by relocation."""
    chain = a_chain(kind, 5)
    for _ in range(10):
        chain.steps(chain.state.order[-3:].copy(), 50, 1e3)
        state = chain.state
        for u in range(8):
            held = state.columns.parents[u, : state.columns.count[u]]
            assert (state.position[held] < state.position[u]).all()
        assert chain.energy == pytest.approx(total_score(state), abs=1e-6)


@KINDS
def test_relocations_that_do_not_pay_are_undone(a_chain, contents, kind):
    chain = a_chain(kind, 5)
    chain.descend(list(range(8)), 1000)
    kept = 0
    for _ in range(30):
        before, energy = contents(chain.state), chain.energy
        chain.steps(chain.state.order[-1:].copy(), 1, 0.0)
        assert chain.energy <= energy + 1e-6
        if chain.energy > energy - 1e-9 and contents(chain.state) == before:
            kept += 1
    assert kept > 0


def test_required_edges_hold_wherever_nodes_are_moved(a_chain):
    required = np.zeros((8, 8), dtype=bool)
    required[0, 7] = required[7, 3] = True
    order = np.array([1, 2, 0, 4, 5, 6, 7, 3])
    chain = a_chain("l0", 6, required=required, order=order)
    orders = set()
    for _ in range(40):
        chain.steps(np.array([3, 7, 0]), 30, 1e6)
        place = chain.state.position
        assert place[0] < place[7] < place[3]
        orders.add(chain.state.order.tobytes())
    assert len(orders) > 5


def test_an_undone_order_is_solved_as_it_was(a_chain):
    chain = a_chain("l0", 7)
    energy = chain.energy
    journal_open(chain.state, chain.work.journal, True)
    chain.state.order[:] = chain.state.order[::-1].copy()
    undo_with_order(chain.score.problem, chain.state, chain.work)
    value = solve_all(chain.score.problem, chain.state, chain.work)
    assert value == pytest.approx(energy, abs=1e-6)
