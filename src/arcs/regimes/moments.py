"""Moments of each regime, restricted to the few variables of one node's regression."""

from __future__ import annotations

import numpy as np

from arcs.data.accumulate import GramAccumulator

__all__ = ["RegimeMoments"]


class RegimeMoments:
    """Row counts, means and cross-products per regime, columns scaled to unit variance.

    Regimes that the accumulator keeps as rows stay rows here, the others are p x p matrices: no
    more memory than the accumulator itself takes.

    Parameters
    ----------
    sums : GramAccumulator
        Means and cross-products per regime.

    Attributes
    ----------
    n : ndarray of shape (regimes,)
        Rows of each regime.
    mean : ndarray of shape (regimes, p)
        Column means of each regime.
    scale : ndarray of shape (p,)
        What the columns were divided by.
    origin : ndarray of shape (p,)
        Where the user's zero lies in these coordinates.
    """

    def __init__(self, sums: GramAccumulator) -> None:
        table = sums.table()
        self.n = table.n
        everything = np.ones(len(sums.regimes))
        squares = sums.squares_about(everything, sums.mean(everything))
        scale = np.sqrt(np.where(squares > 0, squares / max(table.rows, 1), 1.0))
        self.scale = scale
        self.mean = table.mean / scale
        self.origin = -sums.shift / scale
        self._dense = np.array([r for r, part in enumerate(sums.regimes) if part.rows is None], int)
        kept = [(r, part.rows) for r, part in enumerate(sums.regimes) if part.rows is not None]
        self._kept = np.array([r for r, rows in kept if len(rows)], int)
        parts = [(rows - table.mean[r]) / scale for r, rows in kept if len(rows)]
        self._rows = np.concatenate(parts) if parts else np.empty((0, sums.p))
        self._starts = np.cumsum([0, *map(len, parts)])[:-1]
        matrices = [sums.regimes[r].cross_about(table.mean[r]) for r in self._dense]
        self._cross = np.stack(matrices) / np.outer(scale, scale) if matrices else None

    def blocks(self, nodes: np.ndarray) -> np.ndarray:
        """Cross-products of some columns about the regimes' own means, (regimes, k, k)."""
        k = len(nodes)
        found = np.zeros((len(self.n), k, k))
        if self._cross is not None:
            found[self._dense] = self._cross[:, nodes[:, None], nodes]
        if self._kept.size:
            rows = self._rows[:, nodes]
            products = rows[:, :, None] * rows[:, None, :]
            found[self._kept] = np.add.reduceat(products, self._starts, axis=0)
        return found
