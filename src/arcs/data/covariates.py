"""Covariates: what is regressed out of every variable before anything is learned.

Batch, age and sex are no nodes of the network, but if they act on many variables they make
everything depend on everything. ``adjust`` names them: a list of columns, or a small formula such
as ``"batch + age + age^2"``. Text, categories and booleans become indicators of all levels but the
first; numbers enter as they are; ``C(batch)`` makes a category of numbers.

A coding is found in one pass (kinds, levels, means and spreads) and used in another, so that files
larger than memory work too. Columns of numbers are centred and scaled, which changes nothing but
the number of digits that survive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcs.errors import DataError, nearest_name

__all__ = [
    "Categories",
    "Coding",
    "CodingPass",
    "Covariates",
    "Term",
    "covariates_of",
    "learn_coding",
    "parse_terms",
    "with_indicators",
]

_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a", "?", "#n/a", "<na>", "nat"})
_POWER = re.compile(r"(.+?)\s*(?:\^|\*\*)\s*([2-9])")
_CATEGORY = re.compile(r"C\((.+)\)")
#: A covariate with more levels than this is an identifier, not a category.
_MOST_LEVELS = 1000


class Categories(list[Any]):
    """Values of a column that is known to hold categories, even if they look like numbers."""


@dataclass(frozen=True)
class Term:
    """A column, a power of it, or its categories.

    Attributes
    ----------
    column : str
    power : int
    categorical : bool
        Whether the formula asks for categories whatever the values are.
    """

    column: str
    power: int = 1
    categorical: bool = False

    def __str__(self) -> str:
        if self.categorical:
            return f"C({self.column})"
        return self.column if self.power == 1 else f"{self.column}^{self.power}"


def parse_terms(adjust: Any, names: Sequence[str]) -> tuple[Term, ...]:
    """The terms of a list of columns or of a formula; `names` are the columns there are.

    Raises
    ------
    DataError
        If a column does not exist, or a term is given twice.
    """
    parts = [adjust] if isinstance(adjust, str) else list(adjust)
    terms: list[Term] = []
    for part in parts:
        if not isinstance(part, str):
            raise DataError(f"adjust: names of columns or a formula are expected, got {part!r:.80}")
        # Who knows formulas from elsewhere begins them with a tilde.
        pieces = [part] if part in names else re.split(r"[+,]", part.strip().removeprefix("~"))
        terms += [_term(piece.strip(), names) for piece in pieces if piece.strip()]
    if not terms:
        raise DataError("adjust names no covariate; leave it out, or name columns")
    for k, term in enumerate(terms):
        if term in terms[:k]:
            raise DataError(f"adjust: the term {str(term)!r} is given twice; leave one out")
    return tuple(terms)


def _term(text: str, names: Sequence[str]) -> Term:
    if text in names:
        return Term(text)
    category, power = _CATEGORY.fullmatch(text), _POWER.fullmatch(text)
    if category is not None and category[1].strip() in names:
        return Term(category[1].strip(), categorical=True)
    if power is not None and power[1].strip() in names:
        return Term(power[1].strip(), int(power[2]))
    near = nearest_name(text, names) or "."
    raise DataError(
        f"adjust: there is no column {text!r}{near} A term is a column, a power such as age^2, or "
        "C(column) for the categories of a column of numbers; terms are joined by +."
    )


@dataclass(frozen=True, eq=False)
class Covariates:
    """Coded covariates of the rows.

    Attributes
    ----------
    terms : tuple of str
        What was asked for.
    columns : tuple of str
        Names of the coded columns.
    term : ndarray of int
        The term that each coded column belongs to.
    values : ndarray of shape (n, columns), or None
        The rows; ``None`` if only their sums are kept.
    """

    terms: tuple[str, ...]
    columns: tuple[str, ...]
    term: np.ndarray
    values: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> Covariates:
        """The covariates of some rows; a level that none of them has is a column of zeros."""
        values = None if self.values is None else self.values[rows]
        return Covariates(self.terms, self.columns, self.term, values)


@dataclass
class _Column:
    """What one pass finds out about a column that is named by a term."""

    name: str
    categorical: bool
    numeric: bool = True
    levels: dict[str, int] = field(default_factory=dict)
    count: int = 0
    sums: dict[int, float] = field(default_factory=dict)
    squares: dict[int, float] = field(default_factory=dict)

    def add(self, entries: Sequence[Any], powers: Iterable[int], first_row: int) -> None:
        plain = _all_floats(entries) and bool(np.isfinite(entries).all())
        texts = list(map(str if plain else _text, entries))
        lost = [] if plain else [i for i, text in enumerate(texts) if text.lower() in _MISSING]
        if lost:
            raise DataError(
                f"covariate {self.name!r} is missing in {len(lost)} of {len(texts)} rows, the "
                f"first of them row {first_row + lost[0]}: an effect cannot be taken off rows in "
                "which it is not known. Fill these values in, give them a category of their own "
                "such as 'unknown', or leave the rows out."
            )
        if isinstance(entries, Categories):
            self.categorical = True
        if len(self.levels) <= _MOST_LEVELS:
            self.levels.update(dict.fromkeys(texts, 0))
        self.count += len(texts)
        if self.numeric and not self.categorical:
            self._add_numbers(entries if plain else texts, powers)

    def merge(self, other: _Column) -> None:
        """Take in what was seen of other rows."""
        self.categorical |= other.categorical
        self.numeric &= other.numeric
        self.levels.update(other.levels)
        self.count += other.count
        for mine, theirs in ((self.sums, other.sums), (self.squares, other.squares)):
            for power, value in theirs.items():
                mine[power] = mine.get(power, 0.0) + value

    def _add_numbers(self, entries: Sequence[Any], powers: Iterable[int]) -> None:
        numbers = _numbers(entries)
        if numbers is None:
            self.numeric = False
            return
        for power in powers:
            part = numbers**power
            self.sums[power] = self.sums.get(power, 0.0) + float(part.sum())
            self.squares[power] = self.squares.get(power, 0.0) + float((part**2).sum())


@dataclass(frozen=True)
class Coding:
    """How the terms become columns.

    Attributes
    ----------
    terms : tuple of Term
    levels : mapping of str to tuple of str
        The levels of each categorical column, the first being the reference.
    centre, scale : mapping of str to float
        Of each term that is a number, by the name of the term.
    """

    terms: tuple[Term, ...]
    levels: Mapping[str, tuple[str, ...]]
    centre: Mapping[str, float]
    scale: Mapping[str, float]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the coded columns."""
        found: list[str] = []
        for term in self.terms:
            if term.column in self.levels:
                found += [f"{term.column}={level}" for level in self.levels[term.column][1:]]
            else:
                found.append(str(term))
        return tuple(found)

    @property
    def term_of(self) -> np.ndarray:
        """The number of the term that each coded column belongs to."""
        sizes = [len(self.levels.get(t.column, ("", ""))) - 1 for t in self.terms]
        return np.repeat(np.arange(len(self.terms)), sizes)

    def encode(self, entries: Mapping[str, Sequence[Any]]) -> np.ndarray:
        """The coded columns of some rows."""
        blocks = []
        for term in self.terms:
            given = entries[term.column]
            if term.column in self.levels:
                column = np.asarray([_text(entry) for entry in given], dtype=object)
                found = [column == level for level in self.levels[term.column][1:]]
                blocks.append(np.stack(found, axis=1).astype(np.float64))
                continue
            numbers = _numbers(given)
            assert numbers is not None
            key = str(term)
            coded = (numbers**term.power - self.centre[key]) / self.scale[key]
            blocks.append(coded[:, None])
        return np.concatenate(blocks, axis=1)

    def covariates(self, values: np.ndarray | None) -> Covariates:
        """What a data set carries."""
        return Covariates(tuple(map(str, self.terms)), self.columns, self.term_of, values)


