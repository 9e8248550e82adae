import math

import networkx as nx
import numpy as np
import pytest

from arcs.effects import design
from arcs.effects.design import next_experiments, possible_answers
from arcs.errors import GraphError, SettingsError
from arcs.graphs import (
    EdgeList,
    GaussianDag,
    GraphEnsemble,
    Pdag,
    interventional_cpdag_of,
    members,
)


def _undirected(graph):
    lines = nx.to_numpy_array(graph, dtype=bool, nodelist=sorted(graph))
    return Pdag(np.zeros_like(lines), lines)


def _model(pdag):
    return GaussianDag.from_adjacency(pdag.consistent_dag(), pdag.names)


def _by_enumeration(pdag, targets):
    """Edges directed by the experiment and the class left, for every member."""
    listed = members(pdag)
    graphs = [interventional_cpdag_of(dag, [[], list(targets)]) for dag in listed]
    edges = [(pdag.undirected.sum() - graph.undirected.sum()) / 2 for graph in graphs]
    keys = [graph.directed.tobytes() for graph in graphs]
    sizes = [keys.count(key) for key in keys]
    return np.mean(edges), max(sizes), sum(sizes) / len(listed)


@pytest.mark.parametrize("seed", range(8))
def test_expectations_are_those_of_all_members(seed, random_dag_model):
    dag = random_dag_model(seed, 6, 8)
    pdag = dag.cpdag()
    found = next_experiments(pdag, dag, k=100, max_size=2)
    for one in found:
        targets = [dag.names.index(name) for name in one.targets]
        edges, largest, mean = _by_enumeration(pdag, targets)
        assert one.exact
        assert one.expected_edges == pytest.approx(edges)
        assert one.largest_class == largest
        assert one.expected_class == pytest.approx(mean)
    listed = {one.targets for one in found if len(one.targets) == 1}
    assert listed == {(dag.names[v],) for v in np.flatnonzero(pdag.undirected.any(axis=0))}


def test_a_star_is_settled_at_its_centre():
    star = _undirected(nx.star_graph(6))
    best = next_experiments(star, _model(star), k=3)
    assert best[0].targets == ("x0",)
    assert best[0].expected_edges == 6  # whatever the answer, all is known
    assert best[0].largest_class == 1
    assert best[1].expected_edges < 6


def test_costs_candidates_and_ties():
    path = _undirected(nx.path_graph(5))
    dag = GaussianDag(np.diag([0.1, 0.1, 2.0, 2.0], 1), np.ones(5))
    free = next_experiments(path, dag, k=9)
    assert free[0].targets == ("x2",)
    # x1 and x3 tell the same; x3 moves more.
    ranks = {one.targets[0]: one.rank for one in free}
    assert ranks["x1"][0] == ranks["x3"][0]
    assert ranks["x3"] > ranks["x1"]
    dear = next_experiments(path, dag, cost={"x2": 10.0})
    assert dear[0].targets != ("x2",)
    only = next_experiments(path, dag, candidates=["x0", "x4"], k=9)
    assert {one.targets for one in only} == {("x0",), ("x4",)}
    by_name = next_experiments(path, dag, cost=lambda name: 10.0 if name == "x2" else 1.0)
    assert [one.targets for one in by_name] == [one.targets for one in dear]
    with pytest.raises(SettingsError, match="positive"):
        next_experiments(path, dag, cost={"x0": 0.0})
    with pytest.raises(GraphError, match="no node"):
        next_experiments(path, dag, cost={"nobody": 1.0})
    with pytest.raises(SettingsError, match="k must"):
        next_experiments(path, dag, k=0)


def test_nothing_to_learn():
    dag = GaussianDag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], np.ones(3))
    assert next_experiments(dag.cpdag(), dag) == []


def test_large_cliques_are_drawn(monkeypatch):
    clique = _undirected(nx.complete_graph(7))
    exact = next_experiments(clique, _model(clique))[0]
    monkeypatch.setattr(design, "_MOST_WAYS", 10)
    drawn = next_experiments(clique, _model(clique))[0]
    assert exact.exact
    assert not drawn.exact
    assert drawn.expected_edges == pytest.approx(exact.expected_edges, abs=0.6)


def test_classes_larger_than_any_float():
    huge = _undirected(nx.disjoint_union_all([nx.complete_graph(6)] * 120))
    found = next_experiments(huge, _model(huge), k=1, candidates=[0])
    assert found[0].largest_class > 10**300
    answers, exact = possible_answers(huge, [0])
    assert exact
    assert sum(count for _, count in answers) == math.factorial(6)


def test_doubts_of_bootstrap_graphs():
    """Half of the replicates say a -> b -> c with c <- d, the others turn a - b."""
    names = ["a", "b", "c", "d"]
    ones = np.ones((4, 4))

    def graph(edges, lines=()):
        adjacency, lined = np.zeros((2, 4, 4), dtype=bool)
        for i, j in edges:
            adjacency[i, j] = True
        for i, j in lines:
            lined[i, j] = lined[j, i] = True
        return EdgeList.of(adjacency, Pdag(adjacency & ~lined, lined), ones)

    one = graph([(0, 1), (1, 2), (3, 2)], [(0, 1)])
    other = graph([(1, 0), (1, 2), (3, 2)])
    ensemble = GraphEnsemble.of(names, [one, other])
    dag = GaussianDag.from_adjacency(ensemble.adjacency(0), names)
    found = next_experiments(ensemble.equivalence_class(1), dag, ensemble, k=9)
    settled = {one.targets[0]: one.doubts_settled for one in found}
    # Shares of a -> b: a line (one half) and nothing, of two: 2 min(1/4, 3/4).
    assert settled == {"a": 0.5, "b": 0.5}
    assert all(one.expected_edges == 0 for one in found)
