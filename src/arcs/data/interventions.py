"""Which variables were set by the experimenter in which rows.

People write this down in several ways; all of them end as one :class:`Interventions`: the distinct
sets of targets (*regimes*) and, for each row, the regime it belongs to. The empty set is the
observational regime. Targets are matched by name wherever the data have names.

If it is not known what was done to the variables, only under which condition each row was taken,
the regimes have labels and no targets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcs.errors import DataError, nearest_name, warn_caller

__all__ = ["CONTROL_LABELS", "Interventions", "label_text", "regime_label"]

#: Labels that mean "no intervention" unless the caller names another one.
CONTROL_LABELS = ("", "control", "none", "nan", "null", "na")


@dataclass(frozen=True, eq=False)
class Interventions:
    """The experimental design of a data set.

    Parameters
    ----------
    targets : sequence of sequences of int
        The distinct target sets, one per regime; the empty set is the observational regime.
    regime : array of int, shape (n,)
        For each row the index of its regime.
    names : sequence of str
        The names of the variables.
    unmeasured : mapping of str to int
        Targets that are not among the variables, with the number of rows they were dropped from.
    labels : sequence of str, optional
        Names of regimes whose targets are not known; their target sets are empty. A regime called
        "control" is known to have none.

    Examples
    --------
    >>> design = Interventions.from_labels(["control", "b", "a,b"], ["a", "b", "c"])
    >>> design.mask.astype(int).tolist()
    [[0, 0, 0], [0, 1, 0], [1, 1, 0]]
    """

    targets: tuple[tuple[int, ...], ...]
    regime: np.ndarray
    names: tuple[str, ...]
    unmeasured: Mapping[str, int] = field(default_factory=dict)
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        targets = tuple(tuple(sorted({int(t) for t in group})) for group in self.targets)
        regime = np.asarray(self.regime, dtype=np.int64).copy()
        p = len(self.names)
        for group in targets:
            for target in group:
                if not 0 <= target < p:
                    raise DataError(f"intervention target {target} is out of range for {p} columns")
        if regime.ndim != 1:
            raise DataError(f"the regime of each row must be 1-dimensional, got {regime.ndim}-d")
        if regime.size and not (regime.min() >= 0 and regime.max() < len(targets)):
            raise DataError(
                f"row {int(np.argmax((regime < 0) | (regime >= len(targets))))} has regime "
                f"{int(regime.max())}, but there are only {len(targets)} target sets"
            )
        if self.labels is None:
            targets, regime = _merge_equal(targets, regime)
        else:
            labels, regime = _used_labels(tuple(self.labels), targets, regime)
            targets = ((),) * len(labels)
            object.__setattr__(self, "labels", labels)
        regime.setflags(write=False)
        object.__setattr__(self, "targets", targets)
        object.__setattr__(self, "regime", regime)
        object.__setattr__(self, "names", tuple(self.names))

    # ------------------------------------------------------------------ constructors
    @classmethod
    def from_mask(cls, mask: Any, names: Sequence[str]) -> Interventions:
        """From an n x p array of 0/1: entry (i, j) tells whether j was set in row i."""
        mask = _boolean_mask(mask, names)
        patterns, regime = np.unique(mask, axis=0, return_inverse=True)
        targets = tuple(tuple(np.flatnonzero(row).tolist()) for row in patterns)
        return cls(targets, regime.ravel(), tuple(names))

    @classmethod
    def from_labels(
        cls,
        labels: Iterable[Any],
        names: Sequence[str],
        *,
        control: str | None = None,
        unmeasured: str = "error",
    ) -> Interventions:
        """From one value per row: a name, several names separated by commas, or a control label.

        Parameters
        ----------
        labels : iterable
            One label per row. ``None`` and NaN count as blank.
        names : sequence of str
            Names of the variables.
        control : str, optional
            The label of rows without intervention, in addition to a blank. By default "control"
            and "none" are understood, in any case.
        unmeasured : {"error", "drop"}
            What to do with targets that are not among the variables.
        """
        texts = [label_text(label) for label in labels]
        counts = Counter(texts)
        distinct = list(counts)
        if control is not None and control not in distinct:
            shown = ", ".join(repr(text) for text in distinct[:10])
            raise DataError(f"control label {control!r} does not occur; the labels are: {shown}")
        index = _Columns(names)
        groups: dict[str, tuple[int, ...]] = {}
        dropped: dict[str, int] = {}
        for text in distinct:
            known, unknown = _split_label(text, index, control)
            if unknown and unmeasured != "drop":
                raise _unknown_target(unknown[0], text, counts[text], names)
            for name in unknown:
                dropped[name] = dropped.get(name, 0) + counts[text]
            groups[text] = known
        index.remark()
        number = {text: k for k, text in enumerate(distinct)}
        regime = np.array([number[text] for text in texts], dtype=np.int64)
        return cls(tuple(groups[text] for text in distinct), regime, tuple(names), dropped)

    @classmethod
    def from_regimes(
        cls, labels: Iterable[Any], names: Sequence[str], *, control: str | None = None
    ) -> Interventions:
        """From one label of a condition per row, if it is not known what was done there.

        Rows whose label is blank, "control", "none" or `control` are known to be observational.
        """
        texts = [label_text(label) for label in labels]
        if control is not None and control not in texts:
            shown = ", ".join(repr(text) for text in list(dict.fromkeys(texts))[:10])
            raise DataError(f"control label {control!r} does not occur; the labels are: {shown}")
        called = {text: regime_label(text, control) for text in texts}
        numbers = {text: k for k, text in enumerate(dict.fromkeys(called.values()))}
        regime = np.array([numbers[called[text]] for text in texts], dtype=np.int64)
        return cls(((),) * len(numbers), regime, tuple(names), labels=tuple(numbers))

    @classmethod
    def from_targets(
        cls, targets: Sequence[Any], index: Any, names: Sequence[str], *, first: int = 0
    ) -> Interventions:
        """From a list of target sets and each row's index into it (pcalg, gies).

        `first` is the index of the first target set: 0 in Python, 1 in files written by R.
        """
        lookup = {name: j for j, name in enumerate(names)}
        groups = []
        for group in targets:
            members = [group] if isinstance(group, str | int | np.integer) else list(group)
            groups.append(tuple(_target_index(member, lookup, names, first) for member in members))
        regime = np.asarray(index)
        if regime.dtype.kind not in "iu":
            raise DataError(f"the target index must be integer, got {regime.dtype}")
        return cls(tuple(groups), regime.astype(np.int64) - first, tuple(names))

    # ------------------------------------------------------------------ views
    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.regime.size)

    @property
    def mask(self) -> np.ndarray:
        """The n x p boolean matrix: whether variable j was set in row i."""
        return np.asarray(self.regime_mask[self.regime])

    @property
    def regime_mask(self) -> np.ndarray:
        """The boolean matrix regimes x p: whether variable j is a target of the regime."""
        table = np.zeros((len(self.targets), len(self.names)), dtype=bool)
        for r, group in enumerate(self.targets):
            table[r, list(group)] = True
        return table

    @property
    def rows_intervened(self) -> np.ndarray:
        """For each variable the number of rows in which it was set."""
        counts = np.bincount(self.regime, minlength=len(self.targets))
        return np.asarray(counts @ self.regime_mask.astype(np.int64))

    @property
    def experimental(self) -> bool:
        """Whether there is anything but observational rows."""
        return self.labels is not None or any(self.targets)

    @property
    def observational(self) -> np.ndarray:
        """For each regime whether it is known that nothing was intervened upon."""
        if self.labels is not None:
            return np.array([label == "control" for label in self.labels])
        return np.array([not group for group in self.targets])

    def label(self, regime: int) -> str:
        """Readable name of a regime: its targets joined by commas, or "control"."""
        if self.labels is not None:
            return self.labels[regime]
        return ",".join(self.names[t] for t in self.targets[regime]) or "control"

    def take(self, rows: np.ndarray) -> Interventions:
        """The design of some of the rows."""
        return Interventions(
            self.targets, self.regime[rows], self.names, self.unmeasured, self.labels
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interventions):
            return NotImplemented
        if self.names != other.names or (self.labels is None) != (other.labels is None):
            return False
        if self.labels is None:
            return bool(np.array_equal(self.mask, other.mask))
        return self._row_labels() == other._row_labels()

    def _row_labels(self) -> list[str]:
        return [self.label(r) for r in self.regime.tolist()]

    __hash__ = None  # type: ignore[assignment]


def regime_label(text: str, control: str | None) -> str:
    """The name of a regime whose targets are not known; one name for all observational rows."""
    if text == "" or text == control or (control is None and text.lower() in CONTROL_LABELS):
        return "control"
    return text


def _used_labels(
    labels: tuple[str, ...], targets: tuple[tuple[int, ...], ...], regime: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Drop the labels that no row has."""
    if any(targets) or len(labels) != len(targets) or len(set(labels)) < len(labels):
        raise DataError(
            f"labels name regimes without known targets, each once; got {len(labels)} labels for "
            f"{len(targets)} target sets"
        )
    used, numbers = np.unique(regime, return_inverse=True)
    return tuple(labels[r] for r in used), np.asarray(numbers).ravel().astype(np.int64)


