"""Effects, the averaged graph and experiments in the report."""

import json
import re

import numpy as np
import pytest

from arcs.graphs import EdgeList, GraphEnsemble
from arcs.report import render_report
from arcs.report.causes import averaged_graph, experiments, graph_differences, node_effects


def payload(page):
    text = re.search(r'<script[^>]*id="payload"[^>]*>(.*?)</script>', page, re.S)[1]
    return json.loads(text)


@pytest.fixture(scope="module")
def told(result):
    """The result after a bootstrap whose graphs lack the first edge and turn an open one."""
    dag, cpdag = result.dag, result.cpdag
    edges = EdgeList.of(dag.adjacency, cpdag, dag.coefficients)
    fewer = EdgeList(*(part[1:] for part in edges))
    ensemble = GraphEnsemble.of(result.names, [fewer, fewer, edges])
    return result.with_(ensemble=ensemble)


def test_effects_of_every_variable(result):
    table = result.effect_figures()
    found = node_effects(result)
    for x, entry in enumerate(found):
        others = np.flatnonzero(table.effects[x])
        assert len(entry["effects"]) + entry["more"] == len(others) - 1
        sizes = [abs(effect["size"]) for effect in entry["effects"]]
        assert sizes == sorted(sizes, reverse=True)
        for effect in entry["effects"]:
            y = result.names.index(effect["name"])
            assert effect["size"] == table.standardised[x, y]
            assert effect["low"] <= effect["size"] <= effect["high"]
    nodes = payload(render_report(result))["nodes"]
    assert [node["effects"] for node in nodes] == [entry["effects"] for entry in found]


def test_the_average_beside_the_best_graph(result, told):
    assert averaged_graph(result) is None
    assert "average-section" not in render_report(result)
    average = averaged_graph(told)
    assert average.n_edges == result.n_edges - 1
    rows = graph_differences(told, average)
    first = result.dag.named_edges()[0]
    assert [(row["from"], row["to"], row["where"]) for row in rows] == [(*first, "best only")]
    page = render_report(told)
    assert "Average of 3 bootstrap graphs" in page
    drawn = payload(page)
    assert len(drawn["average"]["edges"]) == average.n_edges
    marked = [edge for edge in drawn["edges"] if "kind" in edge]
    assert [drawn["nodes"][edge["source"]]["name"] for edge in marked] == [first[0]]
    assert [edge["kind"] for edge in marked] == ["removed"]
    assert not [edge for edge in drawn["average"]["edges"] if "kind" in edge]


def test_experiments(result, told):
    page = render_report(result)
    assert ("Most would be learned" in page) == bool(experiments(result))
    rows = experiments(told)
    assert [row["targets"] for row in rows] == told.experiment_table(5)["targets"]


def test_hostile_names_stay_text(hostile):
    page = render_report(hostile)
    assert "<script>window.broken" not in page
    assert (
        "onerror=" not in re.sub(r"&#?\w+;", "", page).replace("\\u003c", "") or "<img" not in page
    )
