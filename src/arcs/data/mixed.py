"""A table with numbers and categories as fits use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcs.data.checks import refuse_vanishing_rows
from arcs.data.dataset import Dataset
from arcs.data.designed import Design, DesignedRows
from arcs.graphs.mixed import MixedDag

__all__ = ["MixedData"]


@dataclass(frozen=True, eq=False)
class MixedData(DesignedRows):
    """Rows of numbers and codes, who was set in them, and columns that do not vary.

    Attributes
    ----------
    dataset : Dataset
    was_set : ndarray of bool, shape (n, p), or None
    targets : tuple of tuple of int
    isolated : ndarray of bool, shape (p,)
    """

    #: A column of zeros has no correlation with anything.
    isolated_may_cause: ClassVar[bool] = False

    dataset: Dataset
    was_set: np.ndarray | None
    targets: tuple[tuple[int, ...], ...]
    isolated: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset) -> MixedData:
        """Check a data set as those of one kind are checked."""
        if dataset.values is None:
            from arcs.data.mixed_sums import MixedSums

            return MixedSums.checked(dataset)
        refuse_vanishing_rows(dataset.names, np.asarray(dataset.values))
        return cls(dataset, *Design.of(dataset))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.dataset.names

    @property
    def p(self) -> int:
        """Number of variables."""
        return self.dataset.p

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.dataset.n

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All figures that fits depend on, for a fingerprint."""
        was_set = np.zeros(0) if self.was_set is None else self.was_set
        return np.asarray(self.dataset.values), was_set, self._covariates()

    def without_own_variation(self) -> list[str]:
        """Columns that the condition determines; what does not vary at all is not among them."""
        assert self.dataset.conditions is not None
        assert self.dataset.conditions.code is not None
        found = []
        for v in np.flatnonzero(~self.isolated).tolist():
            rows = slice(None) if self.was_set is None else ~self.was_set[:, v]
            own = np.asarray(self.dataset.values)[rows, v]
            code = self.dataset.conditions.code[rows]
            groups = [own[code == r] for r in np.unique(code)]
            if all((group == group[0]).all() for group in groups):
                found.append(self.names[v])
        return found

    def fit(self, adjacency: np.ndarray) -> MixedDag:
        """The equations of all nodes, by least squares in the rows in which they were not set.

        Covariates and free means of conditions are taken out: they are terms of the regressions
        with a mean of 0, so that an equation without them is that of rows with average covariates.
        """
        levels = self.dataset.levels
        assert levels is not None
        adjusted_for, equations = self._covariates(), []
        for v in range(self.p):
            rows = np.ones(self.n_rows, bool) if self.was_set is None else ~self.was_set[:, v]
            parents = np.flatnonzero(adjacency[:, v]).tolist()
            columns = [self._columns(u, rows, all_levels=False) for u in parents]
            parts = [np.ones((int(rows.sum()), 1)), *columns]
            terms = sum(part.shape[1] for part in parts)
            design = np.hstack([*parts, adjusted_for[rows]])
            output = self._columns(v, rows, all_levels=True)
            equations.append(np.linalg.lstsq(design, output, rcond=None)[0][:terms])
        return MixedDag(adjacency, levels, equations, self.names)

    def _covariates(self) -> np.ndarray:
        """Covariates and indicators of free conditions without their means, a row each."""
        covariates, conditions = self.dataset.covariates, self.dataset.conditions
        parts = [np.empty((self.n_rows, 0))]
        if covariates is not None:
            parts.append(np.asarray(covariates.values, dtype=float))
        if conditions is not None and conditions.shifts is not None:
            parts.append(conditions.indicators()[:, 1:])
        values = np.hstack(parts)
        return np.asarray(values - values.mean(axis=0))

    def _columns(self, u: int, rows: np.ndarray, *, all_levels: bool) -> np.ndarray:
        assert self.dataset.levels is not None
        column, own = np.asarray(self.dataset.values)[rows, u], self.dataset.levels[u]
        if own is None:
            return np.asarray(column[:, None])
        first = 0 if all_levels else 1
        return np.asarray((column[:, None] == np.arange(first, len(own))).astype(float))
