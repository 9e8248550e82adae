"""The discrete engine: what a state of categorical columns holds after moves."""

import numpy as np
import pytest

from arcs.kernels.order.engine import remembers_useless, starts_matter


def consistent(chain):
    state = chain.state
    total = 0.0
    for u, k in enumerate(state.columns.count):
        parents = state.columns.parents[u, :k]
        assert (state.position[parents] < state.position[u]).all()
        assert state.columns.score[u] == pytest.approx(chain.score.node(u, parents), abs=1e-8)
        total += state.columns.score[u]
    assert chain.energy == pytest.approx(total, abs=1e-8)


@pytest.mark.parametrize("kind", ["bic", "k2"])
def test_columns_carry_the_scores_of_their_parents(categorical, kind):
    chain = categorical(kind)
    consistent(chain)
    chain.steps(np.arange(5), 50, 1.0)
    consistent(chain)


def test_the_engine_says_what_it_is(categorical):
    problem = categorical().score.problem
    assert problem._numba_type_.record == "DiscreteProblem"
    assert remembers_useless(problem)
    assert starts_matter(problem)


def test_required_parents_stay_and_forbidden_ones_stay_out(categorical):
    required, allowed = np.zeros((5, 5), dtype=bool), np.ones((5, 5), dtype=bool)
    required[2, 4] = True
    allowed[0, 1] = allowed[1, 0] = False
    chain = categorical(order=[2, 0, 4, 1, 3], required=required, allowed=allowed)
    columns = chain.state.columns
    assert columns.parents[4, 0] == 2
    assert 0 not in columns.parents[1, : columns.count[1]]
    assert 1 not in columns.parents[0, : columns.count[0]]
