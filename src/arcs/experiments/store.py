"""The file of results: rows are appended, never changed.

A row is written with one call and flushed to the disk before the next task starts, so an interrupt
or a power cut costs the runs in progress and nothing else. A line that was cut off in the middle of
its writing is removed when the file is next opened for writing; its run is then done again. Where
the system has file locks, several processes may write to the same file at once.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from arcs.errors import FileFormatError, require
from arcs.experiments.rows import COLUMNS, Row, RunKey, row_from_cells, row_line
from arcs.files import write_atomically

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["RowStore", "write_parquet"]


class RowStore:
    """Rows in a CSV file.

    Parameters
    ----------
    path : path
        The file; it is made, with its folder, when the first row is added.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.experiments import RowStore
    >>> RowStore(Path(folder.name, "rows.csv")).rows()
    []
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def rows(self) -> list[Row]:
        """All complete rows, in the order of their writing."""
        if not self.path.exists():
            return []
        with self.path.open(encoding="utf-8", newline="") as stream:
            text = stream.read()
        complete = text[: text.rfind("\n") + 1]
        lines = csv.reader(io.StringIO(complete, newline=""))
        names = next(lines, None)
        if names is None:
            return []
        self._check_header(names)
        return [self._row(names, number, cells) for number, cells in enumerate(lines, 2)]

    def keys(self, *, unfinished: bool = False) -> set[RunKey]:
        """The runs that are done.

        With `unfinished`, also those that ended in an error or at the time limit count as done.
        """
        latest = {row.key: row for row in self.rows()}
        return {key for key, row in latest.items() if row.ok or unfinished}

    def _row(self, names: list[str], number: int, cells: list[str]) -> Row:
        try:
            return row_from_cells(names, cells)
        except FileFormatError as error:
            raise FileFormatError(f"{self.path}, line {number}: {error}") from error

    def _check_header(self, names: Collection[str]) -> None:
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise FileFormatError(
                f"{self.path}: not a file of results: no column {missing[0]!r}; give another file "
                "with --store"
            )

    @contextlib.contextmanager
    def appending(self) -> Iterator[Appender]:
        """Open for writing."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._mend()
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            with _locked(descriptor):
                if os.fstat(descriptor).st_size == 0:
                    os.write(descriptor, row_line(COLUMNS).encode())
            yield Appender(descriptor, self._written_columns())
        finally:
            os.close(descriptor)

    def _written_columns(self) -> list[str]:
        """The columns in the file's own order."""
        with self.path.open(encoding="utf-8", newline="") as stream:
            names = next(csv.reader(stream))
        self._check_header(names)
        return names

    def _mend(self) -> None:
        """Cut off a last line without a line end."""
        if not self.path.exists():
            return
        with self.path.open("r+b") as stream, _locked(stream.fileno()):
            content = stream.read()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                stream.truncate(whole)


class Appender:
    """Adds rows to an open file; one write and one flush to the disk per row."""

    def __init__(self, descriptor: int, names: list[str]) -> None:
        self._descriptor = descriptor
        self._names = names

    def add(self, row: Row) -> None:
        """Append `row`."""
        values = row.to_dict()
        line = row_line(values.get(name) for name in self._names).encode()
        with _locked(self._descriptor):
            os.write(self._descriptor, line)
            os.fsync(self._descriptor)


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Keep other writers out, where the system knows how to."""
    if fcntl is None:
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def write_parquet(rows: Collection[Row], path: str | os.PathLike[str]) -> None:
    """Write rows to a Parquet file (needs the extra ``parquet``).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.experiments import write_parquet
    >>> write_parquet([], Path(folder.name, "rows.parquet"))
    >>> Path(folder.name, "rows.parquet").exists()
    True
    >>> folder.cleanup()
    """
    arrow = require("pyarrow", "parquet", "writing Parquet files")
    parquet = require("pyarrow.parquet", "parquet", "writing Parquet files")
    columns = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    with write_atomically(path, "wb") as stream:
        parquet.write_table(arrow.table(columns), stream)
