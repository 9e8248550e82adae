"""Refusals about values and names, worded once for every way in."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from arcs.errors import DataError, SettingsError
from arcs.graphs.names import NOT_XML

__all__ = [
    "check_choice",
    "check_names",
    "check_size",
    "describe_columns",
    "matrix_of",
    "refuse_missing",
    "refuse_vanishing",
    "refuse_vanishing_rows",
]

#: Beyond this the squares of the values leave the range of double precision.
_LARGEST = 1e100


def describe_columns(
    names: Sequence[str], counts: Sequence[int] | None = None, most: int = 8
) -> str:
    """A readable list of columns, e.g. ``'a' (3), 'b' (1) and 12 more``."""
    shown = [repr(name) for name in names[:most]]
    if counts is not None:
        shown = [f"{name} ({count})" for name, count in zip(shown, counts, strict=False)]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more


def check_choice(option: str, value: object, allowed: Sequence[str]) -> str:
    """One of the `allowed` words for `option`."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise SettingsError(f"{option} must be one of {words}; got {value!r}")
    return value


def check_names(names: Sequence[object], p: int) -> tuple[str, ...]:
    """Names as text, unique and as many as there are columns.

    Text is kept as it is and numbers as they print; anything else is refused, because it could
    only be kept under another name.
    """
    texts = tuple(_name_text(name, position) for position, name in enumerate(names))
    if len(texts) != p:
        raise DataError(f"{len(texts)} names were given for {p} columns")
    seen: dict[str, int] = {}
    for position, text in enumerate(texts):
        if text in seen:
            raise DataError(
                f"columns {seen[text]} and {position} have the same name {text!r}; "
                "names must be unique: rename one of them"
            )
        seen[text] = position
    if "" in seen:
        raise DataError(
            f"column {seen['']} has an empty name: name it, or leave it out with exclude=[''] "
            "if it is an index that was written along with the data"
        )
    for text, position in seen.items():
        if not text.strip():
            raise DataError(f"column {position} has a blank name, {text!r}: rename it")
    unwritable = [text for text in texts if NOT_XML.search(text)]
    if unwritable:
        raise DataError(
            f"the names of {len(unwritable)} columns hold control characters, which graph files "
            f"and reports cannot: {describe_columns(unwritable)}; rename them"
        )
    return texts


def _name_text(name: object, position: int) -> str:
    if isinstance(name, str):
        return str(name)
    if isinstance(name, numbers.Real) and not isinstance(name, bool) and name == name:
        return str(name)
    raise DataError(
        f"column {position} has the name {name!r} of type {type(name).__name__}; names must be "
        "text or numbers: rename it"
    )


def matrix_of(values: Any) -> np.ndarray:
    """A fresh n x p array of double precision; the refusals are worded as in scikit-learn."""
    sparse = sys.modules.get("scipy.sparse")  # who has a sparse matrix has imported it
    if sparse is not None and sparse.issparse(values):
        raise DataError(
            "Sparse data was passed, but dense data is required. Use '.toarray()' to convert to "
            "a dense numpy array."
        )
    if np.ma.isMaskedArray(values):
        values = _unmasked(np.ma.asarray(values))
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"the data are not a table of numbers: {error}") from None
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: the array is of type {array.dtype}")
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead: the data must be a table of "
            "rows x columns. Reshape your data either using array.reshape(-1, 1) if it has a "
            "single column or array.reshape(1, -1) if it is a single row."
        )
    n, p = array.shape
    if p == 0 or n == 0:
        what, count = ("feature", p) if p == 0 else ("sample", n)
        raise DataError(
            f"Found array with {count} {what}(s) (shape={array.shape}) while a minimum of 1 is "
            f"required: the data are empty, {n} rows and {p} columns"
        )
    if array.dtype.kind not in "biufO":
        raise DataError(
            f"the data are not numeric: the array is of type {array.dtype}. Leave out the columns "
            "of text, dates or categories."
        )
    return _as_floats(array)


def _unmasked(values: np.ma.MaskedArray[Any, Any]) -> np.ndarray:
    """What is masked is missing; what is there may be no number."""
    if values.dtype.kind in "biuf":
        return np.asarray(np.ma.asarray(values, dtype=np.float64).filled(np.nan))
    entries = np.array(values.data, dtype=object)
    entries[np.ma.getmaskarray(values)] = None
    return entries


def _as_floats(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "O":
        return np.array(array, dtype=np.float64, order="C")
    numeric = np.empty(array.shape, dtype=np.float64)
    wrong, beyond = [], []
    for j in range(array.shape[1]):
        column = array[:, j]
        try:
            if any(isinstance(x, str | bytes | complex) for x in column):
                raise TypeError("text or complex numbers")
            numeric[:, j] = np.array([np.nan if x is None else x for x in column], dtype=float)
        except (TypeError, ValueError):
            wrong.append(f"x{j}")
        except OverflowError:  # whole numbers may have any number of digits
            beyond.append(f"x{j}")
    _refuse_beyond(beyond)
    if wrong:
        raise DataError(
            f"{len(wrong)} columns of the object array are not numeric: {describe_columns(wrong)}. "
            "Leave them out, or convert them to numbers (argument must be a string or a number)."
        )
    return numeric


def refuse_missing(
    values: np.ndarray, names: Sequence[str], first_row: int = 0, *, only_drop: bool = False
) -> None:
    """Refuse missing and infinite values, naming the columns and counts.

    What holds for rows of one distribution only, and of numbers, is not offered with `only_drop`.
    """
    finite = np.isfinite(values)
    counts = (~finite).sum(axis=0)
    wrong = np.flatnonzero(counts).tolist()
    listed = describe_columns([names[j] for j in wrong], counts[wrong].tolist())
    first = first_row + int(np.argmax(~finite.all(axis=1)))
    remedy = "missing='drop'" if only_drop else "missing='drop', 'pairwise' or 'em'"
    raise DataError(
        f"Input contains NaN or infinity: {int(counts.sum())} values in {len(wrong)} of "
        f"{len(names)} columns: {listed} (first in row {first}). Leave those "
        f"rows out, fill the values in, or choose {remedy}."
    )


def check_size(values: np.ndarray, names: Sequence[str]) -> None:
    """Refuse finite values whose squares would overflow."""
    top = np.fmax.reduce(values, axis=0, initial=0.0)
    largest = np.maximum(top, -np.fmin.reduce(values, axis=0, initial=0.0))
    _refuse_beyond([names[j] for j in np.flatnonzero(largest > _LARGEST).tolist()])


def _refuse_beyond(wrong: Sequence[str]) -> None:
    if wrong:
        raise DataError(
            f"{len(wrong)} columns hold values beyond {_LARGEST:g}: {describe_columns(wrong)}. Use "
            "another unit."
        )


def refuse_vanishing(names: Sequence[str], spread: np.ndarray) -> None:
    """Refuse columns that vary (`spread` says how far) by so little that squares would vanish."""
    tiny = np.flatnonzero((spread > 0) & (spread < 1 / _LARGEST)).tolist()
    if tiny:
        listed = describe_columns([names[j] for j in tiny])
        raise DataError(
            f"{len(tiny)} columns vary by less than {1 / _LARGEST:g}: {listed}. Use another unit."
        )


def refuse_vanishing_rows(names: Sequence[str], values: np.ndarray) -> None:
    """The same for columns of `values`, of which some may be missing."""
    high = np.fmax.reduce(values, axis=0, initial=-np.inf)
    refuse_vanishing(names, high - np.fmin.reduce(values, axis=0, initial=np.inf))
