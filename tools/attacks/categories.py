"""Tables of categories, alone or beside numbers, and what is said about them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["LEVELS", "category_data", "category_rows"]

#: Names of levels; a column with more levels than a kind has gets plain ones behind them.
LEVELS: dict[str, tuple[Any, ...]] = {
    "words": ("no", "yes", "maybe"),
    "numbers": tuple(range(12)),
    "fractions": (0.5, 0.25, -1.5, 1e30),
    "truth": (False, True),
    "number texts": ("1", "10", "2", "1.0", "1e0", "01", "-0"),
    "mixed types": (0, "a", True, 2.5, "0", "True"),
    "unicode": ("größe", "変", "🧬", "\u202eabc", "e\u0301", "é"),
    "hostile": (
        *("<script>alert(1)</script>", "=1+1", "a,b", 'a"b', "a=b", "x;y", "{", "}", "|", "%s%n"),
        *("a\nb", "'", "\\", "P(x)", "probability ( a ) {", "</table>", "--", "do", "~"),
    ),
    "missing words": ("(missing)", "NA", "None", "?", "nan", "here"),
    "spaces": ("a", " a", "a ", "", " ", "\t"),
    "long": ("l" * 3000, "l" * 3000 + "m"),
    "control": ("\x1b[31mRED", "a\rb", "\x00", "b"),
    "surrogates": ("\ud800", "a"),
    "objects": (datetime.date(2020, 1, 1), (1, 2), b"bytes", 1 + 2j),
}


def category_data(
    case: dict[str, Any], names: list[Any], rng: np.random.Generator, folder: Path
) -> tuple[Any, dict[str, Any]]:
    """What to fit, and what is said about categories."""
    codes, numeric = _codes(case, rng)
    columns = [
        _numbers(codes, j, rng) if number else _entries(case["levels"], codes[:, j])
        for j, number in enumerate(numeric)
    ]
    if case["gaps"]:
        for column, number in zip(columns, numeric, strict=True):
            hole = float("nan") if number else rng.choice([None, "", "NA", float("nan")])
            for k in np.flatnonzero(rng.random(len(column)) < case["gaps"]):
                column[k] = hole
    table = dict(zip(map(str, names), columns, strict=True))
    if len(table) < len(names):  # repeated names, which a mapping does not hold
        table = {f"x{j}": column for j, column in enumerate(columns)}
    kinds = [name for name, number in zip(table, numeric, strict=True) if not number]
    options = {"discrete": _wish(case["wish"], kinds, table), "discretize": case["discretize"]}
    return _contained(case["container"], table, kinds, rng, folder), {
        name: value for name, value in options.items() if value is not None
    }


def _codes(case: dict[str, Any], rng: np.random.Generator) -> tuple[np.ndarray, list[bool]]:
    """Positions of levels, each column hanging on some before it; and which are to be numbers."""
    n, p, r = case["n"], case["p"], case["cardinality"]
    codes = rng.integers(0, r, (n, p))
    for j in range(1, p):
        for parent in np.flatnonzero(rng.random(j) < 0.5).tolist():
            follows = rng.random(n) < 0.6
            codes[follows, j] = (codes[follows, j] % 2 + codes[follows, parent]) % r
    last = codes[:, -1]
    if case["values"] == "copy":
        last[:] = codes[:, 0]
    elif case["values"] == "constant":
        last[:] = 0
    elif case["values"] == "identifier":
        last[:] = np.arange(n)
    elif case["values"] == "rare":
        last[:] = 0
        last[0] = 1
    elif case["values"] == "determined":
        last[:] = codes[:, :-1].sum(axis=1) % max(r, 2)
    numeric = [False] * p
    if case["table"] == "both":
        numeric = (rng.random(p) < 0.5).tolist()
    return codes, numeric


def _numbers(codes: np.ndarray, j: int, rng: np.random.Generator) -> list[float]:
    size = 10.0 ** rng.integers(-3, 4)
    others = codes[:, :j].sum(axis=1) if j else 0.0
    column = size * (others + codes[:, j] + rng.normal(size=len(codes)))
    return [float(value) for value in column]


def _entries(kind: str, codes: np.ndarray) -> list[Any]:
    known = LEVELS.get(kind, ())
    return [known[k] if k < len(known) else f"l{k}" for k in codes.tolist()]


def _wish(kind: str, categories: list[str], table: dict[str, list[Any]]) -> Any:
    declared = {name: list(dict.fromkeys(map(str, table[name]))) for name in categories}
    first = next(iter(table))
    made: dict[str, Any] = {
        "names": categories,
        "one": [first],
        "declared": {name: [*own[::-1], "nobody"] for name, own in declared.items()},
        "declared too few": {name: own[:1] for name, own in declared.items()},
        "declared none": {name: [] for name in categories},
        "declared badly": {first: 3},
        "declared twice": {first: ["a", "a", " a"]},
        "auto and a name": f"auto,{first}",
        "no such": ["no such column"],
        "number": 5,
        "empty": [],
        "nested": [[first]],
        "nothing": None,
    }
    return made.get(kind, kind)


def _contained(
    kind: str, table: dict[str, list[Any]], categories: list[str], rng: Any, folder: Path
) -> Any:
    if kind in ("array", "list", "text array"):
        rows = [list(row) for row in zip(*table.values(), strict=True)]
        if kind == "list":
            return rows
        return (
            np.array([[str(x) for x in row] for row in rows])
            if kind == "text array"
            else _box(rows)
        )
    if kind in ("csv", "gzip"):
        from attacks.making import write_table

        return write_table(kind, list(table), zip(*table.values(), strict=True), folder)
    if kind in ("polars", "parquet"):
        return _arrow(kind, table, categories, folder)
    import pandas as pd

    frame = pd.DataFrame(
        {name: pd.Series(column, dtype=_kind(column)) for name, column in table.items()}
    )
    if kind == "categories":
        for name in categories:
            # pandas itself can make no categories of these.
            if any(
                isinstance(e, tuple | bytes | complex) or "\ud800" in str(e) for e in table[name]
            ):
                continue
            frame[name] = frame[name].astype("category")
            frame[name] = frame[name].cat.add_categories(["nobody has it"])
            if rng.random() < 0.5:
                frame[name] = frame[name].cat.as_ordered()
    return frame


def _kind(column: list[Any]) -> Any:
    return float if all(type(entry) is float for entry in column) else object


def _box(rows: list[list[Any]]) -> np.ndarray:
    """Entries as they are; NumPy would look into tuples."""
    array = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for k, row in enumerate(rows):
        for j, entry in enumerate(row):
            array[k, j] = entry
    return array


def _arrow(kind: str, table: dict[str, list[Any]], categories: list[str], folder: Path) -> Any:
    texts = {
        name: [None if entry is None else str(entry) for entry in column]
        if name in categories
        else column
        for name, column in table.items()
    }
    # What UTF-8 cannot hold, these libraries refuse themselves.
    clean = {
        name: [e.encode("utf-8", "replace").decode() if isinstance(e, str) else e for e in column]
        for name, column in texts.items()
    }
    if kind == "polars":
        import polars

        return polars.DataFrame(clean, strict=False)
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [
        pa.array(column, pa.string()).dictionary_encode()
        if name in categories
        else pa.array(column, pa.float64())
        for name, column in clean.items()
    ]
    path = folder / "data.parquet"
    pq.write_table(pa.Table.from_arrays(arrays, list(clean)), path)
    return str(path)


def category_rows(rng: np.random.Generator, n: int = 40) -> np.ndarray:
    """A small table of words in which the columns hang together."""
    first = rng.integers(0, 2, n)
    second = np.where(rng.random(n) < 0.8, first, rng.integers(0, 3, n))
    words = np.array(["no", "yes", "<b>perhaps</b>"])
    return words[np.column_stack([first, second, rng.integers(0, 2, n)])]
