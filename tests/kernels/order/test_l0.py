"""The l0 engine: which parents are firm, and who may gain."""

import numpy as np
import pytest

from arcs.kernels.order.draws import parents_to_follow
from arcs.kernels.order.l0 import _gains as asks_gains
from arcs.scores import nearest
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain


def test_firm_parents_are_what_elimination_at_the_double_price_leaves(searched, own_score):
    def likelihood(chain, v, parents):
        return own_score(chain, v, parents) - chain.score.edge_costs[v] * len(parents)

    state, chain = searched.state, searched
    found = np.zeros(14, np.int64)
    dropped = 0
    for v in range(14):
        parents = state.columns.parents[v, : state.columns.count[v]].tolist()
        price = 2 * chain.score.edge_costs[v]
        firm = list(parents)
        while firm:
            fits = {c: likelihood(chain, v, [u for u in firm if u != c]) for c in firm}
            weakest = min(fits, key=fits.get)
            if fits[weakest] - likelihood(chain, v, firm) >= price:
                break
            firm.remove(weakest)
        dropped += len(parents) - len(firm)
        k = parents_to_follow(chain.score.problem, state, v, True, found, chain.work)
        assert sorted(found[:k].tolist()) == sorted(firm)
        k = parents_to_follow(chain.score.problem, state, v, False, found, chain.work)
        assert found[:k].tolist() == parents
    assert dropped > 0


@pytest.mark.parametrize("near", [True, False])
def test_who_may_gain_has_a_partial_correlation_above_the_lenient_threshold(
    searched, near, monkeypatch
):
    chain = searched
    if not near:
        monkeypatch.setattr(nearest, "_MANY", 0)
        monkeypatch.setattr(nearest, "_MOST", 3)
        score = CholeskyScore(chain.score.statistics, chain.score.penalty)
        listed = Chain(score, chain.state.order, np.random.default_rng(0))
        listed.restore(chain.snapshot())
        chain = listed
    problem, state = chain.score.problem, chain.state
    promising = 0
    for u in range(14):
        parents = state.columns.parents[u, : state.columns.count[u]].tolist()
        gram = chain.score.statistics.gram(u)
        for v in range(14):
            if v == u or v in parents:
                continue
            nodes = [u, v, *parents]
            precision = np.linalg.inv(gram[np.ix_(nodes, nodes)])
            share = precision[0, 1] ** 2 / (precision[0, 0] * precision[1, 1])
            full = len(parents) >= problem.max_parents[u]
            expected = share > problem.lenient[u] and not full
            assert asks_gains(problem, state, u, v, chain.work) == expected
            promising += expected
    assert promising > 10
