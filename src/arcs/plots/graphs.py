"""Pictures of graphs: the DAG, its equivalence class, and its difference from a truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcs.errors import DataError, GraphError
from arcs.graphs import GaussianDag, Pdag
from arcs.plots.canvas import DrawnEdge, draw_graph, graph_axes, legend_below
from arcs.plots.layout import layout_graph
from arcs.plots.style import (
    KINDS,
    NEGATIVE,
    POSITIVE,
    UNSIGNED,
    EdgeStyle,
    edge_opacity,
    edge_width,
)
from arcs.results import FitResult

__all__ = ["edge_kinds", "plot_comparison", "plot_cpdag", "plot_dag"]


def plot_dag(
    result: FitResult,
    ax: Any = None,
    *,
    min_strength: float = 0.0,
    engine: str = "auto",
    legend: bool = True,
) -> Any:
    """Draw the learned DAG.

    Widths are standardised coefficients; positive edges are blue and solid, negative ones orange
    and dashed (edges between categories have no sign); variables that were set are boxes. Edges
    with a low "confidence" in ``result.edge_values`` are pale. Edges
    with a hollow head point the other way in some of the graphs that fit the data as well.

    Parameters
    ----------
    result : FitResult
    ax : matplotlib axes, optional
        Without it a figure of the drawing's natural size is made (``ax.figure``).
    min_strength : float
        Leave out edges whose standardised coefficient is smaller in size.
    engine : {"auto", "dot", "neato", "fdp", "layered"}
    legend : bool

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.plots import plot_dag
    >>> axes = plot_dag(result, min_strength=0.2)
    >>> axes.figure.savefig("graph.pdf")  # doctest: +SKIP
    """
    strength = result.strengths()
    signed = isinstance(result.dag, GaussianDag)
    confidence = result.edge_values.get("confidence", np.full_like(strength, np.nan))
    boxed, open_ = result.intervened_nodes, result.cpdag.undirected
    adjacency = result.dag.adjacency & (np.abs(strength) >= min_strength)
    layout = layout_graph(adjacency, result.names, engine=engine, boxed=boxed)
    ax, scale = graph_axes(ax, layout, "plot_dag")
    edges = [
        DrawnEdge(
            *(i, j),
            UNSIGNED if not signed else POSITIVE if strength[i, j] >= 0 else NEGATIVE,
            edge_width(strength[i, j]),
            hollow=bool(open_[i, j]),
            opacity=edge_opacity(confidence[i, j]),
        )
        for i, j in np.argwhere(adjacency).tolist()
    ]
    draw_graph(ax, layout, result.names, edges, boxed=boxed, scale=scale)
    if legend:
        styles = [POSITIVE, NEGATIVE] if signed else []
        hollow = any(edge.hollow for edge in edges)
        legend_below(ax, styles, intervened=bool(boxed), hollow=hollow)
    return ax


def plot_cpdag(
    result: FitResult, ax: Any = None, *, engine: str = "auto", legend: bool = True
) -> Any:
    """Draw the equivalence class: arrows where the data tell the direction, plain lines elsewhere.

    Nodes stand where :func:`plot_dag` puts them. Returns the axes.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.plots import plot_cpdag
    >>> axes = plot_cpdag(result)
    >>> axes.figure.savefig("class.png")  # doctest: +SKIP
    """
    boxed = result.intervened_nodes
    graph = result.cpdag
    adjacency = graph.directed | np.triu(graph.undirected)
    if np.array_equal(graph.skeleton, result.dag.adjacency | result.dag.adjacency.T):
        adjacency = result.dag.adjacency
    layout = layout_graph(adjacency, result.names, engine=engine, boxed=boxed)
    ax, scale = graph_axes(ax, layout, "plot_cpdag")
    open_edge = EdgeStyle("direction open", NEGATIVE.colour, (5.0, 2.0))
    edges = []
    for i, j in np.argwhere(adjacency).tolist():
        told = not graph.undirected[i, j]
        edges.append(DrawnEdge(i, j, UNSIGNED if told else open_edge, 1.6, head=told))
    draw_graph(ax, layout, result.names, edges, boxed=boxed, scale=scale)
    if legend:
        told_style = UNSIGNED._replace(label="direction identified")
        legend_below(ax, [told_style, open_edge], intervened=bool(boxed))
    return ax


def plot_comparison(
    result: FitResult | GaussianDag,
    truth: GaussianDag | Pdag,
    ax: Any = None,
    *,
    experimental: bool | None = None,
    engine: str = "auto",
    legend: bool = True,
) -> Any:
    """Draw an estimate over a true DAG: correct, reversed, extra and missing edges.

    Parameters
    ----------
    result : FitResult or GaussianDag
        The estimate.
    truth : GaussianDag or Pdag
        The true DAG; nodes are matched by name.
    ax : matplotlib axes, optional
    experimental : bool, optional
        Compare directions directly, instead of up to equivalence; by default whether the result
        comes from experiments.
    engine : {"auto", "dot", "neato", "fdp", "layered"}
    legend : bool

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.plots import plot_comparison
    >>> axes = plot_comparison(result, drawn.truth)
    >>> axes.figure.savefig("comparison.png")  # doctest: +SKIP
    """
    dag = result.dag if isinstance(result, FitResult) else result
    boxed = result.intervened_nodes if isinstance(result, FitResult) else ()
    kinds = edge_kinds(
        dag, truth, experimental=bool(boxed) if experimental is None else experimental
    )
    adjacency = np.zeros((dag.p, dag.p), dtype=bool)
    for i, j in kinds:
        adjacency[i, j] = True
    layout = layout_graph(adjacency, dag.names, engine=engine, boxed=boxed)
    ax, scale = graph_axes(ax, layout, "plot_comparison")
    edges = [DrawnEdge(i, j, KINDS[kind], 1.9) for (i, j), kind in kinds.items()]
    draw_graph(ax, layout, dag.names, edges, boxed=boxed, scale=scale)
    if legend:
        counts = {kind: list(kinds.values()).count(kind) for kind in KINDS}
        styles = [style._replace(label=f"{kind} ({counts[kind]})") for kind, style in KINDS.items()]
        legend_below(ax, styles, intervened=bool(boxed))
    return ax


def edge_kinds(
    dag: GaussianDag, truth: GaussianDag | Pdag, *, experimental: bool = False
) -> dict[tuple[int, int], str]:
    """Each edge of the estimate as "correct", "reversed" or "extra", and the "missing" ones.

    The rules are those of :func:`arcs.metrics.evaluate`; nodes are numbered as in `dag`.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.plots import edge_kinds
    >>> sorted(set(edge_kinds(dag, dag).values()))
    ['correct']
    """
    true = _true_adjacency(dag, truth)
    found = dag.adjacency
    coincide = np.zeros_like(true)
    if not experimental:
        mine, theirs = dag.cpdag(), GaussianDag.from_adjacency(true, dag.names).cpdag()
        coincide = (mine.directed & theirs.directed) | (mine.undirected & theirs.undirected)
    kinds: dict[tuple[int, int], str] = {}
    for i, j in np.argwhere(found).tolist():
        if true[i, j] or coincide[i, j]:
            kinds[i, j] = "correct"
        else:
            kinds[i, j] = "reversed" if true[j, i] else "extra"
    absent = true & ~found & ~found.T
    for i, j in np.argwhere(absent).tolist():
        kinds[i, j] = "missing"
    return kinds


def _true_adjacency(dag: GaussianDag, truth: GaussianDag | Pdag) -> np.ndarray:
    """The true edges over the nodes of `dag`."""
    if isinstance(truth, Pdag) and not truth.is_dag():
        raise GraphError("the truth must be a DAG, but it has undirected edges or a cycle")
    if set(truth.names) != set(dag.names):
        absent = sorted(set(dag.names) ^ set(truth.names))
        raise DataError(
            f"estimate and truth name different nodes, such as {', '.join(map(repr, absent[:3]))}"
        )
    matrix = truth.directed if isinstance(truth, Pdag) else truth.adjacency
    at = [truth.names.index(name) for name in dag.names]
    return np.asarray(matrix[np.ix_(at, at)])