class CodingPass:
    """Finds a coding, chunk by chunk."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = tuple(terms)
        wanted = {t.column: False for t in self.terms}
        wanted.update({t.column: True for t in self.terms if t.categorical})
        self._columns = {name: _Column(name, forced) for name, forced in wanted.items()}
        self._powers = {
            name: sorted({t.power for t in self.terms if t.column == name}) for name in wanted
        }

    def add(self, entries: Mapping[str, Sequence[Any]]) -> None:
        """Take in rows: for each column that a term names, its values."""
        for name, column in self._columns.items():
            column.add(entries[name], self._powers[name], column.count)

    def merge(self, other: CodingPass) -> None:
        """Take in what was seen of other rows."""
        for name, column in self._columns.items():
            column.merge(other._columns[name])

    def coding(self) -> Coding:
        """The coding of all rows seen."""
        levels: dict[str, tuple[str, ...]] = {}
        centre: dict[str, float] = {}
        scale: dict[str, float] = {}
        for name, column in self._columns.items():
            if len(column.levels) < 2:
                only = next(iter(column.levels), "")
                raise DataError(
                    f"covariate {name!r} is {only!r} in all {column.count} rows: there is nothing "
                    "to adjust for; leave it out"
                )
            if column.categorical or not column.numeric:
                levels[name] = _checked_levels(column)
        for term in self.terms:
            if term.column in levels:
                _refuse_power(term)
                continue
            column, power = self._columns[term.column], term.power
            mean = column.sums[power] / column.count
            spread = math.sqrt(max(column.squares[power] / column.count - mean**2, 0.0))
            centre[str(term)], scale[str(term)] = mean, spread if spread > 0 else 1.0
        return Coding(self.terms, levels, centre, scale)


def _checked_levels(column: _Column) -> tuple[str, ...]:
    if len(column.levels) > min(_MOST_LEVELS, column.count // 2):
        raise DataError(
            f"covariate {column.name!r} has {len(column.levels)} levels in {column.count} rows: "
            "it looks like an identifier, and nothing would be left to learn from. Leave it out "
            f"with exclude=[{column.name!r}], or join its levels."
        )
    return tuple(sorted(column.levels))


def _refuse_power(term: Term) -> None:
    if term.power != 1:
        raise DataError(
            f"adjust: {str(term)!r} is a power, but {term.column!r} holds categories; write "
            f"{term.column!r} alone"
        )


def learn_coding(terms: Sequence[Term], entries: Mapping[str, Sequence[Any]]) -> Coding:
    """The coding of rows that are all there."""
    coding = CodingPass(terms)
    coding.add(entries)
    return coding.coding()


def with_indicators(
    covariates: Covariates | None, columns: Sequence[str], values: np.ndarray | None
) -> Covariates | None:
    """Covariates and further columns, each a term of its own."""
    if not columns:
        return covariates
    old = covariates or Covariates((), (), np.zeros(0, np.int64))
    numbers = np.concatenate([old.term, len(old.terms) + np.arange(len(columns))])
    if values is not None and old.values is not None:
        values = np.hstack([old.values, values])
    return Covariates((*old.terms, *columns), (*old.columns, *columns), numbers, values)


def covariates_of(adjust: Any, n: int, names: Sequence[str]) -> Covariates | None:
    """The covariates of `n` rows that are not named columns: coded ones, an array, or a mapping.

    Raises
    ------
    DataError
        If their rows are not those of the data, or one is also a variable (`names`).
    """
    if adjust is None:
        return None
    if isinstance(adjust, Covariates):
        return adjust
    if isinstance(adjust, str) or (
        isinstance(adjust, list | tuple) and adjust and isinstance(adjust[0], str)
    ):
        raise DataError(
            f"adjust={adjust!r:.80} names columns, but an array has no named columns: give the "
            "covariates themselves, as an array with a row per row or a mapping of names to values"
        )
    entries = _entries(adjust)
    for name, values in entries.items():
        if name in names:
            raise DataError(
                f"covariate {name!r} is also a variable of the data; leave it out of one of them"
            )
        if len(values) != n:
            raise DataError(f"covariate {name!r} has {len(values)} values for {n} rows of data")
    coding = learn_coding([Term(name) for name in entries], entries)
    return coding.covariates(coding.encode(entries))


def _entries(adjust: Any) -> dict[str, Sequence[Any]]:
    """Values by name, of a mapping, a frame or an array."""
    if isinstance(adjust, Mapping):
        return {str(name): list(values) for name, values in adjust.items()}
    columns = getattr(adjust, "columns", None)
    if columns is not None:
        return {str(name): list(adjust[name]) for name in columns}
    array = np.asarray(adjust)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise DataError(f"adjust must be a table of rows x covariates, got shape {array.shape}")
    return {f"z{k}": array[:, k].tolist() for k in range(array.shape[1])}


def _text(entry: Any) -> str:
    if entry is None:
        return ""
    return str(entry).strip()


def _numbers(entries: Sequence[Any]) -> np.ndarray | None:
    """The entries as finite numbers, or None if they are not all; texts are read."""
    try:
        # Floats are taken as they are: the way through text would give the same, slowly.
        plain = _all_floats(entries)
        numbers = np.array(entries if plain else [float(_text(entry)) for entry in entries])
    except ValueError:
        return None
    return numbers if bool(np.isfinite(numbers).all()) else None


def _all_floats(entries: Sequence[Any]) -> bool:
    return not isinstance(entries, Categories) and set(map(type, entries)) == {float}
