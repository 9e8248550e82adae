"""Taking numbers and names out of data frames of any library, through narwhals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from arcs.data.checks import check_names, describe_columns
from arcs.data.interventions import nearest_name
from arcs.errors import DataError

__all__ = ["frame_parts", "is_frame"]


def is_frame(data: Any) -> bool:
    """Whether narwhals knows `data` as a data frame; a lazy one is refused."""
    try:
        found = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return True  # a frame with repeated names, which are refused when it is read
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
    given = list(getattr(data, "column_names", getattr(data, "columns", [])))
    names = [str(name) for name in given]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise DataError(
            f"column names must be unique; repeated: {describe_columns(repeated)}. Rename them."
        )
    for name in (*exclude, *([label_column] if label_column is not None else [])):
        if name not in names:
            raise DataError(
                f"there is no column {name!r} in the frame{nearest_name(str(name), names)}"
            )
    frame = nw.from_native(data, eager_only=True)
    # By position: the wrapper does not find columns whose names are numbers.
    columns = [frame[:, j] for j in range(len(given))]
    leave_out = {*exclude, label_column}
    kept = [j for j, name in enumerate(names) if name not in leave_out]
    texts = check_names([given[j] for j in kept], len(kept))
    _refuse_non_numeric([columns[j] for j in kept], texts)
    values = np.empty((len(frame), len(kept)))
    for k, j in enumerate(kept):
        values[:, k] = np.asarray(columns[j].cast(nw.Float64).to_numpy(), dtype=np.float64)
    labels = None if label_column is None else columns[names.index(label_column)].to_list()
    return values, texts, labels


def _refuse_non_numeric(columns: Sequence[Any], names: Sequence[str]) -> None:
    wrong = [
        name
        for column, name in zip(columns, names, strict=True)
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean)
    ]
    if wrong:
        many = "1 column is" if len(wrong) == 1 else f"{len(wrong)} columns are"
        raise DataError(
            f"{many} not numeric: {describe_columns(wrong)}. Leave out what is no measurement with "
            f"exclude={wrong[:3]!r}; a column of targets is named by interventions=..."
        )
