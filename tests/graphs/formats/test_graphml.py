import io

import networkx as nx
import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import graph_from_text, graph_to_text


def test_networkx_reads_it(random_model, rng):
    model = random_model(rng, 6, 8, ["<a>", '"b"', "c&d", "e'", "f\tg", "h"])
    graph = nx.read_graphml(io.BytesIO(graph_to_text(model, "graphml").encode()))
    assert list(graph) == list(model.names)
    assert sorted(graph.edges) == sorted(model.named_edges())
    for i, j in model.edges():
        values = graph.edges[model.names[i], model.names[j]]
        assert values["weight"] == model.coefficients[i, j]
        assert values["standard_error"] == model.standard_errors[i, j]
    assert graph.nodes["h"]["noise_variance"] == model.noise_variances[5]


def test_files_of_networkx_are_read(random_dag, rng):
    adjacency = random_dag(rng, 6, 8)
    graph = nx.relabel_nodes(
        nx.from_numpy_array(adjacency * 0.5, create_using=nx.DiGraph), lambda i: f"n{i}"
    )
    back = graph_from_text("\n".join(nx.generate_graphml(graph)))
    assert back.names == tuple(f"n{i}" for i in range(6))
    assert (back.coefficients == adjacency * 0.5).all()
    lines = nx.Graph([("a", "b")])
    assert graph_from_text("\n".join(nx.generate_graphml(lines))).undirected_edges() == [(0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<graphml>\n<graph>\n</graphml>", "line 3: not well-formed"),
        ('<!DOCTYPE x [<!ENTITY a "aa">]>\n<graphml/>', "line 1: document type"),
        ('<?xml version="1.0" encoding="XTF-8"?>\n<graphml/>', "line 1: not well-formed"),
        ("<svg/>", "one graph is expected"),
        ("<graphml/>", "found 0"),
        ("<graphml><graph><node/></graph></graphml>", "<node> has no attribute 'id'"),
        ('<graphml><graph><edge source="a"/></graph></graphml>', "no attribute 'target'"),
        (
            '<graphml><graph><node id="a"><data key="intercept">x</data></node></graph></graphml>',
            "intercept 'x' is not a number",
        ),
        (
            '<graphml><graph><node id="a"/><edge source="a" target="b"/></graph></graphml>',
            "'b', which is not a node",
        ),
    ],
)
def test_damage_is_refused(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "graphml")


def test_characters_outside_xml_are_refused():
    with pytest.raises(GraphError, match="control characters"):
        graph_to_text(GaussianDag.from_adjacency([[0]], ["a\x07"]), "graphml")
