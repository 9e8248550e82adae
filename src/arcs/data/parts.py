"""What a data set is put together from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.conditions import Conditions
from arcs.data.covariates import Covariates
from arcs.data.gram import GramStatistics
from arcs.data.interventions import Interventions
from arcs.data.missing import PairwiseSums
from arcs.data.profile import ColumnProfile
from arcs.graphs.discrete import Levels

__all__ = ["Parts"]


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows, or sums of them, or statistics, and what is known about them.

    :class:`arcs.data.Dataset` describes what is not described here.

    Attributes
    ----------
    wide : GramAccumulator, optional
        Sums over all columns: variables, indicators of conditions, covariates. Of a table with
        categories whose rows are not kept, variables are columns as in
        :mod:`arcs.data.indicators`.
    pairs : PairwiseSums, optional
        Sums over the rows that two columns share.
    statistics : GramStatistics, optional
        If nothing else is known.
    """

    names: Sequence[str]
    values: np.ndarray | None = None
    interventions: Interventions | None = None
    covariates: Covariates | None = None
    conditions: Conditions | None = None
    transform: tuple[str, ...] | str | None = None
    levels: tuple[Levels | None, ...] | None = None
    cuts: Mapping[str, Sequence[float]] | None = None
    wide: GramAccumulator | None = None
    pairs: PairwiseSums | None = None
    statistics: GramStatistics | None = None
    profile: ColumnProfile | None = None
    set_aside: Mapping[str, Sequence[Any]] | None = None
    unmeasured: Mapping[str, int] | None = None
    center: bool = True
    source: str = "array"
    missing: str = "error"
    constant: str = "error"
