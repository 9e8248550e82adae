"""SIF, Cytoscape's simple interaction format: one line per edge, ``source interaction target``.

**Direction:** from the first name to the last. The interaction is ``positive`` or ``negative``
(the sign of the coefficient), ``directed`` where there is no coefficient, and ``undirected``. Nodes
without edges have a line of their own. Fields are separated by tabs, so that names may hold blanks;
coefficients themselves are not kept: edges.csv or CX2 have them.
"""

from __future__ import annotations

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node, take_apart

__all__ = ["parse", "serialise"]


def serialise(graph: Graph) -> str:
    """The edges of `graph` with their signs."""
    parts = take_apart(graph)
    for node in parts.nodes:
        if not node.name.isprintable() or node.name != node.name.strip():
            raise GraphError(
                f"SIF cannot hold the name {node.name!r}: rename it without tabs, line breaks, "
                "control characters and outer blanks"
            )
    joined = {end for edge in parts.edges for end in (edge.source, edge.target)}
    lines = [f"{edge.source}\t{_interaction(edge)}\t{edge.target}" for edge in parts.edges]
    lines += [node.name for node in parts.nodes if node.name not in joined]
    return "\n".join(lines) + "\n"


def parse(text: str) -> GraphParts:
    """Read SIF; a line may list several targets. Any interaction but "undirected" is an arrow."""
    parts = GraphParts()
    names: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields = [field.strip() for field in (line.split("\t") if "\t" in line else line.split())]
        if not any(fields):
            continue
        if len(fields) == 2 or not all(fields):
            raise FileFormatError(
                f"line {number}: expected a node, or source, interaction and target, got {line!r}"
            )
        source, targets = fields[0], fields[2:]
        names |= dict.fromkeys([source, *targets])
        directed = len(fields) < 2 or fields[1] != "undirected"
        parts.edges += [Edge(source, target, directed) for target in targets]
    parts.nodes = [Node(name) for name in names]
    return parts


def _interaction(edge: Edge) -> str:
    if not edge.directed:
        return "undirected"
    if edge.weight is None:
        return "directed"
    return "positive" if edge.weight > 0 else "negative"
