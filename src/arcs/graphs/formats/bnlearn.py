"""bnlearn's model strings, such as ``[a][b][c|a:b]``.

**Direction:** ``[c|a:b]`` says that a and b are the parents of c. Only DAGs have a model string.
Coefficients are not kept. Names must not contain ``[``, ``]``, ``:`` or ``|``; the format has no
way to quote them.
"""

from __future__ import annotations

import numpy as np

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Node
from arcs.graphs.pdag import Pdag

__all__ = ["parse", "serialise"]

_RESERVED = set("[]:|")


def serialise(graph: Graph) -> str:
    """The model string of a DAG, nodes in their own order."""
    if isinstance(graph, Pdag):
        if not graph.is_dag():
            raise GraphError("a model string holds DAGs only; take a consistent_dag() first")
        adjacency = graph.directed
    else:
        adjacency = graph.adjacency
    for name in graph.names:
        if _RESERVED & set(name) or name != name.strip() or not name.isprintable():
            raise GraphError(
                f"a model string cannot hold the name {name!r}: rename it without []:|, "
                "control characters and outer blanks"
            )
    blocks = []
    for j, name in enumerate(graph.names):
        parents = ":".join(graph.names[i] for i in np.flatnonzero(adjacency[:, j]))
        blocks.append(f"[{name}|{parents}]" if parents else f"[{name}]")
    return "".join(blocks) + "\n"


def parse(text: str) -> GraphParts:
    """Read a model string; blanks and line ends between the brackets are ignored."""
    parts = GraphParts(kind="dag")
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        line = text.count("\n", 0, at) + 1
        end = text.find("]", at)
        if text[at] != "[" or end < 0:
            raise FileFormatError(
                f"line {line}: expected [node] or [node|parents] at {text[at : at + 20]!r}"
            )
        _read_block(text[at + 1 : end], line, parts)
        at = end + 1
    if not parts.nodes:
        raise FileFormatError("line 1: the model string is empty")
    return parts


def _read_block(block: str, line: int, parts: GraphParts) -> None:
    name, *parents = (piece.strip() for piece in block.split("|"))
    listed = [parent.strip() for parent in parents[0].split(":")] if parents else []
    if len(parents) > 1 or "[" in block or not name or not all(listed):
        raise FileFormatError(f"line {line}: [{block}] is not of the form [node|parent:parent]")
    parts.nodes.append(Node(name))
    parts.edges += [Edge(parent, name) for parent in listed]
