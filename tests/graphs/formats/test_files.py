"""All text formats: every graph comes back as it went out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcs.errors import ArcsError, FileFormatError, GraphError
from arcs.graphs import GaussianDag, Pdag
from arcs.graphs.formats import FORMATS, graph_from_text, graph_to_text, read_graph, write_graph

COMPLETE = ["json", "graphml", "dot"]
WEIGHTED = ["edges", "adjacency", "dagitty"]
READABLE = [name for name, one in FORMATS.items() if one.parse is not None]
STRUCTURE = ["bnlearn", "tetrad"]
HOSTILE = [
    '=HYPERLINK("http://x","y")',
    "+1",
    "-2",
    "@SUM(A1)",
    "\tx",
    "'quoted",
    "'=x",
    'say "hi"',
    "back\\slash\\",
    '"];evil[',
    "<b>&amp;</b>",
    "a,b;c",
    "two\nlines",
    "x -> y",
    "Ünï çødé 数",
    "node",
    "source",
    "1.5",
    "{}",
    " outer ",
]


@pytest.mark.parametrize("format", COMPLETE)
@pytest.mark.parametrize("seed", range(3))
def test_complete_formats_keep_the_whole_model(format, seed, random_model):
    model = random_model(np.random.default_rng(seed), 8, 12)
    assert graph_from_text(graph_to_text(model, format)) == model


@pytest.mark.parametrize("format", COMPLETE)
def test_unknown_standard_errors_stay_unknown(format):
    coefficients = [[0, 0.5, 0.1], [0, 0, 0], [0, 0, 0]]
    errors = np.full((3, 3), np.nan)
    errors[0, 1] = 0.25
    dag = GaussianDag(coefficients, [1, 2, 3], standard_errors=errors)
    assert graph_from_text(graph_to_text(dag, format), format) == dag


@pytest.mark.parametrize("format", WEIGHTED)
def test_weighted_formats_keep_coefficients(format, random_model, rng):
    model = random_model(rng, 8, 12)
    back = graph_from_text(graph_to_text(model, format), names=model.names)
    assert isinstance(back, GaussianDag)
    np.testing.assert_array_equal(back.coefficients, model.coefficients)
    assert (back.noise_variances == 1).all()
    if format == "edges":
        np.testing.assert_array_equal(back.standard_errors, model.standard_errors)


@pytest.mark.parametrize("format", STRUCTURE)
def test_structural_formats_keep_the_edges(format, random_model, rng):
    model = random_model(rng, 8, 12)
    back = graph_from_text(graph_to_text(model, format))
    assert back == GaussianDag.from_adjacency(model.adjacency, model.names)


@pytest.mark.parametrize("format", [f for f in READABLE if f != "bnlearn"])
def test_pdags_come_back(format, mixed_pdag):
    assert graph_from_text(graph_to_text(mixed_pdag, format), names=mixed_pdag.names) == mixed_pdag


@pytest.mark.parametrize("format", READABLE)
def test_fully_directed_pdags_come_back_when_asked_for(format, mixed_pdag):
    arrows = Pdag.from_dag_adjacency(mixed_pdag.directed, mixed_pdag.names)
    text = graph_to_text(arrows, format)
    assert graph_from_text(text, kind="pdag", names=arrows.names) == arrows
    as_dag = graph_from_text(text, kind="dag", names=arrows.names)
    assert as_dag == GaussianDag.from_adjacency(mixed_pdag.directed, mixed_pdag.names)


@pytest.mark.parametrize("format", ["json", "graphml", "dot", "dagitty"])
def test_self_describing_formats_remember_the_kind(format, mixed_pdag):
    arrows = Pdag.from_dag_adjacency(mixed_pdag.directed, mixed_pdag.names)
    assert graph_from_text(graph_to_text(arrows, format)) == arrows


@pytest.mark.parametrize("format", [f for f in READABLE if f not in (*STRUCTURE, "sif")])
def test_hostile_names_come_back(format, random_dag, rng):
    structure = random_dag(rng, len(HOSTILE), 30)
    dag = GaussianDag.from_adjacency(structure, HOSTILE)
    assert graph_from_text(graph_to_text(dag, format), format, names=HOSTILE) == dag
    pdag = dag.cpdag()
    text = graph_to_text(pdag, format)
    assert graph_from_text(text, format, kind="pdag", names=HOSTILE) == pdag


_NAMES = st.lists(
    # XML has no U+FFFE and U+FFFF.
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="\ufffe\uffff"),
        min_size=1,
    ).filter(str.strip),
    min_size=2,
    max_size=4,
    unique=True,
)


@pytest.mark.parametrize("format", [f for f in READABLE if f not in (*STRUCTURE, "sif")])
@settings(max_examples=60, deadline=None)
@given(names=_NAMES)
def test_any_printable_name_comes_back(format, names):
    structure = np.zeros((len(names), len(names)))
    structure[1, 0] = -0.125
    dag = GaussianDag(structure, np.ones(len(names)), names)
    assert graph_from_text(graph_to_text(dag, format), format, names=names) == dag


@pytest.mark.parametrize("format", STRUCTURE)
@pytest.mark.parametrize("name", ["a b:c", "x\ny", "a;b|", "|,", " :", "\x07[;"])
def test_names_that_a_format_cannot_hold_are_refused(format, name):
    dag = GaussianDag.from_adjacency([[0, 1], [0, 0]], [name, "fine"])
    with pytest.raises(GraphError, match=r"cannot hold the name .* rename"):
        graph_to_text(dag, format)


@pytest.mark.parametrize(
    ("file_name", "first"),
    [
        ("g.csv", "source,target"),
        ("g.edges.csv", "source,target"),
        ("g.adjacency.csv", ","),
        ("g.dot", "digraph"),
        ("g.GV", "digraph"),
        ("g.graphml", "<?xml"),
        ("g.xml", "<?xml"),
        ("g.json", "{"),
        ("g.dagitty", "dag {"),
        ("g.bnlearn", "["),
        ("g.modelstring", "["),
        ("g.tetrad", "Graph Nodes:"),
        ("g.txt", "Graph Nodes:"),
    ],
)
def test_suffixes_decide(tmp_path, file_name, first, random_dag, rng):
    dag = GaussianDag.from_adjacency(random_dag(rng, 5, 6))
    path = tmp_path / file_name
    write_graph(dag, path)
    assert path.read_text().startswith(first)
    for given_path in (path, str(path)):
        assert read_graph(given_path, names=dag.names) == dag
    assert [p.name for p in tmp_path.iterdir()] == [file_name]


def test_csv_files_are_told_apart_by_their_content(tmp_path, random_dag, rng):
    dag = GaussianDag.from_adjacency(random_dag(rng, 5, 6))
    path = tmp_path / "g.csv"
    write_graph(dag, path, "adjacency")
    assert read_graph(path) == dag
    path.write_text(graph_to_text(dag, "bnlearn"))
    assert read_graph(path) == dag


def test_matrices_over_awkward_names_are_not_edge_lists():
    dag = GaussianDag.from_adjacency([[0, 1], [0, 0]], ["source", "target"])
    assert graph_from_text(graph_to_text(dag, "adjacency")) == dag
    assert graph_from_text(graph_to_text(dag, "edges")) == dag


def test_text_is_told_from_paths():
    expected = GaussianDag.from_adjacency([[0, 1], [0, 0]], ["a", "b"])
    for text in (
        "[a][b|a]",
        "dag { a -> b }",
        "dag{a->b}",
        "digraph g\n{ a -> b }",
        "digraph { a -> b }",
        "strict digraph g { a -> b }",
        "source,target\na,b\n",
        "Target ; weight;Source\r\nb;1;a\r\n",
        "a,b\n0,1\n0,0\n",
        "Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> b\n",
        "\ufeffsource,target\na,b\n",
    ):
        assert read_graph(text, names=["a", "b"]) == expected


def test_an_existing_file_is_never_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "[a]").write_text("[x][y|x]")
    assert read_graph("[a]").names == ("x", "y")


def test_missing_and_strange_files(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        read_graph(tmp_path / "absent.json")
    with pytest.raises(FileFormatError, match="no such file"):
        read_graph("absent")
    binary = tmp_path / "g.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="not UTF-8"):
        read_graph(binary)
    odd = tmp_path / "g.unknown"
    odd.write_text("hello")
    with pytest.raises(FileFormatError, match="not recognised"):
        read_graph(odd)
    dag = GaussianDag.from_adjacency([[0]])
    with pytest.raises(FileFormatError, match=r"suffixes .*\.dot"):
        write_graph(dag, tmp_path / "g.unknown")
    with pytest.raises(FileFormatError, match="no graph format 'yaml'"):
        graph_to_text(dag, "yaml")


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "bad.dot"
    path.write_text("digraph {\n a -> ;\n}")
    with pytest.raises(FileFormatError, match=r"bad\.dot: line 2"):
        read_graph(path)
    path.write_text("digraph { a -> b -> c -> a }")
    with pytest.raises(GraphError, match=r"bad\.dot: .*a -> b -> c -> a"):
        read_graph(path)


def test_lone_surrogates_cannot_be_written(tmp_path):
    dag = GaussianDag.from_adjacency([[0]], ["\ud800"])
    with pytest.raises(GraphError, match="rename"):
        write_graph(dag, tmp_path / "g.csv")
    assert not list(tmp_path.iterdir())
    write_graph(dag, tmp_path / "g.json")
    assert read_graph(tmp_path / "g.json") == dag


def test_names_fix_the_order_and_add_nodes():
    graph = read_graph("[b|a][a]", names=["new", "a", "b"])
    assert graph.names == ("new", "a", "b")
    assert graph.edges() == [(1, 2)]
    with pytest.raises(GraphError, match="'b' that is not among"):
        read_graph("[b|a][a]", names=["a", "c"])


def test_kind_is_honoured():
    with pytest.raises(GraphError, match=r"'a' - 'b' is undirected.*consistent_dag"):
        read_graph("pdag { a -- b }", kind="dag")
    with pytest.raises(GraphError, match="kind must be"):
        read_graph("[a]", kind="tree")
    cyclic = "source,target\na,b\nb,c\nc,a\n"
    assert read_graph(cyclic, kind="pdag").n_edges == 3
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        read_graph(cyclic)


@pytest.mark.parametrize(
    "text", ["dag { a -> b a -> b }", "dag { a -> b b -> a }", "source,target\na,b\nb,a\n"]
)
def test_two_edges_between_the_same_nodes_are_refused(text):
    with pytest.raises(FileFormatError, match="two edges between"):
        read_graph(text)


def test_only_graphs_are_written():
    with pytest.raises(GraphError, match="not a str"):
        graph_to_text("graph", "json")


@pytest.mark.parametrize("format", READABLE)
def test_damaged_text_never_escapes_the_error_tree(format, random_model, mixed_pdag, rng):
    """Cut, doubled, swapped and overwritten text: a graph or an ArcsError, nothing else."""
    model = random_model(rng, 4, 5)
    texts = [graph_to_text(model, format)]
    if format != "bnlearn":
        texts.append(graph_to_text(mixed_pdag, format))
    refused = 0
    for text in texts:
        for _ in range(150):
            start, end = sorted(rng.integers(0, len(text), 2).tolist())
            filler = "".join(rng.choice(list("[]{}<>\"'|:;,=-\n\\a0. \0"), rng.integers(0, 4)))
            for damaged in (
                text[:start] + filler + text[start:],
                text[:start] + filler + text[end:],
            ):
                try:
                    graph_from_text(damaged, format)
                except ArcsError:
                    refused += 1
    assert refused > 50
