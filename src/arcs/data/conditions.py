"""Conditions: groups of rows whose means may differ for reasons that are not in the graph.

Experiments are run in batches and under treatments that nobody modelled. If the intercept of node v
in condition r is a_v + s_rv, everything that a shift s moves together looks dependent. Five
policies say which shifts are free parameters:

======== ==============================================================================
common   none: all rows share their intercepts
free     all: every condition has intercepts of its own
sparse   few: those that pay their price, found together with the graph
mixed    all in some conditions, few in the others
auto     the cheapest of these
======== ==============================================================================

What a policy settles is one boolean matrix, conditions x variables: where a mean is free. The
learning is in :mod:`arcs.learners.conditions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arcs.data.checks import check_choice
from arcs.data.interventions import Interventions
from arcs.errors import DataError, warn_caller

__all__ = ["NO_CONDITIONS", "POLICIES", "Conditions", "conditions_of"]

POLICIES = ("auto", "common", "free", "sparse", "mixed")
#: The word for: interventions imply no conditions.
NO_CONDITIONS = "none"


@dataclass(frozen=True, eq=False)
class Conditions:
    """Under which condition each row was taken.

    Attributes
    ----------
    labels : tuple of str
        Names of the conditions.
    code : ndarray of int, shape (n,), or None
        The condition of each row; ``None`` if only sums of the rows are kept.
    policy : {"auto", "common", "free", "sparse", "mixed"}
    implied : bool
        Whether the conditions are the regimes of an experiment rather than named by the user.
    shifts : ndarray of bool, shape (conditions, p), or None
        Which means are free, once that is settled.
    free : tuple of bool, or None
        Policy "mixed": in which conditions all means are free, if an earlier fit found that out.
    """

    labels: tuple[str, ...]
    code: np.ndarray | None
    policy: str = "auto"
    implied: bool = False
    shifts: np.ndarray | None = None
    free: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        check_choice("condition_policy", self.policy, POLICIES)

    @classmethod
    def of_labels(
        cls, labels: Iterable[Any], policy: str = "auto", *, refuse: bool = True
    ) -> Conditions:
        """From one label per row; blank ones, and (`refuse`) hardly any rows each, are refused."""
        texts = ["" if label is None else str(label).strip() for label in labels]
        blank = [i for i, text in enumerate(texts) if text in ("", "nan", "<NA>", "NaT")]
        if blank:
            raise DataError(
                f"the condition is blank in {len(blank)} of {len(texts)} rows, the first of them "
                f"row {blank[0]}: give every row a label, for instance 'control'"
            )
        found = tuple(dict.fromkeys(texts))
        if refuse and len(found) > max(len(texts) // 2, 1):
            most = Counter(texts).most_common(1)[0]
            raise DataError(
                f"{len(found)} conditions for {len(texts)} rows (the largest, {most[0]!r}, has "
                f"{most[1]}): with hardly more than one row each, nothing is left to learn from. "
                "Is this an identifier? Join conditions, or leave conditions=... out."
            )
        number = {text: k for k, text in enumerate(found)}
        return cls(found, np.array([number[text] for text in texts], dtype=np.int64), policy)

    @classmethod
    def of_design(cls, design: Interventions, policy: str = "auto") -> Conditions:
        """The regimes of an experiment as conditions."""
        labels = tuple(design.label(r) for r in range(len(design.targets)))
        return cls(labels, design.regime, policy, implied=True)

    def as_implied(self) -> Conditions:
        """The same, as conditions that an experiment implies."""
        return replace(self, implied=True)

    def take(self, rows: np.ndarray) -> Conditions:
        """The conditions of some rows; those that no row has are kept, as columns of zeros."""
        return replace(self, code=None if self.code is None else self.code[rows])

    def settled(self, shifts: np.ndarray | None, policy: str | None = None) -> Conditions:
        """The same with these means free, or with a policy that is yet to be settled."""
        return replace(self, shifts=shifts, policy=policy or self.policy)

    def of_columns(self, sizes: Sequence[int]) -> Conditions:
        """The same where each variable stands for so many columns, whose means are free with it."""
        if self.shifts is None:
            return self
        return self.settled(np.repeat(self.shifts, sizes, axis=1))

    def indicators(self) -> np.ndarray:
        """One column of 0 and 1 per condition."""
        assert self.code is not None
        return np.asarray(self.code[:, None] == np.arange(len(self.labels)), dtype=np.float64)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the indicators, which no variable has."""
        return tuple(f"condition={label}" for label in self.labels)


def conditions_of(
    given: Any, design: Interventions | None, n: int, policy: str | None
) -> Conditions | None:
    """The conditions of `n` rows: as given, or the regimes of the experiment, or none.

    Parameters
    ----------
    given : sequence, "none", or None
        A label per row; "none" for no conditions at all; None for those that interventions imply.
    design : Interventions, optional
    n : int
    policy : str, optional
        "auto" unless given.
    """
    chosen = "auto" if policy is None else check_choice("condition_policy", policy, POLICIES)
    if isinstance(given, str):
        if given == NO_CONDITIONS:
            return None
        raise DataError(
            f"conditions={given!r} names a column, but an array has no named columns: give one "
            "label per row"
        )
    if given is None:
        if design is None or not design.experimental:
            if policy is not None:
                raise DataError(f"condition_policy={policy!r} was given, but no conditions")
            return None
        return Conditions.of_design(design, chosen) if len(design.targets) > 1 else None
    found = Conditions.of_labels(given, chosen)
    assert found.code is not None
    if found.code.size != n:
        raise DataError(f"{found.code.size} labels of conditions for {n} rows; give one per row")
    if len(found.labels) > 1:
        return found
    if found.labels:
        warn_caller(f"all rows have the condition {found.labels[0]!r}: there is nothing to compare")
    return None