def _merge_equal(
    targets: tuple[tuple[int, ...], ...], regime: np.ndarray
) -> tuple[tuple[tuple[int, ...], ...], np.ndarray]:
    """Give equal target sets one number, and drop the ones that no row uses."""
    used = [targets[r] for r in np.unique(regime)]
    distinct = sorted(set(used), key=lambda group: (len(group), group))
    number = {group: k for k, group in enumerate(distinct)}
    table = np.array([number.get(group, -1) for group in targets], dtype=np.int64)
    return tuple(distinct), table[regime] if regime.size else regime


def _boolean_mask(mask: Any, names: Sequence[str]) -> np.ndarray:
    array = np.asarray(mask)
    if array.ndim != 2 or array.shape[1] != len(names):
        raise DataError(
            f"the intervention mask must be rows x {len(names)} columns, got shape {array.shape}"
        )
    if array.dtype.kind not in "biuf":
        raise DataError(
            f"the intervention mask must hold 0 and 1, got values of type {array.dtype}"
        )
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise DataError(
            f"the intervention mask must hold 0 and 1; {int(wrong.sum())} entries do not, the "
            f"first in row {row}, column {names[column]!r}: {array[row, column]}"
        )
    return np.asarray(array, dtype=bool)


def label_text(label: Any) -> str:
    """A label as text; what is missing is blank."""
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return ""
    text = str(label).strip()
    return "" if text in ("<NA>", "NaT") else text  # how pandas prints what is missing


