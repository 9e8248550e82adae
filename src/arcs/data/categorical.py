"""A table of categories as fits use it: codes, levels, and who was set in which row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcs.data.dataset import Dataset
from arcs.data.designed import Design, DesignedRows
from arcs.errors import DataError
from arcs.graphs.discrete import DiscreteDag, Levels

__all__ = ["CategoricalTable"]

#: Entries of the largest table of counts; searches stay below it, starts and knowledge may not.
_MOST_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class CategoricalTable(DesignedRows):
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
        design = Design.of(dataset)
        assert dataset.levels is not None
        levels = tuple(own for own in dataset.levels if own is not None)
        return cls(dataset.names, levels, dataset.codes(), *design)

    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

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
