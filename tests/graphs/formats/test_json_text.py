import json

import pytest

from arcs.errors import FileFormatError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import graph_from_text, graph_to_text

GOOD = {"format": "arcs-graph", "version": 1, "kind": "dag", "nodes": [{"name": "a"}], "edges": []}


def test_the_documented_shape():
    dag = GaussianDag([[0, 0.1], [0, 0]], [1, 2], ["a", "b"], intercepts=[0, -1])
    document = json.loads(graph_to_text(dag, "json"))
    assert document["nodes"][1] == {"name": "b", "noise_variance": 2.0, "intercept": -1.0}
    assert document["edges"] == [{"source": "a", "target": "b", "type": "directed", "weight": 0.1}]
    assert graph_from_text(json.dumps(GOOD)) == GaussianDag([[0]], [1], ["a"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not an ARCS graph"),
        ({"version": 2}, "newer ARCS"),
        ({"version": "1"}, "version '1'"),
        ({"kind": "tree"}, "kind 'tree'"),
        ({"nodes": None}, "'nodes' must be a list"),
        ({"nodes": [1]}, "'nodes' must be a list"),
        ({"nodes": [{"name": 3}]}, "node 0: 'name' must be text"),
        ({"nodes": [{"name": "a", "intercept": True}]}, "node 0: 'intercept' must be a number"),
        ({"nodes": [{"name": "a", "intercept": float("nan")}]}, "node 0: .* not finite"),
        ({"nodes": [{"name": "a", "noise_variance": 10**400}]}, "node 0: .* not finite"),
        ({"edges": [{"source": "a", "target": "a", "type": "x"}]}, "edge 0: type 'x'"),
        ({"edges": [{"source": "a", "target": "b"}]}, "'b', which is not a node"),
    ],
)
def test_damage_is_refused(change, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(json.dumps(GOOD | change), "json")


def test_broken_text_is_located():
    with pytest.raises(FileFormatError, match="line 2"):
        graph_from_text('{"format":\n}', "json")
    with pytest.raises(FileFormatError, match=r"nested|line"):
        graph_from_text("[" * 100_000, "json")
