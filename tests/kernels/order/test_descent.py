"""Coordinate descent on a column: no coordinate can be improved, bounds and knowledge hold."""

import numpy as np
import pytest

from arcs.kernels.order.descent import column_value, descend, exceeds_lambda
from arcs.kernels.order.records import NOBODY, Candidates

KINDS = pytest.mark.parametrize("kind", ["l1", "mcp", "mcp wide", "scad"])


def solved(chain, v, limit=8):
    scratch = chain.work.scratch
    scratch.diagonal[0] = np.sqrt(chain.score.statistics.n[v])
    candidates = Candidates(np.int64(limit), NOBODY, NOBODY)
    return descend(chain.score.problem, chain.state.position, v, candidates, 0, scratch)


def objective(chain, v, column):
    """Written out; the diagonal entry is that of v."""
    statistics, penalty = chain.score.statistics, chain.score.penalty
    charged = np.delete(column, v)
    smooth = 0.5 * column @ statistics.gram(v) @ column - statistics.n[v] * np.log(column[v])
    return smooth + penalty.value(charged).sum()


@KINDS
@pytest.mark.parametrize("seed", range(2))
def test_no_coordinate_can_be_improved(a_chain, kind, seed):
    chain = a_chain(kind, seed)
    for v in (0, 5):
        k, score, converged = solved(chain, v)
        assert converged
        column = np.zeros(8)
        column[chain.work.scratch.chosen[:k]] = chain.work.scratch.weight[:k]
        column[v] = chain.work.scratch.diagonal[0]
        assert score == pytest.approx(objective(chain, v, column), abs=1e-8)
        for i in range(8):
            for value in [*np.linspace(-20, 20, 161), 0.0, column[i] - 1e-3, column[i] + 1e-3]:
                other = column.copy()
                other[i] = value
                if other[v] > 0:
                    assert objective(chain, v, other) >= score - 1e-6


@KINDS
def test_only_candidates_enter(a_chain, kind):
    chain = a_chain(kind, 1)
    for v in range(8):
        k, _, _ = solved(chain, v, limit=3)
        assert set(chain.work.scratch.chosen[:k].tolist()) <= set(chain.state.order[:3].tolist())
        assert (chain.work.scratch.weight[:k] != 0).all()


def test_the_value_needs_no_solving(a_chain):
    chain = a_chain("mcp", 0)
    k, score, _ = solved(chain, 2)
    assert column_value(chain.score.problem, 2, 0, k, chain.work.scratch) == score


def test_gradients_up_to_lambda_do_not_count(a_chain):
    problem = a_chain("mcp").score.problem
    assert not exceeds_lambda(problem, problem.lam)
    assert not exceeds_lambda(problem, -problem.lam)
    assert exceeds_lambda(problem, -problem.lam - 1e-3)
