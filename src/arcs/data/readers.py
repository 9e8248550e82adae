"""Choosing the reader of a file, and finding its columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from arcs.data.delimited import DelimitedFile
from arcs.data.lazy_tables import ArrowTable, is_many_files, open_files
from arcs.data.parquet import ParquetFile
from arcs.errors import DataError, nearest_name

__all__ = ["column_position", "open_table"]


def open_table(
    path: str | os.PathLike[str], delimiter: str | None = None
) -> DelimitedFile | ParquetFile | ArrowTable:
    """The reader for the suffix of `path`; anything unknown is taken for delimited text.

    A folder or a pattern stands for all the Parquet files there.
    """
    if is_many_files(path):
        return open_files(path)
    path = Path(path)
    if path.suffix.lower() in (".parquet", ".pq"):
        return ParquetFile.open(path)
    if delimiter is None and path.name.lower().endswith((".tsv", ".tsv.gz")):
        delimiter = "\t"
    return DelimitedFile.open(path, delimiter)


def column_position(names: Sequence[str], name: str, path: object) -> int:
    """Where the column `name` is; one that does not exist is refused."""
    if name not in names:
        raise DataError(f"{path}: there is no column {name!r}{nearest_name(name, names)}")
    return list(names).index(name)
