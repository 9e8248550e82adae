"""Tetrad's text files.

.. code-block:: text

    Graph Nodes:
    a;b;c

    Graph Edges:
    1. a --> b
    2. b --- c

**Direction:** ``a --> b`` is a -> b, ``a --- b`` is undirected. Coefficients are not kept. Names
must not contain blanks, commas or semicolons. Marks of hidden confounding (``o->``, ``<->``) are
refused.
"""

from __future__ import annotations

import re

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, take_apart

__all__ = ["parse", "serialise"]

_EDGE = re.compile(r"\s*(?:\d+\.\s+)?(\S+)\s+(\S*[-o<>]\S*)\s+(\S+)")
_FORBIDDEN = re.compile(r"[\s,;]")


def serialise(graph: Graph) -> str:
    """`graph` as Tetrad writes it."""
    for name in graph.names:
        if _FORBIDDEN.search(name) or not name.isprintable():
            raise GraphError(
                f"Tetrad text cannot hold the name {name!r}: rename it without blanks, commas, "
                "semicolons and control characters"
            )
    lines = ["Graph Nodes:", ";".join(graph.names), "", "Graph Edges:"]
    for number, edge in enumerate(take_apart(graph).edges, start=1):
        mark = "-->" if edge.directed else "---"
        lines.append(f"{number}. {edge.source} {mark} {edge.target}")
    return "\n".join(lines) + "\n"


def parse(text: str) -> GraphParts:
    """Read nodes and edges; other sections (attributes, groupings) are skipped."""
    parts = GraphParts()
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.endswith(":") and stripped.lower().startswith("graph "):
            section = stripped.lower()
        elif not stripped:
            continue
        elif section == "graph nodes:":
            names = re.split(r"[;,\s]+", stripped.strip(";, "))
            parts.nodes += [Node(name) for name in names]
        elif section == "graph edges:":
            parts.edges.append(_edge(stripped, number))
        elif not section:
            raise FileFormatError(
                f"line {number}: expected 'Graph Nodes:', found {stripped[:40]!r}"
            )
    if section == "":
        raise FileFormatError("line 1: the file is empty; expected 'Graph Nodes:'")
    return parts


def _edge(line: str, number: int) -> Edge:
    match = _EDGE.match(line)
    if not match:
        raise FileFormatError(f"line {number}: {line!r} is not of the form '1. a --> b'")
    source, mark, target = match.groups()
    if mark == "-->":
        return Edge(source, target)
    if mark == "<--":
        return Edge(target, source)
    if mark == "---":
        return Edge(source, target, directed=False)
    raise FileFormatError(
        f"line {number}: the edge {mark!r} is neither directed nor undirected; "
        "graphs with hidden confounders are not supported"
    )
