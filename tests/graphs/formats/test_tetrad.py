import pytest

from arcs.errors import FileFormatError
from arcs.graphs.formats import from_causallearn, graph_from_text, graph_to_text


def test_causal_learn_reads_it(tmp_path, mixed_pdag):
    reader = pytest.importorskip("causallearn.utils.TXT2GeneralGraph")
    path = tmp_path / "graph.txt"
    path.write_text(graph_to_text(mixed_pdag, "tetrad"))
    assert from_causallearn(reader.txt2generalgraph(str(path))) == mixed_pdag


def test_files_of_other_versions_are_read():
    text = (
        "Graph Nodes:\nX1,X2,X3,X4\n\nGraph Edges:\n1. X1 --> X2 dd nl\n2. X3 <-- X2\n"
        "3. X3 --- X4\n\nGraph Attributes:\nBIC: -12.5\n"
    )
    graph = graph_from_text(text)
    assert graph.directed_edges() == [(0, 1), (1, 2)]
    assert graph.undirected_edges() == [(2, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file is empty"),
        ("hello\n", "line 1: expected 'Graph Nodes:'"),
        ("Graph Nodes:\na;b\nGraph Edges:\n1. a o-> b\n", "line 4: the edge 'o->'"),
        ("Graph Nodes:\na;b\nGraph Edges:\n1. a <-> b\n", "line 4: the edge '<->'"),
        ("Graph Nodes:\na;b\nGraph Edges:\n1. a\n", "line 4: '1. a' is not of the form"),
        ("Graph Nodes:\na;b\nGraph Edges:\n1. a --> c\n", "'c', which is not a node"),
    ],
)
def test_damage_is_located(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "tetrad")
