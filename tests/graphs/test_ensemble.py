import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import EdgeList, GaussianDag, GraphEnsemble, Pdag


def _ensemble(random_model, n=6, p=5):
    models = [random_model(np.random.default_rng(seed), p, 6) for seed in range(n)]
    graphs = [EdgeList.of(m.adjacency, m.cpdag(), m.coefficients) for m in models]
    return models, GraphEnsemble.of([f"v{j}" for j in range(p)], graphs)


def test_graphs_come_back(random_model):
    models, ensemble = _ensemble(random_model)
    assert len(ensemble) == 6
    for b, model in enumerate(models):
        np.testing.assert_array_equal(ensemble.coefficients(b), model.coefficients)
        np.testing.assert_array_equal(ensemble.adjacency(b), model.adjacency)
        np.testing.assert_array_equal(
            ensemble.equivalence_class(b).directed, model.cpdag().directed
        )
        lines = model.cpdag().undirected
        np.testing.assert_array_equal(ensemble.equivalence_class(b).undirected, lines)


def test_shares_and_effects(random_model):
    models, ensemble = _ensemble(random_model)
    shares = ensemble.frequencies
    np.testing.assert_allclose(shares["dag"], np.mean([m.adjacency for m in models], axis=0))
    for name in ("directed", "undirected"):
        expected = np.mean([getattr(m.cpdag(), name) for m in models], axis=0)
        np.testing.assert_allclose(shares[name], expected)
    for source in range(5):
        effects = np.array([np.asarray(m.total_effects())[source] for m in models])
        np.testing.assert_allclose(ensemble.total_effects(source), effects)
        reached = np.zeros(5)
        for model in models:
            reached[list(model.descendants(source))] += 1 / 6
        np.testing.assert_allclose(ensemble.ancestor_shares(source), reached)


def test_files(random_model):
    _, ensemble = _ensemble(random_model)
    arrays = ensemble.arrays()
    again = GraphEnsemble.from_arrays(ensemble.names, arrays)
    for name, array in again.arrays().items():
        np.testing.assert_array_equal(array, arrays[name])
    empty = GraphEnsemble.of(["a", "b"], [])
    assert len(GraphEnsemble.from_arrays(["a", "b"], empty.arrays())) == 0
    for change in (
        {"tail": arrays["tail"][:-1]},
        {"head": arrays["head"] + 9},
        {"start": arrays["start"] + 1},
    ):
        with pytest.raises(GraphError, match="fit together"):
            GraphEnsemble.from_arrays(ensemble.names, {**arrays, **change})


def test_a_graph_of_another_class_is_refused():
    dag = GaussianDag([[0, 1.0], [0, 0]], [1, 1])
    nothing = np.zeros((2, 2), dtype=bool)
    with pytest.raises(GraphError, match="member of the class"):
        EdgeList.of(dag.adjacency, Pdag(dag.adjacency.T, nothing), dag.coefficients)
