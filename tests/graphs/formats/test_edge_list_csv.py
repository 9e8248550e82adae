import csv
import io

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import (
    edge_list_csv,
    graph_from_text,
    graph_to_text,
    read_graph,
    write_graph,
)


def test_columns_and_direction():
    dag = GaussianDag(
        [[0, 0, 0], [0.5, 0, 0], [0, 0, 0]],
        [1, 1, 1],
        ["b", "a", "alone"],
        standard_errors=[[0, 0, 0], [0.1, 0, 0], [0, 0, 0]],
    )
    confidence = np.full((3, 3), 0.75)
    rows = list(csv.DictReader(io.StringIO(edge_list_csv.serialise(dag, confidence))))
    assert rows[0] == {
        "source": "a",
        "target": "b",
        "type": "directed",
        "weight": "0.5",
        "standard_error": "0.1",
        "confidence": "0.75",
    }
    assert rows[1]["source"] == "alone"
    assert rows[1]["target"] == ""
    with pytest.raises(GraphError, match="shape"):
        edge_list_csv.serialise(dag, [1.0])


def test_confidence_comes_back():
    dag = GaussianDag.from_adjacency([[0, 1], [0, 0]], ["=a", "b"])
    text = edge_list_csv.serialise(dag, [[0, 0.25], [0, 0]])
    assert edge_list_csv.parse_confidence(text) == {("=a", "b"): 0.25}
    assert graph_from_text(text) == dag


def test_no_cell_is_a_formula():
    names = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'x", "x"]
    dag = GaussianDag.from_adjacency(np.triu(np.ones((8, 8)), 1), names)
    for format in ("edges", "adjacency"):
        for row in csv.reader(io.StringIO(graph_to_text(dag, format), newline="")):
            for cell in row:
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_negative_weights_stay_numbers():
    dag = GaussianDag([[0, -0.5], [0, 0]], [1, 1], ["a", "b"])
    assert ",-0.5," in graph_to_text(dag, "edges")


def test_other_peoples_lists_are_read():
    text = 'Target;extra;Source\n"b";1;"a"\nc;2;a\n'
    assert graph_from_text(text, "edges").named_edges() == [("a", "b"), ("a", "c")]
    text = "source\ttarget\ttype\na\tb\t---\n"
    assert graph_from_text(text).undirected_edges() == [(0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file is empty"),
        ("cause,to\na,b\n", "line 1: there is no column 'source'"),
        ("source,target,weight\na,b,1\na,c,heavy\n", "line 3: weight 'heavy' is not a number"),
        ("source,target,weight\na,b,inf\n", "line 2: weight 'inf' is not finite"),
        ("source,target,standard_error\na,b,-1\n", "line 2: .* negative"),
        ("source,target,type\na,b,maybe\n", "line 2: type 'maybe'"),
        ("source,target\n,b\n", "line 2: the source is empty"),
        ("source,target\na,b,c,d\n", "line 2: 4 cells under 2 columns"),
        ('source,target\na,"b\n', "line 2: unexpected end"),
    ],
)
def test_damage_is_located(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "edges")


def test_a_weight_of_zero_is_an_edge_whose_effect_is_not_known():
    dag = graph_from_text("source,target,weight\na,b,0\n", "edges")
    assert dag.named_edges() == [("a", "b")]
    assert dag.coefficients[0, 1] == 0
    assert graph_from_text(graph_to_text(dag, "edges"), "edges") == dag
    with pytest.raises(GraphError, match="'a' -> 'b'"):
        graph_to_text(dag, "adjacency")


@pytest.mark.parametrize("header", ["from,to", "parent,child", "Source,Target", "to,from"])
def test_ends_are_spelled_in_several_ways(header):
    ends = ("a", "b") if header != "to,from" else ("b", "a")
    dag = graph_from_text(f"{header},coefficient,std_error\n{','.join(ends)},0.5,0.1\n")
    assert dag.named_edges() == [("a", "b")]
    assert dag.coefficients[dag.adjacency].tolist() == [0.5]
    assert dag.standard_errors[dag.adjacency].tolist() == [0.1]


def test_missing_ends_are_explained():
    with pytest.raises(FileFormatError, match=r"no column 'target' or 'to' or 'child' among"):
        graph_from_text("from,weight\na,1\n", "edges")


@pytest.mark.parametrize("name", ["a\rb", "a\r", "\ra", "\r", "a\r\nb", "a\nb", '"', "a,b", " a "])
def test_line_ends_and_quotes_in_names_come_back(tmp_path, name):
    """Python's own writer leaves a bare carriage return unquoted."""
    names = [f"x{name}x", "other", "alone"]
    dag = GaussianDag.from_adjacency([[0, 1, 0], [0, 0, 0], [0, 0, 0]], names)
    path = tmp_path / "edges.csv"
    write_graph(dag, path)
    assert read_graph(path) == dag


def test_the_edges_of_a_fit_with_a_carriage_return_can_be_read(tmp_path):
    from arcs.cli.outputs import edge_table
    from arcs.learners import learner

    values = np.random.default_rng(0).normal(size=(60, 2)) @ [[1.0, 0.9], [0.0, 0.5]]
    result = learner("hc").fit(Dataset.from_array(values, ["a\rb", "c"]))
    (tmp_path / "edges.csv").write_text(edge_table(result), newline="")
    found = read_graph(tmp_path / "edges.csv")
    assert set(found.names) == {"a\rb", "c"}
    assert found.n_edges == result.n_edges == 1
