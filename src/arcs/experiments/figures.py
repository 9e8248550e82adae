"""Figures as pure functions of the rows.

Every function takes rows and returns a matplotlib figure (the extra ``viz``); nothing is shown and
nothing is run. Only runs that came to their proper end are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from arcs.errors import DataError, require
from arcs.experiments.cases import Case
from arcs.experiments.methods import GRID_GAMMAS, GRID_LAMBDAS, grid_label
from arcs.experiments.rows import Row, current_rows
from arcs.experiments.studies import Study, study
from arcs.plots import plot_boxplots

__all__ = ["DRAWINGS", "bic_percentiles", "draw", "grid_percentile"]


def draw(name: str, rows: Iterable[Row]) -> Any:
    """The figure of that name from any rows that contain its own."""
    found = study(name)
    wanted = {case.key for case in found.cases}
    usable = [
        row
        for row in current_rows(rows)
        if row.ok and row.case in wanted and row.method in found.methods
    ]
    if not usable:
        raise DataError(
            f"there are no rows for {name!r} yet; produce them with `arcs experiment run {name}`"
        )
    drawing = DRAWINGS.get(name, draw_by_setting)
    return drawing(found, usable)


def draw_by_setting(found: Study, rows: Sequence[Row]) -> Any:
    """SHD of all methods, one group of boxes per setting."""
    figure, axes = _canvas(1, width=_width(found, rows))
    _boxes(axes[0], found, _labelled(found.cases, rows), "SHD")
    return _titled(figure, found.title)


def draw_sample_sizes(found: Study, rows: Sequence[Row]) -> Any:
    """SHD by sample size, one panel per network."""
    names = [n for n in _networks(found) if any(row.network == n for row in rows)]
    figure, axes = _canvas(len(names), width=5.2 * len(names))
    for ax, name in zip(axes, names, strict=True):
        cases = tuple(c for c in found.cases if c.setting.name == name)
        labels = {c.key: f"n = {c.setting.n}" for c in cases}
        _boxes(ax, found, _labelled(cases, rows, labels), "SHD")
        ax.set_xlabel(name)
    return _titled(figure, found.title)


def draw_interventions(found: Study, rows: Sequence[Row]) -> Any:
    """SHD and the share of reversed edges, with and without interventions."""
    methods = [m for m in found.methods if any(row.method == m for row in rows)]
    figure, axes = _canvas(2, len(methods), width=5.6 * len(methods))
    for column, method in enumerate(methods):
        mine = [
            {
                "SHD": row.SHD,
                "R/P": None if not row.P else (row.R or 0) / row.P,
                "data": "experimental" if row.experimental else "observational",
                "network": row.network,
            }
            for row in _in_order(found.cases, rows)
            if row.method == method
        ]
        for line, metric in enumerate(("SHD", "R/P")):
            ax = axes[line * len(methods) + column]
            plot_boxplots(
                mine, metric, ax, by="data", group="network",
                order=[d for d in ("observational", "experimental")
                       if any(entry["data"] == d for entry in mine)],
            )  # fmt: skip
            ax.tick_params(axis="x", labelrotation=30)
            ax.set_title(method, loc="right", fontsize=9)
    return _titled(figure, found.title)


def draw_grid(found: Study, rows: Sequence[Row]) -> Any:
    """Histograms of the SHDs of all points of the grid, with the BIC's choice."""
    panels = [
        (case, start, grid)
        for case in found.cases
        for start in ("CD", "GES")
        if (grid := _grid_shds(rows, case, start))
    ]
    if not panels:
        raise DataError("no row of the grid: run `arcs experiment run bic` to its end")
    figure, axes = _canvas(math.ceil(len(panels) / 2), min(2, len(panels)), width=9.0)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax, (case, start, grid) in zip(axes, panels, strict=False):
        chosen = _mean_shd(rows, case, f"ARCS({start})")
        _histogram(ax, grid, chosen)
        text = f"ARCS({start}), {case.setting.name}, n = {case.setting.n}"
        if chosen is not None:
            text += f": percentile {grid_percentile(grid, chosen):.0f}"
        ax.set_title(text, fontsize=9)
    return _titled(figure, found.title)


