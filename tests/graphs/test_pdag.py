import pickle

import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import Pdag

EMPTY = np.zeros((3, 3), dtype=bool)


def _arrows(*edges, p=3):
    matrix = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        matrix[i, j] = True
    return matrix


def test_reports_its_edges(mixed_pdag):
    assert mixed_pdag.p == 6
    assert mixed_pdag.n_edges == 4
    assert mixed_pdag.directed_edges() == [(0, 2), (1, 2), (2, 4)]
    assert mixed_pdag.undirected_edges() == [(0, 5)]
    assert mixed_pdag.parents("c") == ["a", "b"]
    assert mixed_pdag.children("c") == ["e"]
    assert mixed_pdag.siblings("f") == ["a"]
    assert mixed_pdag.skeleton.sum() == 8
    assert (mixed_pdag.skeleton == mixed_pdag.skeleton.T).all()
    assert repr(mixed_pdag) == "Pdag(6 nodes, 3 directed, 1 undirected)"


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        (EMPTY, _arrows((0, 1)), "symmetric, but is not at 'a' and 'b'"),
        (_arrows((0, 1), (1, 0)), EMPTY, "both ways .* 'a' and 'b'"),
        (_arrows((0, 2)), _arrows((0, 2), (2, 0)), "both directed and undirected .* 'a' and 'c'"),
        (_arrows((1, 1)), EMPTY, "self-loop"),
        (EMPTY, np.zeros((2, 2)), "3 nodes, undirected has 2"),
        (np.zeros((2, 3)), EMPTY, "square"),
        (np.full((3, 3), np.nan), EMPTY, "not finite"),
        (np.full((3, 3), "x"), EMPTY, "booleans or numbers"),
    ],
)
def test_refuses_contradictions(directed, undirected, message):
    with pytest.raises(GraphError, match=message):
        Pdag(directed, undirected, ["a", "b", "c"])


def test_is_immutable(mixed_pdag):
    for graph in (mixed_pdag, pickle.loads(pickle.dumps(mixed_pdag))):  # noqa: S301
        assert graph == mixed_pdag
        for array in (graph.directed, graph.undirected):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 1] = True


def test_equality_and_hash(mixed_pdag):
    same = Pdag(mixed_pdag.directed, mixed_pdag.undirected, mixed_pdag.names)
    assert same == mixed_pdag
    assert hash(same) == hash(mixed_pdag)
    assert Pdag(mixed_pdag.directed, mixed_pdag.undirected) != mixed_pdag
    assert mixed_pdag != "a graph"


def test_is_dag():
    assert Pdag(_arrows((0, 1), (1, 2)), EMPTY).is_dag()
    assert not Pdag(_arrows((0, 1), (1, 2), (2, 0)), EMPTY).is_dag()
    assert not Pdag(EMPTY, _arrows((0, 1), (1, 0))).is_dag()
    assert Pdag.from_dag_adjacency(_arrows((0, 1), (2, 1))).directed_edges() == [(0, 1), (2, 1)]


def test_missing_extension_is_explained():
    with pytest.raises(GraphError, match="x -> y -> z -> x"):
        Pdag(_arrows((0, 1), (1, 2), (2, 0)), EMPTY, list("xyz")).consistent_dag()
    square = _arrows((0, 1), (1, 2), (2, 3), (3, 0), p=4)
    with pytest.raises(GraphError, match="new v-structure"):
        Pdag(np.zeros((4, 4)), square | square.T).consistent_dag()


def test_relabel_moves_names_with_nodes(mixed_pdag):
    turned = mixed_pdag.relabel([5, 4, 3, 2, 1, 0])
    assert turned.names == ("f", "e", "lonely", "c", "b", "a")
    named = {(turned.names[i], turned.names[j]) for i, j in turned.directed_edges()}
    assert named == {("a", "c"), ("b", "c"), ("c", "e")}
    assert turned.relabel([5, 4, 3, 2, 1, 0]) == mixed_pdag
    with pytest.raises(GraphError, match="2 nodes for a graph of 6"):
        mixed_pdag.relabel([1, 0])


def test_notebooks_show_both_kinds_of_edges(mixed_pdag):
    page = mixed_pdag._repr_html_()
    assert page.count("<td>directed</td>") == len(mixed_pdag.directed_edges())
    assert page.count("<td>undirected</td>") == len(mixed_pdag.undirected_edges())