class _Columns:
    """Positions of columns by name; where no name fits as it is written, case does not matter."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.exact = {name: j for j, name in enumerate(names)}
        counts = Counter(name.casefold() for name in names)
        self._folded = {n.casefold(): j for j, n in enumerate(names) if counts[n.casefold()] == 1}
        self._respelled: dict[str, str] = {}

    def find(self, name: str) -> int | None:
        """Where the column is, if there is one."""
        if name in self.exact:
            return self.exact[name]
        found = self._folded.get(name.casefold())
        if found is not None:
            self._respelled[name] = self.names[found]
        return found

    def remark(self) -> None:
        """Tell which names were found only in another spelling."""
        if self._respelled:
            shown = [f"{a!r} is taken for {b!r}" for a, b in list(self._respelled.items())[:5]]
            more = f" and {len(self._respelled) - 5} more" if len(self._respelled) > 5 else ""
            warn_caller(
                f"targets match columns but for upper and lower case: {', '.join(shown)}{more}"
            )


def _split_label(
    text: str, index: _Columns, control: str | None
) -> tuple[tuple[int, ...], list[str]]:
    """Targets of one label: known ones as column numbers, unknown ones as names."""
    if text in index.exact:
        return (index.exact[text],), []
    if text == control or (control is None and text.lower() in CONTROL_LABELS) or text == "":
        return (), []
    whole = index.find(text)
    if whole is not None:
        return (whole,), []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = {part: index.find(part) for part in parts}
    known = tuple(at for at in found.values() if at is not None)
    return known, [part for part, at in found.items() if at is None]


def _unknown_target(name: str, label: str, count: int, names: Sequence[str]) -> DataError:
    within = "" if name == label else f" (in label {label!r})"
    return DataError(
        f"intervention target {name!r}{within}, in {count} rows, is not a column of the data"
        f"{nearest_name(name, names) or '.'} Use unmeasured='drop' to ignore targets that were not "
        "measured, or control=... to name the label of rows without intervention; if labels are "
        "conditions whose targets nobody knows, intervention_kind='unknown' finds them."
    )


def _target_index(member: Any, lookup: Mapping[str, int], names: Sequence[str], first: int) -> int:
    if isinstance(member, str):
        if member not in lookup:
            raise DataError(
                f"intervention target {member!r} is not a column of the data"
                f"{nearest_name(member, names)}"
            )
        return lookup[member]
    position = int(member) - first
    if not 0 <= position < len(names):
        raise DataError(
            f"intervention target {int(member)} is out of range: there are {len(names)} columns, "
            f"numbered from {first}"
        )
    return position