def bic_percentiles(rows: Iterable[Row]) -> list[tuple[Case, str, float]]:
    """For each case and start of the study of the BIC: its percentile among the grid's SHDs."""
    kept = [row for row in current_rows(rows) if row.ok]
    found = []
    for case in study("bic").cases:
        for start in ("CD", "GES"):
            grid, chosen = _grid_shds(kept, case, start), _mean_shd(kept, case, f"ARCS({start})")
            if grid and chosen is not None:
                found.append((case, start, grid_percentile(grid, chosen)))
    return found


def grid_percentile(grid: Sequence[float], chosen: float) -> float:
    """Percentage of the grid's points with a smaller SHD than the BIC's choice."""
    return 100.0 * sum(value < chosen for value in grid) / len(grid)


def _grid_shds(rows: Sequence[Row], case: Case, start: str) -> list[float]:
    """Mean SHD of every point of the grid that was run."""
    points = (
        _mean_shd(rows, case, grid_label(start, i, k))
        for i in range(len(GRID_GAMMAS))
        for k in range(len(GRID_LAMBDAS))
    )
    return [value for value in points if value is not None]


def _mean_shd(rows: Sequence[Row], case: Case, method: str) -> float | None:
    values = [row.SHD for row in rows if row.case == case.key and row.method == method]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _histogram(ax: Any, grid: Sequence[float], chosen: float | None) -> None:
    top = max(grid)
    edges = [top * k / 30 for k in range(31)] if top else 1
    better = [v for v in grid if chosen is not None and v < chosen]
    rest = [v for v in grid if chosen is None or v >= chosen]
    # The paper's figure shows the points that beat the BIC in grey.
    ax.hist([better, rest], bins=edges, stacked=True, color=["0.45", "white"], edgecolor="black")
    if chosen is not None:
        ax.axvline(chosen, color="#D55E00", lw=1.4)
    ax.set_xlabel("SHD")
    ax.set_ylabel("points of the grid")


# ---------------------------------------------------------------------------- shared parts
def _canvas(rows: int, columns: int | None = None, *, width: float) -> tuple[Any, list[Any]]:
    """A figure that belongs to nobody, and its axes; one row of axes unless `columns` is given."""
    module = require("matplotlib.figure", "viz", "drawing figures")
    shape = (1, rows) if columns is None else (rows, columns)
    figure = module.Figure(figsize=(max(width, 4.8), 0.6 + 3.4 * shape[0]), layout="constrained")
    axes = figure.subplots(*shape, squeeze=False)
    return figure, list(axes.ravel())


def _titled(figure: Any, title: str) -> Any:
    figure.suptitle(title, fontsize=11)
    return figure


def _width(found: Study, rows: Sequence[Row]) -> float:
    boxes = len({(row.case, row.method) for row in rows})
    return 1.6 + 0.34 * boxes + 0.3 * len(found.cases)


def _networks(found: Study) -> list[str]:
    return list(dict.fromkeys(case.setting.name for case in found.cases))


def _in_order(cases: Sequence[Case], rows: Sequence[Row]) -> list[Row]:
    """The rows of the cases, in the order of the cases."""
    place = {case.key: k for k, case in enumerate(cases)}
    return sorted((row for row in rows if row.case in place), key=lambda row: place[row.case])


def _labelled(
    cases: Sequence[Case], rows: Sequence[Row], labels: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """The rows of the cases with a column for the horizontal axis."""
    names = labels or {c.key: f"{c.setting.name}\nn={c.setting.n}" for c in cases}
    return [{**row.to_dict(), "setting": names[row.case]} for row in _in_order(cases, rows)]


def _boxes(ax: Any, found: Study, entries: list[dict[str, Any]], metric: str) -> None:
    present = {entry["method"] for entry in entries}
    order = [label for label in found.methods if label in present]
    plot_boxplots(entries, metric, ax, group="setting", order=order)


#: How each figure is drawn; a study that is not listed gets one group of boxes per setting.
DRAWINGS: Mapping[str, Callable[[Study, Sequence[Row]], Any]] = MappingProxyType(
    {
        "sample-size": draw_sample_sizes,
        "interventions": draw_interventions,
        "bic": draw_grid,
    }
)
