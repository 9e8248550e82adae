import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import graph_from_text, graph_to_text


def test_the_asia_network_as_bnlearn_prints_it():
    text = (
        "[asia][smoke][tub|asia][lung|smoke][bronc|smoke][dysp|bronc:either]"
        "[either|tub:lung][xray|either]"
    )
    dag = graph_from_text(text)
    assert dag.n_edges == 8
    assert dag.parents("either") == ["tub", "lung"]
    assert dag.parents("dysp") == ["bronc", "either"]
    assert graph_to_text(dag, "bnlearn").strip() == text


def test_blanks_between_blocks_are_ignored():
    assert graph_from_text("[a]\n  [ b | a ]\n").named_edges() == [("a", "b")]
    dotted = GaussianDag.from_adjacency([[0, 1], [0, 0]], ["blood pressure", "x.1"])
    assert graph_from_text(graph_to_text(dotted, "bnlearn")) == dotted


def test_classes_have_no_model_string(mixed_pdag):
    with pytest.raises(GraphError, match="DAGs only"):
        graph_to_text(mixed_pdag, "bnlearn")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: .* empty"),
        ("[a]\n[b|a", "line 2: expected"),
        ("[a]\nb", "line 2: expected"),
        ("[a][b|a|c]", r"line 1: \[b\|a\|c\]"),
        ("[a][b|]", "line 1"),
        ("[]", "line 1"),
        ("[a[b]", "line 1"),
        ("[b|a]", "'a', which is not a node"),
    ],
)
def test_damage_is_located(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "bnlearn")


def test_repeated_nodes_and_cycles_are_refused():
    with pytest.raises(GraphError, match="repeated: 'a'"):
        graph_from_text("[a][a]", "bnlearn")
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        graph_from_text("[a|c][b|a][c|b]", "bnlearn")
