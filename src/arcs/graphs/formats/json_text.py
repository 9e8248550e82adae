"""JSON: the format that keeps everything.

**Direction:** ``source -> target`` for ``"type": "directed"``; an undirected edge is listed once.

.. code-block:: json

    {"format": "arcs-graph", "version": 1, "kind": "dag",
     "nodes": [{"name": "a", "noise_variance": 1.0, "intercept": 0.0}],
     "edges": [{"source": "a", "target": "b", "type": "directed", "weight": 0.5,
                "standard_error": 0.1}]}
"""

from __future__ import annotations

import json
import sys
from typing import Any

from arcs.errors import FileFormatError
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, take_apart

__all__ = ["parse", "serialise"]

_VERSION = 1


def serialise(graph: Graph) -> str:
    """`graph` with all its parameters; numbers are written so that they come back exactly."""
    parts = take_apart(graph)
    document = {
        "format": "arcs-graph",
        "version": _VERSION,
        "kind": parts.kind,
        "nodes": [_without_none(vars(node)) for node in parts.nodes],
        "edges": [
            _without_none(
                {
                    "source": edge.source,
                    "target": edge.target,
                    "type": "directed" if edge.directed else "undirected",
                    "weight": edge.weight,
                    "standard_error": edge.standard_error,
                }
            )
            for edge in parts.edges
        ],
    }
    # ASCII only: the text survives any encoding, and lone surrogates do no harm.
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def parse(text: str) -> GraphParts:
    """Read what :func:`serialise` wrote."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"line {error.lineno}: {error.msg}") from error
    except ValueError as error:  # a number with thousands of digits
        raise FileFormatError(f"a number in the JSON text cannot be read: {error}") from error
    except RecursionError as error:
        raise FileFormatError("the JSON text is nested too deeply") from error
    _check_head(document)
    parts = GraphParts(kind=document.get("kind"))
    for number, entry in enumerate(_list(document, "nodes")):
        where = f"node {number}"
        numbers = [_number(entry, key, where) for key in ("noise_variance", "intercept")]
        parts.nodes.append(Node(_text(entry, "name", where), *numbers))
    for number, entry in enumerate(_list(document, "edges")):
        where = f"edge {number}"
        kind = entry.get("type", "directed")
        if kind not in ("directed", "undirected"):
            raise FileFormatError(f"{where}: type {kind!r} is neither directed nor undirected")
        source, target = (_text(entry, key, where) for key in ("source", "target"))
        weight = _number(entry, "weight", where)
        spread = _number(entry, "standard_error", where)
        parts.edges.append(Edge(source, target, kind == "directed", weight, spread))
    return parts


def _without_none(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}


def _check_head(document: Any) -> None:
    if not isinstance(document, dict) or document.get("format") != "arcs-graph":
        raise FileFormatError('line 1: not an ARCS graph: "format": "arcs-graph" is missing')
    version = document.get("version")
    if not isinstance(version, int) or version > _VERSION:
        raise FileFormatError(
            f"version {version!r} of the graph format is not known here (up to {_VERSION}); "
            "a newer ARCS wrote it: upgrade"
        )
    if document.get("kind") not in ("dag", "pdag"):
        raise FileFormatError(f"kind {document.get('kind')!r} is neither 'dag' nor 'pdag'")


def _list(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    entries = document.get(key)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise FileFormatError(f"{key!r} must be a list of objects")
    return entries


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise FileFormatError(f"{where}: {key!r} must be text, not {value!r}")
    return value


def _number(entry: dict[str, Any], key: str, where: str) -> float | None:
    value = entry.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FileFormatError(f"{where}: {key!r} must be a number, not {value!r}")
    if not abs(value) <= sys.float_info.max:
        raise FileFormatError(f"{where}: {key!r} is not finite")
    return float(value)
