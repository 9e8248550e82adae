"""What tables with categories have in common: who was set in which row, and who does not vary."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from arcs.data.counting import FEWEST_ROWS, refuse_constant
from arcs.data.dataset import Dataset
from arcs.data.indicators import varying_sums
from arcs.errors import DataError

__all__ = ["Design", "DesignedRows", "varying"]


class Design(NamedTuple):
    """Who was set in which row (None for observational data, and without rows), target sets of the
    regimes, and the columns that do not vary where they were not set."""

    was_set: np.ndarray | None
    targets: tuple[tuple[int, ...], ...]
    isolated: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset) -> Design:
        """The design of a data set, which is checked as one of numbers would be."""
        if dataset.n < FEWEST_ROWS:
            raise DataError(f"at least {FEWEST_ROWS} rows are needed, the data have {dataset.n}")
        dataset.refuse_holes()
        design = dataset.interventions
        if dataset.values is None:
            was_set, found = None, varying_sums(dataset)
            constant, fixed, unseen = map(list, (found.constant, found.fixed, found.unseen))
        else:
            was_set = None if design is None else design.mask
            constant, fixed, unseen = varying(dataset.values, was_set)
        if dataset.constant == "error":
            refuse_constant(dataset.names, constant, fixed)
        isolated = np.zeros(dataset.p, dtype=bool)
        isolated[[*constant, *fixed, *unseen]] = True
        return cls(was_set, ((),) if design is None else design.targets, isolated)


class DesignedRows:
    """Rows with a design; what the searches ask of them."""

    #: Whether a column that varies only where it was set may still be a cause.
    isolated_may_cause: ClassVar[bool] = True

    if TYPE_CHECKING:
        was_set: np.ndarray | None
        isolated: np.ndarray

        @property
        def p(self) -> int:
            """Number of variables."""

        @property
        def n_rows(self) -> int:
            """Number of rows."""

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
        if not self.isolated_may_cause:
            allowed[self.isolated] = False
        return allowed


def varying(
    codes: np.ndarray, was_set: np.ndarray | None
) -> tuple[list[int], list[int], list[int]]:
    """Columns that do not vary, that vary only where they are set, and that are always set."""
    p = codes.shape[1]
    constant = [j for j in range(p) if (codes[:, j] == codes[0, j]).all()]
    if was_set is None:
        return constant, [], []
    fixed, unseen = [], []
    for j in np.flatnonzero(was_set.any(axis=0)).tolist():
        own = codes[~was_set[:, j], j]
        if len(own) < FEWEST_ROWS:
            unseen.append(j)
        elif j not in constant and (own == own[0]).all():
            fixed.append(j)
    return constant, fixed, unseen
