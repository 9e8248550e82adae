"""SIF: signs as interactions, isolated nodes as lines."""

import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag, Pdag, graph_from_text, graph_to_text


def test_signs_and_isolated_nodes():
    dag = GaussianDag(
        [[0, 0.5, -1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [1] * 4, ["a b", "c", "d", "e"]
    )
    text = graph_to_text(dag, "sif")
    assert text.splitlines() == ["a b\tpositive\tc", "a b\tnegative\td", "e"]
    again = graph_from_text(text)
    assert again.named_edges() == dag.named_edges()
    assert set(again.names) == set(dag.names)


def test_undirected_edges():
    pdag = Pdag([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 1], [0, 1, 0]], list("abc"))
    assert graph_from_text(graph_to_text(pdag, "sif"), kind="pdag") == pdag


def test_several_targets_and_blanks_as_in_cytoscape():
    dag = graph_from_text("a pp b c\n\nd\n", "sif")
    assert dag.named_edges() == [("a", "b"), ("a", "c")]
    assert "d" in dag


def test_what_cannot_be_written_or_read():
    with pytest.raises(GraphError, match="SIF cannot hold"):
        graph_to_text(GaussianDag([[0]], [1], ["a\tb"]), "sif")
    with pytest.raises(FileFormatError, match="line 2"):
        graph_from_text("a\na pp\n", "sif")
