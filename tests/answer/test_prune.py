"""The final pruning, at a fixed price and at a level that the data choose."""

import numpy as np
import pytest
from scipy import stats

from arcs import ARCS
from arcs.answer.prune import (
    ADAPTIVE_EBIC,
    MARGIN,
    adaptive_level,
    exit_levels,
    open_pairs,
    price_level,
    prune,
    prune_adaptively,
    second_chance,
    set_price,
)
from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.graphs.equivalence import topological_order
from arcs.knowledge import Knowledge
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.penalties import L0, Ebic
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls, run_chains
from arcs.simulate import random_dag, random_weights, sample


def searched(statistics, price, **known):
    """A finished chain; a low price leaves something to be pruned."""
    rng = np.random.default_rng(0)
    score = CholeskyScore(statistics, price, **known)
    order = rng.permutation(statistics.p)
    required = known.get("required")
    if required is not None:
        order = order[topological_order(required[np.ix_(order, order)])]
    return run_chains([Chain(score, order, rng)], Pulls(1), Watch())


def p_value(rows, v, parents, parent):
    """The p-value of a parent given the others, from the rows, by the textbook."""
    design = np.column_stack([np.ones(len(rows)), rows[:, parents]])
    beta, *_ = np.linalg.lstsq(design, rows[:, v], rcond=None)
    residual = rows[:, v] - design @ beta
    df = len(rows) - design.shape[1]
    spread = residual @ residual / df * np.linalg.inv(design.T @ design).diagonal()
    j = 1 + parents.index(parent)
    return 2 * stats.t.sf(abs(beta[j]) / np.sqrt(spread[j]), df)


def backward(rows, v, parents, level):
    """Drop the least significant parent while it is not significant."""
    while parents:
        worst = max(parents, key=lambda c: p_value(rows, v, parents, c))
        if p_value(rows, v, parents, worst) <= level:
            return parents
        parents = [c for c in parents if c != worst]
    return parents


@pytest.mark.parametrize("experimental", [False, True])
@pytest.mark.parametrize("level", [1e-6, 1e-3, 0.02])
def test_levels_are_those_of_backward_elimination_on_the_rows(experiment, experimental, level):
    p = 8
    values, mask = experiment(90, p, 3)
    mask &= experimental
    statistics = Dataset.from_array(values, interventions=mask).statistics()
    state = searched(statistics, L0(0.5)).best
    kept = exit_levels(state, statistics).kept(level, p)
    dropped = 0
    for v in range(p):
        parents = state.columns.parents[v, : state.columns.count[v]].tolist()
        expected = backward(values[~mask[:, v]], v, parents, level)
        assert sorted(expected) == np.flatnonzero(kept[:, v]).tolist()
        dropped += len(parents) - len(expected)
    assert dropped > 0


def test_levels_and_prices_agree(linear_rows):
    """Nodes with one parent: pruning at a price is pruning at the level of that price."""
    statistics = Dataset.from_array(linear_rows(120, 10, 2, density=0.12)).statistics()
    best = searched(statistics, Ebic(0.0))
    state = best.best
    for price in (1.0, 3.0, 8.0, 20.0):
        costs = np.full(10, price)
        by_price = prune(best, costs)
        by_level = exit_levels(state, statistics).kept(price_level(costs, statistics.n)[0], 10)
        single = state.columns.count == 1
        assert single.sum() > 2
        np.testing.assert_array_equal(by_price[:, single], by_level[:, single])


def test_the_level_of_a_price_is_that_of_the_t_test():
    n, price = 60, 4.0
    correlation = np.sqrt(-np.expm1(-2 * price / n))
    rows = np.random.default_rng(0).normal(size=(n, 2))
    x, e = np.linalg.qr(rows - rows.mean(axis=0))[0].T
    y = correlation * x + np.sqrt(1 - correlation**2) * e
    expected = stats.pearsonr(x, y).pvalue
    assert price_level(np.array([price]), np.array([n]))[0] == pytest.approx(expected, rel=1e-9)
    assert price_level(np.array([price]), np.array([0.0]))[0] == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_the_level_maximises_true_minus_false(seed):
    rng = np.random.default_rng(seed)
    null, true = rng.uniform(0, 0.05, 12), 10.0 ** rng.uniform(-9, -3, 15)
    levels, pairs = np.concatenate([null, true]), 300.0
    grid = np.append(np.linspace(0, 0.05, 20_001), levels)
    values = (levels[None, :] <= grid[:, None]).sum(axis=1) - 2 * 4.0 * pairs * grid
    level, surplus = adaptive_level(levels, pairs)
    assert surplus == pytest.approx(values.max(), abs=1e-9)
    assert (levels <= level).sum() - 8 * pairs * level == pytest.approx(surplus)


