"""Reading delimited text (CSV, TSV, also gzipped), a chunk of rows at a time.

Clean chunks go through NumPy's compiled parser; a chunk that it refuses is read again field by
field, which knows missing values, and where it fails can name the line and the column.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from arcs.data.pipes import Poured, once_only
from arcs.errors import DataError, FileFormatError, SettingsError

__all__ = ["Chunk", "DelimitedFile", "is_missing", "is_number"]

_DELIMITERS = ",\t;|"
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "?", "#n/a", "<na>"})
#: A quoted field that runs over more lines than this was never meant to be one.
_LONGEST_QUOTE = 100

#: Numbers, and columns of text: a list of rows each.
Chunk = tuple[np.ndarray, list[list[str]]]
#: A logical line and its number in the file.
_Line = tuple[int, str]


@dataclass(frozen=True)
class DelimitedFile:
    """A delimited text file with a header line.

    Attributes
    ----------
    path : Path
        Where it is.
    names : tuple of str
        The header, without the blanks around the names.
    delimiter : str
        What separates the fields; guessed from the first lines.
    decimal : str
        "." or ",": the latter is understood where the delimiter is not a comma.
    content : Poured, optional
        What `path` held, if it can be read only once.
    """

    path: Path
    names: tuple[str, ...]
    delimiter: str
    decimal: str
    content: Poured | None = None

    @classmethod
    def open(
        cls, path: str | Path, delimiter: str | None = None, content: Poured | None = None
    ) -> DelimitedFile:
        """Look at the first lines and find out delimiter, header and decimal sign.

        `content` is what a pipe held, if it was read before.
        """
        path = Path(path)
        single = isinstance(delimiter, str) and len(delimiter) == 1
        if delimiter is not None and (not single or delimiter in '"\r\n'):
            raise SettingsError(f"the delimiter must be a single character, got {delimiter!r}")
        content = once_only(path) if content is None else content
        with _open_text(path, content) as stream:
            head = [line for _, line in itertools.islice(_lines(stream, path), 20)]
        if not head:
            raise FileFormatError(f"{path}: the file is empty")
        if "\0" in "".join(head):
            raise FileFormatError(f"{path}: this is not a text file")
        try:
            delimiter = delimiter or _guess_delimiter(head)
            rows = list(csv.reader(head, delimiter=delimiter))
        except csv.Error as error:
            raise FileFormatError(f"{path}: this is not a table of text ({error})") from None
        names = tuple(name.strip() for name in rows[0])
        if all(is_number(name, ".") for name in names):
            raise FileFormatError(
                f"{path}, line 1: the file has no header; give it a first line with column names"
            )
        return cls(path, names, delimiter, _guess_decimal(rows[1:], delimiter), content)

    def chunks(
        self, columns: Sequence[int], texts: Sequence[int] = (), size: int = 65_536
    ) -> Iterator[Chunk]:
        """Yield ``(values, texts)`` for up to `size` rows at a time.

        Parameters
        ----------
        columns : sequence of int
            The numeric columns to read.
        texts : sequence of int
            Columns to return as text, a list of rows each.
        size : int
            Rows per chunk.
        """
        with _open_text(self.path, self.content) as stream:
            lines = _lines(stream, self.path)
            next(lines)
            while chunk := list(itertools.islice(lines, size)):
                yield self._parse(chunk, columns, texts)

    def _parse(self, lines: list[_Line], columns: Sequence[int], texts: Sequence[int]) -> Chunk:
        if self.decimal == ".":
            try:
                quick = self._parse_quickly([line for _, line in lines], columns, texts)
            except (ValueError, csv.Error):
                quick = None  # something in it needs the careful reader
            if quick is not None:
                return quick
        return self._parse_carefully(lines, columns, texts)

    def _parse_quickly(
        self, lines: list[str], columns: Sequence[int], texts: Sequence[int]
    ) -> Chunk | None:
        """The compiled parsers' answer, or None if not all rows are as long as the header."""
        width, found = len(self.names), []
        everything = not texts and list(columns) == list(range(width))
        if not everything:
            rows = list(csv.reader(lines, delimiter=self.delimiter))
            if any(len(row) != width for row in rows):
                return None
            found = [[row[k].strip() for row in rows] for k in texts]
        if not columns:
            return np.empty((len(lines), 0)), found
        values = np.loadtxt(
            lines,
            delimiter=self.delimiter,
            ndmin=2,
            comments=None,
            quotechar='"',
            usecols=None if everything else list(columns),
        )
        return (values, found) if values.shape == (len(lines), len(columns)) else None

    def _parse_carefully(
        self, lines: list[_Line], columns: Sequence[int], texts: Sequence[int]
    ) -> Chunk:
        values: list[list[float]] = []
        found: list[list[str]] = [[] for _ in texts]
        for number, line in lines:
            fields = self._fields(number, line)
            values.append([self._number(fields, j, number) for j in columns])
            for column, k in zip(found, texts, strict=True):
                column.append(fields[k].strip())
        array = np.array(values, dtype=np.float64).reshape(len(values), len(columns))
        return array, found

    def _fields(self, number: int, line: str) -> list[str]:
        try:
            fields = next(csv.reader([line], delimiter=self.delimiter))
        except csv.Error as error:
            raise FileFormatError(f"{self.path}, line {number}: {error}") from None
        found, expected = len(fields), len(self.names)
        if found == expected:
            return fields
        hint = f"is {self.delimiter!r} the right delimiter?"
        if found == expected + 1 and number == 2:
            hint = "if the first column is an index, give it a name in the header"
        elif self.delimiter == "," and found > expected:
            hint = "with decimal commas, separate the fields by ';'"
        raise FileFormatError(
            f"{self.path}, line {number}: {found} fields where the header has {expected}; {hint}"
        )

    def _number(self, fields: list[str], column: int, line: int) -> float:
        text = fields[column].strip()
        if is_missing(text):
            return float("nan")
        try:
            return _parse_number(text, self.decimal)
        except ValueError:
            hint = "; a decimal comma?" if "," in text else ""
            name = self.names[column]
            raise DataError(
                f"{self.path}, line {line}: column {name!r} holds {text[:40]!r}, which is not a "
                f"number{hint}. Leave the column out with exclude=[{name!r}], adjust for it "
                f"with adjust=[{name!r}], or take it for categories with discrete=[{name!r}]."
            ) from None


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.strip().lower() in _MISSING


