import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import GaussianDag, Pdag, cpdag_of, interventional_cpdag_of
from arcs.graphs.effects import fit_to_covariance, ida, joint_ida, possible_parent_sets
from arcs.graphs.enumeration import members


def _distinct(values):
    return np.unique(np.round(values, 9), axis=0)


def _restricted(cpdag, truth, rng):
    known = truth & cpdag.undirected & (rng.random(truth.shape) < 0.3)
    return Pdag(cpdag.directed | known, cpdag.undirected & ~(known | known.T))


def _graphs(seed, random_model):
    """A model with its CPDAG, an interventional essential graph, and background knowledge."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, 6, int(rng.integers(4, 13)))
    cpdag = cpdag_of(model.adjacency)
    targets = [[], [int(rng.integers(6))]]
    experimental = interventional_cpdag_of(model.adjacency, targets)
    return model, [cpdag, experimental, _restricted(cpdag, model.adjacency, rng)]


@pytest.mark.parametrize("seed", range(12))
def test_parent_sets_are_those_of_all_members(seed, random_model):
    _, graphs = _graphs(seed, random_model)
    for pdag in graphs:
        listed = members(pdag)
        for node in range(6):
            expected = {tuple(np.flatnonzero(dag[:, node])) for dag in listed}
            found = possible_parent_sets(pdag, node)
            assert set(found) == expected
            assert len(found) == len(expected)


@pytest.mark.parametrize("seed", range(12))
def test_ida_gives_the_effects_in_all_members(seed, random_model):
    model, graphs = _graphs(seed, random_model)
    covariance = model.covariance()
    for pdag in graphs:
        fitted = [fit_to_covariance(dag, covariance) for dag in members(pdag)]
        for source, target in [(0, 1), (2, 5), (4, 3)]:
            expected = _distinct([dag.total_effect(source, target) for dag in fitted])
            found = ida(pdag, covariance, source, target)
            assert (np.diff(found) >= 0).all()
            np.testing.assert_allclose(_distinct(found), expected, atol=1e-8)
            truth = model.total_effect(source, target)
            assert np.min(np.abs(found - truth)) < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_joint_effects_in_all_members(seed, random_model):
    model, graphs = _graphs(seed, random_model)
    covariance = model.covariance()
    for pdag in graphs:
        expected = []
        for dag in members(pdag):
            fitted = fit_to_covariance(dag, covariance)
            base = fitted.do({1: 0.0, 2: 0.0}).mean[4]
            changes = [{1: 1.0, 2: 0.0}, {1: 0.0, 2: 1.0}]
            expected.append([fitted.do(change).mean[4] - base for change in changes])
        found = joint_ida(pdag, covariance, [1, 2], 4)
        np.testing.assert_allclose(_distinct(found), _distinct(expected), atol=1e-8)


def test_fit_recovers_the_model(random_model, rng):
    model = random_model(rng, 8, 14)
    fitted = fit_to_covariance(model.adjacency, model.covariance(), model.names)
    np.testing.assert_allclose(fitted.coefficients, model.coefficients, atol=1e-9)
    np.testing.assert_allclose(fitted.noise_variances, model.noise_variances, atol=1e-9)


def test_names_and_bad_input():
    model = GaussianDag([[0, 2.0], [0, 0]], [1, 1], ["a", "b"])
    pdag, sigma = model.cpdag(), model.covariance()
    np.testing.assert_allclose(ida(pdag, sigma, "a", "b"), [0.0, 2.0])
    np.testing.assert_allclose(ida(pdag, sigma, "b", "a"), [0.0, 0.4])
    np.testing.assert_allclose(joint_ida(pdag, sigma, ["a"], "b"), [[0.0], [2.0]])
    with pytest.raises(GraphError, match="same node 'a'"):
        ida(pdag, sigma, "a", 0)
    with pytest.raises(GraphError, match="'z'"):
        ida(pdag, sigma, "z", "a")
    with pytest.raises(GraphError, match="shape"):
        ida(pdag, np.eye(3), "a", "b")
    with pytest.raises(GraphError, match="symmetric"):
        ida(pdag, [[1, 0.5], [0, 1]], "a", "b")
    with pytest.raises(GraphError, match="not finite"):
        ida(pdag, [[np.nan, 0], [0, 1]], "a", "b")
    with pytest.raises(GraphError, match="distinct"):
        joint_ida(pdag, sigma, ["a", "b"], "b")


def test_singular_covariance_names_the_columns():
    pdag = Pdag.from_dag_adjacency([[0, 1, 1], [0, 0, 1], [0, 0, 0]], ["a", "twin", "y"])
    sigma = [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    with pytest.raises(GraphError, match=r"'twin'.*singular"):
        ida(pdag, sigma, "twin", "y")
