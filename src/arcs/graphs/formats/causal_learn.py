"""causal-learn's graph objects (the package ``causal-learn``, imported only when asked).

**Direction:** causal-learn keeps a matrix of end marks in which ``graph[j, i] = 1`` and ``graph[i,
j] = -1`` stand for i -> j, the transposed of the convention here. These functions translate through
its edges, not through the matrix. Coefficients are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arcs.errors import GraphError, require
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Kind, Node, assemble, take_apart

__all__ = ["from_causallearn", "to_causallearn"]


def to_causallearn(graph: Graph) -> Any:
    """`graph` as a ``causallearn.graph.GeneralGraph.GeneralGraph``.

    Examples
    --------
    >>> from arcs.graphs import cpdag_of, to_causallearn
    >>> to_causallearn(cpdag_of([[0, 1], [0, 0]], ["a", "b"])).get_num_edges()
    1
    """
    purpose = "converting to causal-learn"
    general = require("causallearn.graph.GeneralGraph", "peers", purpose)
    edges = require("causallearn.graph.Edge", "peers", purpose)
    endpoints = require("causallearn.graph.Endpoint", "peers", purpose).Endpoint
    nodes = require("causallearn.graph.GraphNode", "peers", purpose)
    parts = take_apart(graph)
    made = {node.name: nodes.GraphNode(node.name) for node in parts.nodes}
    result = general.GeneralGraph(list(made.values()))
    for edge in parts.edges:
        head = endpoints.ARROW if edge.directed else endpoints.TAIL
        result.add_edge(edges.Edge(made[edge.source], made[edge.target], endpoints.TAIL, head))
    return result


def from_causallearn(
    graph: Any, *, kind: Kind | None = None, names: Sequence[str] | None = None
) -> Graph:
    """A `Pdag` or `GaussianDag` from a causal-learn graph.

    Parameters
    ----------
    graph : GeneralGraph, Dag or CausalGraph
        What a search returns (``CausalGraph``) is unwrapped.
    kind : {"dag", "pdag"}, optional
        By default a `Pdag` if there is an undirected edge, else a `GaussianDag`.
    names : sequence of str, optional
        The order in which the nodes shall be listed.

    Examples
    --------
    >>> from arcs.graphs import cpdag_of, from_causallearn, to_causallearn
    >>> pdag = cpdag_of([[0, 1], [0, 0]], ["a", "b"])
    >>> from_causallearn(to_causallearn(pdag)) == pdag
    True
    """
    inner = getattr(graph, "G", graph)
    parts = GraphParts([Node(node.get_name()) for node in inner.get_nodes()])
    for edge in inner.get_graph_edges():
        ends = (edge.get_node1().get_name(), edge.get_node2().get_name())
        marks = (edge.get_endpoint1().name, edge.get_endpoint2().name)
        if marks == ("TAIL", "ARROW"):
            parts.edges.append(Edge(*ends))
        elif marks == ("ARROW", "TAIL"):
            parts.edges.append(Edge(*ends[::-1]))
        elif marks == ("TAIL", "TAIL"):
            parts.edges.append(Edge(*ends, directed=False))
        else:
            raise GraphError(
                f"the edge between {ends[0]!r} and {ends[1]!r} has the marks {marks[0].lower()} "
                f"and {marks[1].lower()}; only directed and undirected edges are supported"
            )
    return assemble(parts, kind, names)
