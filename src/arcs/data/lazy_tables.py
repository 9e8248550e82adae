"""Tables that are read where they are: Arrow datasets, polars queries, DuckDB relations.

Each has the face of a file (:class:`~arcs.data.delimited.DelimitedFile`): the names of its columns,
and chunks of rows, of which only the columns that are asked for are read. So one pass in chunks
makes sums of tables that need not fit into memory. A folder or a glob of Parquet files is an Arrow
dataset. Dask data frames, whose passes run on the workers, are in :mod:`arcs.data.partitions`.

Nothing is imported to recognise a table: who has one has imported its library.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcs.data.arrow import arrow_chunk
from arcs.data.delimited import Chunk
from arcs.data.partitions import DaskTable
from arcs.errors import DataError, FileFormatError, require

__all__ = ["ArrowTable", "DuckTable", "PolarsTable", "is_many_files", "lazy_table", "open_files"]


@dataclass(frozen=True, eq=False)
class ArrowTable:
    """A ``pyarrow.dataset.Dataset``: any number of files, read a batch at a time."""

    dataset: Any
    source: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.dataset.schema.names)

    def as_frame(self) -> Any:
        """All rows as a data frame."""
        return self.dataset.to_table()

    def types(self) -> Any:
        """A frame without rows, for the types of the columns."""
        return self.dataset.schema.empty_table()

    def frames(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Some columns as data frames of up to `size` rows each."""
        pa = require("pyarrow", "parquet", "reading Arrow datasets")
        for batch in self._batches(columns, size):
            yield pa.Table.from_batches([batch])

    def chunks(
        self, columns: Sequence[int], texts: Sequence[int] = (), size: int = 65_536
    ) -> Iterator[Chunk]:
        """Yield ``(values, texts)`` for up to `size` rows at a time, in the order of the files."""
        wanted, extra = [self.names[j] for j in columns], [self.names[k] for k in texts]
        for batch in self._batches(wanted + extra, size):
            yield arrow_chunk(batch, wanted, extra, self.source)

    def _batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        pa = require("pyarrow", "parquet", "reading Arrow datasets")
        needed = list(dict.fromkeys(columns))
        # Little is read ahead: a table of many columns is large enough by the batch.
        options = {"batch_size": size, "batch_readahead": 1, "fragment_readahead": 1}
        try:
            for batch in self.dataset.to_batches(columns=needed, **options):
                if batch.num_rows:
                    yield batch
        except (pa.ArrowException, OSError) as error:
            raise FileFormatError(f"{self.source}: damaged: {error}") from None


