"""Where a categorical node stands best, against all places."""

import numpy as np
import pytest

from arcs.kernels.order.family_scan import best_slot, solve_in_slot


def best_total(chain, order):
    """The score of an order, every node with its best parents of those before it."""
    total = 0.0
    for place, u in enumerate(order):
        sets = [()]
        for c in order[:place]:
            sets += [(*s, c) for s in sets]
        total += min(chain.score.node(u, s) for s in sets)
    return total


@pytest.mark.parametrize("seed", range(3))
def test_slots_are_what_they_promise_and_mostly_the_best(categorical, seed):
    """Others are only asked whether they want the node beside their present parents."""
    chain = categorical("bic", seed)
    state, problem, work = chain.state, chain.score.problem, chain.work
    here, hits = best_total(chain, state.order.tolist()), 0
    for v in range(5):
        others = [u for u in state.order.tolist() if u != v]
        totals = [best_total(chain, [*others[:s], v, *others[s:]]) for s in range(5)]
        slot, total, size = best_slot(problem, state, v, np.int64(0), np.int64(4), work)
        best = min(totals) - here
        if np.isinf(total):
            hits += best >= -1e-6
            continue
        change = total - state.columns.score[v]
        assert best - 1e-6 <= totals[slot] - here <= change + 1e-6
        hits += change <= best + 1e-6
        k, own = solve_in_slot(problem, state, v, slot, size, work)
        found = work.scratch.chosen[:k].tolist()
        assert set(found) <= set(others[:slot])
        assert own == pytest.approx(chain.score.node(v, found), abs=1e-8)
    assert hits >= 3
