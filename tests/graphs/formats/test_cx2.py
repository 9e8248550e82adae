"""CX2: structure, parameters and figures for Cytoscape."""

import json

import numpy as np
import pytest

from arcs.errors import FileFormatError
from arcs.graphs import GaussianDag, Pdag, graph_from_text, graph_to_text

NAMES = ["a", 'b "q"', "ü\n<c>"]


@pytest.fixture
def dag():
    return GaussianDag(
        [[0, 0.5, 0], [0, 0, -2.0], [0, 0, 0]], [1, 2, 3], NAMES, intercepts=[1, 0, 4]
    )


def test_a_dag_comes_back(dag):
    again = graph_from_text(graph_to_text(dag, "cx2"))
    assert again == dag


def test_both_kinds_of_edges_come_back():
    pdag = Pdag([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 1], [0, 1, 0]], NAMES)
    assert graph_from_text(graph_to_text(pdag, "cx2")) == pdag


def test_figures_are_declared_attributes(dag):
    figures = {("a", 'b "q"'): {"confidence": 0.75, "direction": "open", "unknown": np.nan}}
    document = json.loads(graph_to_text(dag, "cx2", figures))
    aspects = {name: content for part in document for name, content in part.items()}
    edge = aspects["edges"][0]["v"]
    assert edge["weight"] == 0.5
    assert edge["sign"] == "positive"
    assert edge["confidence"] == 0.75
    assert edge["direction"] == "open"
    assert "unknown" not in edge
    declared = aspects["attributeDeclarations"][0]["edges"]
    assert declared["confidence"] == {"d": "double"}
    assert declared["direction"] == {"d": "string"}
    assert {entry["name"]: entry["elementCount"] for entry in aspects["metaData"]}["edges"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "not JSON"),
        ("{}", "list of aspects"),
        ('[{"CXVersion": "1.0"}]', "CXVersion 2.0"),
        ('[{"CXVersion": "2.0"}, {"nodes": [{"id": 0, "v": {}}]}]', "lacks 'name'"),
        (
            '[{"CXVersion": "2.0"}, {"nodes": [{"id": 0, "v": {"name": "a"}}]}, '
            '{"edges": [{"id": 0, "s": 0, "t": 7}]}]',
            "lacks 7",
        ),
        (
            '[{"CXVersion": "2.0"}, {"nodes": [{"id": 0, "v": {"name": "a", "intercept": "x"}}]}]',
            "intercept 'x' is not a number",
        ),
    ],
)
def test_damage_is_refused(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "cx2")
