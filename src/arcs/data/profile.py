"""What the columns of a data set look like, gathered in the pass that reads them.

Counts of missing values, and whether a column holds whole numbers or only a few distinct values.
A column drops out of the search for few values as soon as it has shown too many, so that a pass
costs little more than reading: O(n p).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from arcs.data.dataset import Dataset
    from arcs.tables import Table

__all__ = ["FEW_VALUES", "ColumnProfile", "level_table"]

#: A column with no more distinct values than this looks discrete (if the rows are many more).
FEW_VALUES = 10
#: Most columns show that they are continuous within this many rows.
_HEAD = 256


class ColumnProfile:
    """Counts and suspicions per column, over chunks of rows.

    Attributes
    ----------
    rows, incomplete_rows : int
        Rows seen, and those with a missing or infinite value.
    missing : ndarray of int, shape (p,)
        Missing or infinite values of each column.
    whole : ndarray of bool, shape (p,)
        Whether a column has held whole numbers only.
    """

    def __init__(self, p: int) -> None:
        self.rows = 0
        self.incomplete_rows = 0
        self.missing = np.zeros(p, dtype=np.int64)
        self.whole = np.ones(p, dtype=bool)
        self._distinct: dict[int, set[float]] = {j: set() for j in range(p)}

    @classmethod
    def of(cls, values: np.ndarray) -> ColumnProfile:
        """The profile of a whole array."""
        profile = cls(values.shape[1])
        profile.add(values)
        return profile

    def add(self, values: np.ndarray) -> np.ndarray | None:
        """Take in a chunk; return which values are finite, or None if all of them are."""
        self.rows += len(values)
        finite = None
        # One sum is finite only if all values are (or if they overflow, which the mask tells).
        with np.errstate(invalid="ignore", over="ignore"):
            total = values.sum()
        if not np.isfinite(total):
            finite = np.isfinite(values)
            self.missing += (~finite).sum(axis=0)
            self.incomplete_rows += int((~finite.all(axis=1)).sum())
            finite = None if finite.all() else finite
        for start, stop in ((0, _HEAD), (_HEAD, len(values))):
            self._look(values[start:stop])
        return finite

    def merge(self, other: ColumnProfile) -> None:
        """Take in what was seen of other rows."""
        self.rows += other.rows
        self.incomplete_rows += other.incomplete_rows
        self.missing = self.missing + other.missing
        self.whole = self.whole & other.whole
        both = {
            j: seen | other._distinct[j]
            for j, seen in self._distinct.items()
            if j in other._distinct
        }
        self._distinct = {j: seen for j, seen in both.items() if len(seen) <= FEW_VALUES}

    def _look(self, values: np.ndarray) -> None:
        """Follow the columns that may still be discrete."""
        at = np.flatnonzero(self.whole)
        if at.size and len(values):
            part = values[:, at]
            self.whole[at] = np.all((part == np.rint(part)) | ~np.isfinite(part), axis=0)
        for j in self._candidates(values):
            column = values[:, j]
            seen = self._distinct[j]
            seen.update(np.unique(column[np.isfinite(column)]).tolist())
            if len(seen) > FEW_VALUES:
                del self._distinct[j]

    def _candidates(self, values: np.ndarray) -> list[int]:
        """Columns with few values so far; those with many in these rows alone drop out."""
        left = list(self._distinct)
        if left and len(values):
            ordered = np.sort(values[:, left], axis=0)
            changes = (ordered[1:] != ordered[:-1]) & np.isfinite(ordered[1:])
            for j, count in zip(left, changes.sum(axis=0), strict=True):
                if count > FEW_VALUES:
                    del self._distinct[j]
        return list(self._distinct)

    def discrete(self) -> np.ndarray:
        """Which columns look discrete: whole numbers, or few values in many more rows."""
        found = self.whole.copy()
        for j, seen in self._distinct.items():
            found[j] |= 2 * len(seen) <= self.rows - self.missing[j]
        constant = [j for j, seen in self._distinct.items() if len(seen) < 2]
        found[constant] = False
        return found


def counts_rows(data: Dataset) -> np.ndarray:
    """Which columns number the rows: identifiers, whatever they are called."""
    if data.values is None or data.n < 2:
        return np.zeros(data.p, dtype=bool)
    return np.asarray((np.diff(data.values, axis=0) == 1.0).all(axis=0))


def level_table(data: Dataset) -> Table:
    """The levels of all columns of categories, with the rows in which they occur."""
    from arcs.data.indicators import level_counts
    from arcs.tables import Table

    entries = []
    known = level_counts(data) if data.values is None else None
    for j, levels in enumerate(data.levels or ()):
        if levels is None:
            continue
        counts = _counted(data, j, len(levels)) if known is None else known[j]
        assert counts is not None
        entries += [(data.names[j], level, int(n)) for level, n in zip(levels, counts, strict=True)]
    names, levels_, rows = zip(*entries, strict=True) if entries else ((), (), ())
    return Table({"column": names, "level": levels_, "rows": rows})


def _counted(data: Dataset, j: int, levels: int) -> np.ndarray:
    column = np.asarray(data.values)[:, j]
    return np.bincount(column[np.isfinite(column)].astype(np.int64), minlength=levels)
