"""Graphviz DOT.

**Direction:** ``"a" -> "b"`` is a -> b. An undirected edge of a `Pdag` is written as
``"a" -> "b" [dir="none"]``, once. Coefficients are the attribute ``coefficient`` (Graphviz gives
``weight`` another meaning), beside ``standard_error``; nodes carry ``noise_variance`` and
``intercept``. All names are quoted.
"""

from __future__ import annotations

from arcs.errors import FileFormatError
from arcs.graphs.formats.dot_language import (
    EdgeStatement,
    Statements,
    attributes,
    quoted,
    read_statements,
)
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, as_number, take_apart

__all__ = ["parse", "serialise"]


def serialise(graph: Graph) -> str:
    """`graph` as a DOT digraph with all its parameters."""
    parts = take_apart(graph)
    lines = ["digraph {", f'  arcs_kind="{parts.kind}";']
    for node in parts.nodes:
        listed = attributes({"noise_variance": node.noise_variance, "intercept": node.intercept})
        lines.append(f"  {quoted(node.name)}{listed};")
    for edge in parts.edges:
        listed = attributes(
            {
                "dir": None if edge.directed else "none",
                "coefficient": edge.weight,
                "standard_error": edge.standard_error,
            }
        )
        lines.append(f"  {quoted(edge.source)} -> {quoted(edge.target)}{listed};")
    return "\n".join([*lines, "}"]) + "\n"


def parse(text: str) -> GraphParts:
    """Read a DOT file; ``graph`` files give undirected edges."""
    found = read_statements(text, ("digraph", "graph"))
    kind = found.attributes.get("arcs_kind")
    return GraphParts(
        [_node(name, found) for name in found.nodes],
        [_edge(statement, found.keyword) for statement in found.edges],
        "dag" if kind == "dag" else "pdag" if kind == "pdag" else None,
    )


def _node(name: str, found: Statements) -> Node:
    listed, line = found.nodes[name], found.node_lines[name]
    variance = as_number(listed.get("noise_variance"), "noise_variance", line)
    return Node(name, variance, as_number(listed.get("intercept"), "intercept", line))


def _edge(statement: EdgeStatement, keyword: str) -> Edge:
    expected = "->" if keyword == "digraph" else "--"
    if statement.arrow != expected:
        raise FileFormatError(
            f"line {statement.line}: a {keyword} has edges {expected!r}, not {statement.arrow!r}"
        )
    usual = "forward" if keyword == "digraph" else "none"
    direction = statement.attributes.get("dir", usual)
    if direction not in ("forward", "back", "none"):
        raise FileFormatError(f"line {statement.line}: an edge with dir={direction} has no meaning")
    ends = (statement.source, statement.target)
    source, target = ends[::-1] if direction == "back" else ends
    weight = as_number(statement.attributes.get("coefficient"), "coefficient", statement.line)
    error = as_number(statement.attributes.get("standard_error"), "standard_error", statement.line)
    return Edge(source, target, direction != "none", weight, error)
