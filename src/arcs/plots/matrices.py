"""The adjacency matrix in the learned order."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcs.plots.canvas import given_or_new_axes
from arcs.plots.layout import shown_name
from arcs.plots.style import NEGATIVE, POSITIVE
from arcs.results import FitResult

__all__ = ["plot_adjacency"]

#: Up to here every row and column has its name.
_NAMED = 80


def plot_adjacency(result: FitResult, ax: Any = None, *, legend: bool = True) -> Any:
    """Draw the coefficients as a matrix, rows and columns in the learned order.

    Row i, column j is the edge i -> j, so everything lies above the diagonal. The area of a mark
    is the size of the standardised coefficient; positive ones are filled squares, negative ones
    open circles. Returns the axes.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> from arcs.plots import plot_adjacency
    >>> axes = plot_adjacency(result)
    >>> axes.figure.savefig("adjacency.png")  # doctest: +SKIP
    """
    order = result.order.nodes
    p = order.size
    matrix = result.strengths()[np.ix_(order, order)]
    side = float(np.clip(0.17 * p + 1.6, 4.2, 12.0))
    ax = given_or_new_axes(ax, "plot_adjacency", (side, side))
    room = float(min(ax.get_window_extent().size)) / ax.figure.dpi * 72
    cell = 0.85 * room / max(p, 1)
    for style, marker, chosen in ((POSITIVE, "s", matrix > 0), (NEGATIVE, "o", matrix < 0)):
        rows, columns = np.nonzero(chosen)
        size = cell * np.sqrt(np.clip(np.abs(matrix[rows, columns]), 0.08, 1.0))
        filled = {"fc": style.colour} if marker == "s" else {"fc": "none", "ec": style.colour}
        ax.scatter(
            *(columns, rows),
            s=np.maximum(size, 2.2) ** 2,
            marker=marker,
            lw=0 if marker == "s" else min(1.4, max(0.5, cell / 7)),
            label=f"{style.label} ({rows.size})",
            **filled,
        )
    _frame(ax, result, order)
    if legend:
        ax.legend(loc="lower left", fontsize=8, frameon=True, framealpha=1.0)
    return ax


def _frame(ax: Any, result: FitResult, order: np.ndarray) -> None:
    p = order.size
    ax.plot([-0.5, p - 0.5], [-0.5, p - 0.5], color="0.6", lw=0.8, zorder=0)
    ax.set_xlim(-0.5, p - 0.5)
    ax.set_ylim(p - 0.5, -0.5)
    ax.set_aspect("equal")
    ax.set_ylabel("cause, in the learned order")
    ax.set_xlabel("effect, in the learned order")
    if p > _NAMED:
        return
    intervened = set(result.intervened_nodes)
    labels = [shown_name(result.names[k]) + (" *" if k in intervened else "") for k in order]
    size = float(np.clip(9 - p / 16, 4.5, 8))
    ax.set_xticks(range(p), labels, rotation=90, fontsize=size, parse_math=False)
    ax.set_yticks(range(p), labels, fontsize=size, parse_math=False)
    ax.tick_params(length=0)
    ax.grid(color="0.93", lw=0.6)
    ax.set_axisbelow(True)
    if intervened:
        ax.set_title("* intervened upon", fontsize=8, loc="right")
