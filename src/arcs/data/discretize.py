"""Making levels of numbers: quantiles, equal widths, or cuts that keep what columns tell of others.

This is never done unless it was asked for (``discretize="quantiles-3"``), it is written down with
the result, and ``arcs audit --discretize ...`` (:meth:`arcs.data.Dataset.level_table`) shows the
levels beforehand. Three ways, each with a number k of levels:

- ``quantiles-k``: about equally many rows in each level; equal values are never torn apart.
- ``width-k``: intervals of equal width between the smallest and the largest value.
- ``hartemink-k``: quantiles with many levels first, then neighbours are joined one pair at a time,
  in each column the pair whose joining costs the least mutual information with all the other
  columns that have levels, of their own or by cuts (Hartemink, 2001, "Principled computational
  methods for the validation and discovery of genetic regulatory networks", Section 4.3).

A level is the interval between two cuts, above the lower one and up to the upper one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from arcs.errors import DataError, SettingsError, nearest_name
from arcs.graphs.discrete import Levels

__all__ = [
    "WAYS",
    "cut_columns",
    "cut_points",
    "discretized",
    "interval_names",
    "is_cut",
    "parse_discretize",
]

WAYS = ("quantiles", "width", "hartemink")
_WORD = re.compile(rf"({'|'.join(WAYS)})-(\d+)")
#: Levels with which Hartemink's way begins.
_FIRST_LEVELS = 20


def is_cut(word: str) -> bool:
    """Whether a word asks for levels, such as "quantiles-3"."""
    return _WORD.fullmatch(word) is not None


def parse_discretize(given: Any, names: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The way and the number of levels for each of the columns of numbers `names`.

    `given` is a word for all of them ("quantiles-3"), words with columns
    ("quantiles-3:raf,mek; width-4:akt"), or a mapping of names to words.
    """
    if given is None or given == "none":
        return {}
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, str):
        pairs = _pairs(given, names)
    else:
        raise SettingsError(f"discretize must be a word or a mapping, got {given!r:.80}")
    chosen = {}
    for name, word in pairs:
        if name not in names:
            raise DataError(
                f"discretize: there is no column of numbers {name!r}"
                f"{nearest_name(str(name), names)}"
            )
        chosen[name] = _way(word)
    return chosen


