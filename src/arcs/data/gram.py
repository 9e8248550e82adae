"""Gram statistics: all that a Gaussian score needs to know of the data.

For node v only the rows O_v in which v was not set count (the paper's Lemma 3). Its Gram matrix is
that of the columns restricted to O_v, centred there and scaled to *unit Euclidean norm*
("standardized" in the paper's Section 4.5). Nodes with the same excluded rows share a *pattern*.

A pattern is stored either as correction rows to the Gram matrix of all rows (when fewer rows than
columns are excluded) or as a dense matrix of its own, so that memory stays O(p^2 + n p) even when
every variable is a target. More generally each regime may count with a weight w in [0, 1] for each
node: 0 excludes it (a hard intervention), 1 takes it in full, and values between serve the soft
interventions, under which a node keeps its parents while its noise changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.errors import DataError
from arcs.kernels.statistics import Stats

__all__ = ["GramStatistics"]

#: Below this share of a column's variation the subtraction of excluded rows would cancel too many
#: digits; the pattern's Gram is then summed from the rows that do count.
_CANCELLATION = 1e-6


@dataclass(frozen=True, eq=False)
class GramStatistics:
    """Sufficient statistics of a data set, per pattern of excluded rows.

    Attributes
    ----------
    names : tuple of str
        Names of the variables.
    kernel : Stats
        The arrays that kernels read (unit-diagonal Gram matrices).
    means, norms : ndarray of shape (patterns, p)
        Column means, and Euclidean norms after centring, over the rows that count, on the
        user's scale: what leads back from the standardised problem.
    n_rows : int
        Number of rows of the data set.
    targets : tuple of tuple of int
        The target sets of the regimes, ``((),)`` for observational data.
    """

    names: tuple[str, ...]
    kernel: Stats
    means: np.ndarray
    norms: np.ndarray
    n_rows: int
    targets: tuple[tuple[int, ...], ...] = ((),)

    # ------------------------------------------------------------------ constructors
    @classmethod
    def from_values(
        cls, values: np.ndarray, names: Sequence[str] | None = None, *, center: bool = True
    ) -> GramStatistics:
        """Statistics of observational rows."""
        accumulator = GramAccumulator(values.shape[1])
        accumulator.add(np.asarray(values, dtype=np.float64))
        labels = names or [f"x{j}" for j in range(values.shape[1])]
        return cls.from_accumulator(accumulator, labels, center=center)

    @classmethod
    def from_covariance(
        cls,
        covariance: np.ndarray,
        n: int,
        names: Sequence[str],
        mean: np.ndarray | None = None,
    ) -> GramStatistics:
        """Statistics of `n` rows of which only the covariance is known."""
        sd = np.sqrt(np.diag(covariance))
        gram = covariance / np.outer(sd, sd)
        np.fill_diagonal(gram, 1.0)
        p = len(sd)
        kernel = _kernel(
            gram[None], np.zeros(p, np.int64), [_Pattern(0, np.empty((0, p)), None, n)]
        )
        means = np.zeros((1, p)) if mean is None else np.asarray(mean, dtype=float)[None]
        return cls(tuple(names), kernel, means, (sd * np.sqrt(n))[None], int(n))

    @classmethod
    def from_accumulator(
        cls,
        accumulator: GramAccumulator,
        names: Sequence[str],
        *,
        targets: Sequence[Sequence[int]] = ((),),
        weights: np.ndarray | None = None,
        center: bool = True,
    ) -> GramStatistics:
        """Statistics from sums per regime.

        Parameters
        ----------
        accumulator : GramAccumulator
            Sums per regime.
        names : sequence of str
            Names of the columns.
        targets : sequence of sequences of int
            Target set of each regime.
        weights : ndarray of shape (p, regimes), optional
            How much each regime counts for each node; by default 0 where the node is a target
            and 1 elsewhere.
        center : bool
            Whether to remove means.
        """
        p, n_regimes = accumulator.p, len(accumulator.regimes)
        if weights is None:
            weights = np.ones((p, n_regimes))
            for r, group in enumerate(targets):
                weights[list(group), r] = 0.0
        rows_of_weights, pattern = np.unique(weights, axis=0, return_inverse=True)
        builder = _Builder(accumulator, names, center)
        patterns = [builder.pattern(w) for w in rows_of_weights]
        kernel = _kernel(np.stack(builder.grams), pattern.ravel().astype(np.int64), patterns)
        return cls(
            tuple(names),
            kernel,
            np.stack(builder.means),
            np.stack(builder.norms),
            accumulator.n,
            tuple(tuple(group) for group in targets),
        )

    # ------------------------------------------------------------------ views
    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    @cached_property
    def n(self) -> np.ndarray:
        """Number of rows that count for each node."""
        return np.asarray(self.kernel.n[self.kernel.pattern])

    @property
    def experimental(self) -> bool:
        """Whether any variable was intervened upon."""
        return any(len(group) > 0 for group in self.targets)

    def gram(self, node: int) -> np.ndarray:
        """The unit-diagonal Gram matrix that counts for `node` (formed on demand)."""
        return self.sub_gram(node, np.arange(self.p))

    def sub_gram(self, node: int, nodes: np.ndarray) -> np.ndarray:
        """Rows and columns `nodes` of the Gram matrix that counts for `node`."""
        k = int(self.kernel.pattern[node])
        gram = self.kernel.grams[self.kernel.base[k]][np.ix_(nodes, nodes)]
        rows = self.kernel.rows[self.kernel.row_start[k] : self.kernel.row_stop[k]][:, nodes]
        scale = self.kernel.scale[k, nodes]
        return np.asarray((gram - rows.T @ rows) * np.outer(scale, scale))

    def mean(self, node: int) -> np.ndarray:
        """Column means over the rows that count for `node`, on the user's scale."""
        return np.asarray(self.means[self.kernel.pattern[node]])

    def norm(self, node: int) -> np.ndarray:
        """Norms of the centred columns over the rows that count for `node`, user's scale."""
        return np.asarray(self.norms[self.kernel.pattern[node]])


