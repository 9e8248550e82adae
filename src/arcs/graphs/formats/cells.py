"""CSV cells that hold untrusted names.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break as a
formula. Names that begin so are written with an apostrophe in front, which is taken off again on
reading; a name that begins with an apostrophe gets one more, so that every name comes back as it
was. Numbers are written as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from arcs.errors import FileFormatError

__all__ = ["guarded", "read_rows", "unguarded", "write_rows"]

#: A row of one empty cell, which would otherwise be no row.
_EMPTY = '""'
_SPECIAL = re.compile('[,"\r\n]')
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def guarded(name: str) -> str:
    """`name` as a cell that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(_DANGEROUS) else name


def unguarded(cell: str) -> str:
    """The name that :func:`guarded` was given."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_DANGEROUS) else cell


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV text with Unix line ends.

    Python's own writer leaves a bare carriage return unquoted, which ends the row on reading.
    """
    return "".join(f"{','.join(map(_quoted, row)) or _EMPTY}\n" for row in rows)


def _quoted(cell: str) -> str:
    if not _SPECIAL.search(cell):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


def read_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells of the rows that are not blank; commas, semicolons or tabs."""
    header = text.split("\n", 1)[0]
    delimiter = "," if "," in header else next((d for d in ";\t" if d in header), ",")
    # Lines are split without touching line ends inside quotes.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise FileFormatError(f"line {reader.line_num}: {error}") from error
