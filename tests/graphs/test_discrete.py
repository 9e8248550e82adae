"""Networks of categories: tables, draws, likelihood, and exact answers against brute force."""

import copy
from itertools import product

import numpy as np
import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import (
    DiscreteDag,
    from_pgmpy,
    graph_from_text,
    graph_to_text,
    inference,
    read_graph,
    to_pgmpy,
)
from arcs.graphs.inference import marginals

NAMES = ("a", "b", "c", "d")
LEVELS = (("x", "y"), ("low", "mid", "high"), ("no", "yes"), ("0", "1"))


@pytest.fixture
def dag():
    """a -> b -> d <- c <- a."""
    rng = np.random.default_rng(0)
    arrows = np.zeros((4, 4), bool)
    arrows[0, 1] = arrows[1, 3] = arrows[2, 3] = arrows[0, 2] = True
    shapes = [(2,), (2, 3), (2, 2), (3, 2, 2)]
    return DiscreteDag(arrows, LEVELS, [_random(rng, shape) for shape in shapes], NAMES)


def _random(rng, shape):
    return rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])


def joint(dag, do=None):
    """All rows with their probabilities, by multiplication."""
    rows = np.array(list(product(*(range(len(own)) for own in dag.levels))))
    chances = np.ones(len(rows))
    for j, table in enumerate(dag.tables):
        if do and j in do:
            chances *= rows[:, j] == do[j]
        else:
            at = (*np.flatnonzero(dag.adjacency[:, j]), j)
            chances *= table[tuple(rows[:, k] for k in at)]
    return rows, chances


def test_likelihood_and_draws_follow_the_product_of_the_tables(dag):
    rows, chances = joint(dag)
    assert chances.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(dag.log_likelihood(rows), np.log(chances))
    drawn = dag.sample(20_000, 1)
    for row, chance in zip(rows, chances, strict=True):
        share = (drawn == row).all(axis=1).mean()
        assert share == pytest.approx(chance, abs=0.015)
    assert (dag.sample(50, 0, {"b": "mid"})[:, 1] == 1).all()
    np.testing.assert_array_equal(dag.sample(9, 3, {"d": 1})[:, :3], dag.sample(9, 3)[:, :3])


@pytest.mark.parametrize("do", [{}, {1: 2}, {0: 0, 2: 1}])
@pytest.mark.parametrize("given", [{}, {3: 1}])
def test_elimination_equals_brute_force_and_samples_come_close(dag, do, given, monkeypatch):
    rows, chances = joint(dag, do)
    for node, level in given.items():
        chances = chances * (rows[:, node] == level)
    exact = marginals(dag, [0, 1, 2, 3], do, given)
    assert exact.exact
    monkeypatch.setattr(inference, "_MOST_CELLS", 1)
    drawn = marginals(dag, [0, 1, 2, 3], do, given)
    for node in range(4):
        expected = np.bincount(rows[:, node], chances) / chances.sum()
        np.testing.assert_allclose(exact.probabilities[node], expected, atol=1e-12)
        np.testing.assert_allclose(drawn.probabilities[node], expected, atol=0.02)


def test_tables_come_from_counts_with_a_prior_worth_one_row():
    counts = [np.array([3, 1]), np.array([[2, 1], [0, 0]])]
    dag = DiscreteDag.from_counts([[0, 1], [0, 0]], [("n", "y")] * 2, counts, ["u", "v"])
    np.testing.assert_allclose(dag.tables[0], [3.5 / 5, 1.5 / 5])
    np.testing.assert_allclose(dag.tables[1], [[2.25 / 3.5, 1.25 / 3.5], [0.5, 0.5]])
    assert dag.table("v").columns == ("u", "n", "y", "rows")
    assert dag.table("v")["rows"] == [3, 0]
    assert dag.n_parameters == 3
    assert copy.deepcopy(dag) == dag


def test_relabelling_changes_nothing_but_the_order(dag):
    turned = dag.relabel([3, 1, 0, 2])
    rows, chances = joint(dag)
    np.testing.assert_allclose(turned.log_likelihood(rows[:, [3, 1, 0, 2]]), np.log(chances))
    assert turned.relabel([2, 1, 3, 0]) == dag


