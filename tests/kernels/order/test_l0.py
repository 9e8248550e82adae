"""The l0 engine: which parents are firm, and what is kept of a column."""

import numpy as np

from arcs.kernels.order.draws import parents_to_follow


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


def test_the_factor_that_is_kept_is_that_of_the_parents(searched):
    state, statistics = searched.state, searched.score.statistics
    for v, k in enumerate(state.columns.count):
        parents = state.columns.parents[v, :k]
        gram = statistics.sub_gram(v, np.append(parents, v))
        factor = np.zeros((k, k))
        factor[np.tril_indices(k)] = state.derived.factor[v, : k * (k + 1) // 2]
        np.testing.assert_allclose(factor, np.linalg.cholesky(gram[:k, :k]), atol=1e-9)
        solved = state.derived.solved[v, :k]
        np.testing.assert_allclose(factor @ solved, gram[:k, k], atol=1e-9)
        np.testing.assert_allclose(1.0 - solved @ solved, state.columns.residual[v], atol=1e-9)
