"""Taking numbers and names out of data frames of any library, through narwhals."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from arcs.data.checks import describe_columns
from arcs.errors import DataError

__all__ = ["frame_parts", "is_frame"]


def is_frame(data: Any) -> bool:
    """Whether narwhals knows `data` as a data frame."""
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def frame_parts(
    data: Any, label_column: str | None = None, exclude: Collection[str] = ()
) -> tuple[np.ndarray, tuple[str, ...], list[Any] | None]:
    """Values, names and (optionally) the label column of a frame.

    Columns that are not numeric are refused by name; nothing is dropped silently.
    """
    columns = [str(name) for name in getattr(data, "columns", [])]
    repeated = sorted({name for name in columns if columns.count(name) > 1})
    if repeated:
        raise DataError(
            f"column names must be unique; repeated: {describe_columns(repeated)}. Rename them."
        )
    frame = nw.from_native(data, eager_only=True)
    labels = None
    names = [str(name) for name in frame.columns]
    for name in (*exclude, *([label_column] if label_column is not None else [])):
        if name not in names:
            raise DataError(f"there is no column {name!r} in the frame")
    if label_column is not None:
        labels = frame[frame.columns[names.index(label_column)]].to_list()
    leave_out = {*exclude, label_column}
    kept = [column for column in frame.columns if str(column) not in leave_out]
    _refuse_non_numeric(frame, kept)
    values = np.empty((len(frame), len(kept)))
    for k, column in enumerate(kept):
        values[:, k] = frame[column].cast(nw.Float64).to_numpy()
    return values, tuple(str(column) for column in kept), labels


def _refuse_non_numeric(frame: Any, columns: list[Any]) -> None:
    schema = frame.schema
    wrong = [
        str(name)
        for name in columns
        if not (schema[name].is_numeric() or schema[name] == nw.Boolean)
    ]
    if wrong:
        raise DataError(
            f"{len(wrong)} columns are not numeric: {describe_columns(wrong)}. Leave them out with "
            f"exclude={wrong[:3]!r}, or name one of them as interventions=..."
        )
