"""A table with numbers and categories as fits use it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcs.data.categorical import varying
from arcs.data.counting import FEWEST_ROWS, refuse_constant
from arcs.data.dataset import Dataset
from arcs.errors import DataError
from arcs.graphs.mixed import MixedDag

__all__ = ["MixedData"]


@dataclass(frozen=True, eq=False)
class MixedData:
    """Rows of numbers and codes, who was set in them, and columns that do not vary.

    Attributes
    ----------
    dataset : Dataset
    was_set : ndarray of bool, shape (n, p), or None
    targets : tuple of tuple of int
    isolated : ndarray of bool, shape (p,)
    """

    dataset: Dataset
    was_set: np.ndarray | None
    targets: tuple[tuple[int, ...], ...]
    isolated: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset) -> MixedData:
        """Check a data set as those of one kind are checked."""
        if dataset.n < FEWEST_ROWS:
            raise DataError(f"at least {FEWEST_ROWS} rows are needed, the data have {dataset.n}")
        dataset.refuse_holes()
        design = dataset.interventions
        was_set = None if design is None else design.mask
        constant, fixed, unseen = varying(np.asarray(dataset.values), was_set)
        if dataset.constant == "error":
            refuse_constant(dataset.names, constant, fixed)
        isolated = np.zeros(dataset.p, dtype=bool)
        isolated[[*constant, *fixed, *unseen]] = True
        targets: tuple[tuple[int, ...], ...] = ((),) if design is None else design.targets
        return cls(dataset, was_set, targets, isolated)

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
    def n(self) -> np.ndarray:
        """For each variable the rows in which it was not set."""
        if self.was_set is None:
            return np.full(self.p, self.n_rows)
        return np.asarray((~self.was_set).sum(axis=0))

    def allowed(self, known: np.ndarray | None) -> np.ndarray | None:
        """Which edges may be: those of the background knowledge, none into isolated columns."""
        if not self.isolated.any():
            return known
        allowed = np.ones((self.p, self.p), dtype=bool) if known is None else known.copy()
        allowed[:, self.isolated] = False
        allowed[self.isolated] = False
        return allowed

    def fit(self, adjacency: np.ndarray) -> MixedDag:
        """The equations of all nodes, by least squares in the rows in which they were not set."""
        levels = self.dataset.levels
        assert levels is not None
        equations = []
        for v in range(self.p):
            rows = np.ones(self.n_rows, bool) if self.was_set is None else ~self.was_set[:, v]
            parents = np.flatnonzero(adjacency[:, v]).tolist()
            columns = [self._columns(u, rows, all_levels=False) for u in parents]
            design = np.hstack([np.ones((int(rows.sum()), 1)), *columns])
            output = self._columns(v, rows, all_levels=True)
            equations.append(np.linalg.lstsq(design, output, rcond=None)[0])
        return MixedDag(adjacency, levels, equations, self.names)

    def _columns(self, u: int, rows: np.ndarray, *, all_levels: bool) -> np.ndarray:
        assert self.dataset.levels is not None
        column, own = np.asarray(self.dataset.values)[rows, u], self.dataset.levels[u]
        if own is None:
            return np.asarray(column[:, None])
        first = 0 if all_levels else 1
        return np.asarray((column[:, None] == np.arange(first, len(own))).astype(float))
