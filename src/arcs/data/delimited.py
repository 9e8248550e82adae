"""Reading delimited text (CSV, TSV, also gzipped), a chunk of rows at a time.

Clean chunks go through NumPy's compiled parser; a chunk that it refuses is read again field by
field, which knows missing values, and where it fails can name the line and the column.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from arcs.errors import DataError, FileFormatError

__all__ = ["DelimitedFile"]

_DELIMITERS = ",\t;|"
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "?", "#n/a"})


@dataclass(frozen=True)
class DelimitedFile:
    """A delimited text file with a header line.

    Attributes
    ----------
    path : Path
        Where it is.
    names : tuple of str
        The header, as written.
    delimiter : str
        What separates the fields; guessed from the header line.
    decimal : str
        "." or ",": the latter is understood where the delimiter is not a comma.
    """

    path: Path
    names: tuple[str, ...]
    delimiter: str
    decimal: str

    @classmethod
    def open(cls, path: str | Path, delimiter: str | None = None) -> DelimitedFile:
        """Look at the first lines and find out delimiter, header and decimal sign."""
        path = Path(path)
        with _open_text(path) as stream:
            head = list(itertools.islice(_lines(stream, path), 20))
        if not head:
            raise FileFormatError(f"{path}: the file is empty")
        if "\0" in head[0]:
            raise FileFormatError(f"{path}: this is not a text file")
        delimiter = delimiter or _guess_delimiter(head, path)
        rows = list(csv.reader(head, delimiter=delimiter))
        names = tuple(name.strip() for name in rows[0])
        if all(_is_number(name, ".") for name in names):
            raise FileFormatError(
                f"{path}, line 1: the file has no header; give it a first line with column names"
            )
        return cls(path, names, delimiter, _guess_decimal(rows[1:], delimiter))

    def chunks(
        self, columns: Sequence[int], labels: int | None = None, size: int = 65_536
    ) -> Iterator[tuple[np.ndarray, list[str] | None]]:
        """Yield ``(values, labels)`` for up to `size` rows at a time.

        Parameters
        ----------
        columns : sequence of int
            The numeric columns to read.
        labels : int, optional
            A column to return as text.
        size : int
            Rows per chunk.
        """
        with _open_text(self.path) as stream:
            lines = _lines(stream, self.path)
            next(lines)
            number = 2
            while chunk := list(itertools.islice(lines, size)):
                yield self._parse(chunk, columns, labels, number)
                number += len(chunk)

    def _parse(
        self, lines: list[str], columns: Sequence[int], labels: int | None, number: int
    ) -> tuple[np.ndarray, list[str] | None]:
        if labels is None and self.decimal == ".":
            try:
                values = np.loadtxt(
                    lines, delimiter=self.delimiter, ndmin=2, comments=None, quotechar='"'
                )
                if values.shape == (len(lines), len(self.names)):
                    return values[:, list(columns)], None
            except ValueError:
                values = None  # something in it needs the careful reader
        return self._parse_carefully(lines, columns, labels, number)

    def _parse_carefully(
        self, lines: list[str], columns: Sequence[int], labels: int | None, number: int
    ) -> tuple[np.ndarray, list[str] | None]:
        values, texts = [], []
        for offset, fields in enumerate(csv.reader(lines, delimiter=self.delimiter)):
            if not fields:
                continue
            if len(fields) != len(self.names):
                raise FileFormatError(
                    f"{self.path}, line {number + offset}: {len(fields)} fields where the header "
                    f"has {len(self.names)}; is {self.delimiter!r} the right delimiter?"
                )
            values.append([self._number(fields, j, number + offset) for j in columns])
            if labels is not None:
                texts.append(fields[labels].strip())
        array = np.array(values, dtype=np.float64).reshape(len(values), len(columns))
        return array, None if labels is None else texts

    def _number(self, fields: list[str], column: int, line: int) -> float:
        text = fields[column].strip()
        if text.lower() in _MISSING:
            return float("nan")
        try:
            return float(text.replace(",", ".") if self.decimal == "," else text)
        except ValueError:
            hint = "; a decimal comma?" if "," in text else ""
            name = self.names[column]
            raise DataError(
                f"{self.path}, line {line}: column {name!r} holds {text[:40]!r}, which is not a "
                f"number{hint}. Leave the column out with exclude=[{name!r}]."
            ) from None


def _open_text(path: Path) -> IO[str]:
    """Open plain or gzipped text; a byte-order mark is skipped."""
    if not path.exists():
        raise FileFormatError(f"{path}: there is no such file")
    if path.is_dir():
        raise FileFormatError(f"{path}: this is a folder, not a file")
    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic[:2] == b"\x1f\x8b":
        return io.TextIOWrapper(gzip.open(path, "rb"), encoding="utf-8-sig", newline="")
    if magic in (b"PAR1", b"PK\x03\x04"):
        kind = "Parquet: use the suffix .parquet" if magic == b"PAR1" else "a ZIP or Excel file"
        raise FileFormatError(f"{path}: this is not a text file (it looks like {kind})")
    encoding = "utf-16" if magic[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return path.open("r", encoding=encoding, newline="")


def _lines(stream: IO[str], path: Path) -> Iterator[str]:
    """Logical lines: quoted line breaks are kept together, blank lines at the end dropped."""
    try:
        pending = ""
        for line in stream:
            pending += line
            if pending.count('"') % 2:
                continue
            if pending.strip():
                yield pending
            pending = ""
        if pending.strip():
            yield pending
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path}: not UTF-8 text ({error.reason}); is it a CSV file?"
        ) from None
    except (EOFError, OSError) as error:
        raise FileFormatError(f"{path}: cannot be read: {error}") from None


def _guess_delimiter(head: list[str], path: Path) -> str:
    """The delimiter that splits the first lines into the same number of fields, at least two."""
    best, most = ",", 1
    for delimiter in _DELIMITERS:
        widths = {len(row) for row in csv.reader(head, delimiter=delimiter) if row}
        header = len(next(csv.reader(head, delimiter=delimiter), []))
        if header > most and (len(widths) == 1 or (best == "," and most == 1)):
            best, most = delimiter, header
    return best


def _guess_decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    fields = [field for row in rows for field in row]
    commas = sum(_is_number(field, ",") and "," in field for field in fields)
    points = sum(_is_number(field, ".") and "." in field for field in fields)
    return "," if commas > points else "."


def _is_number(text: str, decimal: str) -> bool:
    try:
        float(text.replace(decimal, "."))
    except ValueError:
        return False
    return True