def _open_text(path: Path, content: Poured | None) -> IO[str]:
    """Open plain or gzipped text; a byte-order mark is skipped."""
    if not path.exists():
        raise FileFormatError(f"{path}: there is no such file")
    if path.is_dir():
        raise FileFormatError(f"{path}: this is a folder, not a file")
    stream = path.open("rb") if content is None else content.open()
    magic = stream.read(4)
    stream.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return io.TextIOWrapper(_Unpacked(stream), encoding="utf-8-sig", newline="")  # type: ignore[type-var]
    if magic in (b"PAR1", b"PK\x03\x04"):
        stream.close()
        kind = "Parquet: use the suffix .parquet" if magic == b"PAR1" else "a ZIP or Excel file"
        raise FileFormatError(f"{path}: this is not a text file (it looks like {kind})")
    encoding = "utf-16" if magic[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return io.TextIOWrapper(stream, encoding=encoding, newline="")


class _Unpacked(gzip.GzipFile):
    """The content of a gzipped file; closing it closes the file beneath, too."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(fileobj=stream)
        self._beneath = stream

    def close(self) -> None:
        super().close()
        self._beneath.close()


def _lines(stream: IO[str], path: Path) -> Iterator[_Line]:
    """Logical lines with their numbers: quoted line breaks are kept together, blank lines left
    out."""
    pending: list[str] = []
    number = quotes = 0
    try:
        for line in stream:
            number += 1
            quotes += line.count('"')
            pending.append(line)
            if quotes % 2 and len(pending) < _LONGEST_QUOTE:
                continue
            if quotes % 2:
                break
            text = "".join(pending)
            if text.strip():
                yield number - len(pending) + 1, text
            pending, quotes = [], 0
    except UnicodeError as error:
        reason = getattr(error, "reason", str(error))
        raise FileFormatError(
            f"{path}, after line {number}: not UTF-8 text ({reason}); is it a CSV file? Save it "
            "with the encoding UTF-8."
        ) from None
    except (EOFError, OSError, zlib.error) as error:
        raise FileFormatError(f"{path}: cannot be read: {error}") from None
    if pending:
        raise FileFormatError(
            f"{path}, line {number - len(pending) + 1}: a quotation mark is opened and not closed"
        )


def _guess_delimiter(head: list[str]) -> str:
    """The delimiter that splits the first lines into the same number of fields, at least two."""
    best, most, steady = ",", 1, False
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(head, delimiter=delimiter)]
        except csv.Error:
            continue  # quoted line breaks, seen through the wrong delimiter
        same = len(set(widths)) == 1
        if widths[0] > 1 and (same, widths[0]) > (steady, most):
            best, most, steady = delimiter, widths[0], same
    return best


def _guess_decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    fields = [field for row in rows for field in row]
    commas = sum(is_number(field, ",") and "," in field for field in fields)
    points = sum(is_number(field, ".") and "." in field for field in fields)
    return "," if commas > points else "."


def _parse_number(text: str, decimal: str) -> float:
    """A number; what Python reads but nobody writes into a table (``1_000``) is none."""
    if "_" in text or (decimal == "," and "." in text):
        raise ValueError(text)
    return float(text.replace(",", ".") if decimal == "," else text)


def is_number(text: str, decimal: str) -> bool:
    """Whether a cell holds a number."""
    try:
        _parse_number(text.strip(), decimal)
    except ValueError:
        return False
    return True
