r"""Regressing columns out of Gram statistics: covariates, and the free means of conditions.

Let G be the unit-diagonal Gram matrix of the rows that count for a node, over variables x and
further columns z. What is left of the variables after regression on z is the Schur complement

    G_xx - G_xz G_zz^{-1} G_zx = G_xx - E'E,      E = G_zz^{-1/2} G_zx,

so that E looks exactly like the correction rows of excluded rows (:mod:`arcs.kernels.statistics`):
pivots that were eliminated already. A pattern of excluded rows has its own E, which is the exact
regression over the rows that count there. Columns of z that say nothing new in these rows (a level
that none of them has, the last of a set of indicators) have no part in E; its number of rows are
the degrees of freedom that are taken off the number of rows n. Every score, test and standard error
that is computed from the statistics is then that of a regression on z as well (restricted maximum
likelihood: variances are not underestimated).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from arcs.data.accumulate import GramAccumulator, RegimeSums
from arcs.data.checks import describe_columns
from arcs.data.counting import FEWEST_ROWS
from arcs.data.gram import GramStatistics
from arcs.data.strips import cross_products
from arcs.data.twins import join_twins
from arcs.errors import DataError
from arcs.lazily import Lazily

if TYPE_CHECKING:
    from arcs.kernels.statistics import Stats

__all__ = [
    "NOTHING",
    "REPAIRED",
    "CovariateShares",
    "covariate_shares",
    "eliminate",
    "residual_sums",
]

bundles, statistics = Lazily("arcs.kernels.bundles"), Lazily("arcs.kernels.statistics")

#: Less than this share of a column's variation left is rounding: it was explained completely.
NOTHING = 1e-9
#: The same for a covariance of incomplete rows: pairs of columns come from different rows.
REPAIRED = 1e-4
#: Patterns are stored as dense matrices up to this many numbers, as correction rows beyond.
_DENSE = 64_000_000


def eliminate(
    wide: GramStatistics,
    names: Sequence[str],
    out: np.ndarray,
    *,
    refuse: bool = True,
    tolerance: float = NOTHING,
) -> GramStatistics:
    """Statistics of the first columns after regression on some of the others.

    Parameters
    ----------
    wide : GramStatistics
        Of variables and further columns; patterns of the variables only matter.
    names : sequence of str
        Names of the p variables, which are the first columns.
    out : ndarray of bool, shape (p, further columns)
        Which columns are regressed out for each node.
    refuse : bool
        Whether a column of which nothing is left is refused, rather than an isolated node.
    tolerance : float
        Eigenvalues of the Gram matrix of further columns below this are rounding.

    Raises
    ------
    DataError
        If too few rows are left for a node, or nothing is left of a column.
    """
    p = len(names)
    keys = np.column_stack([wide.kernel.pattern[:p], out])
    distinct, pattern = np.unique(keys, axis=0, return_inverse=True)
    dense = len(distinct) * p * p <= _DENSE
    found = [_Remainder(wide, p, int(k), np.flatnonzero(z) + p, tolerance) for k, *z in distinct]
    pattern = pattern.ravel().astype(np.int64)
    rows_left = np.array([part.n for part in found])[pattern]
    _refuse_few_rows(wide, names, pattern, found, rows_left)
    if refuse:
        _refuse_explained(names, pattern, found)
    kernel = _dense_kernel(found, pattern) if dense else _low_rank_kernel(wide, found, pattern)
    join_twins(kernel)
    return GramStatistics(
        tuple(names),
        kernel,
        np.stack([wide.means[part.k][:p] for part in found]),
        np.stack([wide.norms[part.k][:p] * np.sqrt(part.left) for part in found]),
        wide.n_rows,
        tuple(tuple(v for v in group if v < p) for group in wide.targets),
        None if wide.log_weights is None else wide.log_weights[:p],
    )


class _Remainder:
    """One pattern: what is left after regression on the columns `z`."""

    def __init__(
        self, wide: GramStatistics, p: int, k: int, z: np.ndarray, tolerance: float
    ) -> None:
        self.stats, self.p, self.k = wide.kernel, p, k
        counted = float(self.stats.n[k])
        # A column that does not vary in these rows explains nothing and costs nothing.
        varies = wide.norms[k][z] > NOTHING * np.sqrt(max(counted, 1.0))
        z = z[varies] if counted else z[:0]
        self.rows = _whitened(self._entries(z, z), self._entries(z, np.arange(p)), tolerance)
        self.n = counted - len(self.rows) if counted else 0.0
        left = 1.0 - (self.rows**2).sum(axis=0)
        self.nothing = left <= NOTHING
        self.left = np.where(self.nothing, 1.0, left)

    def _corrections(self) -> np.ndarray:
        start, stop = self.stats.row_start[self.k], self.stats.row_stop[self.k]
        return np.asarray(self.stats.rows[start:stop])

    def _entries(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Entries of the pattern's Gram matrix."""
        rows, scale = self._corrections(), self.stats.scale[self.k]
        gram = self.stats.grams[self.stats.base[self.k]][np.ix_(a, b)]
        return np.asarray((gram - rows[:, a].T @ rows[:, b]) * np.outer(scale[a], scale[b]))

    def dense(self) -> np.ndarray:
        """The Gram matrix of the residuals, with unit diagonal."""
        everything = np.arange(self.p)
        gram = self._entries(everything, everything) - cross_products(self.rows)
        scale = 1.0 / np.sqrt(self.left)
        gram *= np.outer(scale, scale)
        gram[self.nothing] = 0.0
        gram[:, self.nothing] = 0.0
        np.clip(gram, -1.0, 1.0, out=gram)
        np.fill_diagonal(gram, 1.0)
        return np.asarray((gram + gram.T) / 2)

    def low_rank(self) -> tuple[np.ndarray, np.ndarray]:
        """Correction rows to the dense Gram matrix that the pattern starts from, and the scale."""
        scale = self.stats.scale[self.k][: self.p]
        rows = np.concatenate([self._corrections()[:, : self.p], self.rows / scale])
        return rows, scale / np.sqrt(self.left)


