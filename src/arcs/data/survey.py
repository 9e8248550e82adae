"""A look at every column of a file, whatever is in it, before anything is refused.

Reading stops at the first thing it cannot use. Somebody with an unfamiliar table wants to know all
of them at once, and what each column might be: measurements, an identifier, or labels that say what
was intervened upon.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from arcs.data.delimited import is_missing, is_number
from arcs.data.interventions import CONTROL_LABELS
from arcs.data.levels import wanted_columns
from arcs.data.readers import open_table

__all__ = [
    "ColumnFacts",
    "TableFacts",
    "categorical_of_file",
    "covariate_term",
    "names_samples",
    "survey",
]

#: So many different texts of a column are kept.
_MOST_TEXTS = 1000
#: A column name that numbers samples, such as GSM1234, sample_12 or TCGA-02-0001.
_SAMPLE = re.compile(
    r"(sample|samp|gsm|tcga|patient|subject|donor|mouse|cell|rep|replicate|srr|err|barcode|array)"
    r"[-_. ]?[\w.-]*\d",
    re.IGNORECASE,
)


#: Endings that say no more than that the column numbers something: plate_no, batch.id.
_NUMBERED = re.compile(r"[-_. ]?(no|nr|num|number|id)\.?$")
#: Names of columns that tell where a row comes from rather than what was measured in it.
_AMOUNTS = frozenset({"age", "age_years", "bmi", "rin", "passage"})
_BATCHES = frozenset({"batch", "plate", "lane", "run", "site", "center", "centre"})
_GROUPS = _BATCHES | {"sex", "gender", "donor", "patient", "subject"}


@dataclass(eq=False)
class ColumnFacts:
    """What a column holds.

    Attributes
    ----------
    name : str
    missing, numbers : int
        Cells that are missing or infinite, and that hold numbers; the others are text.
    texts : dict of str to int
        Different texts with their counts (the first thousand).
    varies : bool
        Whether there are two different numbers.
    """

    name: str
    missing: int = 0
    numbers: int = 0
    texts: dict[str, int] = field(default_factory=dict)
    varies: bool = False
    _first: float | None = None

    def add(self, cells: Sequence[str], decimal: str) -> None:
        """Count further cells."""
        for cell in cells:
            text = cell.strip()
            if is_missing(text):
                self.missing += 1
            elif is_number(text, decimal):
                self._count(float(text.replace(",", ".") if decimal == "," else text))
            elif text in self.texts or len(self.texts) < _MOST_TEXTS:
                self.texts[text] = self.texts.get(text, 0) + 1

    def _count(self, number: float) -> None:
        if not isfinite(number):
            self.missing += 1
            return
        self.numbers += 1
        self._first = number if self._first is None else self._first
        self.varies |= number != self._first

    @property
    def is_text(self) -> bool:
        """Whether some cell is neither a number nor missing."""
        return bool(self.texts)


@dataclass(frozen=True, eq=False)
class TableFacts:
    """What a file holds, column by column."""

    columns: tuple[ColumnFacts, ...]
    rows: int

    def text_columns(self) -> list[ColumnFacts]:
        """Columns with text in them."""
        return [column for column in self.columns if column.is_text]

    def target_columns(self, suffix: str = "") -> list[ColumnFacts]:
        """Text columns whose cells name other columns or say "control".

        Case does not matter, several names are separated by commas, and a `suffix` such as "_KO" is
        taken off.
        """
        found = []
        for column in self.text_columns():
            targets = [label for label in _labels(column) if label.casefold() not in CONTROL_LABELS]
            unknown = len(self.unknown_labels(column, suffix))
            if unknown < len(targets) and unknown * 2 <= len(targets):
                found.append(column)
        return found

    def unknown_labels(self, column: ColumnFacts, suffix: str = "") -> list[str]:
        """Labels of a column of targets that neither name a column nor say "control"."""
        known = {*(other.name.casefold() for other in self.columns), *CONTROL_LABELS}
        return [
            label
            for label in _labels(column)
            if label.casefold().removesuffix(suffix.casefold()) not in known
        ]

    def looks_transposed(self) -> bool:
        """Whether variables seem to be in rows: a name per row, and columns that number samples."""
        first, *others = self.columns
        named = len(first.texts) >= min(self.rows, _MOST_TEXTS) * 0.9
        return named and names_samples([column.name for column in others])


def _labels(column: ColumnFacts) -> list[str]:
    """Single labels of cells that may hold several, each once, whatever its case."""
    parts = [part.strip() for text in column.texts for part in text.split(",")]
    return list({part.casefold(): part for part in parts}.values())


def covariate_term(name: str) -> str | None:
    """How a column of numbers is adjusted for that is a covariate by its name; None if it is not.

    Examples
    --------
    >>> covariate_term("Age"), covariate_term("batch"), covariate_term("akt")
    ('Age', 'C(batch)', None)
    >>> covariate_term("Plate_no")
    'C(Plate_no)'
    """
    word = name.strip().casefold()
    if word in _AMOUNTS:
        return name
    # The number of a patient may well be an identifier of the row.
    return f"C({name})" if word in _GROUPS or _NUMBERED.sub("", word) in _BATCHES else None


def names_samples(names: Sequence[str]) -> bool:
    """Whether most of the names seem to number samples rather than to name variables."""
    return len(names) > 1 and sum(bool(_SAMPLE.match(name)) for name in names) >= 0.8 * len(names)


def categorical_of_file(
    file: Any, columns: Sequence[int], wish: Any
) -> dict[str, Sequence[Any] | None]:
    """Those of some columns of an open file that are asked for as categories, with their levels."""
    if wish is None:
        return {}
    names = [file.names[j] for j in columns]
    return wanted_columns(wish, names, _columns_of_text(file, columns))


def _columns_of_text(file: Any, columns: Sequence[int]) -> Iterator[str]:
    """Those with text in them; a pass over the file, if anybody asks."""
    seen = [ColumnFacts(file.names[j]) for j in columns]
    for _, texts in file.chunks([], list(columns)):
        for facts, cells in zip(seen, texts, strict=True):
            facts.add(cells, getattr(file, "decimal", "."))
    yield from (facts.name for facts in seen if facts.is_text)


def survey(
    path: str | os.PathLike[str], delimiter: str | None = None, leave_out: Collection[str] = ()
) -> TableFacts:
    """Look at all columns of a file but those to `leave_out`."""
    file = open_table(Path(path), delimiter)
    at = [j for j, name in enumerate(file.names) if name not in set(leave_out)]
    columns = tuple(ColumnFacts(file.names[j]) for j in at)
    decimal, rows = getattr(file, "decimal", "."), 0
    for _, texts in file.chunks([], at):
        rows += len(texts[0]) if texts else 0
        for column, cells in zip(columns, texts, strict=True):
            column.add(cells, decimal)
    return TableFacts(columns, rows)
