import csv
import io

import numpy as np
import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import edge_list_csv, graph_from_text, graph_to_text


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
        ("from,to\na,b\n", "line 1: there is no column 'source'"),
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


def test_a_weight_of_zero_is_refused():
    with pytest.raises(GraphError, match="weight zero"):
        graph_from_text("source,target,weight\na,b,0\n", "edges")
