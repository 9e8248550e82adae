"""Checking a covariance matrix that somebody computed elsewhere."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from arcs.data.checks import check_names, describe_columns, matrix_of
from arcs.data.counting import FEWEST_ROWS
from arcs.data.gram import GramStatistics
from arcs.errors import DataError

__all__ = ["covariance_statistics"]

#: Beyond, double precision does not tell one row more.
_MOST_ROWS = 2**53


def covariance_statistics(
    covariance: Any, n: object, names: Sequence[str] | None = None
) -> GramStatistics:
    """Statistics of `n` rows with this covariance (or correlation) matrix.

    Raises
    ------
    DataError
        Unless the matrix is square, complete, symmetric, positive semidefinite and without zero
        variances, its rows and columns are named alike, and `n` is a number of rows.
    """
    labels = _labels(covariance, names)
    matrix = matrix_of(covariance)
    p = matrix.shape[1]
    if matrix.shape[0] != p:
        raise DataError(f"a covariance must be a square matrix, got shape {matrix.shape}")
    texts = check_names(labels if labels is not None else [f"x{j}" for j in range(p)], p)
    rows = _number_of_rows(n)
    if not np.isfinite(matrix).all():
        raise DataError("the covariance holds NaN or infinity; it must be complete")
    wrong = [texts[j] for j in np.flatnonzero(np.diag(matrix) <= 0)]
    if wrong:
        raise DataError(f"the covariance has no positive variance for {describe_columns(wrong)}")
    sd = np.sqrt(np.diag(matrix))
    correlation = matrix / sd / sd[:, None]
    if not np.allclose(correlation, correlation.T, rtol=0, atol=1e-8):
        a, b = np.unravel_index(np.argmax(np.abs(correlation - correlation.T)), matrix.shape)
        raise DataError(f"the covariance is not symmetric, see {texts[a]!r} and {texts[b]!r}")
    smallest = float(np.linalg.eigvalsh(correlation)[0])
    if smallest < -1e-8 * p:
        raise DataError(f"the covariance is not positive semidefinite (eigenvalue {smallest:.3g})")
    return GramStatistics.from_covariance((matrix + matrix.T) / 2, rows, texts)


def _labels(covariance: Any, names: Sequence[str] | None) -> Sequence[object] | None:
    """The given names, or those of a frame."""
    columns = getattr(covariance, "columns", None)
    if columns is None or names is not None:
        return names
    index = getattr(covariance, "index", None)
    if index is not None and list(index) != list(columns):
        raise DataError("the rows and columns of the covariance are not named alike")
    return list(columns)


def _number_of_rows(n: Any) -> int:
    known = isinstance(n, numbers.Real)
    if not known or not FEWEST_ROWS <= n <= _MOST_ROWS or not float(n).is_integer():
        raise DataError(
            f"the covariance needs a number of rows of at least {FEWEST_ROWS}, got n={n!r:.40}"
        )
    return int(float(n))
