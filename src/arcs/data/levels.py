"""Columns of categories: which they are, their levels, and their codes.

A data set holds a categorical column as codes 0, 1, 2, ... (NaN where nothing was written) beside
the names of its levels. The order of levels is kept where somebody gave one: categories of a frame,
or levels that were declared; booleans run from False to True, numbers upwards, text as a dictionary
sorts it. Levels that are declared and do not occur stay.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from arcs.data.checks import check_names, describe_columns, matrix_of
from arcs.errors import DataError, nearest_name
from arcs.graphs.discrete import Levels, level_text
from arcs.graphs.names import NOT_XML

__all__ = [
    "MISSING_LEVEL",
    "MOST_LEVELS",
    "coded_column",
    "coded_rows",
    "level_of_holes",
    "refuse_holes_of_categories",
    "settle_holes",
    "spliced",
    "wanted_columns",
]

#: The name of the level that stands for values that are missing, with ``missing="level"``.
MISSING_LEVEL = "(missing)"
#: A column with more levels than this is an identifier, and codes are bytes.
MOST_LEVELS = 255
AUTO, ALL = "auto", "all"
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "?", "#n/a", "<na>", "nat"})


def wanted_columns(
    wish: Any, names: Sequence[str], automatic: Iterable[str]
) -> dict[str, Sequence[Any] | None]:
    """The categorical columns with their declared levels (None: those that occur).

    Parameters
    ----------
    wish : None, str, sequence of str, or mapping
        Names of columns; "auto" for those in `automatic`, "all" for every column; with commas
        several of these. A mapping gives the levels of each column, in their order; so does
        "stage=I|II|III".
    names : sequence of str
        The columns there are.
    automatic : iterable of str
        Columns that hold text, categories or truth values.
    """
    if wish is None:
        return {}
    if isinstance(wish, Mapping):
        declared = {str(name): levels for name, levels in wish.items()}
    else:
        parts = [wish] if isinstance(wish, str) or not isinstance(wish, Iterable) else list(wish)
        declared = dict(_named(piece, names) for piece in _split(parts, names))
    found: dict[str, Sequence[Any] | None] = {}
    for name, levels in declared.items():
        if name in names:
            found[name] = levels
        elif name == AUTO:
            found |= {each: found.get(each) for each in automatic}
        elif name == ALL:
            found |= {each: found.get(each) for each in names}
        else:
            near = nearest_name(name, names) or "."
            raise DataError(
                f"discrete: there is no column {name!r}{near} Give names of columns, "
                "'auto' for text, categories and truth values, or 'all'."
            )
    return {name: found[name] for name in names if name in found}


def _split(parts: Sequence[Any], names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if not isinstance(part, str):
            raise DataError(f"discrete: names of columns are expected, got {part!r:.80}")
        pieces = [part] if part in names else _pieces(part, names)
        found += [piece if piece in names else piece.strip() for piece in pieces if piece.strip()]
    if not found:
        raise DataError("discrete names no column; leave it out, or name columns")
    return found


def _pieces(part: str, names: Sequence[str]) -> list[str]:
    """What is between commas; a name that holds one may be quoted, as in a line of a CSV file."""
    plain = part.split(",")
    if '"' in part and not all(piece in names or piece.strip() in names for piece in plain):
        with contextlib.suppress(csv.Error):  # which quotes and ends of lines in names may cause
            return next(csv.reader([part], skipinitialspace=True), [])
    return plain


def _named(piece: str, names: Sequence[str]) -> tuple[str, Sequence[str] | None]:
    """A column and the levels that are declared behind its name, as in ``stage=I|II|III``."""
    name, equals, levels = piece.partition("=")
    if piece in names or not equals or name.strip() not in names:
        return piece, None
    return name.strip(), levels.split("|")


def coded_column(
    name: str,
    entries: Sequence[Any],
    declared: Sequence[Any] | None = None,
    *,
    rows: int | None = None,
) -> tuple[np.ndarray, Levels]:
    """Codes (NaN: missing) and levels of a column; `rows` if there are more of them than entries.

    Raises
    ------
    DataError
        If an entry is none of the declared levels, or there are too many levels.
    """
    levels = () if declared is None else _declared_levels(name, declared)
    # Few different entries in many rows: each is looked at once.
    known = {entry: _text_of(entry, levels) for entry in dict.fromkeys(entries)}
    texts = [known[entry] for entry in entries]
    occurring = dict.fromkeys(text for text in known.values() if text is not None)
    if declared is None:
        levels = tuple(sorted(occurring, key=_rank(occurring)))
    else:
        strange = [text for text in occurring if text not in levels]
        if strange:
            raise DataError(
                f"column {name!r} holds {describe_columns(strange, most=3)}, which is none of its "
                f"declared levels {describe_columns(levels, most=6)}; declare it, or mend the data"
            )
    _refuse_levels(name, levels, len(texts) if rows is None else rows)
    place: dict[str | None, float] = {level: float(k) for k, level in enumerate(levels)}
    place[None] = np.nan
    return np.array([place[text] for text in texts], dtype=float), levels


def _declared_levels(name: str, declared: Any) -> Levels:
    if isinstance(declared, str | bytes) or not isinstance(declared, Iterable):
        raise DataError(
            f"discrete: the levels of column {name!r} must be a list such as ['low', 'high'], got "
            f"{declared!r:.80}"
        )
    return tuple(dict.fromkeys(level_text(level).strip() for level in declared))


def _text_of(entry: Any, declared: Levels) -> str | None:
    """The level that an entry names, None if it is missing.

    What frames write for missing values (None, NaN, NA, NaT) reads like one of the words; a word
    that was declared is a level.
    """
    text = level_text(entry).strip()
    named = isinstance(entry, str) and text in declared
    return None if text.lower() in _MISSING and not named else text


def _rank(texts: Iterable[str]) -> Any:
    """What levels are sorted by: numbers if all of them are."""
    try:
        numbers = {text: float(text) for text in texts}
    except ValueError:
        return lambda text: text
    return lambda text: (numbers[text], text)


def _refuse_levels(name: str, levels: Levels, rows: int) -> None:
    if not levels:
        raise DataError(
            f"column {name!r} has no value at all: leave it out with exclude=[{name!r}]"
        )
    unwritable = [level for level in levels if NOT_XML.search(level)]
    if unwritable:
        raise DataError(
            f"{len(unwritable)} levels of column {name!r} hold control characters, which graph "
            f"files and reports cannot: {describe_columns(unwritable, most=3)}; rename them"
        )
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"column {name!r} has {len(levels):,} levels in {rows:,} rows, more than "
            f"{MOST_LEVELS}: an identifier is left out with exclude=[{name!r}]; join rare levels, "
            "or make levels of numbers with discretize='quantiles-3'"
        )


def spliced(
    values: np.ndarray,
    names: Sequence[str],
    entries: Mapping[str, Sequence[Any]],
    wanted: Mapping[str, Sequence[Any] | None],
    order: Sequence[str],
) -> tuple[np.ndarray, dict[str, Levels]]:
    """Columns of numbers and coded ones in one table, in the given order; and the levels."""
    found = {name: coded_column(name, entries[name], own) for name, own in wanted.items()}
    rows = len(values) if not found else len(next(iter(found.values()))[0])
    table = np.empty((rows, len(order)))
    for k, name in enumerate(order):
        table[:, k] = found[name][0] if name in found else values[:, list(names).index(name)]
    return table, {name: levels for name, (_, levels) in found.items()}


def coded_rows(
    values: Any, names: Sequence[str] | None, wish: Any, known: Mapping[str, Levels]
) -> tuple[np.ndarray, tuple[str, ...], tuple[Levels | None, ...]]:
    """The rows as numbers, categories as codes; names; and the levels of each column.

    `known` are levels of columns that are coded already.
    """
    if wish is None or known or not _is_table(values):
        array = matrix_of(values)
    else:
        array = np.asarray(values)
    p = array.shape[1]
    labels = check_names(names if names is not None else [f"x{j}" for j in range(p)], p)
    if wish is not None and not known:
        automatic = [
            name for j, name in enumerate(labels) if _holds_categories(array.dtype, array[:, j])
        ]
        wanted = wanted_columns(wish, labels, automatic)
        entries = {name: array[:, labels.index(name)].tolist() for name in wanted}
        rest = [j for j, name in enumerate(labels) if name not in wanted]
        numbers = matrix_of(array[:, rest]) if rest else np.empty((len(array), 0))
        array, known = spliced(numbers, [labels[j] for j in rest], entries, wanted, labels)
    return array, labels, tuple(known.get(name) for name in labels)


def _is_table(values: Any) -> bool:
    try:
        return np.ndim(values) == 2
    except ValueError:  # rows of different lengths, or entries that are lists themselves
        return False


def _holds_categories(dtype: np.dtype[Any], column: np.ndarray) -> bool:
    if dtype.kind in "bUS":
        return True
    if dtype.kind != "O":
        return False
    return any(isinstance(entry, str | bool | np.bool_) for entry in column)


def settle_holes(
    values: np.ndarray,
    names: Sequence[str],
    levels: tuple[Levels | None, ...],
    finite: np.ndarray | None,
    missing: str,
) -> tuple[np.ndarray, tuple[Levels | None, ...], np.ndarray | None]:
    """What the policy says about holes in columns of categories; the others are left as they are.

    Returns rows, levels, and which values are present (None: all of them).
    """
    holes = [
        0 if own is None or finite is None else int((~finite[:, j]).sum())
        for j, own in enumerate(levels)
    ]
    if finite is None or not any(holes) or missing not in ("level", "error", "pairwise", "em"):
        return values, levels, finite
    if missing != "level":
        refuse_holes_of_categories(dict(zip(names, holes, strict=True)))
    filled, named = values.copy(), list(levels)
    for j, own in enumerate(levels):
        if own is not None and holes[j]:
            filled[np.isnan(filled[:, j]), j] = len(own)
            named[j] = level_of_holes(own)
    present = np.isfinite(filled)
    return filled, tuple(named), None if present.all() else present


def refuse_holes_of_categories(holes: Mapping[str, int]) -> None:
    """Refuse missing values of categories, if there are any."""
    listed = [name for name, count in holes.items() if count]
    if listed:
        raise DataError(
            f"values are missing in {len(listed)} columns of categories: "
            f"{describe_columns(listed, [holes[name] for name in listed])}. Drop those rows with "
            "missing='drop', or take "
            "what is missing for a level of its own with missing='level'; 'pairwise' and 'em' are "
            "for tables of numbers. (Words such as 'NA', 'none' and '?' count as missing unless "
            "the levels of the column are declared.)"
        )


def level_of_holes(levels: Levels) -> Levels:
    """The levels with one of missing values, whose name no level of the data has."""
    name, number = MISSING_LEVEL, 2
    while name in levels:
        name, number = f"{MISSING_LEVEL} {number}", number + 1
    return (*levels, name)
