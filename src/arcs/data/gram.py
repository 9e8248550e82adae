"""Gram statistics: all that a Gaussian score needs to know of the data.

For node v only the rows O_v in which v was not set count (the paper's Lemma 3). Its Gram matrix is
that of the columns restricted to O_v, centred there and scaled to *unit Euclidean norm*
("standardized" in the paper's Section 4.5). Nodes with the same excluded rows share a *pattern*.

A pattern is stored either as correction rows to the Gram matrix of all rows (when fewer rows than
columns are excluded) or as a dense matrix of its own, so that memory stays O(p^2 + n p) even when
every variable is a target. More generally each regime may count with a weight w >= 0 for each node:
0 excludes it (a hard intervention), 1 takes it in full, and other values serve the soft
interventions, under which a node keeps its parents while its noise changes (:mod:`arcs.regimes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.strips import cross_products, divide_by_norms, symmetrise
from arcs.data.twins import join_twins
from arcs.errors import DataError
from arcs.lazily import Lazily

if TYPE_CHECKING:
    from arcs.kernels.statistics import Stats

__all__ = ["GramStatistics"]

bundles, statistics = Lazily("arcs.kernels.bundles"), Lazily("arcs.kernels.statistics")

#: Below this share of a column's variation the subtraction of excluded rows would cancel too many
#: digits; the pattern's Gram is then summed from the rows that do count.
_CANCELLATION = 1e-6
#: The standard deviation, relative to its size, by which a constant column is represented.
_STAND_IN = 1e-12


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
    log_weights : ndarray of shape (p,), optional
        ``sum_r n_r / 2 log w_r`` over the regimes that count: what the weights add to the
        log-likelihood of a node. Nothing, unless regimes are reweighted.

    Examples
    --------
    >>> import numpy as np
    >>> covariance = np.array([[4.0, 1.0], [1.0, 1.0]])
    >>> statistics = GramStatistics.from_covariance(covariance, 50, ["a", "b"])
    >>> statistics.gram(0).round(2).tolist()  # correlations
    [[1.0, 0.5], [0.5, 1.0]]
    """

    names: tuple[str, ...]
    kernel: Stats
    means: np.ndarray
    norms: np.ndarray
    n_rows: int
    targets: tuple[tuple[int, ...], ...] = ((),)
    log_weights: np.ndarray | None = None

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
        *,
        n_rows: int | None = None,
    ) -> GramStatistics:
        """Statistics of `n` rows of which only the covariance (and the mean) is known.

        A variable without variance is uncorrelated with all others, and no row counts for it.
        `n_rows` is the size of the data set, if `n` is an effective number.
        """
        variances = np.diag(covariance)
        flat = variances <= 0
        p = len(variances)
        means = np.zeros(p) if mean is None else np.asarray(mean, dtype=float)
        sd = np.where(flat, _STAND_IN * np.maximum(np.abs(means), 1.0), np.sqrt(variances))
        gram = covariance / np.outer(sd, sd)
        gram[flat] = 0.0
        gram[:, flat] = 0.0
        np.fill_diagonal(gram, 1.0)
        nothing = np.empty((0, p))
        patterns = [_Pattern(0, nothing, None, n)]
        if flat.any():
            patterns.append(_Pattern(0, nothing, None, 0))
        kernel = _kernel(gram[None], flat.astype(np.int64), patterns)
        k = len(patterns)
        return cls(
            tuple(names),
            kernel,
            np.tile(means, (k, 1)),
            np.tile(sd * np.sqrt(n), (k, 1)),
            int(n if n_rows is None else n_rows),
        )

    @classmethod
    def from_accumulator(
        cls,
        accumulator: GramAccumulator,
        names: Sequence[str],
        *,
        targets: Sequence[Sequence[int]] = ((),),
        weights: np.ndarray | None = None,
        own: Mapping[int, GramAccumulator] | None = None,
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
            and 1 elsewhere. A node for which no regime counts has no rows: ``n`` is 0.
        own : mapping of int to GramAccumulator, optional
            Nodes that have sums of their own; each takes a dense matrix.
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
        pattern = pattern.ravel().astype(np.int64)
        for node, sums in (own or {}).items():
            pattern[node] = len(patterns)
            patterns.append(builder.own_pattern(sums, weights[node]))
        # Of a single Gram matrix, which may be most of the memory, no copy is made.
        one = len(builder.grams) == 1
        grams = builder.grams[0][np.newaxis] if one else np.stack(builder.grams)
        kernel = _kernel(grams, pattern, patterns)
        return cls(
            tuple(names),
            kernel,
            np.stack(builder.means),
            np.stack(builder.norms),
            accumulator.n,
            tuple(tuple(group) for group in targets),
            _log_weights(weights, accumulator.table().n),
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
        if self.kernel.row_start[k] == self.kernel.row_stop[k] and not self.kernel.scaled[k]:
            return np.asarray(gram)
        rows = self.kernel.rows[self.kernel.row_start[k] : self.kernel.row_stop[k]][:, nodes]
        scale = self.kernel.scale[k, nodes]
        return np.asarray((gram - cross_products(rows)) * np.outer(scale, scale))

    def mean(self, node: int) -> np.ndarray:
        """Column means over the rows that count for `node`, on the user's scale."""
        return np.asarray(self.means[self.kernel.pattern[node]])

    def norm(self, node: int) -> np.ndarray:
        """Norms of the centred columns over the rows that count for `node`, user's scale."""
        return np.asarray(self.norms[self.kernel.pattern[node]])


@dataclass(frozen=True)
class _Location:
    """Weight, point that is taken off (shifted coordinates), norms, and constant columns."""

    weight: float
    mean: np.ndarray
    norm: np.ndarray
    flat: np.ndarray


@dataclass(frozen=True)
class _Pattern:
    base: int
    rows: np.ndarray
    scale: np.ndarray | None
    n: float


class _Builder:
    """Turns weights per regime into patterns, sharing the Gram matrix of all rows.

    A column that does not vary in the rows of a pattern is uncorrelated with all others there.
    """

    def __init__(self, accumulator: GramAccumulator, names: Sequence[str], center: bool) -> None:
        self.sums = accumulator
        self.names = tuple(names)
        self.center = center
        self.grams: list[np.ndarray] = []
        self.means: list[np.ndarray] = []
        self.norms: list[np.ndarray] = []
        everything = np.ones(len(accumulator.regimes))
        self.all = self._location(everything)
        self.full = self._dense(everything, self.all)

    def pattern(self, weights: np.ndarray) -> _Pattern:
        """Add the pattern with these weights of the regimes."""
        table = self.sums.table()
        counted = float(table.n[weights > 0].sum())
        here = self._location_without(weights) if counted else self.all
        self.means.append(here.mean + self.sums.shift)
        self.norms.append(here.norm)
        if not counted:
            # Nothing is known of the node's mechanism; the marginal moments are of all rows.
            self.grams.append(np.eye(self.sums.p))
            return _Pattern(len(self.grams) - 1, np.empty((0, self.sums.p)), None, 0.0)
        rows = self._correction(weights, here)
        if rows is None or not self._is_stable(here):
            self.grams.append(self._dense(weights, here))
            return _Pattern(len(self.grams) - 1, np.empty((0, self.sums.p)), None, counted)
        scale = None
        if len(rows):
            scale = np.where(self.all.flat, 1.0, self.all.norm / here.norm)
        return _Pattern(self._full_base(), rows, scale, counted)

    def own_pattern(self, sums: GramAccumulator, weights: np.ndarray) -> _Pattern:
        """Add the pattern of a node that has sums of its own."""
        other = _Builder(sums, self.names, self.center)
        here = other._location(weights)
        self.means.append(here.mean + sums.shift)
        self.norms.append(here.norm)
        self.grams.append(other._dense(weights, here))
        counted = float(sums.table().n[weights > 0].sum())
        return _Pattern(len(self.grams) - 1, np.empty((0, sums.p)), None, counted)

    def _is_stable(self, here: _Location) -> bool:
        """Whether taking rows off the Gram matrix of all rows keeps enough digits."""
        kept = here.norm**2 >= _CANCELLATION * self.all.norm**2
        return bool(np.all(self.all.flat | (kept & ~here.flat)))

    def _full_base(self) -> int:
        """Index of the Gram matrix of all rows, added when it is first needed."""
        for k, gram in enumerate(self.grams):
            if gram is self.full:
                return k
        self.grams.append(self.full)
        return len(self.grams) - 1

    def _location(self, weights: np.ndarray) -> _Location:
        """Where the rows lie and how far they spread, regimes weighted."""
        weight = float(weights @ self.sums.table().n)
        mean = self.sums.mean(weights)
        point = mean if self.center else -self.sums.shift
        norm = np.sqrt(self.sums.squares_about(weights, point))
        flat = self.sums.constant(weights) | (norm == 0.0)
        # The spread of a constant is its rounding error: positive, and of no consequence.
        size = _STAND_IN * np.maximum(np.abs(mean + self.sums.shift), 1.0) * np.sqrt(weight)
        return _Location(weight, point, np.where(flat, size, norm), flat)

    def _location_without(self, weights: np.ndarray) -> _Location:
        """The same by taking off what does not count, in O(p) per regime taken off.

        Where that cancels too much the moments are summed from what does count.
        """
        table = self.sums.table()
        out = np.flatnonzero((weights != 1.0) & (table.n > 0))
        less = (1.0 - weights[out]) * table.n[out]
        weight = self.all.weight - float(less.sum())
        if not weight > 0:
            return self._location(weights)
        steps = table.mean[out] - self.all.mean
        squares = self.all.norm**2 - (1.0 - weights[out]) @ table.squares[out] - less @ steps**2
        mean = self.all.mean
        if self.center:
            move = -(less @ steps) / weight
            mean = mean + move
            squares = squares - weight * move**2
        if np.any((squares < _CANCELLATION * self.all.norm**2) & ~self.all.flat):
            return self._location(weights)
        flat = self.all.flat
        norm = np.sqrt(np.where(flat, self.all.norm**2 * weight / self.all.weight, squares))
        return _Location(weight, mean, norm, flat)

    def _dense(self, weights: np.ndarray, here: _Location) -> np.ndarray:
        gram = self.sums.cross_about(weights, here.mean)
        divide_by_norms(gram, here.norm)
        gram[here.flat] = 0.0
        gram[:, here.flat] = 0.0
        np.clip(gram, -1.0, 1.0, out=gram)
        np.fill_diagonal(gram, 1.0)
        symmetrise(gram)
        return gram

    def _correction(self, weights: np.ndarray, here: _Location) -> np.ndarray | None:
        """Rows R with ``G_v = G - R'R`` (before scaling), or None if they are too many."""
        left_out = np.flatnonzero((weights != 1.0) & (self.sums.table().n > 0))
        if not left_out.size:
            return np.empty((0, self.sums.p))
        if weights.max() > 1.0 or self.sums.table().n[left_out].sum() >= self.sums.p:
            return None
        parts = []
        for r in left_out:
            kept = self.sums.regimes[r].rows
            if kept is None:
                return None
            parts.append(np.sqrt(1.0 - weights[r]) * (kept - self.all.mean) / self.all.norm)
        if self.center:
            # The Gram matrix of all rows is centred at their mean; move it to this pattern's.
            move = np.sqrt(here.weight) * (here.mean - self.all.mean) / self.all.norm
            parts.append(move[None])
        rows = np.concatenate(parts)
        rows[:, self.all.flat] = 0.0
        return rows if rows.shape[0] < self.sums.p else None


def _log_weights(weights: np.ndarray, n: np.ndarray) -> np.ndarray:
    counted = np.where(weights > 0, weights, 1.0)
    return np.asarray(0.5 * np.log(counted) @ n)


def _kernel(grams: np.ndarray, pattern: np.ndarray, patterns: Sequence[_Pattern]) -> Stats:
    p = grams.shape[1]
    lengths = np.array([len(k.rows) for k in patterns], dtype=np.int64)
    stops = np.cumsum(lengths)
    scales = np.ones((len(patterns), p))
    for k, entry in enumerate(patterns):
        if entry.scale is not None:
            scales[k] = entry.scale
    stats = statistics.Stats(
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
    return cast("Stats", bundles.bundle(join_twins(stats)))
