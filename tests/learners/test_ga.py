"""GA: its regressions against scikit-learn, its search against all orders of a few nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.graphs.topology import find_cycle
from arcs.kernels.ga import (
    evaluate,
    start_regressions,
)
from arcs.learners import learner
from arcs.learners.ga import GA
from arcs.metrics import evaluate as evaluate_graph
from arcs.simulate import (
    OBSERVATIONAL_SETTINGS,
    random_dag,
    random_weights,
    sample,
    sample_experiments,
    simulate_setting,
)


def simulated(p=8, edges=10, n=60, seed=0):
    return sample(random_weights(random_dag(p, edges, seed), seed), n, seed)


def fitness(statistics, order, lam=0.3):
    start = start_regressions(statistics.kernel)
    return evaluate(statistics.kernel, np.asarray(order), lam, 1e-10, start)


def test_best_fitness_never_falls_and_improves():
    result = GA(random_state=1, generations=60).fit(simulated(p=12, edges=20).data)
    best = result.trace["best"]
    assert np.all(np.diff(best) >= 0)
    assert best[-1] > best[0]
    assert result.score == pytest.approx(best[-1], abs=1e-6)


def test_few_nodes_against_all_orders():
    data = simulated(p=5, edges=6, n=40, seed=2).data
    result = GA(random_state=0, lam=0.2).fit(data)
    statistics = data.statistics()
    least = min(fitness(statistics, order, 0.2) for order in itertools.permutations(range(5)))
    assert -result.score == pytest.approx(least, abs=1e-6)
    assert result.converged


def test_graph_comes_from_the_best_order():
    data = simulated(p=10, edges=15).data
    result = GA(random_state=0, generations=20).fit(data)
    coefficients = result.edge_values["standardised_coefficient"]
    assert find_cycle(result.dag.adjacency) is None
    assert result.order.admits(result.dag.adjacency)
    np.testing.assert_array_equal(result.dag.adjacency, np.abs(coefficients) > 0.1)
    assert -result.score == pytest.approx(
        fitness(data.statistics(), result.order.nodes, result.penalty["lambda"]), abs=1e-5
    )


def test_negative_effects_are_edges_too():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 2))
    x[:, 1] -= x[:, 0]
    assert GA(random_state=0).fit(x).n_edges == 1


def test_seed_is_honoured():
    data = simulated().data
    first, again, other = (
        learner("ga", random_state=s, generations=30).fit(data) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.trace["mean"], again.trace["mean"])
    np.testing.assert_array_equal(first.order.nodes, again.order.nodes)
    assert not np.array_equal(first.trace["mean"][:5], other.trace["mean"][:5])


def test_mask_without_interventions_is_observational():
    x = simulated().data.values.copy()
    before = x.copy()
    plain = GA(random_state=0, generations=30).fit(x)
    masked = GA(random_state=0, generations=30).fit(x, interventions=np.zeros(x.shape, bool))
    np.testing.assert_array_equal(plain.dag.adjacency, masked.dag.adjacency)
    np.testing.assert_array_equal(x, before)


def test_experiments_decide_the_direction():
    model = random_weights(random_dag(4, 4, 1), 1)
    drawn = sample_experiments(model, "each", 300, 1)
    found = GA(random_state=0, lam=0.1).fit(drawn.data).dag.adjacency
    np.testing.assert_array_equal(found, drawn.truth.adjacency)


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_always_intervened_node_has_no_parents():
    x = simulated().data.values
    mask = np.zeros(x.shape, bool)
    mask[:, 1] = True
    result = GA(random_state=0, generations=5).fit(x, interventions=mask)
    assert not result.dag.adjacency[:, 1].any()


@pytest.mark.slow
def test_setting_of_the_paper():
    """Andes, n = 200: the paper's GA has SHD 331, with ten orders and without negative edges."""
    setting = next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == ("Andes", 200))
    drawn = simulate_setting(setting, 1)
    ours = GA(random_state=1, generations=500).fit(drawn.data)
    theirs = GA(random_state=1, population=10, lam=0.2).fit(drawn.data)
    positive = theirs.edge_values["standardised_coefficient"] > 0.1
    truth = drawn.truth.adjacency
    assert pytest.approx(331, rel=0.15) == evaluate_graph(positive, truth).SHD
    assert evaluate_graph(ours.dag.adjacency, truth).SHD < 0.8 * 331


def test_time_limit_and_progress():
    events = []
    result = GA(random_state=0, time_limit=1e-6).fit(simulated().data, listener=events.append)
    assert result.stopped == "time limit"
    assert np.isfinite(result.score)
    assert len(result.trace["best"]) == 1
    assert next(e.stage for e in events if e.stage != "compile") == "generations"


@pytest.mark.parametrize(
    "settings",
    [
        {"lam": 0.0},
        {"threshold": -1.0},
        {"population": 1},
        {"generations": -1},
        {"crossover": 1.5},
        {"mutation": -0.1},
        {"min_entropy": -1.0},
        {"tolerance": 0.0},
    ],
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(SettingsError, match=next(iter(settings))):
        GA(**settings)
