"""Boxplots of a metric over data sets, methods side by side, as in the paper's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from arcs.errors import DataError
from arcs.plots.canvas import given_or_new_axes
from arcs.plots.style import METHOD_COLOURS

__all__ = ["plot_boxplots"]

_HATCHES = ("", "///", "...", "\\\\\\", "xx", "--", "oo", "++")


def plot_boxplots(
    rows: Iterable[Mapping[str, Any]],
    metric: str = "SHD",
    ax: Any = None,
    *,
    by: str = "method",
    group: str | None = None,
    order: Sequence[str] | None = None,
) -> Any:
    """Draw one box per method, in groups.

    Parameters
    ----------
    rows : iterable of mappings
        One row per run, with the columns `metric`, `by` and (optionally) `group`. Rows in which
        the metric is missing (``None`` or NaN: a failed run) are left out.
    metric : str
        What to draw.
    ax : matplotlib axes, optional
    by : str
        The column whose values get a box each.
    group : str, optional
        The column whose values stand along the horizontal axis, for example the setting.
    order : sequence of str, optional
        Order of the boxes; by first appearance otherwise.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from arcs.plots import plot_boxplots
    >>> rows = [{"method": m, "SHD": d} for m in ("arcs", "ges") for d in (1, 2, 4)]
    >>> axes = plot_boxplots(rows)
    >>> axes.get_ylabel()
    'SHD'
    """
    table = [row for row in rows if _is_number(row.get(metric))]
    if not table:
        raise DataError(f"no row has a value of {metric!r}: nothing to draw")
    names = list(order or dict.fromkeys(str(row[by]) for row in table))
    groups = list(dict.fromkeys(str(row[group]) for row in table)) if group else [""]
    ax = given_or_new_axes(
        ax, "plot_boxplots", (max(4.2, 1.2 + 0.42 * len(names) * len(groups)), 3.6)
    )
    wide = 0.8 / len(names)
    for k, name in enumerate(names):
        values = [_values(table, metric, by, name, group, label) for label in groups]
        places = np.arange(len(groups)) + (k - (len(names) - 1) / 2) * wide
        drawn = ax.boxplot(
            values, positions=places, widths=0.82 * wide, patch_artist=True, manage_ticks=False
        )
        _paint(drawn, k, name)
    ax.set_xlim(-0.5, len(groups) - 0.5)
    ax.set_xticks(range(len(groups)), groups, parse_math=False)
    for border in np.arange(len(groups) - 1) + 0.5:
        ax.axvline(border, color="0.9", lw=0.8, zorder=0)
    ax.set_ylabel(metric)
    ax.legend(fontsize=8, frameon=False, ncols=min(4, len(names)), loc="lower left",
              bbox_to_anchor=(0, 1))  # fmt: skip
    return ax


def _values(
    table: list[Mapping[str, Any]], metric: str, by: str, name: str, group: str | None, label: str
) -> list[float]:
    return [
        float(row[metric])
        for row in table
        if str(row[by]) == name and (group is None or str(row[group]) == label)
    ]


def _paint(drawn: Mapping[str, Any], k: int, name: str) -> None:
    """Colour and hatch: one of them survives any printer."""
    for box in drawn["boxes"]:
        box.set(facecolor=METHOD_COLOURS[k % len(METHOD_COLOURS)], hatch=_HATCHES[k % 8])
        box.set(edgecolor="black", linewidth=0.8)
    drawn["boxes"][0].set_label(name)
    for part in drawn["medians"]:
        part.set(color="black", linewidth=1.6)
    for part in drawn["fliers"]:
        part.set(marker=".", markersize=4, markeredgecolor="0.3")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))