@dataclass(frozen=True, eq=False)
class PolarsTable:
    """A ``polars.LazyFrame``, run by polars' streaming engine."""

    query: Any
    names: tuple[str, ...]
    source: str = "polars query"

    def as_frame(self) -> Any:
        """All rows as a data frame."""
        return self.query.collect()

    def types(self) -> Any:
        """A frame without rows, for the types of the columns."""
        return self.query.head(0).collect()

    def frames(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Some columns as data frames of up to about `size` rows each."""
        yield from _polars_batches(self.query.select(list(columns)), size)

    def chunks(
        self, columns: Sequence[int], texts: Sequence[int] = (), size: int = 65_536
    ) -> Iterator[Chunk]:
        """Yield ``(values, texts)`` for up to about `size` rows at a time."""
        wanted, extra = [self.names[j] for j in columns], [self.names[k] for k in texts]
        query = self.query.select(list(dict.fromkeys(wanted + extra)))
        schema = query.collect_schema()
        wrong = [name for name in wanted if not _polars_numeric(schema[name])]
        if wrong:
            raise DataError(
                f"{self.source}: column {wrong[0]!r} is of type {schema[wrong[0]]}, not numeric. "
                f"Leave it out with exclude={wrong[:3]!r}."
            )
        for frame in _polars_batches(query, size):
            block = frame.select(wanted).cast(_polars_float()).to_numpy() if wanted else None
            entries = [frame[name].to_list() for name in extra]
            listed = [["" if x is None else str(x) for x in column] for column in entries]
            yield _empty(len(frame)) if block is None else block, listed


def _empty(n: int) -> Any:
    import numpy as np

    return np.empty((n, 0))


def _polars_float() -> Any:
    return require("polars", "dev", "reading polars queries").Float64


def _polars_numeric(kind: Any) -> bool:
    return bool(kind.is_numeric() or kind == require("polars", "dev", "").Boolean)


def _polars_batches(query: Any, size: int) -> Iterator[Any]:
    """The rows in batches; polars before 1.34 collects them first, column by column."""
    if hasattr(query, "collect_batches"):
        yield from query.collect_batches(chunk_size=size, maintain_order=True)
        return
    yield from query.collect(engine="streaming").iter_slices(size)


@dataclass(frozen=True, eq=False)
class DuckTable:
    """A DuckDB relation, whose result comes as a stream of Arrow batches."""

    relation: Any
    source: str = "DuckDB relation"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.relation.columns)

    def as_frame(self) -> Any:
        """All rows as a data frame."""
        read = getattr(self.relation, "to_arrow_table", None) or self.relation.fetch_arrow_table
        return read()

    def types(self) -> Any:
        """A frame without rows, for the types of the columns."""
        return DuckTable(self.relation.limit(0)).as_frame()

    def frames(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Some columns as data frames of up to `size` rows each."""
        pa = require("pyarrow", "parquet", "reading DuckDB relations")
        for batch in self._batches(columns, size):
            yield pa.Table.from_batches([batch])

    def chunks(
        self, columns: Sequence[int], texts: Sequence[int] = (), size: int = 65_536
    ) -> Iterator[Chunk]:
        """Yield ``(values, texts)`` for up to `size` rows at a time."""
        wanted, extra = [self.names[j] for j in columns], [self.names[k] for k in texts]
        for batch in self._batches(wanted + extra, size):
            yield arrow_chunk(batch, wanted, extra, self.source)

    def _batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        quoted = ['"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns)]
        part = self.relation.project(", ".join(quoted))
        stream = getattr(part, "to_arrow_reader", None) or part.fetch_record_batch
        for batch in stream(size):
            if batch.num_rows:
                yield batch


Table = ArrowTable | PolarsTable | DuckTable | DaskTable


def lazy_table(data: Any) -> Table | None:
    """The table behind an object that computes its rows when they are asked for, or None."""
    kind = type(data)
    library = kind.__module__.partition(".")[0]
    if library == "polars" and kind.__name__ == "LazyFrame":
        return PolarsTable(data, tuple(data.collect_schema().names()))
    if library in ("duckdb", "_duckdb") and kind.__name__ == "DuckDBPyRelation":
        return DuckTable(data)
    if library == "dask" and hasattr(data, "to_delayed") and hasattr(data, "dtypes"):
        return DaskTable(data)
    if library == "pyarrow" and hasattr(data, "to_batches") and hasattr(data, "get_fragments"):
        return ArrowTable(data, "Arrow dataset")
    return None


def is_many_files(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is a folder, or a pattern such as ``cells-*.parquet``."""
    text = os.fspath(path)
    return Path(text).is_dir() or (glob.has_magic(str(text)) and not Path(text).exists())


def open_files(path: str | os.PathLike[str]) -> ArrowTable:
    """The Parquet files of a folder (and the folders in it), or those that a pattern matches.

    Files come by name; all must have the columns of the first.
    """
    datasets = require("pyarrow.dataset", "parquet", "reading folders of Parquet files")
    pa = require("pyarrow", "parquet", "reading folders of Parquet files")
    where = Path(path)
    found = [Path(text) for text in glob.glob(str(path), recursive=True)]
    if where.is_dir():
        found = [file for suffix in ("*.parquet", "*.pq") for file in where.rglob(suffix)]
    files = sorted(str(file) for file in found if file.is_file())
    if not files:
        raise FileFormatError(f"{path}: no Parquet files (.parquet, .pq) are there")
    try:
        dataset = datasets.dataset(files, format="parquet", partitioning=None)
        for fragment in dataset.get_fragments():
            _refuse_other_columns(dataset.schema, fragment)
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(f"{path}: not all are Parquet files: {error}") from None
    return ArrowTable(dataset, str(path))


def _refuse_other_columns(schema: Any, fragment: Any) -> None:
    """A column that one file lacks would be read as missing there."""
    here = set(fragment.physical_schema.names)
    lacking = [name for name in schema.names if name not in here]
    if lacking:
        raise FileFormatError(
            f"{fragment.path}: {len(lacking)} columns of the first file are not in this one, such "
            f"as {lacking[0]!r}"
        )