def test_no_edge_is_kept_where_none_is_worth_it():
    for levels in (np.array([0.3, 0.6]), np.zeros(0)):
        level, surplus = adaptive_level(levels, 100.0)
        assert not (levels <= level).any()
        assert surplus == 0.0


def test_the_second_chance_goes_on_from_the_columns_that_were_found(experiment):
    """Their scores at the new price are exact, and the relaxed state is not worse."""
    values, mask = experiment(120, 12, 5)
    statistics = Dataset.from_array(values, interventions=mask).statistics()
    required = np.zeros((12, 12), dtype=bool)
    required[2, 7] = required[5, 7] = True
    best = searched(statistics, Ebic(1.5), required=required)
    cheap = CholeskyScore(statistics, Ebic(ADAPTIVE_EBIC), required=required)
    chain = Chain(cheap, best.best.order, np.random.default_rng(0))
    for field in ("count", "parents", "residual"):
        getattr(chain.state.columns, field)[:] = getattr(best.best.columns, field)
    set_price(chain)
    before = 0.0
    for v in range(12):
        parents = best.best.columns.parents[v, : best.best.columns.count[v]]
        gram, n = statistics.gram(v), statistics.n[v]
        share = (
            1
            - gram[v, parents]
            @ np.linalg.lstsq(gram[np.ix_(parents, parents)], gram[parents, v], rcond=None)[0]
        )
        paid = len(parents) - required[:, v].sum()
        term = 0.5 * n * np.log(share) + cheap.edge_costs[v] * paid
        assert chain.state.columns.score[v] == pytest.approx(term, abs=1e-6)
        before += term
    after = second_chance(best, lambda: False).columns.score.sum()
    assert after <= before + 1e-6


def test_no_second_chance_if_the_search_was_as_lenient_or_time_is_up(linear_rows):
    statistics = Dataset.from_array(linear_rows(100, 10, 1)).statistics()
    lenient = searched(statistics, Ebic(ADAPTIVE_EBIC))
    assert second_chance(lenient, lambda: False) is lenient.best
    strict = searched(statistics, Ebic(2.0))
    stopped = second_chance(strict, lambda: True)
    np.testing.assert_array_equal(stopped.order, strict.best.order)
    np.testing.assert_array_equal(stopped.columns.count, strict.best.columns.count)


def weak_data(low, high, seed, p=60, n=300):
    rng = np.random.default_rng([seed, 9])
    return sample(random_weights(random_dag(p, 2 * p, rng), rng, low=low, high=high), n, rng)


def test_weak_edges_are_kept_where_there_are_many():
    errors = {1.5: 0, "adaptive": 0}
    for seed in range(3):
        data = weak_data(0.1, 0.4, seed)
        for final in errors:
            result = learner("arcs", random_state=0, final_ebic=final).fit(data.data)
            errors[final] += evaluate(result.cpdag, data.truth).SHD
        assert result.penalty["final_ebic"] == "adaptive"
        assert 1e-5 < result.penalty["final_level"] < 1e-2
        nodes = result.order.nodes
        assert not np.tril(result.dag.adjacency[np.ix_(nodes, nodes)]).any()
    assert errors["adaptive"] < 0.9 * errors[1.5]


def test_strong_edges_are_pruned_at_the_fixed_price():
    for seed in range(3):
        data = weak_data(0.5, 0.8, seed)
        fixed = learner("arcs", random_state=0, final_ebic=1.5).fit(data.data)
        adaptive = learner("arcs", random_state=0, final_ebic="adaptive").fit(data.data)
        np.testing.assert_array_equal(adaptive.dag.adjacency, fixed.dag.adjacency)
        assert adaptive.penalty == fixed.penalty


