"""CX2, the JSON format of Cytoscape and NDEx.

**Direction:** ``{"s": a, "t": b}`` is a -> b, by numbers of nodes. Each edge carries
``interaction`` ("directed" or "undirected"), ``weight``, ``standard_error``, ``sign``, and whatever
figures it was written with (``confidence``, ``direction``, ``p_value``, ...); nodes carry ``name``,
``noise_variance`` and ``intercept``. Names are JSON text, so that any will do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arcs.errors import FileFormatError
from arcs.graphs.formats.parts import (
    Edge,
    Figures,
    Graph,
    GraphParts,
    Node,
    edge_attributes,
    take_apart,
)

__all__ = ["parse", "serialise"]

_VERSION = {"CXVersion": "2.0", "hasFragments": False}


def serialise(graph: Graph, figures: Figures | None = None) -> str:
    """`graph` with all its parameters and the `figures` of its edges."""
    parts = take_apart(graph, figures)
    number = {node.name: k for k, node in enumerate(parts.nodes)}
    nodes = [
        {"id": k, "v": _known({"name": node.name, **_parameters(node)})}
        for k, node in enumerate(parts.nodes)
    ]
    edges = [
        {"id": k, "s": number[edge.source], "t": number[edge.target], "v": _values(edge)}
        for k, edge in enumerate(parts.edges)
    ]
    aspects: dict[str, list[Any]] = {
        "attributeDeclarations": [
            {
                "networkAttributes": {"kind": {"d": "string"}},
                "nodes": _declared(node["v"] for node in nodes),
                "edges": _declared(edge["v"] for edge in edges),
            }
        ],
        "networkAttributes": [{"kind": parts.kind}],
        "nodes": nodes,
        "edges": edges,
    }
    counts = [{"name": name, "elementCount": len(content)} for name, content in aspects.items()]
    document = [_VERSION, {"metaData": counts}, *({name: x} for name, x in aspects.items())]
    document.append({"status": [{"success": True}]})
    return json.dumps(document, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def parse(text: str) -> GraphParts:
    """Read a CX2 document; nodes need a ``name``, edges may have ``interaction`` and ``weight``."""
    aspects = _aspects(text)
    try:
        names = {entry["id"]: str(entry["v"]["name"]) for entry in aspects.get("nodes", [])}
        nodes = [
            Node(str(v["name"]), _number(v, "noise_variance"), _number(v, "intercept"))
            for v in (entry["v"] for entry in aspects.get("nodes", []))
        ]
        edges = [_edge(entry, names) for entry in aspects.get("edges", [])]
    except (LookupError, TypeError, AttributeError) as error:
        raise FileFormatError(f"CX2: a node or an edge lacks {error}") from None
    kind = next((a.get("kind") for a in aspects.get("networkAttributes", [])), None)
    return GraphParts(nodes, edges, kind if kind in ("dag", "pdag") else None)


def _values(edge: Edge) -> dict[str, Any]:
    kind = "directed" if edge.directed else "undirected"
    return {"interaction": kind, **edge_attributes(edge)}


def _parameters(node: Node) -> dict[str, float | None]:
    return {"noise_variance": node.noise_variance, "intercept": node.intercept}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _declared(values: Any) -> dict[str, dict[str, str]]:
    types = {key: type(value) for entry in values for key, value in entry.items()}
    return {key: {"d": "string" if kind is str else "double"} for key, kind in types.items()}


def _aspects(text: str) -> dict[str, Sequence[Any]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"not JSON: {error}") from None
    if not isinstance(document, list) or not all(isinstance(part, dict) for part in document):
        raise FileFormatError("CX2 is a list of aspects")
    if not document or str(document[0].get("CXVersion")) != "2.0":
        raise FileFormatError("only CX2 is understood: the first entry must say CXVersion 2.0")
    found: dict[str, Sequence[Any]] = {}
    for part in document[1:]:
        for name, content in part.items():
            if isinstance(content, list):
                found[name] = [*found.get(name, []), *content]
    return found


def _edge(entry: Mapping[str, Any], names: Mapping[Any, str]) -> Edge:
    values = entry.get("v", {})
    directed = values.get("interaction", "directed") != "undirected"
    numbers = (_number(values, "weight"), _number(values, "standard_error"))
    return Edge(names[entry["s"]], names[entry["t"]], directed, *numbers)


def _number(values: Mapping[str, Any], key: str) -> float | None:
    value = values.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FileFormatError(f"CX2: {key} {value!r:.40} is not a number")
    return float(value)