def _stats(**arrays: np.ndarray) -> Stats:
    return cast("Stats", bundles.bundle(statistics.Stats(**arrays)))


def _whitened(inner: np.ndarray, cross: np.ndarray, tolerance: float) -> np.ndarray:
    """``inner^{-1/2} cross`` on the range of `inner`."""
    if not len(inner):
        return np.empty((0, cross.shape[1]))
    values, vectors = np.linalg.eigh(inner)
    kept = values > tolerance * len(inner)
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])).T @ cross)


def _dense_kernel(found: Sequence[_Remainder], pattern: np.ndarray) -> Stats:
    k, p = len(found), found[0].p
    nothing = np.zeros(k, dtype=np.int64)
    return _stats(
        grams=np.stack([part.dense() for part in found]),
        pattern=pattern,
        base=np.arange(k),
        rows=np.empty((0, p)),
        row_start=nothing,
        row_stop=nothing.copy(),
        scale=np.ones((k, p)),
        scaled=np.zeros(k, dtype=bool),
        n=np.array([part.n for part in found]),
    )


def _low_rank_kernel(
    wide: GramStatistics, found: Sequence[_Remainder], pattern: np.ndarray
) -> Stats:
    """The same with few rows per pattern instead of a matrix: memory stays O(p^2 + rows p)."""
    p = found[0].p
    parts = [part.low_rank() for part in found]
    stops = np.cumsum([len(rows) for rows, _ in parts]).astype(np.int64)
    return _stats(
        grams=np.ascontiguousarray(wide.kernel.grams[:, :p, :p]),
        pattern=pattern,
        base=np.array([wide.kernel.base[part.k] for part in found]),
        rows=np.ascontiguousarray(np.concatenate([rows for rows, _ in parts])),
        row_start=np.concatenate([[0], stops[:-1]]).astype(np.int64),
        row_stop=stops,
        scale=np.stack([scale for _, scale in parts]),
        scaled=np.ones(len(parts), dtype=bool),
        n=np.array([part.n for part in found]),
    )


