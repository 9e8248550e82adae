"""What all formats have in common: a graph taken apart into named nodes and edges.

Every reader produces a :class:`GraphParts`, and :func:`assemble` turns it into a graph, so that the
rules on what is a `GaussianDag` and what is a `Pdag` stand in one place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.dag import GaussianDag
from arcs.graphs.pdag import Pdag
from arcs.graphs.structure import Dag

__all__ = [
    "Edge",
    "Figures",
    "Graph",
    "GraphParts",
    "Kind",
    "Node",
    "as_number",
    "assemble",
    "edge_attributes",
    "take_apart",
]

Graph = Dag | Pdag
Figures = Mapping[tuple[str, str], Mapping[str, float | str]]
"""Figures of edges by their ends, such as {("a", "b"): {"confidence": 0.9}}."""
Kind = Literal["dag", "pdag"]


@dataclass(frozen=True)
class Node:
    """A node with the parameters that a format may or may not carry."""

    name: str
    noise_variance: float | None = None
    intercept: float | None = None


@dataclass(frozen=True)
class Edge:
    """``source -> target``, or ``source - target`` if it is not directed."""

    source: str
    target: str
    directed: bool = True
    weight: float | None = None
    standard_error: float | None = None
    figures: Mapping[str, float | str] = field(default_factory=dict, compare=False)


@dataclass
class GraphParts:
    """A graph as a list of nodes and a list of edges; `kind` is None where a file does not say."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    kind: Kind | None = None


def take_apart(graph: Graph, figures: Figures | None = None) -> GraphParts:
    """The parts of `graph`, nodes in their order and edges sorted, with further `figures`."""
    if not isinstance(graph, (Dag, Pdag)):
        raise GraphError(f"a GaussianDag or a Pdag is needed, not a {type(graph).__name__}")
    parts = _parts(graph)
    if figures:
        known = {tuple(sorted(ends)): values for ends, values in figures.items()}
        parts.edges = [
            replace(edge, figures=known.get(tuple(sorted((edge.source, edge.target))), {}))
            for edge in parts.edges
        ]
    return parts


def edge_attributes(edge: Edge) -> dict[str, float | str]:
    """All that is known of an edge, for formats that take any attribute; what is NaN is not."""
    known: dict[str, float | str | None] = {
        "weight": edge.weight,
        "standard_error": edge.standard_error,
        "sign": None if not edge.weight else "positive" if edge.weight > 0 else "negative",
        **edge.figures,
    }
    return {name: value for name, value in known.items() if value is not None and value == value}


def _parts(graph: Graph) -> GraphParts:
    names = graph.names
    if isinstance(graph, Pdag):
        edges = [Edge(names[i], names[j]) for i, j in graph.directed_edges()]
        edges += [Edge(names[i], names[j], directed=False) for i, j in graph.undirected_edges()]
        return GraphParts([Node(name) for name in names], edges, "pdag")
    if not isinstance(graph, GaussianDag):
        edges = [Edge(names[i], names[j]) for i, j in graph.edges()]
        return GraphParts([Node(name) for name in names], edges, "dag")
    errors = graph.standard_errors
    numbers = zip(names, graph.noise_variances, graph.intercepts, strict=True)
    nodes = [Node(name, float(omega), float(c)) for name, omega, c in numbers]
    edges = [
        Edge(names[i], names[j], True, float(graph.coefficients[i, j]), _error_at(errors, i, j))
        for i, j in graph.edges()
    ]
    return GraphParts(nodes, edges, "dag")


