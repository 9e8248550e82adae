"""Covariances from rows with holes.

``pairwise``: the correlation of two columns over the rows in which both are present. Such a matrix
need not be positive definite; it is repaired by raising its eigenvalues to the size of the most
negative one and scaling the diagonal back to one.

``em``: the maximum-likelihood mean and covariance of a Gaussian from the values present, by the EM
algorithm (Dempster, Laird and Rubin, 1977; Little and Rubin, 2002, Section 11.2), valid if values
are missing at random. With the precision matrix P = Sigma^{-1}, a row with missing part m and
present part o has

    E[x_m | x_o] = mu_m - P_mm^{-1} P_mo (x_o - mu_o),      Cov[x_m | x_o] = P_mm^{-1},

so that an iteration costs one p x p inverse and, per distinct set of missing columns, a system of
the size of that set.

The effective number of rows is the harmonic mean of the numbers of rows that pairs of columns
share: the sampling variance of a correlation goes as one over that number, so this n has the
average variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcs.data.strips import cross_products
from arcs.errors import DataError, warn_caller

__all__ = [
    "MISSING_POLICIES",
    "PairwiseSums",
    "RepairedCovariance",
    "em_covariance",
    "nearest_correlation",
]

#: What can be done about missing values.
MISSING_POLICIES = ("error", "drop", "pairwise", "em", "level")
#: Smallest eigenvalue of a repaired correlation matrix.
_FLOOR = 1e-6
#: Added to the diagonal before it is inverted: fewer rows than columns, collinear columns.
_RIDGE = 1e-8


@dataclass(frozen=True, eq=False)
class RepairedCovariance:
    """A positive semidefinite covariance from incomplete rows.

    Attributes
    ----------
    mean, covariance : ndarray
        On the user's scale; a column that does not vary has variance 0.
    n : int
        Effective number of rows.
    smallest_eigenvalue : float
        Of the correlation matrix before any repair.
    iterations : int
        Of the EM algorithm; 0 otherwise.
    """

    mean: np.ndarray
    covariance: np.ndarray
    n: int
    smallest_eigenvalue: float
    iterations: int = 0

    @property
    def repaired(self) -> bool:
        """Whether the correlation matrix was not positive definite (up to the floor)."""
        return self.smallest_eigenvalue < _FLOOR


class PairwiseSums:
    """Counts, sums and cross-products over the rows that two columns share, chunk by chunk."""

    def __init__(self, p: int) -> None:
        self.p = p
        self.shift = np.zeros(p)
        self.rows = 0
        self._known = np.zeros(p, dtype=bool)
        self.counts = np.zeros((p, p))
        self._sums = np.zeros((p, p))
        self._squares = np.zeros((p, p))
        self._cross = np.zeros((p, p))
        self.low = np.full(p, np.inf)
        self.high = np.full(p, -np.inf)

    def add(self, values: np.ndarray) -> None:
        """Take in rows; what is not finite is missing."""
        present = np.isfinite(values)
        self.rows += len(values)
        self.low = np.minimum(self.low, np.where(present, values, np.inf).min(axis=0))
        self.high = np.maximum(self.high, np.where(present, values, -np.inf).max(axis=0))
        fresh = ~self._known & present.any(axis=0)
        if fresh.any():
            # Before the first value of a column all its sums are zero, so it may still be shifted.
            total = np.where(present, values, 0.0).sum(axis=0)
            self.shift[fresh] = total[fresh] / present.sum(axis=0)[fresh]
            self._known |= fresh
        seen = present.astype(np.float64)
        filled = np.where(present, values - self.shift, 0.0)
        self.counts += cross_products(seen)
        self._sums += filled.T @ seen
        self._squares += (filled**2).T @ seen
        self._cross += cross_products(filled)

    def merge(self, other: PairwiseSums) -> None:
        """Take in what another one has collected of other rows."""
        self.rows += other.rows
        self.low = np.minimum(self.low, other.low)
        self.high = np.maximum(self.high, other.high)
        fresh = ~self._known & other._known
        self.shift[fresh] = other.shift[fresh]
        self._known |= fresh
        # Sums about their shift become sums about ours.
        step = np.where(other._known, other.shift - self.shift, 0.0)
        counts, sums, down = other.counts, other._sums, step[:, None]
        self.counts += counts
        self._sums += sums + down * counts
        self._squares += other._squares + 2 * down * sums + down**2 * counts
        self._cross += other._cross + down * sums.T + step * sums + np.outer(step, step) * counts

    @property
    def constant(self) -> np.ndarray:
        """Which columns do not vary over the rows in which they are present."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        return np.asarray(self.high - self.low <= 4 * np.finfo(float).eps * size)

    def correlation(self) -> np.ndarray:
        """Correlations over shared rows; 0 where a column does not vary in them."""
        counts = np.maximum(self.counts, 1.0)
        spread = np.maximum(self._squares - self._sums**2 / counts, 0.0)
        spread[spread <= 1e-14 * self._squares] = 0.0
        covariance = self._cross - self._sums * self._sums.T / counts
        # By powers of two, which change no digit: products of squares leave the range otherwise.
        unit = np.ldexp(1.0, -np.frexp(np.sqrt(np.diag(self._squares)))[1])
        covariance = covariance * np.outer(unit, unit)
        spread = spread * (unit**2)[:, None]
        scale = np.sqrt(spread * spread.T)
        flat = scale == 0
        correlation = np.where(flat, 0.0, covariance / np.where(flat, 1.0, scale))
        correlation[self.constant] = 0.0
        correlation[:, self.constant] = 0.0
        np.fill_diagonal(correlation, 1.0)
        return np.clip((correlation + correlation.T) / 2, -1.0, 1.0)

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Means and standard deviations (divisor n) of the values present."""
        counts = np.maximum(np.diag(self.counts), 1.0)
        offset = np.diag(self._sums) / counts
        variance = np.maximum(np.diag(self._squares) / counts - offset**2, 0.0)
        sd = np.where(self.constant, 0.0, np.sqrt(variance))
        return self.shift + offset, sd

    def effective_rows(self, names: Sequence[str]) -> int:
        """Harmonic mean of the numbers of shared rows; pairs without enough of them refused."""
        counts = self.counts if self.p == 1 else self.counts[np.triu_indices(self.p, 1)]
        if counts.min() < 3:
            a, b = divmod(int(np.argmin(self.counts)), self.p)
            raise DataError(
                f"columns {names[a]!r} and {names[b]!r} are both present in only "
                f"{int(self.counts[a, b])} rows; at least 3 are needed to relate them: leave one "
                f"out with exclude=[{names[a]!r}]"
            )
        return int(counts.size / (1.0 / counts).sum() + 1e-6)

    def covariance(self, names: Sequence[str]) -> RepairedCovariance:
        """The repaired covariance, with the means and spreads of the values present."""
        n = self.effective_rows(names)
        correlation = self.correlation()
        smallest = float(np.linalg.eigvalsh(correlation)[0])
        mean, sd = self.moments()
        repaired = nearest_correlation(correlation)
        return RepairedCovariance(mean, repaired * np.outer(sd, sd), n, smallest)


def nearest_correlation(matrix: np.ndarray, floor: float = _FLOOR) -> np.ndarray:
    """A correlation matrix close to `matrix` with eigenvalues of about `floor` or more.

    A matrix that has them already is returned as it is. A negative eigenvalue shows by how much
    the entries are wrong at least, taken together: eigenvalues below its size cannot be told from
    zero, and are raised to that. Left at almost nothing, they would make variables out to be
    determined by others, which everything that is learned afterwards would explain.
    """
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= floor:
        return matrix
    raised = (vectors * np.maximum(values, max(floor, -float(values[0])))) @ vectors.T
    scale = 1.0 / np.sqrt(np.diag(raised))
    repaired = raised * np.outer(scale, scale)
    np.fill_diagonal(repaired, 1.0)
    return np.asarray((repaired + repaired.T) / 2)


def em_covariance(
    values: np.ndarray,
    names: Sequence[str],
    *,
    tolerance: float = 1e-6,
    max_iterations: int = 500,
) -> RepairedCovariance:
    """Maximum-likelihood mean and covariance from incomplete rows.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        What is not finite is missing.
    names : sequence of str
        For messages.
    tolerance : float
        Largest change of an entry of the correlation matrix at which iteration ends.
    max_iterations : int
        After so many iterations a :class:`~arcs.errors.DataWarning` is given.
    """
    pairs = PairwiseSums(values.shape[1])
    pairs.add(values)
    n = pairs.effective_rows(names)
    centre, sd = pairs.moments()
    unit = np.where(sd > 0, sd, 1.0)
    scaled = np.where(np.isfinite(values), (values - centre) / unit, np.nan)
    groups = _groups_by_pattern(scaled)
    mean, sigma = np.zeros(len(names)), nearest_correlation(pairs.correlation())
    change, iterations = np.inf, 0
    while change > tolerance and iterations < max_iterations:
        new_mean, new_sigma = _em_step(scaled, groups, mean, sigma)
        change = max(float(np.abs(new_sigma - sigma).max()), float(np.abs(new_mean - mean).max()))
        mean, sigma = new_mean, new_sigma
        iterations += 1
    if change > tolerance:
        warn_caller(
            f"the EM covariance still changes by {change:.1g} after {iterations} iterations; too "
            "few values may be present"
        )
    covariance = sigma * np.outer(sd, sd)
    smallest = float(np.linalg.eigvalsh(sigma)[0])
    return RepairedCovariance(centre + mean * unit, covariance, n, smallest, iterations)


_Group = tuple[np.ndarray, np.ndarray, np.ndarray]


def _groups_by_pattern(values: np.ndarray) -> list[_Group]:
    """Rows with the same missing columns: (row numbers, missing columns, present columns)."""
    patterns, member = np.unique(np.isfinite(values), axis=0, return_inverse=True)
    order = np.argsort(member.ravel(), kind="stable")
    starts = np.searchsorted(member.ravel()[order], np.arange(1, len(patterns)))
    return [
        (part, np.flatnonzero(~pattern), np.flatnonzero(pattern))
        for pattern, part in zip(patterns, np.split(order, starts), strict=True)
    ]


def _em_step(
    values: np.ndarray, groups: Sequence[_Group], mean: np.ndarray, sigma: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """One iteration: expected sums given the values present, and the moments they give."""
    n, p = values.shape
    precision = np.linalg.inv(sigma + _RIDGE * np.eye(p))
    deviations, uncertainty = values - mean, np.zeros((p, p))
    for rows, lost, present in groups:
        if lost.size:
            inner = np.linalg.inv(precision[np.ix_(lost, lost)])
            known = deviations[np.ix_(rows, present)]
            deviations[np.ix_(rows, lost)] = -known @ precision[np.ix_(present, lost)] @ inner
            uncertainty[np.ix_(lost, lost)] += len(rows) * inner
    step = deviations.mean(axis=0)
    deviations -= step
    sigma = (cross_products(deviations) + uncertainty) / n
    return mean + step, (sigma + sigma.T) / 2