def _refuse_few_rows(
    wide: GramStatistics,
    names: Sequence[str],
    pattern: np.ndarray,
    found: Sequence[_Remainder],
    left: np.ndarray,
) -> None:
    before = np.asarray(wide.kernel.n)[[part.k for part in found]][pattern]
    few = np.flatnonzero((before > 0) & (left < FEWEST_ROWS))
    if few.size:
        v = int(few[0])
        removed = len(found[int(pattern[v])].rows)
        raise DataError(
            f"column {names[v]!r} ({few.size} such columns) has {int(before[v])} rows that count "
            f"and {removed} covariates or free means to adjust for: {int(left[v])} are left, at "
            f"least {FEWEST_ROWS} are needed. Adjust for less, join levels or conditions, or take "
            "condition_policy='common'."
        )


def _refuse_explained(
    names: Sequence[str], pattern: np.ndarray, found: Sequence[_Remainder]
) -> None:
    p = len(names)
    wrong = [v for v in range(p) if found[int(pattern[v])].nothing[v] and found[int(pattern[v])].n]
    if wrong:
        listed = describe_columns([names[v] for v in wrong])
        raise DataError(
            f"{'one column is an' if len(wrong) == 1 else f'{len(wrong)} columns are'} exact "
            f"function{'s' * (len(wrong) > 1)} of the covariates or conditions: {listed}. Nothing "
            "is left there to learn from: leave it out, or do not adjust for what it copies."
        )


@dataclass(frozen=True, eq=False)
class CovariateShares:
    """What covariates explain.

    Attributes
    ----------
    partial : ndarray of shape (terms, p)
        Partial R^2 of each term given the other terms, in the regression on covariates alone.
    together : ndarray of shape (p,)
        Share of the variance that all terms explain.
    degrees : int
        Degrees of freedom of all terms.
    """

    partial: np.ndarray
    together: np.ndarray
    degrees: int


def covariate_shares(wide: GramStatistics, p: int, first: int, term: np.ndarray) -> CovariateShares:
    """Shares of variance that the columns from `first` on explain, which belong to terms."""
    everything = _Remainder(wide, p, 0, first + np.arange(term.size), REPAIRED)
    left, partial = 1.0 - (everything.rows**2).sum(axis=0), []
    for t in range(int(term.max()) + 1):
        others = _Remainder(wide, p, 0, first + np.flatnonzero(term != t), REPAIRED)
        without = np.maximum(1.0 - (others.rows**2).sum(axis=0), NOTHING)
        partial.append(np.clip(1.0 - left / without, 0.0, 1.0))
    return CovariateShares(np.stack(partial), np.clip(1.0 - left, 0, 1), len(everything.rows))


def residual_sums(sums: GramAccumulator, p: int, columns: np.ndarray) -> GramAccumulator:
    """Moments per regime of the first `p` columns after one regression on `columns` of all rows.

    For mechanisms that differ between regimes, in which covariates act alike. A column of which
    nothing is left (the last indicator of a set) becomes a constant rather than rounding errors.
    """
    everything = np.ones(len(sums.regimes))
    centre = sums.mean(everything)
    cross = sums.cross_about(everything, centre)
    slopes = np.linalg.pinv(cross[np.ix_(columns, columns)], rcond=NOTHING, hermitian=True)
    slopes = slopes @ cross[np.ix_(columns, np.arange(p))]
    change = np.zeros((sums.p, p))
    change[np.arange(p), np.arange(p)] = 1.0
    change[columns] -= slopes
    offset = centre[columns] @ slopes
    explained = np.einsum("zv,zv->v", cross[np.ix_(columns, np.arange(p))], slopes)
    nothing = np.diag(cross)[:p] - explained <= NOTHING * np.diag(cross)[:p]
    change[:, nothing], offset[nothing] = 0.0, centre[:p][nothing]
    moved = GramAccumulator(p, 0)
    moved.shift = sums.shift[:p]
    moved.regimes = [RegimeSums.combined(regime, change, offset) for regime in sums.regimes]
    return moved
