"""The genetic algorithm: regressions against scikit-learn, and what happens to a population."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from arcs.kernels.ga import breed, cross, entropy, evaluate, select_parents, start_regressions
from arcs.simulate import random_dag, random_weights, sample


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