def assemble(
    parts: GraphParts, kind: Kind | None = None, names: Sequence[str] | None = None
) -> Graph:
    """Build the graph.

    Parameters
    ----------
    parts : GraphParts
    kind : {"dag", "pdag"}, optional
        What to build. By default what the file says it is; if it does not say, a `Pdag` when there
        is an undirected edge and a `GaussianDag` otherwise. Coefficients and variances that a file
        does not give are one.
    names : sequence of str, optional
        The order in which the nodes shall be listed. Names that are not in the file become nodes
        without edges.
    """
    nodes = _ordered_nodes(parts, names)
    index = {node.name: i for i, node in enumerate(nodes)}
    _refuse_edges(parts.edges, index)
    any_undirected = any(not edge.directed for edge in parts.edges)
    chosen = kind or parts.kind or ("pdag" if any_undirected else "dag")
    if chosen not in ("dag", "pdag"):
        raise GraphError(f"kind must be 'dag' or 'pdag', not {chosen!r}")
    if chosen == "pdag":
        return _pdag(nodes, parts.edges, index)
    if any_undirected:
        edge = next(edge for edge in parts.edges if not edge.directed)
        raise GraphError(
            f"a DAG was asked for, but {edge.source!r} - {edge.target!r} is undirected; read it as "
            "kind='pdag' and take a consistent_dag()"
        )
    return _dag(nodes, parts.edges, index)


def as_number(text: str | None, what: str, line: int) -> float | None:
    """A finite number, None for a blank, or a `FileFormatError` with the line."""
    if text is None or not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        raise FileFormatError(f"line {line}: {what} {text!r} is not a number") from None
    if not np.isfinite(number):
        raise FileFormatError(f"line {line}: {what} {text!r} is not finite")
    return number


def _error_at(errors: np.ndarray | None, i: int, j: int) -> float | None:
    return None if errors is None or np.isnan(errors[i, j]) else float(errors[i, j])


def _ordered_nodes(parts: GraphParts, names: Sequence[str] | None) -> list[Node]:
    if names is None:
        return parts.nodes
    known = {node.name: node for node in parts.nodes}
    absent = [name for name in known if name not in set(names)]
    if absent:
        raise GraphError(f"the graph has a node {absent[0]!r} that is not among the given names")
    return [known.get(name, Node(name)) for name in names]


def _refuse_edges(edges: list[Edge], index: dict[str, int]) -> None:
    seen: set[frozenset[str]] = set()
    for edge in edges:
        for end in (edge.source, edge.target):
            if end not in index:
                raise FileFormatError(f"an edge ends at {end!r}, which is not a node of the graph")
        pair = frozenset((edge.source, edge.target))
        if pair in seen:
            raise FileFormatError(
                f"there are two edges between {edge.source!r} and {edge.target!r}; "
                "an undirected edge is written once"
            )
        seen.add(pair)


def _pdag(nodes: list[Node], edges: list[Edge], index: dict[str, int]) -> Pdag:
    p = len(nodes)
    directed, undirected = np.zeros((p, p), dtype=bool), np.zeros((p, p), dtype=bool)
    for edge in edges:
        i, j = index[edge.source], index[edge.target]
        if edge.directed:
            directed[i, j] = True
        else:
            undirected[i, j] = undirected[j, i] = True
    return Pdag(directed, undirected, [node.name for node in nodes])


def _dag(nodes: list[Node], edges: list[Edge], index: dict[str, int]) -> GaussianDag:
    coefficients = np.zeros((len(nodes), len(nodes)))
    errors, arrows = np.full_like(coefficients, np.nan), np.zeros(coefficients.shape, dtype=bool)
    for edge in edges:
        i, j = index[edge.source], index[edge.target]
        arrows[i, j] = True
        coefficients[i, j] = 1.0 if edge.weight is None else edge.weight
        if edge.standard_error is not None:
            errors[i, j] = edge.standard_error
    has_errors = any(edge.standard_error is not None for edge in edges)
    return GaussianDag(
        coefficients,
        [1.0 if node.noise_variance is None else node.noise_variance for node in nodes],
        [node.name for node in nodes],
        intercepts=[node.intercept or 0.0 for node in nodes],
        standard_errors=errors if has_errors else None,
        adjacency=arrows,
    )
