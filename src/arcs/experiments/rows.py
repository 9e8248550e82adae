"""One row per run: what the tables and figures are made from.

A row says what was run (case, seed, method, fingerprint of the settings), how it ended, and what
came out. Figures are rounded when the row is made, so that a row read back from a file equals the
row that was written.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from arcs.errors import FileFormatError

__all__ = ["COLUMNS", "METRICS", "Row", "current_rows", "row_from_cells", "row_line", "run_name"]

#: Counts and rates against the truth.
METRICS = ("P", "TP", "R", "FP", "M", "SHD", "JI")

#: (case, seed, method, fingerprint): what makes a run the same as another.
RunKey = tuple[str, int, str, str]


def run_name(key: RunKey) -> str:
    """What messages call a run: the kind of data, the number of the data set, the method."""
    return f"{key[0]}, data set {key[1]}, {key[2]}"


@dataclass(frozen=True)
class Row:
    """One run.

    Attributes
    ----------
    case : str
        Key of the case.
    network, p, s0, n, experimental
        The case in the paper's terms.
    seed : int
        Seed of the data set and of the method.
    method : str
        Label of the method.
    settings : str
        Fingerprint of the method's settings.
    P, TP, R, FP, M, SHD, JI
        The paper's metrics (:func:`arcs.metrics.evaluate`); None without a result.
    seconds : float or None
        Time of the fit, without compilation and without simulating the data.
    score, bic : float or None
        The method's objective; the Gaussian BIC of its graph, comparable between methods.
    status : str
        "ok", "timeout", or "error: " and the message.
    versions : str
        Software.

    Examples
    --------
    >>> from arcs.experiments import Row
    >>> row = Row("Asia-n40", "Asia", 8, 8, 40, False, 1000, "GES", "", P=8, status="ok")
    >>> row.ok
    True
    """

    case: str
    network: str
    p: int
    s0: int
    n: int
    experimental: bool
    seed: int
    method: str
    settings: str
    P: int | None = None
    TP: int | None = None
    R: int | None = None
    FP: int | None = None
    M: int | None = None
    SHD: int | None = None
    JI: float | None = None
    seconds: float | None = None
    score: float | None = None
    bic: float | None = None
    status: str = "ok"
    versions: str = ""

    def __post_init__(self) -> None:
        for name, digits in (("JI", 4), ("seconds", 4), ("score", 4), ("bic", 4)):
            value = getattr(self, name)
            if value is not None:
                rounded = round(float(value), digits) if math.isfinite(value) else None
                object.__setattr__(self, name, rounded)
        # A row is one line of a file.
        object.__setattr__(self, "status", " ".join(self.status.split())[:300])

    @property
    def key(self) -> RunKey:
        """What makes a run the same as another."""
        return (self.case, self.seed, self.method, self.settings)

    @property
    def ok(self) -> bool:
        """Whether the run came to its proper end."""
        return self.status == "ok"

    def to_dict(self) -> dict[str, Any]:
        """All columns by name, as plain values."""
        return dataclasses.asdict(self)


COLUMNS: tuple[str, ...] = tuple(f.name for f in dataclasses.fields(Row))
_WHOLE = frozenset(("p", "s0", "n", "seed", "P", "TP", "R", "FP", "M", "SHD"))
_REAL = frozenset(("JI", "seconds", "score", "bic"))


def row_line(values: Iterable[Any]) -> str:
    """The values as one line of CSV, with its line end."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(["" if v is None else v for v in values])
    return stream.getvalue()


def row_from_cells(names: Sequence[str], cells: Sequence[str]) -> Row:
    """A row from a line of CSV."""
    if len(cells) != len(names):
        raise FileFormatError(f"{len(cells)} cells where {len(names)} are expected: {cells!r}")
    try:
        values = {
            name: _parsed(name, cell)
            for name, cell in zip(names, cells, strict=True)
            if name in COLUMNS
        }
        return Row(**values)
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"not a row of results ({error}): {cells!r}") from error


def _parsed(name: str, cell: str) -> Any:
    if name == "experimental":
        if cell not in ("True", "False"):
            raise ValueError(f"experimental must be True or False, got {cell!r}")
        return cell == "True"
    if name in _WHOLE:
        return int(cell) if cell else None
    if name in _REAL:
        return float(cell) if cell else None
    return cell


def current_rows(rows: Iterable[Row]) -> list[Row]:
    """One row per case, seed and method, all of a method with the same settings in a case.

    Later rows replace earlier ones. When the settings of a method changed, the rows of the older
    settings are left out, so that no mean mixes two methods of one name.

    Examples
    --------
    >>> from arcs.experiments import current_rows
    >>> current_rows([])
    []
    """
    by_run: dict[tuple[str, int, str], Row] = {}
    newest: dict[tuple[str, str], str] = {}
    for row in rows:
        by_run[row.case, row.seed, row.method] = row
        newest[row.case, row.method] = row.settings
    return [row for row in by_run.values() if newest[row.case, row.method] == row.settings]
