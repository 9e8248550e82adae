"""The engine of the continuous penalties: slots, gains, and what is kept of a column."""

import numpy as np
import pytest

from arcs.kernels.order.engine import find_slot, firm_parents, solve_fresh

KINDS = pytest.mark.parametrize("kind", ["mcp wide", "l1"])


@KINDS
@pytest.mark.parametrize("seed", range(2))
def test_the_best_slot_is_the_best_of_all_orders_with_the_node_elsewhere(a_chain, kind, seed):
    """These penalties have unique columns, so that an order alone gives its score."""
    chain = a_chain(kind, seed, p=6)
    state = chain.state
    for v in range(6):
        others = [u for u in state.order.tolist() if u != v]
        totals = [
            chain.score.total(np.array([*others[:slot], v, *others[slot:]])) for slot in range(6)
        ]
        slot, total, _ = find_slot(
            chain.score.problem, state, v, np.int64(0), np.int64(5), chain.work
        )
        assert totals[slot] == pytest.approx(min(totals), abs=1e-5)
        here = chain.score.total(state.order)
        moved = total - state.columns.score[v]
        assert moved == pytest.approx(totals[slot] - here, abs=1e-5)


@KINDS
def test_a_fresh_column_is_the_column(a_chain, kind):
    chain = a_chain(kind, 3)
    state = chain.state
    for v in range(8):
        k, score = solve_fresh(
            chain.score.problem, state.position, v, np.int64(state.position[v]), chain.work
        )
        assert score == pytest.approx(state.columns.score[v], abs=1e-6)
        assert k == state.columns.count[v]


def test_all_parents_are_firm(a_chain):
    chain, out = a_chain("mcp", 2), np.zeros(8, np.int64)
    for v in range(8):
        k = firm_parents(chain.score.problem, chain.state, v, out, chain.work)
        assert out[:k].tolist() == chain.state.columns.parents[v, :k].tolist()
        assert k == chain.state.columns.count[v]
