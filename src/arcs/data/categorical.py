"""A table of categories as fits use it: codes, levels, and who was set in which row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcs.data.counting import FEWEST_ROWS, refuse_constant
from arcs.data.dataset import Dataset
from arcs.errors import DataError
from arcs.graphs.discrete import DiscreteDag, Levels

__all__ = ["CategoricalTable", "varying"]

#: Entries of the largest table of counts.
_MOST_CELLS = 10_000_000


@dataclass(frozen=True, eq=False)
class CategoricalTable:
    """Rows of categories.

    Attributes
    ----------
    names : tuple of str
    levels : tuple of tuple of str
    codes : ndarray of int, shape (n, p)
        Positions of levels.
    was_set : ndarray of bool, shape (n, p), or None
        Where a variable was set by the experimenter; None for observational data.
    targets : tuple of tuple of int
        Target sets of the regimes.
    isolated : ndarray of bool, shape (p,)
        Columns that do not vary where they were not set: no edges lead into them.
    """

    names: tuple[str, ...]
    levels: tuple[Levels, ...]
    codes: np.ndarray
    was_set: np.ndarray | None
    targets: tuple[tuple[int, ...], ...]
    isolated: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset) -> CategoricalTable:
        """The table of a data set that holds categories only; refused as numbers would be."""
        if dataset.n < FEWEST_ROWS:
            raise DataError(f"at least {FEWEST_ROWS} rows are needed, the data have {dataset.n}")
        dataset.refuse_holes()
        design = dataset.interventions
        was_set = None if design is None else design.mask
        codes = dataset.codes()
        constant, fixed, unseen = varying(codes, was_set)
        if dataset.constant == "error":
            refuse_constant(dataset.names, constant, fixed)
        isolated = np.zeros(dataset.p, dtype=bool)
        isolated[[*constant, *fixed, *unseen]] = True
        assert dataset.levels is not None
        levels = tuple(own for own in dataset.levels if own is not None)
        targets: tuple[tuple[int, ...], ...] = ((),) if design is None else design.targets
        return cls(dataset.names, levels, codes, was_set, targets, isolated)

    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

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
        return allowed

    def family_counts(self, node: int, parents: Sequence[int]) -> np.ndarray:
        """Rows by level of the parents and of the node, where the node was not set."""
        axes = [*parents, node]
        shape = tuple(len(self.levels[j]) for j in axes)
        cells = float(np.prod([float(size) for size in shape]))
        if cells > _MOST_CELLS:
            raise DataError(
                f"the table of {self.names[node]!r} given its {len(parents)} parents would have "
                f"{cells:,.0f} entries; choose a smaller max_parents"
            )
        rows = self.codes if self.was_set is None else self.codes[~self.was_set[:, node]]
        flat = np.ravel_multi_index(tuple(rows[:, j] for j in axes), shape)
        return np.bincount(flat, minlength=int(cells)).reshape(shape)

    def fit(self, adjacency: np.ndarray) -> DiscreteDag:
        """The network with this structure, its tables from the counts."""
        counts = [
            self.family_counts(j, np.flatnonzero(adjacency[:, j]).tolist()) for j in range(self.p)
        ]
        return DiscreteDag.from_counts(adjacency, self.levels, counts, self.names)


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
