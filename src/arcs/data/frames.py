"""Taking numbers and names out of data frames of any library, through narwhals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from arcs.data.checks import check_names, describe_columns
from arcs.data.interventions import nearest_name
from arcs.errors import DataError

__all__ = ["frame_parts", "is_frame"]


def is_frame(data: Any) -> bool:
    """Whether narwhals knows `data` as a data frame; a lazy one is refused."""
    found = nw.from_native(data, pass_through=True)
    if isinstance(found, nw.LazyFrame):
        raise DataError(
            f"{type(data).__name__} is lazy: call .collect() or .compute() first, or give the "
            "path of the file"
        )
    return isinstance(found, nw.DataFrame)


def frame_parts(
    data: Any, label_column: str | None = None, exclude: Collection[str] = ()
) -> tuple[np.ndarray, tuple[str, ...], list[Any] | None]:
    """Values, names and (optionally) the label column of a frame.

    Columns that are not numeric are refused by name; nothing is dropped silently.
    """
    # Arrow tables keep names under another attribute; the wrapper knows no repeated ones.
    names = [str(name) for name in getattr(data, "column_names", getattr(data, "columns", []))]
    counts = Counter(names)
    repeated = sorted(name for name, count in counts.items() if count > 1)
    if repeated:
        raise DataError(
            f"column names must be unique; repeated: {describe_columns(repeated)}. Rename them."
        )
    frame = nw.from_native(data, eager_only=True)
    labels = None
    for name in (*exclude, *([label_column] if label_column is not None else [])):
        if name not in names:
            raise DataError(
                f"there is no column {name!r} in the frame{nearest_name(str(name), names)}"
            )
    if label_column is not None:
        labels = frame[frame.columns[names.index(label_column)]].to_list()
    leave_out = {*exclude, label_column}
    kept = [column for column in frame.columns if str(column) not in leave_out]
    _refuse_non_numeric(frame, kept)
    values = np.empty((len(frame), len(kept)))
    for k, column in enumerate(kept):
        values[:, k] = np.asarray(frame[column].cast(nw.Float64).to_numpy(), dtype=np.float64)
    return values, check_names(kept, len(kept)), labels


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
