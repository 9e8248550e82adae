"""DAGitty's graph language.

**Direction:** ``a -> b`` (or ``b <- a``) is a -> b, ``a -- b`` is undirected. ``dag { ... }`` is
read as a DAG and ``pdag { ... }`` as a `Pdag`. Coefficients are the attribute ``beta``; noise
variances, intercepts and standard errors are not kept. Bidirected edges (``<->``, hidden
confounders) are refused; exposures, outcomes and positions are ignored.
"""

from __future__ import annotations

from arcs.errors import FileFormatError
from arcs.graphs.formats.dot_language import EdgeStatement, attributes, quoted, read_statements
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, as_number, take_apart

__all__ = ["parse", "serialise"]


def serialise(graph: Graph) -> str:
    """`graph` as DAGitty reads it; all names are quoted."""
    parts = take_apart(graph)
    lines = [f"{parts.kind} {{"]
    lines += [quoted(node.name) for node in parts.nodes]
    for edge in parts.edges:
        arrow = "->" if edge.directed else "--"
        listed = attributes({"beta": edge.weight})
        lines.append(f"{quoted(edge.source)} {arrow} {quoted(edge.target)}{listed}")
    return "\n".join([*lines, "}"]) + "\n"


def parse(text: str) -> GraphParts:
    """Read ``dag { ... }`` or ``pdag { ... }``."""
    found = read_statements(text, ("dag", "pdag"))
    return GraphParts(
        [Node(name) for name in found.nodes],
        [_edge(statement) for statement in found.edges],
        "dag" if found.keyword == "dag" else "pdag",
    )


def _edge(statement: EdgeStatement) -> Edge:
    weight = as_number(statement.attributes.get("beta"), "beta", statement.line)
    if statement.arrow == "->":
        return Edge(statement.source, statement.target, True, weight)
    if statement.arrow == "<-":
        return Edge(statement.target, statement.source, True, weight)
    if statement.arrow == "--":
        return Edge(statement.source, statement.target, False, weight)
    raise FileFormatError(
        f"line {statement.line}: the edge {statement.arrow!r} between {statement.source!r} and "
        f"{statement.target!r} is neither directed nor undirected"
    )
