import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag, Pdag
from arcs.graphs.formats import graph_from_text, graph_to_text


def test_an_independent_parser_reads_the_same(mixed_pdag):
    pygraphviz = pytest.importorskip("pygraphviz")
    names = ['say "hi"', "x];y", "Ünï", "a -> b", "two words", "-1"]
    graph = Pdag(mixed_pdag.directed, mixed_pdag.undirected, names)
    theirs = pygraphviz.AGraph(string=graph_to_text(graph, "dot"))
    assert sorted(theirs.nodes()) == sorted(names)
    kinds = {(e[0], e[1]): e.attr["dir"] for e in theirs.edges()}
    assert {pair for pair, kind in kinds.items() if kind != "none"} == {
        (names[i], names[j]) for i, j in graph.directed_edges()
    }
    assert [pair for pair, kind in kinds.items() if kind == "none"] == [(names[0], names[5])]
    assert graph_from_text(theirs.to_string(), "dot", names=names) == graph


def test_names_cannot_break_out_of_their_quotes():
    pygraphviz = pytest.importorskip("pygraphviz")
    dag = GaussianDag.from_adjacency([[0, 1], [0, 0]], ['x\\"; evil -> y; "', "ends in \\"])
    theirs = pygraphviz.AGraph(string=graph_to_text(dag, "dot"))
    assert len(theirs.nodes()) == 2
    assert len(theirs.edges()) == 1


def test_what_people_write_by_hand():
    text = """
    /* a comment
       over lines */
    strict digraph "my graph" {
      rankdir=LR; node [shape=box]; edge [color="red"]
      graph [label="x"]
      # like the preprocessor
      c -> a:n -> b [coefficient=-.5, color=blue] // chain
      d
      e -> d [dir=back]; x.1 -> _y2 [dir="none"]
    }
    """
    graph = graph_from_text(text)
    assert graph.names == ("c", "a", "b", "d", "e", "x.1", "_y2")
    assert graph.directed_edges() == [(0, 1), (1, 2), (3, 4)]
    assert graph.undirected_edges() == [(5, 6)]
    weighted = graph_from_text("digraph { a -> b -> c [coefficient=-.5e1] }")
    assert weighted.coefficients[0, 1] == weighted.coefficients[1, 2] == -5.0


def test_undirected_graphs():
    assert graph_from_text("graph { a -- b; }").undirected_edges() == [(0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digraph {\n a -> b", "line 2: expected a name, found 'the end of the file'"),
        ("digraph {\n a -> ;\n}", "line 2: expected a name, found ';'"),
        ("digraph {\n subgraph x { a }\n}", "line 2: .*sub-graphs are not supported"),
        ("digraph {\n {a b} -> c\n}", "line 2: .*sub-graphs are not supported"),
        ("digraph {\n a -- b\n}", "line 2: a digraph has edges '->'"),
        ("graph {\n a -> b\n}", "line 2: a graph has edges '--'"),
        ("digraph {\n a -> b [dir=both]\n}", "line 2: .*dir=both"),
        ("digraph {\n a -> b [coefficient=x]\n}", "line 2: coefficient 'x' is not a number"),
        ("digraph {\n a [noise_variance=x]\n}", "line 2: noise_variance 'x'"),
        ('digraph {\n "a\n}', "line 2: cannot read"),
        ("digraph { a [label=<b>] }", "line 1: cannot read"),
        ("digraph { a } b", "line 1: expected nothing after"),
        ("digraph { a [x=1 }", "expected a name"),
        ("network { a }", "expected one of digraph, graph"),
        ("digraph x y { a }", "expected '{'"),
    ],
)
def test_damage_is_located(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "dot")


def test_nul_is_refused():
    with pytest.raises(GraphError, match="NUL"):
        graph_to_text(GaussianDag.from_adjacency([[0]], ["a\0"]), "dot")
