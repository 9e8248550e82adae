import itertools

import gadjid
import networkx as nx
import numpy as np
import pytest

from arcs.effects import adjustment_sets
from arcs.errors import GraphError
from arcs.graphs import GaussianDag, fit_to_covariance


def _valid(dag, x, y, chosen):
    """Whether adjusting gives the total effect for several random coefficients."""
    if y in chosen:
        return False
    rng = np.random.default_rng(0)
    for _ in range(3):
        weights = np.where(dag.adjacency, rng.uniform(0.3, 1.0, dag.adjacency.shape), 0.0)
        model = GaussianDag(weights, rng.uniform(0.5, 2.0, dag.p))
        sigma, at = model.covariance(), [x, *chosen]
        beta = np.linalg.solve(sigma[np.ix_(at, at)], sigma[at, y])[0]
        if abs(beta - model.total_effect(x, y)) > 1e-8:
            return False
    return True


def _indices(names, dag):
    return [dag.names.index(name) for name in names]


@pytest.mark.parametrize("seed", range(6))
def test_sets_against_brute_force(seed, random_dag_model):
    dag = random_dag_model(seed, 6, 8)
    for x, y in itertools.permutations(range(6), 2):
        found = adjustment_sets(dag, x, y)
        assert found.has_effect == (y in dag.descendants(x))
        if not found.has_effect:
            continue
        others = [k for k in range(6) if k not in (x, y)]
        sizes = [
            size
            for size in range(5)
            for chosen in itertools.combinations(others, size)
            if _valid(dag, x, y, chosen)
        ]
        for chosen in (found.parents, found.minimal, found.optimal):
            assert _valid(dag, x, y, _indices(chosen, dag))
        assert len(found.minimal) == min(sizes)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimal_set_has_the_smallest_variance(seed, random_dag_model):
    dag = random_dag_model(seed, 6, 8)
    sigma = dag.covariance()

    def variance(x, y, chosen):
        at = [x, *chosen]
        inverse = np.linalg.inv(sigma[np.ix_(at, at)])
        left = sigma[y, y] - sigma[y, at] @ inverse @ sigma[at, y]
        return left * inverse[0, 0]

    for x, y in itertools.permutations(range(6), 2):
        found = adjustment_sets(dag, x, y)
        if found.has_effect:
            best = variance(x, y, _indices(found.optimal, dag))
            for kind in (found.parents, found.minimal):
                assert best <= variance(x, y, _indices(kind, dag)) + 1e-12


def test_optimal_sets_are_right_by_gadjid(random_dag_model):
    """A graph whose adjustment sets are right in the truth has the distance zero."""
    dag = random_dag_model(2, 8, 12)
    codes = dag.adjacency.astype(np.int8)
    assert gadjid.oset_aid(codes, codes, edge_direction="from row to column")[1] == 0
    graph = nx.DiGraph(list(dag.edges()))
    for x, y in itertools.permutations(range(8), 2):
        found = adjustment_sets(dag, x, y)
        if found.has_effect:
            cut = graph.copy()
            on_paths = set(dag.descendants(x)) & (set(dag.ancestors(y)) | {y})
            cut.remove_edges_from([(x, int(k)) for k in on_paths])
            for chosen in (found.minimal, found.optimal, found.parents):
                assert nx.is_d_separator(cut, {x}, {y}, set(_indices(chosen, dag)))


def test_classes_and_text():
    dag = GaussianDag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.ones(3), ["a", "b", "c"])
    found = adjustment_sets(dag, "b", "c", dag.cpdag())
    assert found.for_all_members is False
    assert "cannot be told" in str(found)
    assert found.parents == ("a",)
    assert found.minimal == ()
    none = adjustment_sets(dag, "c", "a")
    assert "no effect" in str(none)
    assert adjustment_sets(dag, "c", "b").parents is None
    with pytest.raises(GraphError, match="same node"):
        adjustment_sets(dag, "a", "a")
    # A fit keeps what the graph says.
    again = fit_to_covariance(dag.adjacency, dag.covariance(), dag.names)
    assert adjustment_sets(again, "a", "c") == adjustment_sets(dag, "a", "c")
