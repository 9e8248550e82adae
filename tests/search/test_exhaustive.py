"""Small problems, where every order can be tried."""

from itertools import combinations, permutations

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.penalties import MCP, Ebic
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Annealing, Chain, Pulls, run_chains


def subsets(items):
    items = list(items)
    return (frozenset(s) for k in range(len(items) + 1) for s in combinations(items, k))


def l0_values(statistics, costs):
    """f(v | S) of every node and parent set, from least squares."""
    table = {}
    for v in range(statistics.p):
        gram, n = statistics.gram(v), statistics.n[v]
        for parents in subsets(u for u in range(statistics.p) if u != v):
            s = sorted(parents)
            share = 1.0
            if s:
                share -= gram[v, s] @ np.linalg.solve(gram[np.ix_(s, s)], gram[s, v])
            table[v, parents] = 0.5 * n * (1 - np.log(n) + np.log(share)) + costs[v] * len(s)
    return table


def continuous_values(score):
    """The column's score for every node and candidate set."""
    p = score.statistics.p
    return {
        (v, candidates): score.node(v, sorted(candidates)).score
        for v in range(p)
        for candidates in subsets(u for u in range(p) if u != v)
    }


def best_order(term, p):
    """The best order's score, by dynamic programming over the set of its first nodes."""
    best = {frozenset(): 0.0}
    for first in subsets(range(p)):
        if first:
            best[first] = min(best[first - {v}] + term[v, first - {v}] for v in first)
    return best[frozenset(range(p))]


def with_subsets(values):
    """The same terms, minimised over all subsets of the candidates."""
    return {(v, c): min(values[v, s] for s in subsets(c)) for v, c in values}


def a_score(make_rows, experiment, kind, p, seed, experimental):
    n = 150
    values, mask = make_rows(n, p, seed), None
    if experimental:
        values, mask = experiment(n, p, seed)
    statistics = Dataset.of(values, interventions=mask).statistics()
    penalty = Ebic(0.5) if kind == "l0" else MCP(0.2 * np.sqrt(n), 2.0)
    return CholeskyScore(statistics, penalty)


# Flips of two neighbours reach every order; those of length four are even permutations.
SEARCHES = {"pulls": Pulls(patience=10), "anneal": Annealing(4000, 20.0, interval=2)}


def found_by(score, strategy, seed):
    rng = np.random.default_rng(seed)
    chains = [
        Chain(score, rng.permutation(score.statistics.p), np.random.default_rng([seed, i]))
        for i in range(2)
    ]
    return run_chains(chains, strategy, Watch()).best_energy + score.offset


def check(score, strategy, seed):
    """l0: the optimum over all DAGs. MCP: not above the optimum over all orders; a column with
    several local minima may be found in a better one than from nothing, never below the bound."""
    p = score.statistics.p
    found = found_by(score, strategy, seed)
    if score.is_l0:
        values = l0_values(score.statistics, score.edge_costs)
        assert found == pytest.approx(best_order(with_subsets(values), p), abs=1e-5)
    else:
        values = continuous_values(score)
        assert found <= best_order(values, p) + 1e-5
        assert found >= best_order(with_subsets(values), p) - 1e-5


@pytest.mark.parametrize("experimental", [False, True], ids=["rows", "experiment"])
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("kind", ["l0", "mcp"])
@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_the_search_finds_the_best_of_all_orders(
    linear_rows, experiment, kind, search, p, experimental
):
    for seed in range(3):
        score = a_score(linear_rows, experiment, kind, p, seed, experimental)
        check(score, SEARCHES[search], seed)


@pytest.mark.slow
@pytest.mark.parametrize("experimental", [False, True], ids=["rows", "experiment"])
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("kind", ["l0", "mcp"])
def test_the_search_finds_the_best_of_all_orders_of_six_nodes(
    linear_rows, experiment, kind, search, experimental
):
    for seed in range(10):
        score = a_score(linear_rows, experiment, kind, 6, seed, experimental)
        check(score, SEARCHES[search], seed)


def test_the_oracle_itself_agrees_with_all_permutations(linear_rows):
    statistics = Dataset.of(linear_rows(100, 4, 0)).statistics()
    score = CholeskyScore(statistics, MCP(2.0, 2.0))
    direct = min(score.total(np.array(order)) for order in permutations(range(4)))
    assert best_order(continuous_values(score), 4) == pytest.approx(direct, abs=1e-6)
