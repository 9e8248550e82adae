"""One picture for a slide: what conditions do to the means, to a network, and what is left.

Three panels: the means of every variable under every condition; the network of rows that are taken
alike; and the network in which means may differ, drawn over a reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.data import Dataset
from arcs.graphs import Pdag
from arcs.plots.canvas import DrawnEdge, draw_graph, graph_axes, legend_below, new_figure
from arcs.plots.graphs import edge_kinds
from arcs.plots.layout import Layout, layout_graph
from arcs.plots.style import KINDS, UNSIGNED, edge_width
from arcs.results import FitResult

__all__ = ["Story", "condition_means", "plot_condition_means", "plot_story"]

_GREY = "#666666"
_SIZE = (13.33, 7.5)
#: Half of the room that a label of an edge takes, in points, and how much around it is enough.
_LABEL, _ROOM = np.array([14.0, 7.0]), 10.0
#: Places on an edge that are tried for it, from its source to its target.
_SHARES = np.linspace(0.2, 0.8, 25)
_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class Story:
    """What the picture tells.

    Attributes
    ----------
    dataset : Dataset
        Rows with conditions.
    ignored, found : FitResult
        The networks without conditions and with them; the latter may have confidences.
    reference : Pdag
        What to compare with.
    title, subtitle, caution : str
        Words above and below the picture.
    """

    dataset: Dataset
    ignored: FitResult
    found: FitResult
    reference: Pdag
    title: str = ""
    subtitle: str = ""
    caution: str = ""


def condition_means(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Means of the variables in each condition, in standard deviations within conditions from the
    mean of all rows; and the share of each variable's variance between conditions."""
    assert dataset.conditions is not None
    assert dataset.values is not None
    code, k = dataset.conditions.code, len(dataset.conditions.labels)
    values = np.asarray(dataset.values)
    means = np.stack([np.nanmean(values[code == r], axis=0) for r in range(k)])
    within = np.nanmean((values - means[code]) ** 2, axis=0)
    total = np.nanvar(values, axis=0)
    return (means - np.nanmean(values, axis=0)) / np.sqrt(within), 1.0 - within / total


def plot_condition_means(dataset: Dataset, ax: Any = None) -> Any:
    """A map of the means: one row per condition, one column per variable. Returns the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.data import Dataset
    >>> rows = np.random.default_rng(0).normal(size=(40, 3))
    >>> data = Dataset.of(rows, conditions=["control"] * 20 + ["heat"] * 20)
    >>> [label.get_text() for label in plot_condition_means(data).get_yticklabels()]
    ['control', 'heat']
    """
    means, _ = condition_means(dataset)
    assert dataset.conditions is not None
    labels = dataset.conditions.labels
    if ax is None:
        size = (2.5 + 0.35 * dataset.p, 1.2 + 0.3 * len(labels))
        ax = new_figure("plot_condition_means", size, layout="constrained").add_subplot()
    limit = float(np.clip(np.abs(means).max(), 0.5, 2.5))
    image = ax.imshow(means, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
    ax.set_xticks(range(dataset.p), dataset.names, rotation=60, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(labels)), labels)
    ax.tick_params(length=0, labelsize=8)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set_parse_math(False)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.045, pad=0.02)
    bar.set_label("mean, in standard deviations", fontsize=8, color=_GREY)
    bar.ax.tick_params(labelsize=7, length=2)
    bar.outline.set_visible(False)
    return ax


def plot_story(story: Story) -> Any:
    """Draw the three panels; returns the figure."""
    figure = new_figure("plot_story", _SIZE)
    figure.text(0.03, 0.945, story.title, fontsize=19, weight="bold", parse_math=False)
    figure.text(0.03, 0.905, story.subtitle, fontsize=11, color=_GREY, parse_math=False)
    means = figure.add_axes((0.155, 0.545, 0.215, 0.255))
    plot_condition_means(story.dataset, means)
    _, shares = condition_means(story.dataset)
    _heading(figure, 0.03, 0.855, "1", "Experiments move the means of everything")
    rest = f"they explain {100 * np.median(shares):.0f} % of a protein's variance (median)"
    _note(figure, 0.05, 0.835, rest)
    thicket = figure.add_axes((0.03, 0.06, 0.38, 0.32))
    _draw_thicket(thicket, story.ignored)
    _heading(figure, 0.03, 0.425, "2", f"Taken alike: a thicket of {story.ignored.n_edges} edges")
    _note(figure, 0.05, 0.4, "whatever moves together looks like cause and effect")
    network = figure.add_axes((0.45, 0.115, 0.53, 0.70))
    _draw_network(network, story)
    _heading(figure, 0.45, 0.855, "3", f"Means may differ: {story.found.n_edges} edges")
    _note(
        figure,
        0.47,
        0.835,
        "no arrow head: direction left open by the data; %: replicates in which it points that way",
    )
    figure.text(0.03, 0.015, story.caution, fontsize=8.5, color=_GREY, parse_math=False)
    return figure


def _heading(figure: Any, x: float, y: float, number: str, text: str) -> None:
    figure.text(x, y, number, fontsize=13, weight="bold", color="white", bbox=_badge())
    figure.text(x + 0.02, y, text, fontsize=13, weight="bold")


def _badge() -> dict[str, Any]:
    return {"boxstyle": "circle,pad=0.25", "facecolor": "#0072B2", "edgecolor": "none"}


def _note(figure: Any, x: float, y: float, text: str) -> None:
    figure.text(x, y, text, fontsize=9, color=_GREY, va="top")