def _pairs(text: str, names: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for part in text.split(";"):
        word, colon, columns = part.partition(":")
        listed = [name.strip() for name in columns.split(",") if name.strip()]
        pairs += [(name, word.strip()) for name in (listed if colon else names)]
    return pairs


def _way(word: Any) -> tuple[str, int]:
    found = _WORD.fullmatch(word) if isinstance(word, str) else None
    if found is None or not 2 <= int(found[2]) <= 100:
        raise SettingsError(
            f"discretize must be quantiles-K, width-K or hartemink-K with 2 to 100 levels K, such "
            f"as 'quantiles-3'; got {word!r:.40}"
        )
    return found[1], int(found[2])


def cut_columns(
    values: np.ndarray,
    names: Sequence[str],
    kinds: tuple[Levels | None, ...],
    given: Any,
) -> tuple[np.ndarray, tuple[Levels | None, ...], dict[str, list[float]]]:
    """What `given` asks for: rows, levels of all columns, and the cuts."""
    if given is None:
        return values, kinds, {}
    numbers = [name for name, own in zip(names, kinds, strict=True) if own is None]
    ways = parse_discretize(given, numbers)
    sizes = {name: len(own) for name, own in zip(names, kinds, strict=True) if own is not None}
    new, levels, cuts = discretized(values, names, ways, sizes)
    return new, tuple(levels.get(n, own) for n, own in zip(names, kinds, strict=True)), cuts


def discretized(
    values: np.ndarray,
    names: Sequence[str],
    ways: Mapping[str, tuple[str, int]],
    sizes: Mapping[str, int] | None = None,
) -> tuple[np.ndarray, dict[str, Levels], dict[str, list[float]]]:
    """The rows with codes in the columns to be cut, their levels, and the cuts.

    `sizes` are the numbers of levels of columns that hold categories already.

    Examples
    --------
    >>> rows = np.arange(9.0)[:, None]
    >>> codes, levels, cuts = discretized(rows, ["x"], {"x": ("quantiles", 3)})
    >>> levels["x"], cuts["x"]
    (('<= 2', '2 to 5', '> 5'), [2.0, 5.0])
    """
    cuts = cut_points(values, names, ways, sizes)
    new, levels = values.copy(), {}
    for name, points in cuts.items():
        column = values[:, list(names).index(name)]
        codes = np.searchsorted(points, column, side="left").astype(float)
        new[:, list(names).index(name)] = np.where(np.isfinite(column), codes, np.nan)
        levels[name] = interval_names(points)
    return new, levels, cuts


def cut_points(
    values: np.ndarray,
    names: Sequence[str],
    ways: Mapping[str, tuple[str, int]],
    sizes: Mapping[str, int] | None = None,
) -> dict[str, list[float]]:
    """Where each column is cut; each point belongs to the level below it."""
    cuts = {}
    for name, (way, k) in ways.items():
        column = values[:, list(names).index(name)]
        present = column[np.isfinite(column)]
        if not present.size:
            raise DataError(
                f"discretize: column {name!r} has no value in {len(column)} rows; leave it out "
                f"with exclude=[{name!r}]"
            )
        if way == "width":
            ends = np.linspace(present.min(), present.max(), k + 1)[1:-1]
            points = ends if present.min() < present.max() else ends[:0]
        else:
            points = _quantiles(present, k if way == "quantiles" else max(_FIRST_LEVELS, k))
        if not len(points):
            raise DataError(
                f"discretize: column {name!r} does not vary enough to be cut into {k} levels; "
                f"leave it out with exclude=[{name!r}]"
            )
        cuts[name] = points
    wanted = {name: k for name, (way, k) in ways.items() if way == "hartemink"}
    if wanted:
        _join(_coded(values, names, cuts, sizes or {}), cuts, sizes or {}, wanted)
    return {name: [float(point) for point in points] for name, points in cuts.items()}


def _quantiles(present: np.ndarray, k: int) -> np.ndarray:
    """Values up to which about i / k of the rows lie, the largest value left out."""
    ordered = np.sort(present)
    at = np.ceil(np.arange(1, k) / k * len(ordered)).astype(int) - 1
    return np.unique(ordered[at][ordered[at] < ordered[-1]])


def _coded(
    values: np.ndarray,
    names: Sequence[str],
    cuts: Mapping[str, np.ndarray],
    sizes: Mapping[str, int],
) -> dict[str, np.ndarray]:
    """Positions of levels in all columns that have some, -1 where a value is missing."""
    found = {}
    for name in (*cuts, *sizes):
        column = values[:, list(names).index(name)]
        present = np.isfinite(column)
        codes = np.searchsorted(cuts[name], column) if name in cuts else np.nan_to_num(column)
        found[name] = np.where(present, codes, -1).astype(np.int64)
    return found


def _join(
    codes: dict[str, np.ndarray],
    cuts: dict[str, np.ndarray],
    sizes: Mapping[str, int],
    wanted: Mapping[str, int],
) -> None:
    """Hartemink's way: take cuts away, the cheapest of each column in turn."""
    if len(codes) == 1:
        raise DataError(
            "discretize: hartemink keeps what a column tells of others that have levels, and there "
            "is no other; cut it by quantiles or width"
        )
    while any(len(cuts[name]) + 1 > k for name, k in wanted.items()):
        for name, k in wanted.items():
            if len(cuts[name]) + 1 <= k:
                continue
            levels = {**sizes, **{other: len(points) + 1 for other, points in cuts.items()}}
            tables = [
                _table(codes[name], codes[other], levels[name], levels[other])
                for other in codes
                if other != name
            ]
            loss = sum((_losses(table) for table in tables), np.zeros(len(cuts[name])))
            cheapest = int(np.argmin(loss))
            cuts[name] = np.delete(cuts[name], cheapest)
            codes[name] = codes[name] - (codes[name] > cheapest)


def _table(x: np.ndarray, y: np.ndarray, r: int, s: int) -> np.ndarray:
    both = (x >= 0) & (y >= 0)
    return np.bincount(x[both] * s + y[both], minlength=r * s).reshape(r, s).astype(float)


def _losses(table: np.ndarray) -> np.ndarray:
    """The mutual information (times n) that joining each row with the next one would lose."""

    def information(rows: np.ndarray) -> np.ndarray:
        total = rows.sum(axis=1)
        return np.asarray(_x_log_x(rows).sum(axis=1) - _x_log_x(total))

    apart = information(table)
    return np.asarray(apart[:-1] + apart[1:] - information(table[:-1] + table[1:]))


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return np.asarray(x * np.log(np.maximum(x, 1.0)))


def interval_names(points: Sequence[float]) -> Levels:
    """The levels between cuts, in words that tell them apart."""
    for digits in range(3, 18):
        texts = [f"{point:.{digits}g}" for point in points]
        if len(set(texts)) == len(texts):
            break
    inner = [f"{low} to {high}" for low, high in pairwise(texts)]
    return (f"<= {texts[0]}", *inner, f"> {texts[-1]}")
