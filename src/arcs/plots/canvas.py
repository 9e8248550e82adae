"""Drawing a laid-out graph on matplotlib axes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.errors import require
from arcs.plots.geometry import arrow_head, shortened
from arcs.plots.layout import FONT_SIZE, Layout, shown_name
from arcs.plots.style import INTERVENED_FILL, NODE_FILL, NODE_LINE, EdgeStyle

__all__ = ["DrawnEdge", "draw_graph", "given_or_new_axes", "graph_axes", "legend_below"]

#: Inches; larger drawings are scaled down to it.
_LARGEST = 40.0
_LEGEND_HEIGHT = 0.48


@dataclass(frozen=True)
class DrawnEdge:
    """One edge of a drawing; without a head it is undirected, with a hollow one its direction is
    open."""

    source: int
    target: int
    style: EdgeStyle
    width: float
    head: bool = True
    hollow: bool = False
    opacity: float = 1.0


def new_figure(purpose: str, figsize: tuple[float, float], **settings: Any) -> Any:
    """A figure that belongs to nobody: it is in no list of pyplot, and shown by notebooks only."""
    require("matplotlib", "viz", purpose)
    from arcs.plots.figure import NotebookFigure

    return NotebookFigure(figsize=figsize, **settings)


def given_or_new_axes(ax: Any, purpose: str, figsize: tuple[float, float]) -> Any:
    """The caller's axes, or new ones."""
    return new_figure(purpose, figsize, layout="constrained").add_subplot() if ax is None else ax


def graph_axes(ax: Any, layout: Layout, purpose: str) -> tuple[Any, float]:
    """Axes with the drawing's coordinates, and their scale: points on paper per unit."""
    natural = np.array([layout.width, layout.height]) / 72
    if ax is None:
        scale = min(1.0, _LARGEST / float(natural.max()))
        width, height = np.maximum(natural * scale, (4.2, 1.0))
        figure = new_figure(purpose, (width, height + _LEGEND_HEIGHT))
        strip = _LEGEND_HEIGHT / (height + _LEGEND_HEIGHT)
        ax = figure.add_axes((0, strip, 1, 1 - strip))
    else:
        room = ax.get_window_extent().size / ax.figure.dpi
        scale = float(min(1.5, (room / natural).min()))
    ax.set_xlim(0, layout.width)
    ax.set_ylim(0, layout.height)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax, scale


def draw_graph(
    ax: Any,
    layout: Layout,
    names: Sequence[str],
    edges: Sequence[DrawnEdge],
    *,
    boxed: Collection[int] = (),
    scale: float = 1.0,
) -> None:
    """Draw edges, then nodes over them. `scale` shrinks lines and letters with the drawing."""
    for edge in sorted(edges, key=lambda e: e.width):
        _draw_edge(ax, edge, layout.paths[edge.source, edge.target], scale)
    marked = set(boxed)
    for k, name in enumerate(names):
        x, y = layout.positions[k]
        ax.add_patch(_node_patch(layout, k, k in marked, scale))
        # parse_math: a column called "$x$" is a name, not a formula.
        ax.text(
            *(x, y, shown_name(name)),
            ha="center",
            va="center_baseline",
            fontsize=0.95 * FONT_SIZE * scale,
            color="black",
            parse_math=False,
            zorder=4,
        )


def _draw_edge(ax: Any, edge: DrawnEdge, path: np.ndarray, scale: float) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    length, breadth = 7.0 + 1.6 * edge.width, 4.0 + 1.5 * edge.width
    line = shortened(path, 0.8 * length) if edge.head else path
    codes = [Path.MOVETO] + [Path.CURVE4] * (len(line) - 1)
    ax.add_patch(
        PathPatch(
            Path(line, codes),
            facecolor="none",
            edgecolor=edge.style.colour,
            linewidth=edge.width * scale,
            linestyle=(0, edge.style.dashes) if edge.style.dashes else "-",
            capstyle="butt",
            alpha=edge.opacity,
            zorder=2,
        )
    )
    if edge.head:
        corners = arrow_head(path, length, breadth)
        look: dict[str, Any] = {"facecolor": edge.style.colour, "linewidth": 0}
        if edge.hollow:
            look = {"facecolor": NODE_FILL, "edgecolor": edge.style.colour, "linewidth": scale}
        ax.add_patch(Polygon(corners, closed=True, alpha=edge.opacity, zorder=2, **look))


def _node_patch(layout: Layout, node: int, boxed: bool, scale: float) -> Any:
    from matplotlib.patches import Ellipse, FancyBboxPatch

    (x, y), (width, height) = layout.positions[node], layout.sizes[node]
    if not boxed:
        return Ellipse((x, y), width, height, fc=NODE_FILL, ec=NODE_LINE, lw=0.9 * scale, zorder=3)
    return FancyBboxPatch(
        (x - width / 2, y - height / 2),
        *(width, height),
        boxstyle="round,pad=0,rounding_size=3",
        fc=INTERVENED_FILL,
        ec="black",
        lw=2.0 * scale,
        zorder=3,
    )


def legend_below(
    ax: Any, styles: Sequence[EdgeStyle], *, intervened: bool, hollow: bool = False
) -> None:
    """A legend under the drawing."""
    from matplotlib.lines import Line2D

    dash: Callable[[EdgeStyle], Any] = lambda s: (0, s.dashes) if s.dashes else "-"  # noqa: E731
    handles = [Line2D([], [], color=s.colour, ls=dash(s), lw=2.2, label=s.label) for s in styles]
    if hollow:
        head: dict[str, Any] = {"marker": ">", "ms": 8, "mfc": NODE_FILL, "mec": NODE_LINE}
        handles.append(Line2D([], [], ls="", label="direction open", **head))
    if intervened:
        marker: dict[str, Any] = {
            "marker": "s",
            "ms": 9,
            "mfc": INTERVENED_FILL,
            "mec": "black",
            "mew": 1.6,
        }
        handles.append(Line2D([], [], ls="", label="intervened upon", **marker))
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.02),
        ncols=min(len(handles), 3),
        frameon=False,
        fontsize=max(8.0, 0.6 * ax.figure.get_figwidth()),
        handlelength=3.2,
        columnspacing=1.4,
    )
