"""Tables with variables in rows: turned before they are read.

Expression tables often have a gene per row and a sample per column. The table is written anew, the
other way round, to a temporary file of the same name, and everything else goes its usual way.
"""

from __future__ import annotations

import contextlib
import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["transposed"]


@contextlib.contextmanager
def transposed(path: Path, delimiter: str | None = None) -> Iterator[Path]:
    """The path of the turned table within the block; errors speak of the original one."""
    from arcs.data.readers import open_table
    from arcs.errors import ArcsError, FileFormatError

    file = open_table(path, delimiter)
    width = len(file.names)
    columns: list[list[str]] = [[] for _ in range(width)]
    for _, texts in file.chunks([], range(width)):
        for column, cells in zip(columns, texts, strict=True):
            column += cells
    if width < 2:
        raise FileFormatError(f"{path}: --transpose needs a column of names and one per sample")
    decimal = getattr(file, "decimal", ".")
    with tempfile.TemporaryDirectory(prefix="arcs-") as folder:
        turned = Path(folder) / f"{path.name.split('.')[0] or 'data'}.csv"
        with turned.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            # The first column holds the names of the variables; those of samples are not data.
            writer.writerow(columns[0])
            for cells in columns[1:]:
                writer.writerow([c.replace(",", ".") if decimal == "," else c for c in cells])
        try:
            yield turned
        except ArcsError as error:
            raise type(error)(str(error).replace(str(turned), f"{path} (transposed)")) from error
