"""Numbers and categories as columns of which sums can be kept: indicators of all levels.

A data set with categories whose rows are not kept holds sums of these columns (and of covariates)
in the place of its variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.conditions import Conditions
from arcs.data.counting import CountedRows
from arcs.data.interventions import Interventions
from arcs.graphs.discrete import Levels

if TYPE_CHECKING:
    from arcs.data.dataset import Dataset

__all__ = [
    "Indicators",
    "column_data",
    "column_names",
    "level_counts",
    "sums_of",
    "varying_sums",
]


@dataclass(frozen=True, eq=False)
class Indicators:
    """The columns of variables: a number is one, a category has one of 0 and 1 for each level."""

    levels: tuple[Levels | None, ...]

    @cached_property
    def size(self) -> np.ndarray:
        """Columns of each variable."""
        sizes = [1 if own is None else len(own) for own in self.levels]
        return np.array(sizes, dtype=np.int64)

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.size.sum())

    def columns(self, j: int) -> np.ndarray:
        """The columns of a variable."""
        return np.arange(int(self.size[j])) + int(self.size[:j].sum())

    def of_rows(self, values: np.ndarray) -> np.ndarray:
        """The columns of rows of numbers and codes."""
        parts = [
            values[:, [j]] if own is None else values[:, [j]] == np.arange(len(own))
            for j, own in enumerate(self.levels)
        ]
        return np.hstack([np.asarray(part, dtype=float) for part in parts])


def sums_of(dataset: Dataset) -> GramAccumulator:
    """Sums of all columns, and of covariates behind them, of a data set without rows."""
    assert dataset.values is None
    assert dataset.parts.wide is not None
    return dataset.parts.wide


def level_counts(dataset: Dataset) -> list[np.ndarray | None]:
    """Rows of each level of each category (None of numbers), from the sums."""
    sums, columns = sums_of(dataset), Indicators(dataset.levels or ())
    table = sums.table()
    totals = np.rint(table.n @ (table.mean + sums.shift)).astype(np.int64)
    return [
        None if own is None else totals[columns.columns(j)] for j, own in enumerate(columns.levels)
    ]


def column_names(size: Sequence[int]) -> list[str]:
    """Names of the columns of variables that have so many."""
    return [f"{j}:{k}" for j, count in enumerate(size) for k in range(count)]


def column_data(dataset: Dataset, columns: Sequence[np.ndarray]) -> Dataset:
    """Some columns of each variable as a data set of numbers, of which sums are known."""
    from arcs.data.dataset import Dataset

    sums, size = sums_of(dataset), [len(own) for own in columns]
    names = column_names(size)
    covariates = np.arange(Indicators(dataset.levels or ()).width, sums.p)
    chosen = sums.select(np.concatenate([*columns, covariates]).astype(np.int64))
    design, conditions = dataset.interventions, dataset.conditions
    if conditions is not None:
        conditions = conditions.of_columns(size)
    if design is not None:
        first = np.concatenate([[0], np.cumsum(size)])
        wide = [
            tuple(c for t in group for c in range(first[t], first[t + 1]))
            for group in design.targets
        ]
        design = Interventions(tuple(wide), design.regime, tuple(names))
        # Regimes are numbered by the sizes of target sets, which are others now.
        order = [wide.index(group) for group in design.targets]
        chosen.renumber(order)
        conditions = None if conditions is None else _arranged(conditions, order, design)
    return Dataset(
        names,
        wide=chosen,
        interventions=design,
        covariates=dataset.covariates,
        conditions=conditions,
        center=dataset.center,
        constant="isolate",
    )


def _arranged(conditions: Conditions, order: list[int], design: Interventions) -> Conditions:
    """Conditions that are regimes, by the new numbers of these."""
    return replace(
        conditions,
        labels=tuple(conditions.labels[r] for r in order),
        code=design.regime,
        shifts=None if conditions.shifts is None else conditions.shifts[order],
    )


def varying_sums(dataset: Dataset) -> CountedRows:
    """Which rows of a data set without rows count for which variable, and who does not vary."""
    columns = Indicators(dataset.levels or ())
    own = [columns.columns(j) for j in range(dataset.p)]
    found = column_data(dataset, own).counted()
    still = set(found.constant)
    constant = [j for j, at in enumerate(own) if still.issuperset(at.tolist())]
    still |= set(found.fixed)
    unseen = [j for j, at in enumerate(own) if int(at[0]) in found.unseen]
    fixed = [
        j
        for j, at in enumerate(own)
        if j not in constant and j not in unseen and still.issuperset(at.tolist())
    ]
    first = [int(at[0]) for at in own]
    return CountedRows(
        found.weights[first], tuple(constant), tuple(fixed), tuple(unseen), found.rows[first]
    )