def _draw_thicket(ax: Any, result: FitResult) -> None:
    """All nodes on a circle: how many edges there are is all there is to see."""
    layout = _circle(result)
    ax, scale = graph_axes(ax, layout, "plot_story")
    strength = result.dag.standardised_coefficients()
    edges = [
        DrawnEdge(i, j, UNSIGNED, 0.7 * edge_width(strength[i, j]), opacity=0.55)
        for i, j in np.argwhere(result.dag.adjacency).tolist()
    ]
    draw_graph(ax, layout, result.names, edges, boxed=result.intervened_nodes, scale=scale)


def _circle(result: FitResult) -> Layout:
    """Nodes on an ellipse, edges as straight lines between them."""
    plain = layout_graph(np.zeros_like(result.dag.adjacency), result.names, engine="layered")
    angle = 2 * np.pi * (np.arange(result.dag.p) + 0.5) / result.dag.p
    width, height = 420.0, 210.0
    centre = np.array([width / 2 + 35, height / 2 + 20])
    positions = centre + np.column_stack([width / 2 * np.cos(angle), height / 2 * np.sin(angle)])
    paths = {}
    for i, j in np.argwhere(result.dag.adjacency).tolist():
        step = positions[j] - positions[i]
        length = float(np.hypot(*step))
        start = positions[i] + step * 22 / length
        stop = positions[j] - step * 22 / length
        paths[i, j] = np.linspace(start, stop, 4)
    return Layout(positions, plain.sizes, paths, width + 70, height + 40)


def _draw_network(ax: Any, story: Story) -> None:
    result = story.found
    kinds = edge_kinds(result.dag, story.reference, experimental=True)
    adjacency = np.zeros_like(result.dag.adjacency)
    for i, j in kinds:
        adjacency[i, j] = True
    layout = layout_graph(adjacency, result.names, boxed=result.intervened_nodes)
    ax, scale = graph_axes(ax, layout, "plot_story")
    strength = result.dag.standardised_coefficients()
    open_ = result.cpdag.undirected
    edges = []
    for (i, j), kind in kinds.items():
        missing = kind == "missing"
        width = 1.0 if missing else 1.0 + edge_width(strength[i, j])
        edges.append(
            DrawnEdge(i, j, KINDS[kind], width, head=not open_[i, j], opacity=0.5 if missing else 1)
        )
    draw_graph(ax, layout, result.names, edges, boxed=result.intervened_nodes, scale=scale)
    _label_directions(ax, layout, story, scale)
    counts = {kind: list(kinds.values()).count(kind) for kind in KINDS}
    words = {"correct": "as in the literature", "reversed": "reversed", "extra": "not there"}
    words["missing"] = "only in the literature"
    styles = [s._replace(label=f"{words[kind]} ({counts[kind]})") for kind, s in KINDS.items()]
    legend_below(ax, styles, intervened=True)


def _label_directions(ax: Any, layout: Layout, story: Story, scale: float) -> None:
    """In how many replicates each edge points that way."""
    shares = story.found.edge_values.get("direction_confidence")
    present = story.found.edge_values.get("confidence")
    if shares is None or present is None:
        return
    for (i, j), (x, y) in label_places(layout, np.argwhere(story.found.dag.adjacency)).items():
        ax.text(
            *(x, y, f"{100 * shares[i, j] * present[i, j]:.0f} %"),
            fontsize=7.5 * scale,
            color="#333333",
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.85},
            zorder=5,
        )


def label_places(layout: Layout, edges: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Where on each edge its label stands: clear of nodes, of labels and of other edges.

    Near the middle, unless there is more room elsewhere.
    """
    drawn = {edge: _along(path, np.linspace(0, 1, 40)) for edge, path in layout.paths.items()}
    wanted: list[tuple[int, int]] = [(i, j) for i, j in edges.tolist()]
    places: dict[tuple[int, int], np.ndarray] = {}
    for edge in wanted * _SWEEPS:  # who comes later may need a place that another can spare
        others = [(place, _LABEL) for other, place in places.items() if other != edge]
        boxes = [*zip(layout.positions, layout.sizes / 2, strict=True), *others]
        lines = [line for other, line in drawn.items() if other != edge]
        points, cost = _candidates(layout.paths[edge])
        worth = [
            min(_gap(point, centre, half + _LABEL, _ROOM) for centre, half in boxes)
            + 0.5 * min((_gap(point, line, _LABEL, _ROOM) for line in lines), default=_ROOM)
            for point in points
        ]
        places[edge] = points[int(np.argmax(np.array(worth) - cost))]
    return places


def _candidates(path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points on an edge and beside it, and what it costs to be away from its middle."""
    points = _along(path, _SHARES)
    along = np.gradient(points, axis=0)
    normal = along[:, ::-1] * [-1, 1] / np.linalg.norm(along, axis=1, keepdims=True)
    beside = normal * (np.abs(normal) @ _LABEL + 1.0)[:, None]
    away = _ROOM * np.abs(_SHARES - 0.5)
    return np.concatenate([points, points + beside, points - beside]), np.tile(away, 3) + np.repeat(
        [0.0, 0.4 * _ROOM, 0.4 * _ROOM], len(away)
    )


def _gap(point: np.ndarray, centres: np.ndarray, half: np.ndarray, most: float) -> float:
    """How far a point is from the nearest of equal boxes, less than 0 inside; `most` is enough."""
    return min(float(np.min(np.max(np.abs(point - centres) - half, axis=-1))), most)


def _along(path: np.ndarray, shares: np.ndarray) -> np.ndarray:
    return np.array([_on_path(path, float(share)) for share in shares])


def _on_path(path: np.ndarray, share: float) -> np.ndarray:
    """The point at that share of a path of cubic Bezier pieces."""
    pieces = (len(path) - 1) // 3
    piece = min(int(share * pieces), pieces - 1)
    t = share * pieces - piece
    a, b, c, d = path[3 * piece : 3 * piece + 4]
    u = 1.0 - t
    return np.asarray(u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d)