@pytest.mark.parametrize("format", ["bif", "xmlbif", "dsc"])
def test_files_keep_everything_but_the_counts(dag, format):
    strange = DiscreteDag(
        dag.adjacency, [("<= 2", 'a "b"'), *LEVELS[1:]], dag.tables, ["my var", *NAMES[1:]]
    )
    for network in (dag, strange):
        back = graph_from_text(graph_to_text(network, format))
        assert back.names == network.names
        assert back.levels == network.levels
        for mine, theirs in zip(network.tables, back.tables, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("network n { }\nvariable a { type discrete [2] { x, y }; }", "no probabilities"),
        ("network n { }\nprobability ( a ) { table 1; }", "no variable"),
        ("network n {", "ends in the middle"),
        (
            "network n {} variable a {type discrete [2] {x,y};} probability (a) {table 1, 1, 1;}",
            "3 probabilities where 2",
        ),
        (
            "network n {} variable a {type discrete [2] {x,y};} probability (a) {table 1, 1;}",
            "add up to one",
        ),
    ],
)
def test_damaged_bif_is_refused(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "bif")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<BIF></BIF>", "no NETWORK"),
        ("<BIF><NETWORK><VARIABLE/></NETWORK></BIF>", "needs one NAME, not 0"),
        (
            "<BIF><NETWORK><DEFINITION><FOR>a</FOR></DEFINITION></NETWORK></BIF>",
            "no variable 'a'",
        ),
        ('<!DOCTYPE BIF [<!ENTITY a "b">]><BIF/>', "declarations are refused"),
        ("belief network n node a { type : discrete [1] = {x}; } edge", "cannot begin with 'edge'"),
        ("belief network n probability ( a ) { 1; }", "no variable 'a'"),
        (
            "belief network n node a {type : discrete [1] = {x};} probability (a | a) {(3) : 1;}",
            "no row of a table",
        ),
        (
            "belief network n node a {type : discrete [1] = {x};} probability (a | a) {1;}",
            "no place in brackets",
        ),
    ],
)
def test_damaged_xmlbif_and_dsc_are_refused(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text)


def test_xmlbif_of_other_programs_is_read(tmp_path):
    text = """<?xml version="1.0"?>
    <!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
    <BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
    <VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
    <VARIABLE TYPE="nature"><NAME>b</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
    <DEFINITION><FOR>a</FOR><TABLE>0.2 0.8</TABLE></DEFINITION>
    <DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN><TABLE>0.1 0.9 <!-- y --> 0.7 0.3</TABLE></DEFINITION>
    </NETWORK></BIF>"""
    (tmp_path / "net.xml").write_text(text)
    found = read_graph(tmp_path / "net.xml")
    assert found.named_edges() == [("a", "b")]
    np.testing.assert_allclose(found.tables[1], [[0.1, 0.9], [0.7, 0.3]])


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_pgmpy_reads_it_and_agrees(dag):
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination

    model = to_pgmpy(dag)
    back = from_pgmpy(model)
    assert back.named_edges() == dag.named_edges()
    np.testing.assert_allclose(back.tables[3], dag.tables[3])
    theirs = VariableElimination(model).query(["a"], {"d": "1"}, show_progress=False)
    mine = marginals(dag, [0], {}, {3: 1}).probabilities[0]
    np.testing.assert_allclose([theirs.get_value(a=level) for level in LEVELS[0]], mine)


def test_what_is_no_network_is_refused(dag):
    with pytest.raises(GraphError, match="shape"):
        DiscreteDag(dag.adjacency, LEVELS, [np.ones(2) / 2] * 4)
    with pytest.raises(GraphError, match="add up"):
        DiscreteDag([[0]], [("x", "y")], [[0.5, 0.6]])
    with pytest.raises(GraphError, match="distinct"):
        DiscreteDag([[0]], [("x", "x")], [[0.5, 0.5]])
    with pytest.raises(GraphError, match="cycle"):
        DiscreteDag([[0, 1], [1, 0]], [("x",)] * 2, [np.ones((1, 1))] * 2)
    with pytest.raises(GraphError, match="no level 'z'"):
        dag.fixed({"a": "z"})
    with pytest.raises(GraphError, match="set and seen"):
        marginals(dag, [1], {0: 0}, {0: 0})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("net.bif", "network unknown { } variable a {"),
        ("net.dsc", 'belief network "unknown" node a {'),
    ],
)
def test_errors_name_the_format_that_is_read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    format = path.suffix[1:].upper()
    with pytest.raises(FileFormatError, match=f"{format}: the text ends in the middle of a block"):
        read_graph(path)
