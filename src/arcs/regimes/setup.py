"""From a data set to the question that is asked of its regimes, and what it takes to answer it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcs.data import Dataset, Interventions
from arcs.data.counting import count_rows
from arcs.errors import DataError
from arcs.regimes.moments import RegimeMoments
from arcs.regimes.targets import TargetFinder

__all__ = ["FEWEST_ROWS", "INTERVENTION_KINDS", "check_regimes", "target_finder"]

#: How interventions may be read.
INTERVENTION_KINDS = ("hard", "soft", "unknown")

#: Rows without which a regime tells nothing about a variance, or about its targets.
FEWEST_ROWS = {"soft": 3, "unknown": 5}


def check_regimes(dataset: Dataset, kind: str) -> Interventions:
    """The design of the data, refused if it cannot answer what `kind` asks.

    Raises
    ------
    DataError
        If the data have no regimes, only a covariance, unknown targets where known ones are
        needed, or a regime with too few rows.
    """
    design = dataset.interventions
    if design is None:
        needed = "targets" if kind == "soft" else "a label per row"
        raise DataError(
            f"intervention_kind={kind!r} needs interventions=... with {needed}; the data are "
            "observational"
        )
    if not dataset.has_rows:
        raise DataError(f"intervention_kind={kind!r} needs rows, not a covariance")
    if kind == "soft" and design.labels is not None:
        raise DataError(
            "intervention_kind='soft' needs to know the targets; the regimes have labels only "
            "(intervention_kind='unknown' finds the targets)"
        )
    _refuse_few_rows(dataset, design, kind)
    return design


def _refuse_few_rows(dataset: Dataset, design: Interventions, kind: str) -> None:
    n = dataset.sums().table().n
    if len(n) < 2:
        raise DataError(
            f"intervention_kind={kind!r} compares regimes, but all {int(n.sum())} rows belong to "
            f"one ({design.label(0)!r})"
        )
    small = np.flatnonzero((n < FEWEST_ROWS[kind]) & ~design.observational)
    if small.size:
        r = int(small[0])
        more = f" ({small.size} regimes are as small)" if small.size > 1 else ""
        raise DataError(
            f"regime {design.label(r)!r} has {int(n[r])} rows{more}; intervention_kind={kind!r} "
            f"needs at least {FEWEST_ROWS[kind]} to see what changed. Leave it out, join it with "
            "another, or use intervention_kind='hard' if the targets are known."
        )


def target_finder(
    dataset: Dataset, kind: str, edge_price: Callable[[float], float], gamma: float = 1.0
) -> TargetFinder:
    """What finds the mechanisms of the data set's regimes, unknown targets at ``gamma log p``."""
    design = check_regimes(dataset, kind)
    sums = dataset.sums()
    counted = count_rows(sums, design.targets, pooled=True)
    known = kind == "soft"
    if known:
        candidates = _not_everywhere(design.regime_mask.T, sums.table().n)
    else:
        candidates = np.tile(~design.observational, (dataset.p, 1))
    return TargetFinder(
        RegimeMoments(sums),
        edge_price,
        candidates,
        known=known,
        learnable=np.asarray(counted.weights.any(axis=1)),
        gamma=gamma,
        center=dataset.center,
    )


def _not_everywhere(targeted: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Where a node is a target in every regime, the longest of them is what others compare to."""
    candidates = targeted.copy()
    always = np.flatnonzero(candidates.all(axis=1))
    candidates[always, int(np.argmax(n))] = False
    return candidates
