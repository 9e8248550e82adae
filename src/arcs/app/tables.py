"""A table as the data page shows it: its columns, what they look like, what they are proposed for.

A column has one *role*: a variable of the network, a number or a category; the label column that
names the intervened variables of each row; a condition under which rows were taken; a covariate to
adjust for; or it is left out. Proposals look at the first rows only and are never more than that:
what is used is what the person left standing, and reading the data refuses what cannot be.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data import Dataset
from arcs.data.delimited import is_missing
from arcs.data.readers import open_table

__all__ = ["ROLES", "Column", "Table", "levels_of", "look_at", "preview", "propose_roles"]

#: Roles and the words that the page has for them.
ROLES = {
    "variable": "variable",
    "category": "category (a variable with levels)",
    "intervention": "names intervened variables",
    "condition": "condition",
    "covariate": "covariate (adjust for it)",
    "out": "left out",
}
#: Rows that are looked at before a role is proposed, of wide tables fewer; and those kept of them.
_LOOK, _MOST_CELLS, _KEPT = 20_000, 2_000_000, 4_000
_BINS = 24
#: Labels with more distinct values than this look like names of rows.
_MOST_LABELS = 60
#: Words for "no intervention" in label columns.
_NO_TARGET = frozenset({"", "control", "none", "observational", "obs", "wt", "wildtype"})


@dataclass(frozen=True)
class Column:
    """One column of a file, by its first rows.

    Attributes
    ----------
    name : str
    numbers : ndarray or None
        The values, NaN where there is none; None if some are not numbers.
    texts : tuple of str
        The cells as they are written.
    """

    name: str
    numbers: np.ndarray | None
    texts: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Whether some cells are not numbers."""
        return self.numbers is None

    def describe(self) -> dict[str, Any]:
        """Figures and a small histogram, as plain values."""
        if self.numbers is None:
            common = Counter(text for text in self.texts if text).most_common()
            shown = [[text, count] for text, count in common[:8]]
            return {"name": self.name, "kind": "text", "distinct": len(common), "labels": shown}
        finite = self.numbers[np.isfinite(self.numbers)]
        told: dict[str, Any] = {
            "name": self.name,
            "kind": "number",
            "distinct": int(np.unique(finite).size),
            "missing": int(self.numbers.size - finite.size),
            "histogram": [],
        }
        if finite.size:
            counts, _ = np.histogram(finite, bins=_BINS)
            told["histogram"] = counts.tolist()
            figures = {"mean": finite.mean(), "sd": finite.std(), "low": finite.min()}
            told |= {key: float(value) for key, value in figures.items()}
            told["high"] = float(finite.max())
        return told


@dataclass(frozen=True)
class Table:
    """A file that was looked at: where it is, what to call it, its first rows."""

    path: Path
    title: str
    columns: tuple[Column, ...]
    rows_seen: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)


def look_at(path: Path, title: str | None = None) -> Table:
    """Read the first rows of a CSV, TSV or Parquet file."""
    file = open_table(path)
    everything = range(len(file.names))
    look = max(min(_LOOK, _MOST_CELLS // len(everything)), 200)
    _, texts = next(file.chunks([], everything, look), (None, [[] for _ in everything]))
    # Rows of a kind often stand together: those that are kept are spread over all of them.
    step = -(-len(texts[0]) // _KEPT) or 1
    texts = [cells[::step] for cells in texts]
    decimal = getattr(file, "decimal", ".")
    columns = tuple(
        Column(name, _numbers(cells, decimal), tuple(cells))
        for name, cells in zip(file.names, texts, strict=True)
    )
    return Table(path, title or path.name, columns, len(texts[0]))


def propose_roles(table: Table) -> dict[str, tuple[str, str]]:
    """For every column a role, and the reason where it is not the usual one."""
    numeric = {column.name for column in table.columns if not column.is_text}
    roles = {column.name: _propose(column, numeric) for column in table.columns}
    labels = [name for name, (role, _) in roles.items() if role == "intervention"]
    for name in labels[1:]:
        roles[name] = ("out", f"{labels[0]} names interventions already")
    grouping = [name for name, (role, _) in roles.items() if role == "condition"]
    if len(grouping) > 1:  # rows come from one set of conditions; several texts describe them
        roles |= {name: ("category", roles[name][1]) for name in grouping}
    return roles


def preview(data: Dataset) -> dict[str, list[int]]:
    """Histograms of the variables as they are read: after transforms, without dropped rows."""
    if data.values is None:
        return {}
    return {
        name: np.histogram(column[np.isfinite(column)], bins=_BINS)[0].tolist()
        for name, column in zip(data.names, data.values.T, strict=True)
    }


def levels_of(data: Dataset) -> dict[str, list[list[Any]]]:
    """The levels of each category with their rows, as a fit would see them."""
    if not data.discrete:
        return {}
    told: dict[str, list[list[Any]]] = {}
    for row in data.level_table().rows():
        told.setdefault(row["column"], []).append([row["level"], int(row["rows"])])
    return told


def _propose(column: Column, numeric: set[str]) -> tuple[str, str]:
    if column.numbers is None:
        return _propose_label(column, numeric)
    finite = column.numbers[np.isfinite(column.numbers)]
    if not finite.size:
        return "out", "no values"
    if np.ptp(finite) == 0:
        return "out", "does not vary"
    if finite.size > 20 and np.array_equal(finite, np.arange(finite.size) + finite[0]):
        return "out", "numbers the rows"
    return "variable", ""


def _propose_label(column: Column, numeric: set[str]) -> tuple[str, str]:
    labels = set(column.texts)
    parts = {part.strip() for text in labels for part in text.split(",")}
    targets = parts & numeric
    if targets and all(part in targets or part.lower() in _NO_TARGET for part in parts):
        return "intervention", "its cells name other columns"
    if len(labels) > min(_MOST_LABELS, max(len(column.texts) // 3, 1)):
        return "out", "text that differs from row to row"
    return "condition", f"text with {len(labels)} values"


def _numbers(texts: list[str], decimal: str) -> np.ndarray | None:
    """The cells as numbers, or None if some cell is neither a number nor missing."""
    values = np.full(len(texts), np.nan)
    for k, text in enumerate(texts):
        if is_missing(text):
            continue
        try:
            values[k] = float(text.replace(decimal, "."))
        except ValueError:
            return None
    return values
