"""Taking numbers and names out of data frames of any library, through narwhals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from arcs.data.checks import check_names, describe_columns
from arcs.data.covariates import Categories
from arcs.data.levels import wanted_columns
from arcs.errors import DataError, nearest_name
from arcs.lazily import Lazily

__all__ = [
    "FrameParts",
    "categorical_columns",
    "column_names",
    "frame_parts",
    "is_frame",
    "wanted_of_types",
]

nw = Lazily("narwhals.stable.v1")


def is_frame(data: Any) -> bool:
    """Whether narwhals knows `data` as a data frame; a lazy one is refused."""
    if isinstance(data, np.ndarray | list | tuple):
        return False
    try:
        found = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return True  # a frame with repeated names, which are refused when it is read
    if isinstance(found, nw.LazyFrame):
        raise DataError(
            f"{type(data).__name__} is lazy, and of a kind that is not known: call .collect() or "
            ".compute() first, or give the path of the file"
        )
    return isinstance(found, nw.DataFrame)


class FrameParts(NamedTuple):
    """Values and names of the variables, and the values of columns that leave the table."""

    values: np.ndarray
    names: tuple[str, ...]
    apart: dict[str, list[Any]]


def column_names(data: Any) -> list[str]:
    """The names of a frame's columns; repeated ones are refused."""
    # Arrow tables keep names under another attribute; the wrapper knows no repeated ones.
    given = list(getattr(data, "column_names", getattr(data, "columns", [])))
    names = [str(name) for name in given]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise DataError(
            f"column names must be unique; repeated: {describe_columns(repeated)}. Rename them."
        )
    return names


def frame_parts(
    data: Any, apart: Collection[str] = (), exclude: Collection[str] = ()
) -> FrameParts:
    """Values and names of a frame, without the columns `apart`, which come as they are.

    Columns that are not numeric are refused by name; nothing is dropped silently.
    """
    names = column_names(data)
    given = list(getattr(data, "column_names", getattr(data, "columns", [])))
    for name in (*exclude, *apart):
        if name not in names:
            raise DataError(
                f"there is no column {name!r} in the frame{nearest_name(str(name), names)}"
            )
    frame = nw.from_native(data, eager_only=True)
    # By position: the wrapper does not find columns whose names are numbers.
    columns = [frame[:, j] for j in range(len(given))]
    leave_out = {*exclude, *apart}
    kept = [j for j, name in enumerate(names) if name not in leave_out]
    texts = check_names([given[j] for j in kept], len(kept))
    _refuse_non_numeric([columns[j] for j in kept], texts)
    values = np.empty((len(frame), len(kept)))
    for k, j in enumerate(kept):
        values[:, k] = np.asarray(columns[j].cast(nw.Float64).to_numpy(), dtype=np.float64)
    return FrameParts(values, texts, {n: _entries(columns[names.index(n)]) for n in apart})


def categorical_columns(
    data: Any, wish: Any, leave_out: Collection[str]
) -> dict[str, Sequence[Any] | None]:
    """The columns of categories that were asked for, with the levels that the frame declares."""
    if wish is None:
        return {}
    wanted = wanted_of_types(data, wish, leave_out)
    names, frame = column_names(data), nw.from_native(data, eager_only=True)
    return {
        name: _declared(frame[:, names.index(name)]) if levels is None else levels
        for name, levels in wanted.items()
    }


def wanted_of_types(
    data: Any, wish: Any, leave_out: Collection[str]
) -> dict[str, Sequence[Any] | None]:
    """The same with the levels that were declared by the wish only; rows do not matter."""
    if wish is None:
        return {}
    names = column_names(data)
    frame = nw.from_native(data, eager_only=True)
    columns = {name: frame[:, j] for j, name in enumerate(names) if name not in leave_out}
    automatic = [name for name, column in columns.items() if _is_categorical(column)]
    return wanted_columns(wish, list(columns), automatic)


def _is_categorical(column: Any) -> bool:
    kinds = (nw.String, nw.Categorical, nw.Enum, nw.Boolean, nw.Object)
    return column.dtype in kinds


def _declared(column: Any) -> Sequence[Any] | None:
    """Levels that a column itself lists; None if it lists none.

    Categories of polars are those of the whole program, not of the column.
    """
    if column.dtype == nw.Boolean:
        return (False, True)
    shared = column.dtype == nw.Categorical and column.implementation.is_polars()
    if column.dtype not in (nw.Categorical, nw.Enum) or shared:
        return None
    if hasattr(column.to_native(), "cat") or not column.implementation.is_pandas():
        return list(column.cat.get_categories().to_list())
    # A dictionary of Arrow in a frame of pandas, which has no word for its categories.
    chunks = column.to_native().array.__arrow_array__().chunks
    return list(dict.fromkeys(level for chunk in chunks for level in chunk.dictionary.to_pylist()))


def _entries(column: Any) -> list[Any]:
    """The values of a column; those of a categorical type stay categories."""
    if column.dtype in (nw.Categorical, nw.Enum, nw.Boolean):
        return Categories(column.to_list())
    return list(column.to_list())


def _refuse_non_numeric(columns: Sequence[Any], names: Sequence[str]) -> None:
    wrong = [
        name
        for column, name in zip(columns, names, strict=True)
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean)
    ]
    if wrong:
        many = "1 column is" if len(wrong) == 1 else f"{len(wrong)} columns are"
        shown = wrong if len(wrong) <= 8 else [*wrong[:8], "..."]
        raise DataError(
            f"{many} not numeric: {describe_columns(wrong)}. Leave out what is no measurement with "
            f"exclude={shown!r}; a column of targets is named by interventions=..., batches "
            "and the like by adjust=... or conditions=..., categories that are variables of the "
            f"network by discrete={shown!r} (or discrete='auto')"
        )
