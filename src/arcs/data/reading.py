"""From what people have to the parts of a data set: rows, names, design, covariates, conditions.

Columns of a frame or a file that are named as covariates, conditions or targets leave the table;
the others are the variables. Everything that is said about the reading is one :class:`Reading`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from arcs.data.checks import check_size
from arcs.data.conditions import NO_CONDITIONS, Conditions, conditions_of
from arcs.data.covariates import (
    Term,
    covariates_of,
    learn_coding,
    parse_terms,
)
from arcs.data.design import implied_labels, recognise_design
from arcs.data.discretize import cut_columns
from arcs.data.frames import categorical_columns, column_names, frame_parts
from arcs.data.interventions import Interventions
from arcs.data.levels import coded_rows, settle_holes, spliced
from arcs.data.parts import Parts
from arcs.data.policies import check_policies, settle_missing
from arcs.data.profile import ColumnProfile
from arcs.data.transforms import apply_transforms, parse_transforms, refuse_levels
from arcs.errors import DataError
from arcs.graphs.discrete import Levels

__all__ = ["LOOKED_AT", "Reading", "Roles", "array_parts", "frame_data", "replaced"]


#: Columns that are left out and yet looked at by the audit, at most.
LOOKED_AT = 30


@dataclass(frozen=True)
class Reading:
    """How rows are to be read.

    Attributes
    ----------
    control : str, optional
        The label of rows without intervention.
    center : bool
        Whether means are removed.
    missing : {"error", "drop", "pairwise", "em", "level"}
    constant : {"error", "isolate"}
    unmeasured : {"error", "drop"}
    known_targets : bool
        Whether a label per row names targets; otherwise it is the name of a condition of which
        nobody knows what it did to the variables.
    adjust
        Covariates: names of columns or a formula; for arrays the covariates themselves.
    conditions
        The column of conditions, or a label per row; "none" if interventions imply none.
    condition_policy : {"auto", "common", "free", "sparse", "mixed"}, optional
    transform
        Scales of the variables: "none", "log", "normal-scores" or "auto" for all of them, words
        with columns ("log:raf,mek"), or a mapping of names to words.
    discrete
        Columns of categories: names, "auto" (text, categories, truth values), "all", or a mapping
        of names to levels.
    discretize
        Columns of numbers to be cut into levels (:mod:`arcs.data.discretize`).
    levels : mapping
        Of columns that are coded already, their levels.
    set_aside : mapping
        Columns that are left out, as the audit looks at them.
    """

    control: str | None = None
    center: bool = True
    missing: str = "error"
    constant: str = "error"
    unmeasured: str = "error"
    known_targets: bool = True
    adjust: Any = None
    conditions: Any = None
    condition_policy: str | None = None
    transform: Any = None
    discrete: Any = None
    discretize: Any = None
    levels: Mapping[str, Levels] = field(default_factory=dict)
    set_aside: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Reading:
        """From keywords; unknown ones are refused, and so are policies that there are not."""
        known = {field.name for field in fields(cls)}
        for name in options:
            if name not in known:
                raise TypeError(f"{name!r} is not about reading data; known: {sorted(known)}")
        reading = cls(**options)
        check_policies(reading.missing, reading.unmeasured)
        return reading

    def about_design(self) -> dict[str, Any]:
        """What is to be known about labels of interventions."""
        names = ("control", "unmeasured", "known_targets")
        return {name: getattr(self, name) for name in names}

    def kept(self) -> dict[str, Any]:
        """What the data set itself remembers."""
        return {"center": self.center, "missing": self.missing, "constant": self.constant}


def array_parts(
    values: Any, names: Sequence[str] | None, interventions: Any, source: str, reading: Reading
) -> Parts:
    """The parts of a data set of rows in memory."""
    array, labels, kinds = coded_rows(values, names, reading.discrete, reading.levels)
    n, p = array.shape
    design = recognise_design(
        interventions, labels, n, unnamed=names is None, **reading.about_design()
    )
    dropped = {} if design is None else design.unmeasured
    covariates = covariates_of(reading.adjust, n, labels)
    conditions = _conditions(interventions, design, n, reading)
    profile, aside = ColumnProfile(p), dict(reading.set_aside)
    array, kinds, cuts, kept = _settled(array, labels, kinds, design, profile, reading)
    if kept is not None:
        design, covariates, conditions = _taken(kept, design, covariates, conditions)
        aside = {name: [column[i] for i in kept.tolist()] for name, column in aside.items()}
    array.setflags(write=False)
    transform = parse_transforms(reading.transform, labels)
    refuse_levels(transform, labels, kinds)
    if isinstance(transform, tuple):
        code = None if conditions is None else conditions.code
        array = apply_transforms(array, transform, labels, code)
    return Parts(
        names=labels,
        values=array,
        interventions=design,
        covariates=covariates,
        conditions=conditions,
        transform=transform,
        levels=kinds if any(own is not None for own in kinds) else None,
        cuts=cuts,
        profile=profile,
        set_aside=aside,
        unmeasured=dropped,
        source=source,
        **reading.kept(),
    )


def _settled(
    array: np.ndarray,
    labels: tuple[str, ...],
    kinds: tuple[Levels | None, ...],
    design: Interventions | None,
    profile: ColumnProfile,
    reading: Reading,
) -> tuple[np.ndarray, tuple[Levels | None, ...], dict[str, list[float]], np.ndarray | None]:
    """Rows without holes and with cuts, levels, cuts, and the rows that are left (None: all)."""
    finite, kept = profile.add(array), None
    # Holes in what is cut may become levels; otherwise rows are dropped before cuts are chosen.
    first = reading.discretize if reading.missing == "level" else None
    array, kinds, cuts = cut_columns(array, labels, kinds, first)
    array, kinds, finite = settle_holes(array, labels, kinds, finite, reading.missing)
    if finite is not None:
        mixed = reading.discretize is not None or any(own is not None for own in kinds)
        array, kept = settle_missing(
            array, finite, labels, design, reading.missing, categories=mixed
        )
    check_size(array, labels)
    if reading.missing != "level":
        array, kinds, cuts = cut_columns(array, labels, kinds, reading.discretize)
    return array, kinds, cuts, kept


def _taken(kept: np.ndarray, *parts: Any) -> tuple[Any, ...]:
    """What is left of some parts if not all rows are."""
    return tuple(None if part is None else part.take(kept) for part in parts)


def _conditions(
    interventions: Any, design: Interventions | None, n: int, reading: Reading
) -> Conditions | None:
    """Conditions as given; otherwise the distinct labels of an experiment, or its regimes."""
    given, policy = reading.conditions, reading.condition_policy
    if isinstance(given, Conditions):
        return given if policy is None else given.settled(None, policy)
    if given is None and design is not None and design.experimental:
        labels = implied_labels(interventions, reading.control)
        if labels is not None and len(set(labels)) > len(design.targets):
            return Conditions.of_labels(labels, policy or "auto", refuse=False).as_implied()
    return conditions_of(given, design, n, policy)


@dataclass(frozen=True)
class Roles:
    """Which columns leave the table, and why."""

    label: str | None
    condition: str | None
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, interventions: Any, reading: Reading, names: Sequence[str]) -> Roles:
        label = interventions if isinstance(interventions, str) else None
        given = reading.conditions
        condition = given if isinstance(given, str) and given != NO_CONDITIONS else None
        adjust, terms = reading.adjust, tuple[Term, ...]()
        if isinstance(adjust, str) or (
            isinstance(adjust, list | tuple) and any(isinstance(part, str) for part in adjust)
        ):
            terms = parse_terms(adjust, names)
        for term in terms:
            if term.column in (label, condition):
                other = "interventions" if term.column == label else "conditions"
                raise DataError(
                    f"column {term.column!r} is named by adjust and by {other}; name it once"
                )
        return cls(label, condition, terms)

    @property
    def apart(self) -> list[str]:
        """The columns that are not variables."""
        found = [self.label, self.condition, *(term.column for term in self.terms)]
        return list(dict.fromkeys(name for name in found if name is not None))

    def settled(
        self, interventions: Any, entries: Mapping[str, Sequence[Any]], reading: Reading
    ) -> tuple[Any, dict[str, Any]]:
        """The interventions and what replaces columns' names, now that their values are known."""
        changes: dict[str, Any] = {}
        if self.label is not None:
            interventions = list(entries[self.label])
        if self.condition is not None:
            changes["conditions"] = list(entries[self.condition])
        if self.terms:
            coding = learn_coding(self.terms, entries)
            changes["adjust"] = coding.covariates(coding.encode(entries))
        return interventions, changes


def frame_data(
    frame: Any, interventions: Any, exclude: Collection[str], reading: Reading
) -> tuple[np.ndarray, tuple[str, ...], Any, dict[str, Any]]:
    """Values, names, interventions and changed options of a frame's rows."""
    roles = Roles.of(interventions, reading, column_names(frame))
    aside = [name for name in exclude if name not in roles.apart][:LOOKED_AT]
    wanted = categorical_columns(frame, reading.discrete, {*exclude, *roles.apart})
    values, names, entries = frame_parts(frame, [*roles.apart, *aside, *wanted], exclude)
    design, changes = roles.settled(interventions, entries, reading)
    changes["set_aside"] = {name: entries[name] for name in aside}
    if wanted:
        order = [name for name in column_names(frame) if name in names or name in wanted]
        values, changes["levels"] = spliced(values, names, entries, wanted, order)
        names = tuple(order)
    return values, names, design, changes


def replaced(reading: Reading, changes: Mapping[str, Any]) -> Reading:
    """The reading with names of columns replaced by what they hold."""
    return Reading(**{**{f.name: getattr(reading, f.name) for f in fields(reading)}, **changes})
