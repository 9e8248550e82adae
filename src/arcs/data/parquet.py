"""Reading Parquet files a batch at a time (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcs.data.arrow import arrow_chunk
from arcs.data.delimited import Chunk
from arcs.errors import FileFormatError, require

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
        if path.is_dir():
            raise FileFormatError(f"{path}: this is a folder, not a file")
        try:
            with pq.ParquetFile(path) as file:
                schema = file.schema_arrow
        except (pa.ArrowException, OSError) as error:
            raise FileFormatError(f"{path}: not a Parquet file: {error}") from None
        return cls(path, tuple(schema.names))

    def as_frame(self) -> Any:
        """All rows as an Arrow table, whose categories know their levels."""
        pa = require("pyarrow", "parquet", "reading Parquet files")
        pq = require("pyarrow.parquet", "parquet", "reading Parquet files")
        try:
            with pq.ParquetFile(self.path) as file:
                return file.read()
        except (pa.ArrowException, OSError) as error:
            raise FileFormatError(f"{self.path}: damaged: {error}") from None

    def types(self) -> Any:
        """A frame without rows, for the types of the columns."""
        pq = require("pyarrow.parquet", "parquet", "reading Parquet files")
        return pq.read_schema(self.path).empty_table()

    def frames(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Some columns as Arrow tables of up to `size` rows each."""
        pa = require("pyarrow", "parquet", "reading Parquet files")
        for batch in self._batches(columns, size):
            yield pa.Table.from_batches([batch])

    def chunks(
        self, columns: Sequence[int], texts: Sequence[int] = (), size: int = 65_536
    ) -> Iterator[Chunk]:
        """Yield ``(values, texts)`` for up to `size` rows at a time."""
        wanted = [self.names[j] for j in columns]
        extra = [self.names[k] for k in texts]
        for batch in self._batches(wanted + extra, size):
            yield arrow_chunk(batch, wanted, extra, self.path)

    def _batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        pa = require("pyarrow", "parquet", "reading Parquet files")
        pq = require("pyarrow.parquet", "parquet", "reading Parquet files")
        try:
            # Columns are decoded a batch at a time: a row group may be as large as the file.
            with pq.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 20) as file:
                yield from file.iter_batches(size, columns=list(dict.fromkeys(columns)))
        except (pa.ArrowException, OSError) as error:
            raise FileFormatError(f"{self.path}: damaged: {error}") from None
