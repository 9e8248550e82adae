"""Numbers and texts out of Arrow record batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arcs.data.delimited import Chunk
from arcs.errors import DataError, require

__all__ = ["arrow_chunk"]


def arrow_chunk(batch: Any, wanted: Sequence[str], texts: Sequence[str], source: object) -> Chunk:
    """The columns `wanted` as numbers, and `texts` as text; `source` is named in refusals."""
    block = np.empty((batch.num_rows, len(wanted)))
    for k, name in enumerate(wanted):
        block[:, k] = _numbers(batch.column(name), name, source)
    columns = [batch.column(name).to_pylist() for name in texts]
    return block, [["" if x is None else str(x) for x in column] for column in columns]


def _numbers(column: Any, name: str, source: object) -> np.ndarray:
    pa = require("pyarrow", "parquet", "reading Parquet files")
    kind, types = column.type, pa.types
    if not any(
        is_kind(kind)
        for is_kind in (types.is_floating, types.is_integer, types.is_boolean, types.is_decimal)
    ):
        raise DataError(
            f"{source}: column {name!r} is of type {kind}, not numeric. Leave it out with "
            f"exclude=[{name!r}], or take it for categories with discrete=[{name!r}]."
        )
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
