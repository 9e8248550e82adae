"""Means and cross-products per regime, in one pass over chunks of rows.

For every regime (set of intervened variables) the accumulator keeps the row count, the means, the
range of each column and *either* the rows themselves (while they are no more than the columns) *or*
their p x p matrix of cross-products. With p regimes of a few rows each this costs O(n p), with long
regimes O(p^2): never p^3.

Cross-products are kept about the regime's own mean and merged by the pairwise rule of Chan, Golub
and LeVeque (1983): sums of positive semidefinite terms, in which nothing cancels, however far the
means of two chunks or two regimes lie apart. Values are shifted by medians of the first chunk, so
that columns with a large offset keep their digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcs.data.strips import cross_products

__all__ = ["GramAccumulator", "RegimeSums", "RegimeTable"]

#: A range below this share of a column's size is rounding: the column is constant.
_ROUNDING = 4 * np.finfo(np.float64).eps
#: Rows that are worked on at a time, so that copies of them stay small.
_BLOCK = 16_384


class RegimeSums:
    """Running moments of the rows of one regime (in shifted coordinates)."""

    def __init__(self, p: int) -> None:
        self.n = 0
        self.mean = np.zeros(p)
        #: Sums of squares about the mean.
        self.squares = np.zeros(p)
        self.low = np.full(p, np.inf)
        self.high = np.full(p, -np.inf)
        self._rows: list[np.ndarray] = []
        self._cross: np.ndarray | None = None

    def add(self, rows: np.ndarray) -> None:
        """Take in rows; fold them into cross-products once they outnumber the columns."""
        self.low = np.minimum(self.low, rows.min(axis=0))
        self.high = np.maximum(self.high, rows.max(axis=0))
        count, mean = rows.shape[0], rows.mean(axis=0)
        centred = rows - mean
        step = mean - self.mean
        share = count / (self.n + count)
        self.squares += np.einsum("ij,ij->j", centred, centred) + self.n * share * step**2
        if self._cross is not None:
            self._cross += cross_products(centred)
            self._cross += self.n * share * np.outer(step, step)
        else:
            self._rows.append(rows)
        self.mean = self.mean + share * step
        self.n += count
        if self._cross is None and self.n > rows.shape[1]:
            centred = np.concatenate(self._rows) - self.mean
            self._cross = cross_products(centred)
            self._rows = []

    def merge(self, other: RegimeSums, step: np.ndarray) -> None:
        """Take in the rows behind other moments, whose values are to be moved by `step`."""
        if not other.n:
            return
        self.low = np.minimum(self.low, other.low + step)
        self.high = np.maximum(self.high, other.high + step)
        total = self.n + other.n
        gap = other.mean + step - self.mean
        between = self.n * (other.n / total)
        if self._cross is None and other._cross is None and total <= self.mean.size:
            self._rows += [rows + step for rows in other._rows]
        else:
            inside = self.cross_about(self.mean) if self.n else 0.0
            self._cross = inside + other.cross_about(other.mean) + between * np.outer(gap, gap)
            self._rows = []
        self.squares = self.squares + other.squares + between * gap**2
        self.mean = self.mean + (other.n / total) * gap
        self.n = total

    @property
    def rows(self) -> np.ndarray | None:
        """The rows, if they are still kept."""
        if self._cross is not None:
            return None
        return np.concatenate(self._rows) if self._rows else np.empty((0, self.mean.size))

    def cross_about(self, point: np.ndarray) -> np.ndarray:
        """Cross-products of the rows about `point`."""
        if self._cross is None:
            centred = np.concatenate(self._rows) - point
            return cross_products(centred)
        step = self.mean - point
        return np.asarray(self._cross + self.n * np.outer(step, step))

    @classmethod
    def of_moments(cls, n: int, mean: np.ndarray, cross: np.ndarray) -> RegimeSums:
        """From the number of rows, their means and their cross-products about them."""
        sums = cls(mean.size)
        sums.n, sums.mean, sums._cross = n, mean, cross
        sums.squares = np.diag(cross).copy()
        spread = np.sqrt(np.maximum(sums.squares, 0.0))
        sums.low, sums.high = mean - spread, mean + spread
        return sums

    @classmethod
    def of_counted(cls, rows: np.ndarray, counts: np.ndarray) -> RegimeSums:
        """Of rows that count so many times each (at least once), without copies of them.

        ``cross = sum_i counts[i] (x_i - mean)(x_i - mean)'``. No more rows than columns are kept.
        """
        n, sums = int(counts.sum()), cls(rows.shape[1])
        if n <= rows.shape[1]:
            if n:
                sums.add(np.repeat(rows, counts, axis=0))
            return sums
        sums.n, sums.mean = n, counts @ rows / n
        rooted = (rows - sums.mean) * np.sqrt(counts)[:, None]
        sums._cross = cross_products(rooted)
        sums.squares = np.einsum("ij,ij->j", rooted, rooted)
        sums.low, sums.high = rows.min(axis=0), rows.max(axis=0)
        return sums

    def combined(self, change: np.ndarray, offset: np.ndarray) -> RegimeSums:
        """The moments of ``rows @ change + offset``."""
        moved = RegimeSums(change.shape[1])
        if self._cross is None:
            if self.n:
                rows = np.concatenate(self._rows) @ change + offset
                moved.add(rows)
            return moved
        moved.n, moved.mean = self.n, self.mean @ change + offset
        moved._cross = change.T @ self._cross @ change
        moved.squares = np.diag(moved._cross).copy()
        # The range is not known of a combination; that it varies is.
        spread = np.sqrt(np.maximum(moved.squares, 0.0))
        moved.low, moved.high = moved.mean - spread, moved.mean + spread
        return moved

    def select(self, columns: np.ndarray) -> RegimeSums:
        """The moments of some columns, in that order."""
        part = RegimeSums(len(columns))
        part.n, part.mean, part.squares = self.n, self.mean[columns], self.squares[columns]
        part.low, part.high = self.low[columns], self.high[columns]
        part._rows = [rows[:, columns] for rows in self._rows]
        part._cross = None if self._cross is None else self._cross[np.ix_(columns, columns)]
        return part

    def extended(self, constants: np.ndarray, before: int) -> RegimeSums:
        """The moments with further columns, constant in these rows, before column `before`."""
        wide = RegimeSums(self.mean.size + constants.size)
        wide.n = self.n
        wide.mean = _inserted(self.mean, before, constants)
        wide.squares = _inserted(self.squares, before, np.zeros(constants.size))
        wide.low = _inserted(self.low, before, constants)
        wide.high = _inserted(self.high, before, constants)
        if self._cross is None:
            wide._rows = [_inserted(rows, before, constants) for rows in self._rows]
            return wide
        old = _inserted(np.arange(self.mean.size), before, np.full(constants.size, -1))
        at = np.flatnonzero(old >= 0)
        wide._cross = np.zeros((wide.mean.size, wide.mean.size))
        wide._cross[np.ix_(at, at)] = self._cross
        return wide

    def moved_to(self, mean: np.ndarray) -> RegimeSums:
        """The moments if all rows were moved so that these are their means."""
        moved, step = RegimeSums(self.mean.size), mean - self.mean
        moved.n, moved.mean, moved.squares = self.n, mean.copy(), self.squares
        moved.low, moved.high = self.low + step, self.high + step
        moved._rows = [rows + step for rows in self._rows]
        moved._cross = self._cross
        return moved

    def translated(
        self, column: int, others: np.ndarray, slopes: np.ndarray, shift: float
    ) -> RegimeSums:
        """The moments if `column` were ``column + slopes @ others + shift`` in these rows."""
        moved = RegimeSums(self.mean.size)
        if self._cross is None:
            rows = np.concatenate(self._rows)  # a copy
            rows[:, column] += rows[:, others] @ slopes + shift
            moved.add(rows)
            return moved
        moved.n, moved.low, moved.high = self.n, self.low, self.high
        moved.mean, moved.squares = self.mean.copy(), self.squares.copy()
        moved.mean[column] += self.mean[others] @ slopes + shift
        cross = self._cross.copy()
        cross[column] += slopes @ cross[others]
        cross[:, column] += cross[:, others] @ slopes
        moved.squares[column] = cross[column, column]
        moved._cross = cross
        return moved


@dataclass(frozen=True, eq=False)
class RegimeTable:
    """The moments of all regimes as arrays with one row per regime."""

    n: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @cached_property
    def rows(self) -> int:
        """Number of rows of all regimes."""
        return int(self.n.sum())


class GramAccumulator:
    """Collects :class:`RegimeSums` over chunks of rows.

    Parameters
    ----------
    p : int
        Number of columns.
    n_regimes : int
        Number of regimes; may grow while data come in.
    """

    def __init__(self, p: int, n_regimes: int = 1) -> None:
        self.p = p
        self.shift = np.zeros(p)
        self.regimes: list[RegimeSums] = [RegimeSums(p) for _ in range(n_regimes)]
        self._started = False
        self._table: RegimeTable | None = None

    @property
    def n(self) -> int:
        """Rows seen so far."""
        return sum(regime.n for regime in self.regimes)

    @classmethod
    def of_counted(
        cls, rows: np.ndarray, counts: np.ndarray, regime: np.ndarray | None, n_regimes: int
    ) -> GramAccumulator:
        """Of rows that count so many times each, or not at all; regimes as in :meth:`add`."""
        sums = cls(rows.shape[1], n_regimes)
        drawn = np.flatnonzero(counts)
        sums._start(rows)
        regime = np.zeros(len(rows), np.int64) if regime is None else regime
        order = drawn[np.argsort(regime[drawn], kind="stable")]
        numbers, starts = np.unique(regime[order], return_index=True)
        for r, part in zip(numbers, np.split(order, starts[1:]), strict=True):
            sums.regimes[r] = RegimeSums.of_counted(rows[part] - sums.shift, counts[part])
        return sums

    def _start(self, rows: np.ndarray) -> None:
        # The median, because a few enormous interventions would carry the mean away.
        self.shift = np.median(rows[:: max(1, len(rows) // 1000)], axis=0)
        self._started = True

    def add(self, rows: np.ndarray, regime: np.ndarray | None = None) -> None:
        """Take in a chunk of rows with the regime of each (all regime 0 by default)."""
        if not rows.size:
            return
        self._table = None
        if not self._started:
            self._start(rows)
        for start in range(0, len(rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            self._add_block(rows[block] - self.shift, None if regime is None else regime[block])

    def _add_block(self, rows: np.ndarray, regime: np.ndarray | None) -> None:
        if regime is None:
            self.regimes[0].add(rows)
            return
        while len(self.regimes) <= int(regime.max()):
            self.regimes.append(RegimeSums(self.p))
        order = np.argsort(regime, kind="stable")
        numbers, starts = np.unique(regime[order], return_index=True)
        for r, part in zip(numbers, np.split(order, starts[1:]), strict=True):
            self.regimes[r].add(rows[part])

    def merge(self, other: GramAccumulator, numbers: Sequence[int] | None = None) -> None:
        """Take in what another one has collected; its regime r is our ``numbers[r]``."""
        if not other._started:
            return
        self._table = None
        if not self._started:
            self.shift, self._started = other.shift.copy(), True
        at = list(range(len(other.regimes))) if numbers is None else list(numbers)
        while len(self.regimes) <= max(at, default=-1):
            self.regimes.append(RegimeSums(self.p))
        step = other.shift - self.shift
        # Regimes without rows come last, or not at all.
        for r, regime in zip(at, other.regimes, strict=False):
            self.regimes[r].merge(regime, step)

    def joined(self) -> GramAccumulator:
        """The same rows as one regime."""
        one = GramAccumulator(self.p)
        one.merge(self, [0] * len(self.regimes))
        return one

    def renumber(self, order: list[int]) -> None:
        """Let regime ``order[k]`` be number k from now on."""
        self.regimes = [self.regimes[r] for r in order]
        self._table = None

    def with_regimes(self, changed: Mapping[int, RegimeSums]) -> GramAccumulator:
        """The same with other moments of some regimes; what did not change is shared."""
        copy = GramAccumulator(self.p, 0)
        copy.shift, copy._started = self.shift, self._started
        copy.regimes = [changed.get(r, regime) for r, regime in enumerate(self.regimes)]
        return copy

    def select(self, columns: np.ndarray) -> GramAccumulator:
        """The moments of some columns, in that order."""
        part = GramAccumulator(len(columns), 0)
        part.shift, part._started = self.shift[columns], self._started
        part.regimes = [regime.select(columns) for regime in self.regimes]
        return part

    def extended(self, constants: np.ndarray, before: int) -> GramAccumulator:
        """The moments with further columns that are constant within regimes (one row each)."""
        k = constants.shape[1]
        wide = GramAccumulator(self.p + k, 0)
        wide.shift = _inserted(self.shift, before, np.zeros(k))
        wide._started = self._started
        rows = zip(self.regimes, constants, strict=True)
        wide.regimes = [regime.extended(row, before) for regime, row in rows]
        return wide

    def table(self) -> RegimeTable:
        """The moments of all regimes, stacked."""
        if self._table is None:
            regimes = self.regimes
            self._table = RegimeTable(
                n=np.array([r.n for r in regimes], dtype=np.float64),
                mean=np.stack([r.mean for r in regimes]),
                squares=np.stack([r.squares for r in regimes]),
                low=np.stack([r.low for r in regimes]),
                high=np.stack([r.high for r in regimes]),
            )
        return self._table

    def mean(self, weights: np.ndarray) -> np.ndarray:
        """Column means (shifted coordinates), regime r counting ``weights[r]``."""
        table = self.table()
        mass = weights * table.n
        return np.asarray(mass @ table.mean / mass.sum())

    def squares_about(self, weights: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Column sums of squares about `point`, regime r counting ``weights[r]``."""
        table = self.table()
        return np.asarray(weights @ table.squares + (weights * table.n) @ (table.mean - point) ** 2)

    def cross_about(self, weights: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Cross-products about `point`, regime r counting ``weights[r]``."""
        cross: np.ndarray | None = None
        kept = []
        for w, regime in zip(weights, self.regimes, strict=True):
            if w == 0 or not regime.n:
                continue
            rows = regime.rows
            if rows is None:
                part = w * regime.cross_about(point)
                cross = part if cross is None else cross + part
            else:
                kept.append(np.sqrt(w) * (rows - point))
        if kept:
            stacked = np.concatenate(kept)
            part = cross_products(stacked)
            cross = part if cross is None else cross + part
        return np.zeros((self.p, self.p)) if cross is None else cross

    def spread(self) -> np.ndarray:
        """How far each column varies, from its least value to its largest."""
        table = self.table()
        return np.asarray(table.high.max(axis=0) - table.low.min(axis=0))

    def constant(self, weights: np.ndarray, column: int | None = None) -> np.ndarray:
        """Which columns (or whether one) do not vary over the rows of regimes with weight."""
        table = self.table()
        counted = (weights > 0) & (table.n > 0)
        at = slice(None) if column is None else slice(column, column + 1)
        if not counted.any():
            return np.ones(self.p, dtype=bool)[at]
        low, high = table.low[counted, at].min(axis=0), table.high[counted, at].max(axis=0)
        size = np.maximum(np.abs(low + self.shift[at]), np.abs(high + self.shift[at]))
        return np.asarray(high - low <= _ROUNDING * size)


def _inserted(array: np.ndarray, before: int, values: np.ndarray) -> np.ndarray:
    """The array with further last entries `values` before the entry number `before`."""
    shape = (*array.shape[:-1], values.size)
    middle = np.broadcast_to(values, shape)
    return np.concatenate([array[..., :before], middle, array[..., before:]], axis=-1)
