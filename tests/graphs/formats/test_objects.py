"""networkx, causal-learn and pgmpy objects."""

import sys

import networkx as nx
import numpy as np
import pytest

from arcs.errors import GraphError, MissingDependencyError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import (
    from_causallearn,
    from_networkx,
    from_pgmpy,
    to_causallearn,
    to_networkx,
    to_pgmpy,
)


def test_networkx_keeps_everything(random_model, mixed_pdag, rng):
    model = random_model(rng, 8, 12)
    graph = to_networkx(model)
    assert isinstance(graph, nx.DiGraph)
    assert list(graph) == list(model.names)
    i, j = model.edges()[0]
    assert graph.edges[model.names[i], model.names[j]]["weight"] == model.coefficients[i, j]
    assert from_networkx(graph) == model
    assert from_networkx(to_networkx(mixed_pdag)) == mixed_pdag
    assert to_networkx(mixed_pdag).has_edge("f", "a")


def test_plain_networkx_graphs():
    dag = from_networkx(nx.DiGraph([(2, 1), (1, 0)]))
    assert dag == GaussianDag.from_adjacency([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["2", "1", "0"])
    lines = from_networkx(nx.Graph([("a", "b")]))
    assert lines.undirected_edges() == [(0, 1)]
    assert from_networkx(nx.DiGraph([("a", "b")]), kind="pdag").directed_edges() == [(0, 1)]
    with pytest.raises(GraphError, match="multigraphs"):
        from_networkx(nx.MultiDiGraph([(0, 1)]))
    with pytest.raises(GraphError, match="1 -> 2 -> 3 -> 1"):
        from_networkx(nx.DiGraph([(1, 2), (2, 3), (3, 1)]))
    with pytest.raises(GraphError, match="weight='x'"):
        from_networkx(nx.DiGraph([(0, 1, {"weight": "x"})]))
    with pytest.raises(GraphError, match="a -> a"):
        from_networkx(nx.DiGraph([("a", "a")]))


def test_causal_learn_there_and_back(random_dag, mixed_pdag, rng):
    pytest.importorskip("causallearn")
    assert from_causallearn(to_causallearn(mixed_pdag)) == mixed_pdag
    dag = GaussianDag.from_adjacency(random_dag(rng, 8, 12))
    theirs = to_causallearn(dag)
    assert from_causallearn(theirs) == dag
    # their matrix: marks[j, i] = 1 and marks[i, j] = -1 for i -> j
    assert np.array_equal((theirs.graph.T == 1) & (theirs.graph == -1), dag.adjacency)


def test_marks_of_hidden_confounders_are_refused():
    general = pytest.importorskip("causallearn.graph.GeneralGraph")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GraphNode import GraphNode

    nodes = [GraphNode("a"), GraphNode("b")]
    graph = general.GeneralGraph(nodes)
    graph.add_edge(Edge(*nodes, Endpoint.CIRCLE, Endpoint.ARROW))
    with pytest.raises(GraphError, match="'a' and 'b' has the marks circle and arrow"):
        from_causallearn(graph)


def test_a_missing_package_is_named(monkeypatch, mixed_pdag):
    monkeypatch.setitem(sys.modules, "causallearn.graph.GeneralGraph", None)
    with pytest.raises(MissingDependencyError, match=r"causallearn.*arcs-bn\[peers\]"):
        to_causallearn(mixed_pdag)
    monkeypatch.setitem(sys.modules, "pgmpy.base", None)
    with pytest.raises(MissingDependencyError, match="pgmpy"):
        to_pgmpy(mixed_pdag)


def test_pgmpy_there_and_back(random_model, mixed_pdag, rng):
    pytest.importorskip("pgmpy.models")
    model = random_model(rng, 6, 8)
    theirs = to_pgmpy(model)
    assert theirs.check_model()
    mean, covariance = _joint(theirs, model)
    np.testing.assert_allclose(mean, model.mean(), atol=1e-8)
    np.testing.assert_allclose(covariance, model.covariance(), atol=1e-8)
    back = from_pgmpy(theirs, names=model.names)
    np.testing.assert_allclose(back.coefficients, model.coefficients)
    np.testing.assert_allclose(back.noise_variances, model.noise_variances)
    np.testing.assert_allclose(back.intercepts, model.intercepts)
    assert from_pgmpy(to_pgmpy(mixed_pdag), names=mixed_pdag.names) == mixed_pdag


def _joint(network, model):
    """Moments by pgmpy, in the order of our nodes."""
    mean, covariance = network.to_joint_gaussian()
    order = list(nx.topological_sort(network))
    at = [order.index(name) for name in model.names]
    return mean[at], covariance[np.ix_(at, at)]


class _Distribution:
    """What from_pgmpy needs of a linear Gaussian distribution."""

    def __init__(self, variable, beta, std, evidence):
        self.variable, self.beta, self.std, self.evidence = variable, beta, std, evidence


def test_linear_gaussian_distributions_are_understood():
    network = nx.DiGraph([("b", "c"), ("a", "c")])
    network.cpds = [_Distribution("c", [0.5, 2.0, -3.0], 2.0, ["a", "b"])]
    dag = from_pgmpy(network, names=["a", "b", "c"])
    assert dag.coefficients[:, 2].tolist() == [2.0, -3.0, 0.0]
    assert dag.noise_variances.tolist() == [1.0, 1.0, 4.0]
    assert dag.intercepts.tolist() == [0.0, 0.0, 0.5]
