"""Reading Parquet files a batch at a time (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arcs.errors import DataError, FileFormatError, require

__all__ = ["ParquetFile"]


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file: the same face as :class:`~arcs.data.delimited.DelimitedFile`."""

    path: Path
    names: tuple[str, ...]

    @classmethod
    def open(cls, path: str | Path) -> ParquetFile:
        """Read the schema."""
        pq = require("pyarrow.parquet", "parquet", "reading Parquet files")
        pa = require("pyarrow", "parquet", "reading Parquet files")
        path = Path(path)
        if not path.exists():
            raise FileFormatError(f"{path}: there is no such file")
        try:
            schema = pq.ParquetFile(path).schema_arrow
        except pa.ArrowInvalid as error:
            raise FileFormatError(f"{path}: not a Parquet file: {error}") from None
        return cls(path, tuple(schema.names))

    def chunks(
        self, columns: Sequence[int], labels: int | None = None, size: int = 65_536
    ) -> Iterator[tuple[np.ndarray, list[str] | None]]:
        """Yield ``(values, labels)`` for up to `size` rows at a time."""
        pq = require("pyarrow.parquet", "parquet", "reading Parquet files")
        wanted = [self.names[j] for j in columns]
        extra = [] if labels is None else [self.names[labels]]
        for batch in pq.ParquetFile(self.path).iter_batches(size, columns=wanted + extra):
            block = np.empty((batch.num_rows, len(wanted)))
            for k, name in enumerate(wanted):
                block[:, k] = self._numbers(batch.column(name), name)
            texts = None
            if labels is not None:
                texts = ["" if x is None else str(x) for x in batch.column(extra[0]).to_pylist()]
            yield block, texts

    def _numbers(self, column: object, name: str) -> np.ndarray:
        pa = require("pyarrow", "parquet", "reading Parquet files")
        kind = column.type  # type: ignore[attr-defined]
        if not (
            pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
        ):
            raise DataError(
                f"{self.path}: column {name!r} is of type {kind}, not numeric. Leave it out with "
                f"exclude=[{name!r}]."
            )
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))  # type: ignore[attr-defined]
