"""Recognising how somebody wrote down the interventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arcs.data.checks import describe_columns
from arcs.data.frames import frame_parts, is_frame
from arcs.data.interventions import Interventions, label_text, regime_label
from arcs.errors import DataError, nearest_name

__all__ = ["implied_labels", "recognise_design"]


def recognise_design(
    interventions: Any,
    names: Sequence[str],
    n: int,
    *,
    control: str | None = None,
    unmeasured: str = "error",
    unnamed: bool = False,
    known_targets: bool = True,
) -> Interventions | None:
    """The design of `n` rows, or None if nothing is given.

    Parameters
    ----------
    interventions : object
        An :class:`Interventions`; an n x p array or frame of 0/1; one label per row; one list of
        targets per row; or a list of target sets with each row's index into it, as a pair or a
        mapping with the keys "targets" and "index". For data without names (`unnamed`) also one
        column number per row, -1 for none.
    names : sequence of str
    n : int
    control, unmeasured
        See :meth:`Interventions.from_labels`.
    unnamed : bool
        Whether the names were made up.
    known_targets : bool
        Whether a label per row names targets; otherwise it is only the name of a condition.
    """
    if interventions is None:
        if control is not None:
            raise DataError(f"control={control!r} was given, but no interventions")
        return None
    if known_targets or not _are_conditions(interventions):
        design = _recognise(interventions, names, control, unmeasured, unnamed)
    else:
        design = Interventions.from_regimes(interventions, names, control=control)
    if design.n_rows != n:
        raise DataError(f"the interventions describe {design.n_rows} rows, the data have {n}")
    if design.names != tuple(names):
        raise DataError("the interventions were made for other columns than the data have")
    return design


def _recognise(
    interventions: Any, names: Sequence[str], control: str | None, unmeasured: str, unnamed: bool
) -> Interventions:
    if isinstance(interventions, Interventions):
        return interventions
    if isinstance(interventions, str):
        raise DataError(
            f"interventions={interventions!r} names a column, but an array has no named columns"
        )
    if isinstance(interventions, Mapping):
        if not {"targets", "index"} <= set(interventions):
            raise DataError(
                "a mapping of interventions needs the keys 'targets' and 'index', got "
                f"{describe_columns([str(key) for key in interventions])}"
            )
        return Interventions.from_targets(interventions["targets"], interventions["index"], names)
    if is_frame(interventions):
        return Interventions.from_mask(_mask_by_name(interventions, names), names)
    if isinstance(interventions, tuple) and len(interventions) == 2 and _is_flat(interventions[1]):
        return Interventions.from_targets(interventions[0], interventions[1], names)
    return _from_rows(interventions, names, control, unmeasured, unnamed)


def _are_conditions(interventions: Any) -> bool:
    """Whether this is one label per row, rather than a description of targets."""
    described = isinstance(interventions, Interventions | str | Mapping) or is_frame(interventions)
    if described or not hasattr(interventions, "__iter__"):
        return False
    if isinstance(interventions, tuple) and len(interventions) == 2 and _is_flat(interventions[1]):
        return False
    if getattr(interventions, "ndim", 1) != 1:
        return False
    return not any(isinstance(row, list | tuple | set | np.ndarray) for row in interventions)


def implied_labels(interventions: Any, control: str | None) -> list[str] | None:
    """The conditions that labels of interventions name, one for all observational rows.

    None where rows have no labels of their own, only targets.
    """
    if interventions is None or not _are_conditions(interventions):
        return None
    texts = [label_text(label) for label in interventions]
    return [regime_label(text, control) for text in texts]


def _is_flat(index: Any) -> bool:
    if isinstance(index, np.ndarray):
        return index.ndim == 1 and index.dtype.kind != "U"
    return isinstance(index, list | tuple | range) and not any(
        isinstance(entry, str | list | tuple | np.ndarray) for entry in index
    )


def _from_rows(
    interventions: Any, names: Sequence[str], control: str | None, unmeasured: str, unnamed: bool
) -> Interventions:
    """A mask, a label per row, a list of targets per row, or a column number per row."""
    try:
        array = np.asarray(interventions)
    except ValueError:
        array = np.asarray([None])  # rows of unequal length: lists of targets
    if array.ndim == 2 and array.dtype.kind in "biuf":
        return Interventions.from_mask(array, names)
    if unnamed and array.ndim == 1 and array.dtype.kind in "iu":
        return _from_positions(array, names)
    if not hasattr(interventions, "__iter__"):
        raise DataError(f"the interventions are not understood: {interventions!r}")
    rows = list(interventions)
    if any(isinstance(row, list | tuple | set | frozenset | np.ndarray) for row in rows):
        return Interventions.from_targets(rows, np.arange(len(rows)), names)
    return Interventions.from_labels(rows, names, control=control, unmeasured=unmeasured)


def _from_positions(targets: np.ndarray, names: Sequence[str]) -> Interventions:
    """One column number per row, -1 for none: only for data without names."""
    groups: list[tuple[int, ...]] = [()] + [(j,) for j in range(len(names))]
    if targets.size and not (targets.min() >= -1 and targets.max() < len(names)):
        raise DataError(
            f"intervention targets range from {targets.min()} to {targets.max()}, but the columns "
            f"are numbered 0 to {len(names) - 1} (-1 for none)"
        )
    return Interventions(tuple(groups), targets.astype(np.int64) + 1, tuple(names))


def _mask_by_name(frame: Any, names: Sequence[str]) -> np.ndarray:
    """A mask given as a frame, its columns matched by name; absent columns were never set."""
    values, columns, _ = frame_parts(frame)
    unknown = [name for name in columns if name not in names]
    if unknown:
        raise DataError(
            f"the intervention mask has columns that the data do not: {describe_columns(unknown)}"
            f"{nearest_name(unknown[0], names)}"
        )
    mask = np.zeros((values.shape[0], len(names)))
    mask[:, [list(names).index(name) for name in columns]] = values
    return mask
