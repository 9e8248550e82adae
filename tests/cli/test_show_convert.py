import json

import pytest

from arcs.graphs import Pdag
from arcs.graphs.formats import read_graph
from arcs.results import FitResult


@pytest.fixture
def fitted(run, csv_file):
    assert run("fit", csv_file, "-i", "target", "-q", "--set", "cut=0.2").exit_code == 0
    return FitResult.load(csv_file.parent / "cells-arcs" / "result.json")


def test_show_a_folder_or_a_file(run, fitted):
    folder, file = run("show", "cells-arcs"), run("show", "cells-arcs/result.json")
    assert folder.exit_code == 0
    assert folder.stdout == file.stdout
    assert folder.stdout.count("→") >= min(20, fitted.n_edges)
    assert json.loads(run("show", "cells-arcs", "--json").stdout)["n_edges"] == fitted.n_edges


def test_show_a_node(run, fitted):
    child = next(k for k in range(8) if fitted.dag.parents(k).size)
    text = run("show", "cells-arcs", "--node", fitted.names[child]).stdout
    for parent in fitted.dag.parents(child):
        assert fitted.names[parent] in text
    assert f"{fitted.names[child]} =" in text


def test_show_refuses_unknown_nodes_and_other_files(run, fitted, csv_file):
    refused = run("show", "cells-arcs", "--node", "nobody")
    assert refused.exit_code == 1
    assert "there is no node named 'nobody'" in refused.stderr
    assert run("show", csv_file).exit_code == 1
    assert run("show", "absent").exit_code == 1


def test_convert_keeps_the_graph(run, fitted):
    for target in ("g.graphml", "g.json", "g.dot", "g.dagitty", "g.adjacency.csv"):
        assert run("convert", "cells-arcs", target).exit_code == 0
        assert read_graph(target, names=fitted.names).named_edges() == fitted.dag.named_edges()
    assert run("convert", "g.dot", "h.txt", "--to", "bnlearn").exit_code == 0
    assert run("convert", "h.txt", "i.json", "--from", "bnlearn").exit_code == 0
    assert set(read_graph("i.json").named_edges()) == set(fitted.dag.named_edges())


def test_convert_to_the_equivalence_class(run, fitted):
    run("convert", "cells-arcs", "class.graphml", "--cpdag")
    assert read_graph("class.graphml", kind="pdag", names=fitted.names) == fitted.cpdag
    run("convert", "network:asia", "asia.graphml", "--cpdag")
    assert isinstance(read_graph("asia.graphml"), Pdag)


def test_convert_refuses_what_it_cannot_do(run, fitted):
    for words in (
        ("cells-arcs", "g.unknown"),
        ("absent.dot", "g.json"),
        ("cells-arcs", "no/g.json"),
    ):
        result = run("convert", *words)
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1


def test_cytoscape_gets_the_figures(run, fitted, tmp_path):
    for name in ("net.cx2", "net.graphml"):
        assert run("convert", "cells-arcs", name).exit_code == 0
        text = (tmp_path / name).read_text()
        for figure in ("weight", "sign", "standardised", "p_value", "direction"):
            assert figure in text
    assert run("convert", "cells-arcs", "fitted.R").exit_code == 0
    assert "custom.fit" in (tmp_path / "fitted.R").read_text()


def test_edge_lists_need_the_names_of_isolated_nodes(run, tmp_path):
    (tmp_path / "found.csv").write_text("from,to\na,b\n")
    (tmp_path / "true.csv").write_text("parent,child\na,b\nc,b\n")
    (tmp_path / "data.csv").write_text("a,b,c\n1,2,3\n")
    (tmp_path / "names.txt").write_text("a\nb\nc\n")
    refused = run("evaluate", "found.csv", "true.csv")
    assert refused.exit_code == 1
    assert "not in the estimate: 'c'" in refused.stderr
    assert "--nodes" in refused.stderr
    for nodes in ("a,b,c", "data.csv", "names.txt"):
        mended = run("evaluate", "found.csv", "true.csv", "--nodes", nodes, "--json")
        assert mended.exit_code == 0, mended.output
        assert json.loads(mended.stdout)["M"] == 1
    assert "3 nodes" in run("convert", "found.csv", "g.dot", "--nodes", "data.csv").stdout
