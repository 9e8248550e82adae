"""A first pass over columns of categories that are read in chunks: what levels there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.data.frames import categorical_columns, frame_parts
from arcs.data.levels import MOST_LEVELS, coded_column, level_of_holes, refuse_holes_of_categories
from arcs.errors import DataError
from arcs.graphs.discrete import Levels

__all__ = ["LevelCoding", "LevelsPass", "cell_text"]


@dataclass(frozen=True, eq=False)
class LevelCoding:
    """How the texts of a column become codes.

    Attributes
    ----------
    levels : tuple of str
    place : mapping of str to float
        The code of every text, NaN where a value is missing.
    hole : float
        What becomes of missing values: NaN, or the code of a level of their own.
    """

    levels: Levels
    place: Mapping[str, float]
    hole: float = np.nan

    def codes(self, name: str, texts: Sequence[str]) -> np.ndarray:
        """The codes of some rows."""
        try:
            return np.array([self.place[text] for text in texts], dtype=float)
        except KeyError as error:
            raise DataError(
                f"column {name!r} holds {error.args[0]!r}, which was not there when its levels "
                "were looked for: the table changed while it was read"
            ) from None


class LevelsPass:
    """What levels some columns have.

    Parameters
    ----------
    wanted : mapping of str to sequence or None
        The columns, and the levels that are declared.
    """

    def __init__(self, wanted: Mapping[str, Sequence[Any] | None]) -> None:
        self.wanted = dict(wanted)
        self._rows: dict[str, Counter[str]] = {name: Counter() for name in wanted}
        #: One entry for each text, as it was before it became text.
        self._entries: dict[str, dict[str, Any]] = {name: {} for name in wanted}
        self._listed: dict[str, dict[Any, None]] = {}

    def fresh(self) -> LevelsPass:
        """The same before any row was seen."""
        return LevelsPass(self.wanted)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return tuple(self.wanted)

    def add(self, name: str, entries: Sequence[Any]) -> None:
        """Take in further rows of a column."""
        texts = [cell_text(entry) for entry in entries]
        self._rows[name].update(texts)
        self._entries[name].update(zip(texts, entries, strict=True))
        if len(self._entries[name]) > MOST_LEVELS:
            self._coded(name)  # an identifier is refused before all of it is read

    def add_frame(self, frame: Any) -> None:
        """Take in further rows of all columns, whose types may list levels."""
        for name, levels in categorical_columns(frame, self.wanted, ()).items():
            if levels is not None and self.wanted[name] is None:
                self._listed.setdefault(name, {}).update(dict.fromkeys(levels))
        for name, entries in frame_parts(frame, self.columns).apart.items():
            self.add(name, entries)

    def merge(self, other: LevelsPass) -> None:
        """Take in what was seen of other rows."""
        for name in self.columns:
            self._rows[name].update(other._rows[name])
            self._entries[name].update(other._entries[name])
        for name, levels in other._listed.items():
            self._listed.setdefault(name, {}).update(levels)

    def _coded(self, name: str) -> tuple[np.ndarray, Levels]:
        declared = self.wanted[name]
        if declared is None and name in self._listed:
            declared = list(self._listed[name])
        entries = list(self._entries[name].values())
        return coded_column(name, entries, declared, rows=self._rows[name].total())

    def found(self, missing: str) -> dict[str, LevelCoding]:
        """The coding of each column; missing values as the policy says."""
        codings, holes = {}, {}
        for name in self.columns:
            codes, levels = self._coded(name)
            place = dict(zip(self._entries[name], codes.tolist(), strict=True))
            lost = sum(self._rows[name][text] for text, code in place.items() if code != code)
            # How tables write what is missing differs from one to the other.
            for text in ("", "nan", "None"):
                place.setdefault(text, np.nan)
            holes[name], hole = lost, np.nan
            if lost and missing == "level":
                levels, hole = level_of_holes(levels), float(len(levels))
            codings[name] = LevelCoding(levels, place, hole)
        if missing in ("error", "pairwise", "em"):
            refuse_holes_of_categories(holes)
        return codings


def cell_text(entry: Any) -> str:
    """A cell as chunks of a table hold it: text, blank where nothing is."""
    if isinstance(entry, str):
        return entry
    text = str(entry)
    return "" if text in ("None", "nan", "<NA>", "NaT") else text
