"""One pass over the chunks of a file that need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.checks import check_size, refuse_missing
from arcs.data.conditions import Conditions
from arcs.data.covariates import Coding
from arcs.data.delimited import Chunk
from arcs.data.interventions import Interventions, regime_label
from arcs.data.missing import PairwiseSums
from arcs.data.profile import ColumnProfile
from arcs.data.transforms import apply_transforms
from arcs.errors import DataError

__all__ = ["StreamPlan", "Streamed", "stream"]


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
        """Number of variables and further columns."""
        return (
            len(self.names) + len(self.conditions) + len(self.coding.columns if self.coding else ())
        )


@dataclass(frozen=True, eq=False)
class Streamed:
    """What is left of a file after the pass: sums of variables and further columns, no rows."""

    wide: GramAccumulator
    pairs: PairwiseSums | None
    profile: ColumnProfile
    design: Interventions | None
    unmeasured: Mapping[str, int] = field(default_factory=dict)


def stream(chunks: Iterable[Chunk], plan: StreamPlan) -> Streamed:
    """Sums per regime, the profile of the columns, and the design if there are labels."""
    if plan.missing == "em":
        raise DataError("missing='em' needs the rows in memory; use in_memory=True or 'pairwise'")
    names = plan.names
    sums, profile = GramAccumulator(plan.width), ColumnProfile(len(names))
    pairs = PairwiseSums(plan.width) if plan.missing == "pairwise" else None
    kind = _Designs if plan.known_targets else _Conditions
    designs = kind(names, plan.control, plan.unmeasured)
    for values, texts in chunks:
        values = plan.transformed(values)
        before = profile.rows
        finite = profile.add(values)
        regime = designs.add(plan.labels(texts))
        if finite is not None and plan.missing == "error":
            refuse_missing(values, names, before)
        check_size(np.where(finite, values, 0.0) if finite is not None else values, names)
        extras = plan.extras(texts)
        rows = values if extras is None else np.hstack([values, extras])
        if pairs is not None:
            pairs.add(rows)
        if finite is None:
            sums.add(rows, regime)
            continue
        complete = np.asarray(finite.all(axis=1))
        sums.add(rows[complete], None if regime is None else regime[complete])
        designs.keep_last(complete)
    if not profile.rows:
        raise DataError("the file has a header but no rows")
    design = designs.finish(sums)
    return Streamed(
        sums, pairs if profile.incomplete_rows else None, profile, design, designs.dropped
    )


class _Designs:
    """Numbers the regimes of labels as they come in."""

    def __init__(self, names: Sequence[str], control: str | None, unmeasured: str) -> None:
        self.names = tuple(names)
        self.control = control
        self.unmeasured = unmeasured
        self.dropped: dict[str, int] = {}
        self._numbers: dict[Any, int] = {}
        self._regimes: list[np.ndarray] = []
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

    def finish(self, sums: GramAccumulator) -> Interventions | None:
        """The design; the sums get the numbers of its regimes."""
        if not self._seen:
            return None
        if self.control is not None and self.control not in self._seen:
            shown = ", ".join(repr(label) for label in list(self._seen)[:10])
            raise DataError(
                f"control label {self.control!r} does not occur in the file; the labels are: "
                f"{shown}"
            )
        design = self._design(np.concatenate(self._regimes))
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
