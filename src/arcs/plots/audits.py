"""A picture of a data set before anything is learned from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcs.data import Dataset
from arcs.data.symptoms import explained_by
from arcs.data.transforms import shape_of
from arcs.plots.canvas import new_figure

__all__ = ["plot_audit"]

_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#999999"


def plot_audit(dataset: Dataset) -> Any:
    """Three panels: who explains the variance, the shapes of the variables, and eigenvalues.

    Columns that were left out and conditions are shown with the shares of variance that they
    explain; skewness and kurtosis with the limits beyond which a transform is advised; the
    eigenvalues of the correlation matrix, of which one far above the others may be a hidden
    factor. Returns the figure.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.data import Dataset
    >>> rows = np.random.default_rng(0).normal(size=(50, 4))
    >>> len(plot_audit(Dataset.of(rows)).axes)
    3
    """
    figure = new_figure("plot_audit", (12.0, 4.0), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _draw_shares(left, dataset)
    _draw_shapes(middle, dataset)
    _draw_eigenvalues(right, dataset)
    for ax in (left, middle, right):
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_shares(ax: Any, dataset: Dataset) -> None:
    ax.set_title("What explains the variables", loc="left", fontsize=11, weight="bold")
    columns = dict(dataset.set_aside)
    if dataset.conditions is not None and dataset.conditions.code is not None:
        columns["(conditions)"] = [f"c{r}" for r in dataset.conditions.code.tolist()]
    shares = {}
    for name, entries in columns.items():
        found = explained_by(dataset, entries)
        if found is not None:
            shares[name] = 100 * np.clip(found[0], 0, 1)
    if not shares:
        ax.text(0.5, 0.5, "no further columns", ha="center", color=_GREY, transform=ax.transAxes)
        ax.set_axis_off()
        return
    ranked = sorted(shares, key=lambda name: float(np.median(shares[name])))[-12:]
    ax.boxplot([shares[name] for name in ranked], orientation="horizontal", widths=0.6)
    ax.set_yticks(range(1, len(ranked) + 1), [name[:24] for name in ranked])
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.set_xlabel("% of a variable's variance")


def _draw_shapes(ax: Any, dataset: Dataset) -> None:
    ax.set_title("Shapes", loc="left", fontsize=11, weight="bold")
    code = None if dataset.conditions is None else dataset.conditions.code
    skewness, kurtosis = (np.abs(part) for part in shape_of(np.asarray(dataset.values), code))
    limits = max(0.5, 3 * np.sqrt(6 / dataset.n)), max(1.0, 3 * np.sqrt(24 / dataset.n))
    odd = (skewness > limits[0]) | (kurtosis > limits[1])
    ax.scatter(skewness[~odd], kurtosis[~odd], s=18, color=_BLUE, alpha=0.7, label="as expected")
    ax.scatter(skewness[odd], kurtosis[odd], s=22, color=_ORANGE, marker="^", label="odd")
    ax.axvline(limits[0], color=_GREY, lw=0.8, ls=":")
    ax.axhline(limits[1], color=_GREY, lw=0.8, ls=":")
    ax.set(xlabel="|skewness|", ylabel="|excess kurtosis|")
    ax.set_xlim(0, max(1.05 * float(np.nanmax(skewness)), 1.5 * limits[0]))
    ax.set_ylim(0, max(1.05 * float(np.nanmax(kurtosis)), 1.5 * limits[1]))
    ax.legend(frameon=False, fontsize=8)


def _draw_eigenvalues(ax: Any, dataset: Dataset) -> None:
    ax.set_title("Eigenvalues of the correlations", loc="left", fontsize=11, weight="bold")
    values = np.asarray(dataset.values, dtype=float)
    values = np.where(np.isfinite(values), values, np.nan)
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    kept = filled[:, filled.std(axis=0) > 0]
    found = np.sort(np.linalg.eigvalsh(np.corrcoef(kept.T)))[::-1] if kept.shape[1] > 1 else [1.0]
    ax.bar(range(1, len(found[:30]) + 1), found[:30], color=_BLUE)
    ax.set(xlabel="rank", ylabel="eigenvalue")
