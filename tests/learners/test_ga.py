"""GA: its regressions against scikit-learn, its search against all orders of a few nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from arcs.errors import SettingsError
from arcs.graphs.topology import find_cycle
from arcs.kernels.ga import (
    breed,
    cross,
    entropy,
    evaluate,
    select_parents,
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


def plain_fitness(x, order, lam):
    """The same from the rows, by scikit-learn."""
    n = len(x)
    x = x - x.mean(axis=0)
    x = x / np.linalg.norm(x, axis=0)
    total = 1.0
    for k in range(1, len(order)):
        y, before = x[:, order[k]], x[:, order[:k]]
        model = Lasso(alpha=lam / (2 * n), fit_intercept=False, tol=1e-12, max_iter=100_000)
        b = model.fit(before, y).coef_
        total += ((y - before @ b) ** 2).sum() + lam * np.abs(b).sum()
    return total


@pytest.mark.parametrize("n", [60, 6])
@pytest.mark.parametrize("lam", [0.05, 0.4])
def test_fitness_is_the_sum_of_lasso_objectives(n, lam):
    data = simulated(n=n).data
    order = np.random.default_rng(1).permutation(8)
    expected = plain_fitness(data.values, order, lam)
    assert fitness(data.statistics(), order, lam) == pytest.approx(expected, rel=1e-6)


def test_fitness_does_not_depend_on_what_was_evaluated_before():
    statistics = simulated().data.statistics()
    rng = np.random.default_rng(2)
    regressions = start_regressions(statistics.kernel)
    for _ in range(50):
        order = rng.permutation(8)
        warm = evaluate(statistics.kernel, order, 0.2, 1e-10, regressions)
        assert warm == pytest.approx(fitness(statistics, order, 0.2), abs=1e-9)


def test_fitness_follows_a_relabelling():
    data = simulated().data
    columns = np.random.default_rng(3).permutation(8)
    order = np.random.default_rng(4).permutation(8)
    turned = type(data).of(data.values[:, columns]).statistics()
    assert fitness(turned, np.argsort(columns)[order]) == pytest.approx(
        fitness(data.statistics(), order), abs=1e-9
    )


def test_crossing_keeps_positions_of_one_and_order_of_the_other():
    first, second = np.array([3, 1, 4, 0, 2]), np.array([0, 1, 2, 3, 4])
    kept = np.array([True, False, True, False, False])
    child = np.empty(5, np.int64)
    cross(first, second, kept, child)
    np.testing.assert_array_equal(child, [3, 0, 4, 1, 2])


def test_children_are_orders_and_take_their_parents_places():
    rng = np.random.default_rng(0)
    population = np.stack([rng.permutation(7) for _ in range(20)])
    children, places = breed(population, rng.random(20), 1.0, 1.0, rng)
    assert len(children) == len(places) == 20
    np.testing.assert_array_equal(np.sort(children, axis=1), np.tile(np.arange(7), (20, 1)))
    assert places.min() >= 0
    assert places.max() < 20
    assert len(breed(population, rng.random(20), 0.0, 1.0, rng)[0]) == 0


def test_children_of_one_order_are_that_order_unless_mutated():
    rng = np.random.default_rng(0)
    population = np.tile(rng.permutation(9), (30, 1))
    same, _ = breed(population, np.zeros(30), 1.0, 0.0, rng)
    np.testing.assert_array_equal(same, population)
    mutated, _ = breed(population, np.zeros(30), 1.0, 1.0, rng)
    differ = (mutated != population).sum(axis=1)
    assert set(differ) == {0, 2}


def test_parents_are_drawn_by_fitness():
    rng = np.random.default_rng(0)
    values = np.array([0.0, 1.0, 0.5])
    drawn = np.concatenate([select_parents(values, rng) for _ in range(4000)])
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    np.testing.assert_allclose(shares, np.array([1.0, 0.02, 0.51]) / 1.53, atol=0.015)


def test_entropy_by_hand():
    assert entropy(np.tile(np.arange(4), (6, 1))) == 0.0
    assert entropy(np.array([[0, 1, 2], [1, 0, 2]])) == pytest.approx(2 * np.log(2))


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
