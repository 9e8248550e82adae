import pytest

from arcs.errors import FileFormatError
from arcs.graphs import GaussianDag, Pdag
from arcs.graphs.formats import graph_from_text, graph_to_text


def test_text_as_dagitty_has_it():
    dag = GaussianDag([[0, 0.5], [0, 0]], [1, 1], ["a b", "c"])
    assert graph_to_text(dag, "dagitty") == 'dag {\n"a b"\n"c"\n"a b" -> "c" [beta="0.5"]\n}\n'
    lines = Pdag([[0, 0], [0, 0]], [[0, 1], [1, 0]], ["a", "b"])
    assert graph_to_text(lines, "dagitty") == 'pdag {\n"a"\n"b"\n"a" -- "b"\n}\n'


def test_a_model_from_the_website():
    text = """dag {
bb="-2.2,-1.6,1.6,1.7"
A [selected,pos="-2.200,-1.520"]
D [outcome,pos="1.400,1.621"]
E [exposure,pos="-2.200,1.597"]
A -> E
D <- A
E -> D [beta=".3"]
}"""
    dag = graph_from_text(text)
    assert dag.named_edges() == [("A", "D"), ("A", "E"), ("E", "D")]
    assert dag.coefficients[2, 1] == 0.3


def test_hidden_confounders_are_refused():
    with pytest.raises(FileFormatError, match=r"line 2: the edge '<->' between 'a' and 'b'"):
        graph_from_text("dag {\na <-> b\n}")