def test_the_fixed_price_stays_unless_enough_is_to_be_won(linear_rows):
    """Between one edge and infinitely many to be won there is a price at which the rule changes."""
    statistics = weak_data(0.1, 0.5, 4).data.statistics()
    best = searched(statistics, Ebic(1.0))
    free = prune_adaptively(best, Ebic(1e3).costs(statistics.n, statistics.p))
    assert free.level is not None
    edges = int(free.adjacency.sum())
    for gamma in np.linspace(0.2, 2.0, 10):
        costs = Ebic(gamma).costs(statistics.n, statistics.p)
        strict = prune(best, costs)
        adapted = prune_adaptively(best, costs)
        if adapted.level is None:
            np.testing.assert_array_equal(adapted.adjacency, strict)
        else:
            np.testing.assert_array_equal(adapted.adjacency, free.adjacency)
            assert edges > strict.sum() + MARGIN - 8 * 1770 * price_level(costs, statistics.n)[0]
    assert adapted.level is not None


def test_knowledge_is_obeyed_and_not_counted():
    data = weak_data(0.1, 0.4, 0, p=30)
    names = data.data.names
    known = Knowledge(required=[(names[0], names[1])], forbidden=[(names[2], names[3])])
    result = learner("arcs", random_state=0, final_ebic="adaptive", knowledge=known).fit(data.data)
    assert result.dag.adjacency[0, 1]
    assert not result.dag.adjacency[2, 3]
    statistics = data.data.statistics()
    allowed = np.ones((30, 30), dtype=bool)
    allowed[2, 3] = allowed[4, 5] = allowed[5, 4] = False
    required = np.zeros((30, 30), dtype=bool)
    required[0, 1] = True
    score = CholeskyScore(statistics, Ebic(1.0), allowed=allowed, required=required)
    assert open_pairs(score) == 30 * 29 / 2 - 2
    best = searched(statistics, Ebic(0.5), required=required)
    exits = exit_levels(best.best, statistics, required)
    assert not ((exits.parent == 0) & (exits.child == 1)).any()


def test_soft_interventions_keep_the_order_that_was_found():
    values = np.asarray(weak_data(0.1, 0.5, 0, p=80).data.values)
    mask = np.zeros(values.shape, dtype=bool)
    mask[:50, 0] = mask[50:100, 1] = True
    fits = [
        learner("arcs", random_state=0, intervention_kind="soft", final_ebic=final).fit(
            Dataset.from_array(values, interventions=mask)
        )
        for final in (1.5, "adaptive")
    ]
    assert fits[0].order.nodes.tolist() == fits[1].order.nodes.tolist()
    assert fits[1].dag.adjacency.sum() > fits[0].dag.adjacency.sum()


@pytest.mark.parametrize("value", ["adaptiv", -1.0, float("nan")])
def test_other_prices_are_refused(value, linear_rows):
    with pytest.raises(SettingsError, match="final_ebic"):
        learner("arcs", final_ebic=value)
    with pytest.raises(SettingsError, match="final_ebic"):
        ARCS(final_ebic=value).fit(linear_rows())


def test_the_estimator_takes_the_word(linear_rows):
    data = weak_data(0.1, 0.4, 1)
    model = ARCS(final_ebic="adaptive", random_state=0).fit(data.data.values)
    assert model.penalty_["final_ebic"] == "adaptive"
    assert model.result_.settings["final_ebic"] == "adaptive"


@pytest.mark.parametrize("levels", [[], [0.9, 0.8], [0.0, 0.9]])
def test_a_level_is_never_zero(levels):
    """That of no edges at all, or of edges without residuals, is still one that a rule can have."""
    level, surplus = adaptive_level(np.array(levels), 6.0)
    assert 0 < level < 1e-15
    assert (np.array(levels) <= level).sum() == surplus == levels.count(0.0)


def test_five_rows_in_which_nothing_is_worth_its_risk():
    """The level was 0, which the record of the answer refused after the search."""
    for seed in range(400):
        rows = np.random.default_rng(seed).normal(size=(5, 4))
        rows = rows @ (np.eye(4) + np.triu(np.ones((4, 4)), 1))
        assert np.isfinite(learner("arcs", random_state=0).fit(rows).score)
