"""The graph as SVG text: a picture of its own, and the interactive part of the report.

Everything that comes from the data (names) is escaped, and characters that no XML file may hold are
left out. Styles are attributes, so the picture looks the same inside and outside the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import escape

from arcs.graphs import GaussianDag
from arcs.plots.geometry import arrow_head, shortened
from arcs.plots.layout import FONT_SIZE, Layout, layout_graph, shown_name
from arcs.plots.style import (
    INTERVENED_FILL,
    NEGATIVE,
    NODE_FILL,
    NODE_LINE,
    POSITIVE,
    UNSIGNED,
    edge_opacity,
    edge_width,
)
from arcs.results import FitResult
from arcs.tables import printable

__all__ = ["graph_svg", "number"]


def graph_svg(result: FitResult, *, engine: str = "auto") -> str:
    """The learned DAG as a complete SVG document (without XML declaration).

    Every edge is a group ``<g class="edge" data-edge="k">``, numbered as in
    :meth:`FitResult.edges`, every node a group ``<g class="node" data-node="j">``.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.report import graph_svg
    >>> graph_svg(result)[:4]
    '<svg'
    """
    rows = list(enumerate(result.edge_table().rows()))
    boxed = result.intervened_nodes
    layout = layout_graph(result.dag.adjacency, result.names, engine=engine, boxed=boxed)
    legend = _legend(result, layout)
    height = layout.height + 26
    width = max(layout.width, 300.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" '
        f'width="{width:.1f}" height="{height:.1f}" role="img" '
        'font-family="Helvetica, Arial, DejaVu Sans, sans-serif">',
        f"<title>{escape(_title(result))}</title>",
        '<g class="drawing">',
        # Strong edges are drawn last, over the weak ones.
        *(_edge(k, row, result, layout) for k, row in reversed(rows)),
        *(_node(k, name, k in set(boxed), layout) for k, name in enumerate(result.names)),
        "</g>",
        legend,
        "</svg>",
    ]
    return "\n".join(parts)


def number(value: float) -> str:
    """Three significant digits, a true minus sign."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.3g}".replace("-", "−")


def _title(result: FitResult) -> str:
    return f"{result.method}: {len(result.names)} variables, {result.n_edges} edges"


def _edge(index: int, row: Mapping[str, Any], result: FitResult, layout: Layout) -> str:
    signed = "standardised" in row
    strength = row["standardised"] if signed else _strength(row, result)
    style = UNSIGNED if not signed else POSITIVE if strength >= 0 else NEGATIVE
    width = edge_width(strength)
    length, breadth = 7.0 + 1.6 * width, 4.0 + 1.5 * width
    path = layout.paths[result.names.index(row["from"]), result.names.index(row["to"])]
    line = _flipped(shortened(path, 0.8 * length), layout)
    head = _flipped(arrow_head(path, length, breadth), layout)
    dashes = " ".join(f"{dash * width:.1f}" for dash in style.dashes)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    open_direction = ", direction not identified" if row["direction"] == "open" else ""
    label = f"{printable(row['from'])} → {printable(row['to'])}: "
    if signed:
        label += f"{number(row['coefficient'])} (standardised {number(strength)}{open_direction})"
    else:
        label += f"strength {number(row['strength'])} (log odds){open_direction}"
    opacity = edge_opacity(row["confidence"])
    pale = "" if opacity == 1.0 else f' opacity="{opacity:.2f}"'
    if not np.isnan(row["confidence"]):
        label += f", confidence {number(row['confidence'])}"
    return (
        f'<g class="edge" data-edge="{index}"{pale}><title>{escape(label)}</title>'
        f'<path d="{_bezier(line)}" fill="none" stroke="{style.colour}" '
        f'stroke-width="{width:.2f}"{dashed}/>'
        f'<polygon points="{_points(head)}" fill="{style.colour}"/></g>'
    )


def _strength(row: Mapping[str, Any], result: FitResult) -> float:
    at = result.names.index(row["from"]), result.names.index(row["to"])
    return float(result.strengths()[at])


def _node(index: int, name: str, boxed: bool, layout: Layout) -> str:
    (x, y), (width, height) = layout.positions[index], layout.sizes[index]
    y = layout.height - y
    if boxed:
        shape = (
            f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="3" fill="{INTERVENED_FILL}" stroke="#000000" '
            'stroke-width="2"/>'
        )
    else:
        shape = (
            f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{height / 2:.1f}" '
            f'fill="{NODE_FILL}" stroke="{NODE_LINE}" stroke-width="1"/>'
        )
    return (
        f'<g class="node" data-node="{index}"><title>{escape(printable(name))}</title>{shape}'
        f'<text x="{x:.1f}" y="{y + 0.35 * FONT_SIZE:.1f}" font-size="{FONT_SIZE:g}" '
        f'text-anchor="middle">{escape(shown_name(name))}</text></g>'
    )


def _legend(result: FitResult, layout: Layout) -> str:
    y = layout.height + 10
    items = []
    signed = isinstance(result.dag, GaussianDag)
    for x, style in ((10, POSITIVE), (95, NEGATIVE)) if signed else ():
        dashes = " ".join(f"{dash * 2.2:.1f}" for dash in style.dashes)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        items.append(
            f'<line x1="{x}" y1="{y:.1f}" x2="{x + 30}" y2="{y:.1f}" stroke="{style.colour}" '
            f'stroke-width="2.2"{dashed}/><text x="{x + 35}" y="{y + 3:.1f}">{style.label}</text>'
        )
    if result.intervened_nodes:
        items.append(
            f'<rect x="188" y="{y - 5:.1f}" width="10" height="10" fill="{INTERVENED_FILL}" '
            f'stroke="#000000" stroke-width="1.6"/>'
            f'<text x="203" y="{y + 3:.1f}">intervened upon</text>'
        )
    return f'<g class="legend" font-size="9">{"".join(items)}</g>'


def _flipped(points: np.ndarray, layout: Layout) -> np.ndarray:
    """From the y axis pointing up to that of SVG."""
    return np.column_stack([points[:, 0], layout.height - points[:, 1]])


def _bezier(points: np.ndarray) -> str:
    start, *rest = (f"{x:.1f},{y:.1f}" for x, y in points)
    return f"M{start} C{' '.join(rest)}"


def _points(points: np.ndarray) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
