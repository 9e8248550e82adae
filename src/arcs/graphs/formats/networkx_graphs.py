"""networkx graphs.

**Direction:** the edge (a, b) of a ``DiGraph`` is a -> b. An undirected edge of a `Pdag` is a pair
of opposite edges, both with ``type="undirected"``. Nodes are the names; edges carry ``weight`` and
``standard_error``, nodes ``noise_variance`` and ``intercept``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arcs.errors import GraphError
from arcs.graphs.formats.parts import Edge, Graph, GraphParts, Kind, Node, assemble, take_apart

__all__ = ["from_networkx", "to_networkx"]


def to_networkx(graph: Graph) -> Any:
    """`graph` as a ``networkx.DiGraph`` on its names.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.graphs import to_networkx
    >>> list(to_networkx(dag).edges)
    [('a', 'b'), ('b', 'c')]
    """
    import networkx as nx  # takes long to import

    parts = take_apart(graph)
    result = nx.DiGraph(kind=parts.kind)
    for node in parts.nodes:
        values = {"noise_variance": node.noise_variance, "intercept": node.intercept}
        result.add_node(node.name, **_given(values))
    for edge in parts.edges:
        values = {"weight": edge.weight, "standard_error": edge.standard_error}
        kind = "directed" if edge.directed else "undirected"
        result.add_edge(edge.source, edge.target, type=kind, **_given(values))
        if not edge.directed:
            result.add_edge(edge.target, edge.source, type=kind)
    return result


def from_networkx(
    graph: Any, *, kind: Kind | None = None, names: Sequence[str] | None = None
) -> Graph:
    """A `GaussianDag` or `Pdag` from a networkx graph.

    Parameters
    ----------
    graph : networkx.DiGraph or networkx.Graph
        Opposite pairs of edges are undirected, and so are all edges of a ``Graph``. Nodes that are
        not text are named by their ``str``.
    kind : {"dag", "pdag"}, optional
        By default a `Pdag` if there is an undirected edge, else a `GaussianDag`.
    names : sequence of str, optional
        The order in which the nodes shall be listed.

    Examples
    --------
    >>> import networkx
    >>> from arcs.graphs import from_networkx
    >>> from_networkx(networkx.DiGraph([("a", "b"), ("b", "c")])).named_edges()
    [('a', 'b'), ('b', 'c')]
    """
    if graph.is_multigraph():
        raise GraphError("multigraphs are not supported: there is one edge between two nodes")
    parts = GraphParts(kind=graph.graph.get("kind"))
    for node, values in graph.nodes(data=True):
        numbers = (_number(values, "noise_variance"), _number(values, "intercept"))
        parts.nodes.append(Node(str(node), *numbers))
    done = set()
    for source, target, values in graph.edges(data=True):
        both_ways = not graph.is_directed() or (graph.has_edge(target, source) and source != target)
        if both_ways and (target, source) in done:
            continue
        done.add((source, target))
        numbers = (_number(values, "weight"), _number(values, "standard_error"))
        parts.edges.append(Edge(str(source), str(target), not both_ways, *numbers))
    return assemble(parts, kind, names)


def _given(values: Mapping[str, float | None]) -> dict[str, float]:
    return {key: value for key, value in values.items() if value is not None}


def _number(values: Mapping[str, Any], key: str) -> float | None:
    value = values.get(key)
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        raise GraphError(f"the attribute {key}={value!r} is not a number") from None
