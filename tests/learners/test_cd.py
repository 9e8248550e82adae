"""CD against brute force, its own stationarity conditions, and the laws of every learner."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.graphs.topology import find_cycle
from arcs.learners import learner
from arcs.learners.cd import CD, select_by_change_ratio
from arcs.metrics import evaluate
from arcs.simulate import (
    OBSERVATIONAL_SETTINGS,
    random_dag,
    random_weights,
    sample,
    sample_experiments,
    simulate_setting,
)


def simulated(p=10, edges=14, n=80, seed=0):
    return sample(random_weights(random_dag(p, edges, seed), seed), n, seed)


def mcp(t, lam, gamma):
    t = np.abs(t)
    return np.where(t < gamma * lam, lam * t - t**2 / (2 * gamma), gamma * lam**2 / 2)


def plain_objective(x, phi, rho, lam, gamma):
    """Q written out on the rows themselves (unit-norm, centred columns)."""
    n = len(x)
    x = x - x.mean(axis=0)
    x = x / np.linalg.norm(x, axis=0)
    fit = x * rho - x @ phi
    return -n * np.log(rho).sum() + 0.5 * (fit**2).sum() + mcp(phi, lam, gamma).sum()


def best_given(x, support, lam, gamma):
    """Least objective over coefficients on `support` and all scales, from several starts."""
    p, k = x.shape[1], int(support.sum())

    def value(parameters):
        phi = np.zeros((p, p))
        phi[support] = parameters[:k]
        return plain_objective(x, phi, np.exp(parameters[k:]), lam, gamma)

    starts = itertools.product((-4.0, 4.0), repeat=k)
    scale = np.full(p, 0.5 * np.log(len(x)))
    options = {"maxiter": 20000, "maxfev": 20000, "fatol": 1e-10, "xatol": 1e-8}
    found = (
        minimize(value, np.append(start, scale), method="Nelder-Mead", options=options)
        for start in starts
    )
    return min(result.fun for result in found)


@pytest.mark.parametrize(("strength", "seed"), [(0.15, 1), (0.5, 2), (1.5, 3)])
def test_two_nodes_against_brute_force(strength, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(50, 2))
    x[:, 1] += strength * x[:, 0]
    lam, gamma = 1.5, 2.0
    result = CD(lambdas=(lam,), gamma=gamma, tolerance=1e-9).fit(x)
    supports = (np.zeros((2, 2), bool), np.array([[0, 1], [0, 0]], bool))
    least = min(best_given(x, support, lam, gamma) for support in supports)
    assert -result.score == pytest.approx(least, abs=1e-5)


def test_coefficients_are_optimal_for_the_chosen_graph():
    data = simulated(p=4, edges=3, n=40, seed=3).data
    result = CD(lambdas=(1.5,), tolerance=1e-9).fit(data)
    least = best_given(data.values, result.dag.adjacency, 1.5, 2.0)
    assert result.n_edges >= 2
    assert -result.score == pytest.approx(least, abs=1e-4)


@pytest.mark.parametrize("blocks", ["strength", "columns"])
@pytest.mark.parametrize("seed", range(4))
def test_all_graphs_of_a_dense_path_are_acyclic(seed, blocks):
    data = simulated(p=9, edges=20, n=30, seed=seed).data
    for lam in (1.0, 0.3, 0.05):
        result = CD(lambdas=(4.0, lam), alpha=0.0, blocks=blocks).fit(data)
        assert find_cycle(result.dag.adjacency) is None


def test_largest_penalty_of_the_path_empties_the_graph():
    data = simulated().data
    result = CD().fit(data)
    assert result.tuning["lambda"][0] == pytest.approx(np.sqrt(data.n))
    assert result.tuning["edges"][0] == 0
    assert result.tuning["edges"][-1] > 0
    assert np.all(np.diff(result.tuning["lambda"]) < 0)


def test_mask_without_interventions_is_observational():
    x = simulated().data.values
    plain = CD().fit(x)
    masked = CD().fit(x, interventions=np.zeros(x.shape, bool))
    np.testing.assert_array_equal(plain.dag.adjacency, masked.dag.adjacency)
    assert plain.score == pytest.approx(masked.score)


@pytest.mark.parametrize("experimental", [False, True])
def test_relabelling_the_columns_relabels_the_graph(experimental):
    model = random_weights(random_dag(12, 18, 5), 5)
    drawn = sample_experiments(model, "each", 8, 5) if experimental else sample(model, 96, 5)
    data = drawn.data
    order = np.random.default_rng(1).permutation(12)
    mask = None if data.interventions is None else data.interventions.mask[:, order]
    names = [data.names[j] for j in order]
    turned = Dataset.of(data.values[:, order], interventions=mask, names=names)
    first, second = CD().fit(data), CD().fit(turned)
    np.testing.assert_array_equal(first.dag.adjacency[np.ix_(order, order)], second.dag.adjacency)
    assert second.names == tuple(names)
    assert first.n_edges > 5


def test_experiments_orient_what_observation_cannot():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    mask = np.zeros(x.shape, bool)
    mask[:100, 0] = mask[100:, 1] = True
    x[:100, 1] += 0.8 * x[:100, 0]
    forwards = CD().fit(x, interventions=mask).dag.adjacency
    backwards = CD().fit(x[:, ::-1], interventions=mask[:, ::-1]).dag.adjacency
    np.testing.assert_array_equal(forwards, [[False, True], [False, False]])
    np.testing.assert_array_equal(backwards, [[False, False], [True, False]])


def test_experimental_data_recover_the_graph():
    drawn = sample_experiments(random_weights(random_dag(15, 18, 2), 2), "each", 60, 2)
    found = evaluate(CD().fit(drawn.data).dag, drawn.truth, experimental=True)
    assert found.SHD <= 3


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_always_intervened_node_has_no_parents():
    x = simulated(p=6, edges=9).data.values
    mask = np.zeros(x.shape, bool)
    mask[:, 2] = True
    adjacency = CD(select="bic").fit(x, interventions=mask).dag.adjacency
    assert not adjacency[:, 2].any()
    assert adjacency.any()


def test_path_ends_at_the_edge_limit():
    data = simulated(p=20, edges=40, n=30).data
    short, full = CD(edge_limit=1.0).fit(data), CD(edge_limit=100.0).fit(data)
    assert short.tuning["edges"].max() <= 20
    assert len(short.tuning["edges"]) < len(full.tuning["edges"]) == 20


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_copies_and_short_data_do_not_run_away():
    x = simulated(p=30, edges=40, n=12).data.values
    x = np.column_stack([x, x[:, 0], -2 * x[:, 1]])
    result = CD(n_lambdas=10).fit(x)
    assert np.isfinite(result.score)
    assert np.isfinite(result.dag.coefficients).all()
    assert result.dag.adjacency[0, 30] or result.dag.adjacency[30, 0]
    assert result.dag.adjacency.sum(axis=0).max() < 11


def test_bic_takes_the_graph_of_largest_bic():
    result = CD(select="bic").fit(simulated(n=500).data)
    assert result.bic == pytest.approx(result.tuning["bic"].max())


def test_change_ratio_by_hand():
    likelihood = np.array([0.0, 10.0, 10.0, 19.0, 20.5, 20.9])
    edges = np.array([0, 1, 1, 2, 4, 8])
    # Gains per edge: 10, none, 9, 0.75, 0.1.
    assert select_by_change_ratio(likelihood, edges, 0.1) == 3
    assert select_by_change_ratio(likelihood, edges, 0.05) == 4
    assert select_by_change_ratio(likelihood, edges, 0.95) == 1
    assert select_by_change_ratio(np.zeros(1), np.zeros(1, int), 0.1) == 0


def test_time_limit_and_progress():
    events = []
    data = simulated(p=60, edges=120, n=50).data
    CD().fit(data.take(np.arange(20)))
    stopped = CD(time_limit=1e-6).fit(data, listener=events.append)
    assert stopped.stopped == "time limit"
    assert len(stopped.tuning["lambda"]) == 1
    assert next(e.stage for e in events if e.stage != "compile") == "path"
    assert events[0].total == 20


@pytest.mark.slow
def test_settings_of_the_paper():
    """SHD near the paper's with its own order of blocks, below it with ours; seconds per path."""
    setting = next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == ("Andes", 200))
    shd = {"columns": [], "strength": []}
    for seed, blocks in itertools.product((1, 2, 3), shd):
        drawn = simulate_setting(setting, seed)
        found = CD(blocks=blocks).fit(drawn.data)
        shd[blocks].append(evaluate(found.dag, drawn.truth).SHD)
    assert np.mean(shd["columns"]) == pytest.approx(230, rel=0.15)
    assert np.mean(shd["strength"]) < 0.85 * 230


@pytest.mark.slow
def test_full_path_with_441_nodes():
    setting = next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == ("Pigs", 600))
    result = CD().fit(simulate_setting(setting, 1).data)
    assert len(result.tuning["lambda"]) > 5
    assert result.converged


def test_same_answer_twice_and_data_untouched():
    x = simulated().data.values.copy()
    before = x.copy()
    first, second = learner("cd", random_state=1).fit(x), learner("cd", random_state=2).fit(x)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(first.dag.coefficients, second.dag.coefficients)


@pytest.mark.parametrize(
    "settings",
    [
        {"gamma": 1.0},
        {"lambdas": ()},
        {"lambdas": (1.0, -1.0)},
        {"n_lambdas": 0},
        {"ratio": 1.0},
        {"select": "aic"},
        {"alpha": 2.0},
        {"edge_limit": 0},
        {"tolerance": 0.0},
        {"max_sweeps": 0},
        {"blocks": "random"},
    ],
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(SettingsError, match=next(iter(settings))):
        CD(**settings)