@dataclass(frozen=True)
class _Pattern:
    base: int
    rows: np.ndarray
    scale: np.ndarray | None
    n: float


class _Builder:
    """Turns weights per regime into patterns, sharing the Gram matrix of all rows."""

    def __init__(self, accumulator: GramAccumulator, names: Sequence[str], center: bool) -> None:
        self.sums = accumulator
        self.names = tuple(names)
        self.center = center
        self.grams: list[np.ndarray] = []
        self.means: list[np.ndarray] = []
        self.norms: list[np.ndarray] = []
        everything = np.ones(len(accumulator.regimes))
        self.weight, self.mean, self.norm = self._location(everything)
        self.full = self._dense(everything, self.weight, self.mean, self.norm)

    def pattern(self, weights: np.ndarray) -> _Pattern:
        weight, mean, norm = self._location(weights)
        self.means.append(mean + self.sums.shift)
        self.norms.append(norm)
        counted = float(sum(r.n for w, r in zip(weights, self.sums.regimes, strict=True) if w > 0))
        rows = self._correction(weights, weight, mean)
        stable = np.all(norm**2 >= _CANCELLATION * self.norm**2)
        if rows is None or not stable:
            self.grams.append(self._dense(weights, weight, mean, norm))
            return _Pattern(len(self.grams) - 1, np.empty((0, self.sums.p)), None, counted)
        scale = None if not len(rows) else self.norm / norm
        return _Pattern(self._full_base(), rows, scale, counted)

    def _full_base(self) -> int:
        """Index of the Gram matrix of all rows, added when it is first needed."""
        for k, gram in enumerate(self.grams):
            if gram is self.full:
                return k
        self.grams.append(self.full)
        return len(self.grams) - 1

    def _location(self, weights: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Weight, means (shifted coordinates) and norms of the rows, regimes weighted."""
        weight, total, squares = self.sums.weighted_totals(weights)
        if weight <= 0:
            return 0.0, np.zeros(self.sums.p), np.ones(self.sums.p)
        mean = total / weight if self.center else -self.sums.shift
        variation = squares - 2 * mean * total + weight * mean**2
        norm = np.sqrt(np.maximum(variation, 0.0))
        return weight, mean, np.where(norm > 0, norm, 1.0)

    def _dense(
        self, weights: np.ndarray, weight: float, mean: np.ndarray, norm: np.ndarray
    ) -> np.ndarray:
        if weight <= 0:
            return np.eye(self.sums.p)
        _, total, _ = self.sums.weighted_totals(weights)
        gram = self.sums.weighted_cross(weights)
        gram += weight * np.outer(mean, mean) - np.outer(mean, total) - np.outer(total, mean)
        gram /= np.outer(norm, norm)
        np.fill_diagonal(gram, 1.0)
        return np.asarray((gram + gram.T) / 2)

    def _correction(
        self, weights: np.ndarray, weight: float, mean: np.ndarray
    ) -> np.ndarray | None:
        """Rows R with ``G_v = G - R'R`` (before scaling), or None if they are too many."""
        parts = []
        for w, regime in zip(weights, self.sums.regimes, strict=True):
            if w == 1.0 or regime.n == 0:
                continue
            kept = regime.rows
            if kept is None:
                return None
            parts.append(np.sqrt(1.0 - w) * (kept - self.mean) / self.norm)
        if not parts:
            return np.empty((0, self.sums.p))
        if weight <= 0:
            return None
        if self.center:
            # The Gram matrix of all rows is centred at their mean; move it to this pattern's.
            parts.append((np.sqrt(weight) * (mean - self.mean) / self.norm)[None])
        rows = np.concatenate(parts)
        return rows if rows.shape[0] < self.sums.p else None


def _kernel(grams: np.ndarray, pattern: np.ndarray, patterns: Sequence[_Pattern]) -> Stats:
    p = grams.shape[1]
    lengths = np.array([len(k.rows) for k in patterns], dtype=np.int64)
    stops = np.cumsum(lengths)
    scales = np.ones((len(patterns), p))
    for k, entry in enumerate(patterns):
        if entry.scale is not None:
            scales[k] = entry.scale
    stats = Stats(
        grams=np.ascontiguousarray(grams),
        pattern=pattern,
        base=np.array([k.base for k in patterns], dtype=np.int64),
        rows=np.ascontiguousarray(np.concatenate([k.rows for k in patterns])),
        row_start=stops - lengths,
        row_stop=stops,
        scale=scales,
        scaled=np.array([k.scale is not None for k in patterns]),
        n=np.array([k.n for k in patterns], dtype=np.float64),
    )
    if not all(np.isfinite(array).all() for array in (stats.grams, stats.rows, stats.scale)):
        raise DataError("the cross-products of the data overflow; rescale the columns")
    return stats
