"""How the search went: annealing trace and tuning surface."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from arcs.errors import DataError
from arcs.plots.canvas import given_or_new_axes
from arcs.plots.style import NEGATIVE, POSITIVE
from arcs.results import FitResult

__all__ = ["bic_label", "chosen_setting", "plot_trace", "plot_tuning", "tuning_columns"]


def plot_trace(result: FitResult, ax: Any = None) -> Any:
    """Draw current and best score against the iterations, and the temperature on a second axis.

    Returns the axes of the score.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import ARCS
    >>> from arcs.plots import plot_trace
    >>> axes = plot_trace(ARCS(random_state=0).fit(drawn.data).result_)
    >>> axes.figure.savefig("trace.png")  # doctest: +SKIP
    """
    trace = result.trace
    if "score" not in trace and "best" not in trace:
        raise DataError(f"the result of {result.method!r} has no trace: nothing to draw")
    ax = given_or_new_axes(ax, "plot_trace", (6.4, 3.6))
    length = len(next(iter(trace.values())))
    steps = trace.get("iteration", np.arange(length))
    if "score" in trace:
        ax.plot(steps, trace["score"], color=POSITIVE.colour, lw=0.8, alpha=0.7, label="current")
    if "best" in trace:
        ax.plot(steps, trace["best"], color="black", lw=1.6, label="best")
    ax.set_xlabel("iteration")
    ax.set_ylabel("score")
    ax.margins(x=0.01)
    lines = ax.get_lines()
    if "temperature" in trace and np.any(np.asarray(trace["temperature"]) > 0):
        warm = ax.twinx()
        warm.set_zorder(ax.get_zorder() - 1)
        ax.patch.set_visible(False)
        colour = NEGATIVE.colour
        warm.plot(steps, trace["temperature"], color=colour, ls="--", lw=1.1, label="temperature")
        warm.set_yscale("log")
        warm.set_ylabel("temperature", color=colour)
        lines = [*lines, *warm.get_lines()]
    ax.legend(handles=lines, loc="best", fontsize=8, frameon=False)
    return ax


def plot_tuning(result: FitResult, ax: Any = None) -> Any:
    """Draw BIC over the tuning grid: a surface of (gamma, lambda), or a curve for one gamma.

    The number in a cell counts edges; a star marks the choice. Returns the axes.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import CD
    >>> from arcs.plots import plot_tuning
    >>> axes = plot_tuning(CD(n_lambdas=10).fit(drawn.data))
    >>> axes.figure.savefig("tuning.png")  # doctest: +SKIP
    """
    columns = tuning_columns(result.tuning)
    if not {"lambda", "bic"} <= set(columns):
        raise DataError(f"the result of {result.method!r} has no tuning table: nothing to draw")
    chosen = chosen_setting(result)
    label = bic_label(result)
    ax = given_or_new_axes(ax, "plot_tuning", (6.4, 3.8))
    gammas = np.unique(columns["gamma"]) if "gamma" in columns else np.zeros(1)
    lambdas = np.unique(columns["lambda"])
    if gammas.size * lambdas.size == columns["bic"].size and gammas.size > 1:
        _surface(ax, columns, gammas, lambdas, chosen, label)
    else:
        _curves(ax, columns, gammas, chosen, label)
    ax.set_xlabel("$\\lambda$")
    return ax


def tuning_columns(tuning: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The tuning table under one spelling: gamma, lambda, bic, edges."""
    spelled = {"lam": "lambda", "n_edges": "edges"}
    table = {name.lower(): np.asarray(column) for name, column in tuning.items()}
    return {spelled.get(name, name): column for name, column in table.items()}


def chosen_setting(result: FitResult) -> int | None:
    """The row of the tuning table that holds the penalty in force, if it is there."""
    columns = tuning_columns(result.tuning)
    if "lambda" not in columns:
        return None
    spelled = {"lam": "lambda"}
    agrees = np.ones(columns["lambda"].size, dtype=bool)
    named = {spelled.get(name, name): value for name, value in result.penalty.items()}
    if not isinstance(named.get("lambda"), int | float):
        return None
    for name in ("lambda", "gamma"):
        if name in columns and isinstance(named.get(name), int | float):
            agrees &= np.isclose(columns[name], named[name], rtol=1e-6)
    return int(np.flatnonzero(agrees)[0]) if agrees.any() else None


def bic_label(result: FitResult) -> str:
    """BIC with its direction, as far as the choice reveals it: methods differ in sign."""
    bic, chosen = tuning_columns(result.tuning)["bic"], chosen_setting(result)
    if chosen is not None and np.nanmin(bic) < np.nanmax(bic):
        if bic[chosen] == np.nanmin(bic):
            return "BIC (smaller is better)"
        if bic[chosen] == np.nanmax(bic):
            return "BIC (larger is better)"
    return "BIC"


def _surface(
    ax: Any,
    columns: Mapping[str, np.ndarray],
    gammas: np.ndarray,
    lambdas: np.ndarray,
    chosen: int | None,
    label: str,
) -> None:
    grid = np.full((gammas.size, lambdas.size), np.nan)
    at = np.searchsorted(gammas, columns["gamma"]), np.searchsorted(lambdas, columns["lambda"])
    grid[at] = columns["bic"]
    good_is_small = "smaller" in label
    colours = "cividis_r" if good_is_small else "cividis"
    image = ax.pcolormesh(grid, cmap=colours, edgecolors="white", linewidth=0.5)
    ax.figure.colorbar(image, ax=ax, label=label)
    middle = (np.nanmin(grid) + np.nanmax(grid)) / 2
    cells = zip(at[0], at[1], columns.get("edges", []), strict=False)
    for row, column, edges in cells if lambdas.size <= 30 else []:
        dark = (grid[row, column] < middle) != good_is_small
        colour = "white" if dark else "black"
        place = (column + 0.5, row + 0.32)
        ax.text(*place, f"{int(edges)}", ha="center", fontsize=6, color=colour)
    if chosen is not None:
        star = (at[1][chosen] + 0.5, at[0][chosen] + 0.72)
        ax.plot(*star, "*", color="black", mfc="white", ms=9)
    step = math.ceil(lambdas.size / 8)
    ax.set_xticks(np.arange(0, lambdas.size, step) + 0.5, [f"{v:.2g}" for v in lambdas[::step]])
    ax.set_yticks(np.arange(gammas.size) + 0.5, [f"{v:.3g}" for v in gammas])
    ax.set_ylabel("$\\gamma$")


def _curves(
    ax: Any,
    columns: Mapping[str, np.ndarray],
    gammas: np.ndarray,
    chosen: int | None,
    label: str,
) -> None:
    styles = ("-", "--", ":", "-.")
    for k, gamma in enumerate(gammas):
        mine = columns["gamma"] == gamma if "gamma" in columns else slice(None)
        x, y = columns["lambda"][mine], columns["bic"][mine]
        order = np.argsort(x)
        name = f"$\\gamma$ = {gamma:.3g}" if gammas.size > 1 else None
        ax.plot(x[order], y[order], styles[k % 4], marker="o", ms=3, label=name)
    if chosen is not None:
        star = (columns["lambda"][chosen], columns["bic"][chosen])
        ax.plot(*star, "*", color="black", mfc="white", ms=11)
    ax.set_ylabel(label)
    if gammas.size > 1:
        ax.legend(fontsize=8, frameon=False)
