"""Sums and cross-products per regime, in one pass over chunks of rows.

For every regime (set of intervened variables) the accumulator keeps the row count, the sums and
*either* the rows themselves (while they are fewer than the columns) *or* their p x p matrix of
cross-products. With p regimes of a few rows each this costs O(n p), with long regimes O(p^2): never
p^3. Values are shifted by the means of the first chunk, so that the later centring does not cancel.
"""

from __future__ import annotations

import numpy as np

__all__ = ["GramAccumulator", "RegimeSums"]


class RegimeSums:
    """Running sums of the rows of one regime (in shifted coordinates)."""

    def __init__(self, p: int) -> None:
        self.n = 0
        self.total = np.zeros(p)
        self.squares = np.zeros(p)
        self._rows: list[np.ndarray] = []
        self._cross: np.ndarray | None = None

    def add(self, rows: np.ndarray) -> None:
        """Take in rows; fold them into cross-products once they outnumber the columns."""
        self.n += rows.shape[0]
        self.total += rows.sum(axis=0)
        self.squares += np.einsum("ij,ij->j", rows, rows)
        if self._cross is not None:
            self._cross += rows.T @ rows
            return
        self._rows.append(rows.copy())
        if self.n > rows.shape[1]:
            stacked = self.rows
            assert stacked is not None
            self._cross = stacked.T @ stacked
            self._rows = []

    @property
    def rows(self) -> np.ndarray | None:
        """The rows, if they are still kept."""
        if self._cross is not None:
            return None
        return np.concatenate(self._rows) if self._rows else np.empty((0, self.total.size))

    def cross(self) -> np.ndarray:
        """Cross-products of the rows, not centred."""
        if self._cross is not None:
            return self._cross
        rows = self.rows
        assert rows is not None
        return np.asarray(rows.T @ rows)


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

    @property
    def n(self) -> int:
        """Rows seen so far."""
        return sum(regime.n for regime in self.regimes)

    def add(self, rows: np.ndarray, regime: np.ndarray | None = None) -> None:
        """Take in a chunk of rows with the regime of each (all regime 0 by default)."""
        if not rows.size:
            return
        if not self._started:
            self.shift = rows.mean(axis=0)
            self._started = True
        shifted = rows - self.shift
        if regime is None:
            self.regimes[0].add(shifted)
            return
        while len(self.regimes) <= int(regime.max()):
            self.regimes.append(RegimeSums(self.p))
        for r in np.unique(regime):
            self.regimes[r].add(shifted[regime == r])

    def weighted_totals(self, weights: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Weight, sum and sum of squares of all rows, regime r counting ``weights[r]``."""
        pairs = list(zip(weights, self.regimes, strict=True))
        weight = float(sum(w * r.n for w, r in pairs))
        total = sum((w * r.total for w, r in pairs), np.zeros(self.p))
        squares = sum((w * r.squares for w, r in pairs), np.zeros(self.p))
        return weight, total, squares

    def weighted_cross(self, weights: np.ndarray) -> np.ndarray:
        """Cross-products of all rows, regime r counting ``weights[r]``."""
        cross = np.zeros((self.p, self.p))
        for w, regime in zip(weights, self.regimes, strict=True):
            if w != 0 and regime.n:
                cross += w * regime.cross()
        return cross
