"""One pass over the chunks of a table that need not fit into memory.

What a pass collects (:class:`Gathering`) can be merged with what another one collected of other
rows, so that the partitions of a table may be passed over wherever they are
(:mod:`arcs.data.partitions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.checks import check_size, refuse_missing
from arcs.data.conditions import Conditions
from arcs.data.covariates import Coding, CodingPass, Term
from arcs.data.delimited import Chunk
from arcs.data.indicators import Indicators
from arcs.data.interventions import Interventions, regime_label
from arcs.data.level_survey import LevelCoding
from arcs.data.missing import PairwiseSums
from arcs.data.profile import ColumnProfile
from arcs.data.transforms import apply_transforms
from arcs.errors import DataError
from arcs.graphs.discrete import Levels

__all__ = ["Gathering", "RolesPass", "StreamPlan", "Streamed", "stream"]


@dataclass(frozen=True, eq=False)
class StreamPlan:
    """What to make of the columns of a file.

    Attributes
    ----------
    names : tuple of str
        The variables.
    apart : tuple of str
        The columns of text that come with each chunk.
    label : str, optional
        The one of them that names interventions.
    condition : str, optional
        The one of them that names conditions, which are listed in `conditions`.
    coding : Coding, optional
        How others become covariates.
    categories : mapping of str to LevelCoding
        How still others become categories, which are variables.
    logs : tuple of bool
        Which variables are replaced by their logarithms; empty for none.
    control, unmeasured, known_targets, missing
        See :class:`arcs.data.reading.Reading`.
    """

    names: tuple[str, ...]
    apart: tuple[str, ...] = ()
    label: str | None = None
    condition: str | None = None
    conditions: tuple[str, ...] = ()
    coding: Coding | None = None
    control: str | None = None
    unmeasured: str = "error"
    known_targets: bool = True
    missing: str = "error"
    logs: tuple[bool, ...] = ()
    categories: Mapping[str, LevelCoding] = field(default_factory=dict)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The variables that come as numbers."""
        return tuple(name for name in self.names if name not in self.categories)

    @property
    def levels(self) -> tuple[Levels | None, ...] | None:
        """The levels of each variable, None of numbers; None if there are no categories."""
        if not self.categories:
            return None
        known = self.categories
        return tuple(known[name].levels if name in known else None for name in self.names)

    @property
    def refuses_holes(self) -> bool:
        """Whether rows with missing values (that are no level) are refused."""
        refused = ("error", "level", "pairwise") if self.categories else ("error",)
        return self.missing in refused

    def table(self, values: np.ndarray, texts: Sequence[list[str]]) -> np.ndarray:
        """The variables of a chunk, categories as codes."""
        if not self.categories:
            return values
        table = np.empty((len(values), len(self.names)))
        table[:, [self.names.index(name) for name in self.numbers]] = values
        for name, coding in self.categories.items():
            codes = coding.codes(name, texts[self.apart.index(name)])
            table[:, self.names.index(name)] = codes
        return table

    def filled(
        self, values: np.ndarray, finite: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Rows in which what is missing is a level, where it is to be; and what is present."""
        holes = [self.categories[n].hole if n in self.categories else np.nan for n in self.names]
        if not np.isfinite(holes).any():
            return values, finite
        values = np.where(np.isnan(values), holes, values)
        finite = np.isfinite(values)
        return values, None if finite.all() else finite

    def labels(self, texts: Sequence[list[str]]) -> list[str] | None:
        """The labels of interventions of a chunk."""
        return None if self.label is None else texts[self.apart.index(self.label)]

    def extras(self, texts: Sequence[list[str]]) -> np.ndarray | None:
        """The further columns of a chunk: indicators of conditions, then covariates."""
        entries = dict(zip(self.apart, texts, strict=True))
        blocks = []
        if self.condition is not None:
            number = {label: k for k, label in enumerate(self.conditions)}
            code = np.array([number[text] for text in entries[self.condition]], dtype=np.int64)
            blocks.append(Conditions(self.conditions, code).indicators())
        if self.coding is not None:
            blocks.append(self.coding.encode(entries))
        return np.concatenate(blocks, axis=1) if blocks else None

    def transformed(self, values: np.ndarray) -> np.ndarray:
        """The rows with logarithms taken."""
        if not self.logs:
            return values
        kinds = ["log" if log else "none" for log in self.logs]
        return apply_transforms(values, kinds, self.names, None)

    @property
    def width(self) -> int:
        """Number of columns of variables, and of further columns."""
        own = len(self.names) if self.levels is None else Indicators(self.levels).width
        return own + len(self.conditions) + len(self.coding.columns if self.coding else ())


@dataclass(frozen=True, eq=False)
class Streamed:
    """What is left of a file after the pass: sums of variables and further columns, no rows."""

    wide: GramAccumulator
    pairs: PairwiseSums | None
    profile: ColumnProfile
    design: Interventions | None
    unmeasured: Mapping[str, int] = field(default_factory=dict)


class RolesPass:
    """A first pass over covariates and conditions only: what levels and labels there are.

    Parameters
    ----------
    terms : sequence of Term
        Of the covariates.
    condition : str, optional
        The column of conditions.
    """

    def __init__(self, terms: Sequence[Term], condition: str | None) -> None:
        self.terms = tuple(terms)
        self.condition = condition
        self._seen = CodingPass(self.terms)
        self._labels: dict[str, None] = {}

    def fresh(self) -> RolesPass:
        """The same before any row was seen."""
        return RolesPass(self.terms, self.condition)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        found = [*(term.column for term in self.terms), self.condition]
        return tuple(dict.fromkeys(name for name in found if name is not None))

    def add(self, texts: Sequence[list[str]]) -> None:
        """Take in the rows of these columns."""
        entries = dict(zip(self.columns, texts, strict=True))
        self._seen.add(entries)
        if self.condition is not None:
            found = Conditions.of_labels(entries[self.condition], refuse=False)
            self._labels.update(dict.fromkeys(found.labels))

    def merge(self, other: RolesPass) -> None:
        """Take in what was seen of other rows."""
        self._seen.merge(other._seen)
        self._labels.update(other._labels)

    def found(self) -> tuple[Coding | None, tuple[str, ...]]:
        """The coding of the covariates, and the conditions."""
        return self._seen.coding() if self.terms else None, tuple(self._labels)


def stream(chunks: Iterable[Chunk], plan: StreamPlan) -> Streamed:
    """Sums per regime, the profile of the columns, and the design if there are labels."""
    gathering = Gathering(plan)
    for values, texts in chunks:
        gathering.add(values, texts)
    return gathering.finish()


class Gathering:
    """What is collected in a pass over rows.

    Parameters
    ----------
    plan : StreamPlan
    """

    def __init__(self, plan: StreamPlan) -> None:
        if plan.missing == "em":
            raise DataError(
                "missing='em' needs the rows in memory; use in_memory=True or 'pairwise'"
            )
        self.plan = plan
        self.sums = GramAccumulator(plan.width)
        self.profile = ColumnProfile(len(plan.names))
        pairwise = plan.missing == "pairwise" and not plan.categories
        self.pairs = PairwiseSums(plan.width) if pairwise else None
        kind = _Designs if plan.known_targets else _Conditions
        self.designs = kind(plan.names, plan.control, plan.unmeasured)

    def add(self, values: np.ndarray, texts: Sequence[list[str]]) -> None:
        """Take in a chunk of rows."""
        plan = self.plan
        values = plan.transformed(plan.table(values, texts))
        before = self.profile.rows
        finite = self.profile.add(values)
        regime = self.designs.add(plan.labels(texts))
        if finite is not None and plan.categories:
            values, finite = plan.filled(values, finite)
        if finite is not None and plan.refuses_holes:
            only_drop = plan.label is not None or bool(plan.categories)
            refuse_missing(values, plan.names, before, only_drop=only_drop)
        check_size(np.where(finite, values, 0.0) if finite is not None else values, plan.names)
        extras = plan.extras(texts)
        if plan.levels is not None:
            values = Indicators(plan.levels).of_rows(values)
        rows = values if extras is None else np.hstack([values, extras])
        if self.pairs is not None:
            self.pairs.add(rows)
        if finite is None:
            self.sums.add(rows, regime)
            return
        complete = np.asarray(finite.all(axis=1))
        self.sums.add(rows[complete], None if regime is None else regime[complete])
        self.designs.keep_last(complete)

    def merge(self, other: Gathering) -> None:
        """Take in what was collected of other rows by the same plan."""
        self.sums.merge(other.sums, self.designs.merge(other.designs))
        self.profile.merge(other.profile)
        if self.pairs is not None and other.pairs is not None:
            self.pairs.merge(other.pairs)

    def without_rows(self) -> Gathering:
        """The same without a figure for each row (the regimes): how many are alike is enough."""
        self.designs.count()
        return self

    def finish(self) -> Streamed:
        """What is known in the end."""
        if not self.profile.rows:
            raise DataError("the table has a header but no rows")
        design = self.designs.finish(self.sums)
        pairs = self.pairs if self.profile.incomplete_rows else None
        return Streamed(self.sums, pairs, self.profile, design, self.designs.dropped)


class _Designs:
    """Numbers the regimes of labels as they come in."""

    def __init__(self, names: Sequence[str], control: str | None, unmeasured: str) -> None:
        self.names = tuple(names)
        self.control = control
        self.unmeasured = unmeasured
        self.dropped: dict[str, int] = {}
        self._numbers: dict[Any, int] = {}
        self._regimes: list[np.ndarray] = []
        #: Rows of each regime of which the order was forgotten.
        self._counts = np.zeros(0, np.int64)
        self._seen: dict[str, None] = {}

    def add(self, labels: list[str] | None) -> np.ndarray | None:
        """The regime of each row."""
        if labels is None:
            return None
        self._seen.update(dict.fromkeys(labels))
        self._regimes.append(self._number(labels).astype(np.int32))
        return self._regimes[-1]

    def _number(self, labels: list[str]) -> np.ndarray:
        # A chunk without control rows is no error; a label that never comes is, at the end.
        padded = labels if self.control is None else [*labels, self.control]
        part = Interventions.from_labels(
            padded, self.names, control=self.control, unmeasured=self.unmeasured
        )
        for name, count in part.unmeasured.items():
            self.dropped[name] = self.dropped.get(name, 0) + count
        table = np.array([self._numbers.setdefault(t, len(self._numbers)) for t in part.targets])
        return np.asarray(table[part.regime[: len(labels)]])

    def keep_last(self, rows: np.ndarray) -> None:
        """Forget the rows of the last chunk that were not used."""
        if self._regimes:
            self._regimes[-1] = self._regimes[-1][rows]

    def count(self) -> None:
        """Forget the order of the rows."""
        if self._regimes:
            counts = np.bincount(np.concatenate(self._regimes), minlength=len(self._numbers))
            self._counts = np.pad(self._counts, (0, len(counts) - len(self._counts))) + counts
            self._regimes = []

    def merge(self, other: _Designs) -> list[int] | None:
        """Take in other rows; returns the numbers that their regimes have here."""
        self._seen.update(other._seen)
        for name, count in other.dropped.items():
            self.dropped[name] = self.dropped.get(name, 0) + count
        if not other._numbers:
            return None
        numbers = [self._numbers.setdefault(key, len(self._numbers)) for key in other._numbers]
        self.count()
        other.count()
        counts = np.zeros(len(self._numbers), np.int64)
        counts[: len(self._counts)] = self._counts
        counts[numbers] += other._counts
        self._counts = counts
        return numbers

    def finish(self, sums: GramAccumulator) -> Interventions | None:
        """The design; the sums get the numbers of its regimes."""
        if not self._seen:
            return None
        if self.control is not None and self.control not in self._seen:
            shown = ", ".join(repr(label) for label in list(self._seen)[:10])
            raise DataError(
                f"control label {self.control!r} does not occur in the table; the labels are: "
                f"{shown}"
            )
        counted = np.repeat(np.arange(len(self._counts)), self._counts)
        design = self._design(np.concatenate([counted, *self._regimes]))
        sums.renumber([self._numbers[key] for key in design.labels or design.targets])
        return design

    def _design(self, regime: np.ndarray) -> Interventions:
        return Interventions(tuple(self._numbers), regime, self.names, self.dropped)


class _Conditions(_Designs):
    """The same for labels that name conditions, of which nobody knows the targets."""

    def _number(self, labels: list[str]) -> np.ndarray:
        called = [regime_label(label.strip(), self.control) for label in labels]
        return np.array([self._numbers.setdefault(text, len(self._numbers)) for text in called])

    def _design(self, regime: np.ndarray) -> Interventions:
        labels = tuple(self._numbers)
        return Interventions(((),) * len(labels), regime, self.names, labels=labels)
