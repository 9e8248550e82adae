"""BIF, the Bayesian interchange format: networks of categories with their tables.

**Direction:** ``probability ( child | parent, ... )``. Rows of a table are written with the levels
of the parents before them, in their order; a ``table`` without them runs through the levels of the
child slowest and of the last parent fastest. Names that are not plain words are quoted. Counts
behind the tables are not kept.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from arcs.errors import FileFormatError
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.formats.belief_text import (
    Family,
    Levels,
    Words,
    family_head,
    numbers_of,
    quoted,
    read_blocks,
    with_tables,
)
from arcs.graphs.formats.parts import Graph

__all__ = ["read", "serialise"]


# ---------------------------------------------------------------------- writing
def serialise(graph: Graph) -> str:
    """The network; only a `DiscreteDag` has tables."""
    graph = with_tables(graph, "bif")
    parts = ["network unknown {\n}\n"]
    for name, levels in zip(graph.names, graph.levels, strict=True):
        listed = ", ".join(map(quoted, levels))
        kind = f"type discrete [ {len(levels)} ] {{ {listed} }};"
        parts.append(f"variable {quoted(name)} {{\n  {kind}\n}}\n")
    parts += [_probability(graph, j) for j in range(graph.p)]
    return "".join(parts)


def _probability(graph: DiscreteDag, node: int) -> str:
    parents, table = np.flatnonzero(graph.adjacency[:, node]).tolist(), graph.tables[node]
    name = quoted(graph.names[node])
    if not parents:
        return f"probability ( {name} ) {{\n  table {_row(table)};\n}}\n"
    given = ", ".join(quoted(graph.names[k]) for k in parents)
    lines = [f"probability ( {name} | {given} ) {{"]
    for at in product(*(range(len(graph.levels[k])) for k in parents)):
        levels = ", ".join(quoted(graph.levels[k][i]) for k, i in zip(parents, at, strict=True))
        lines.append(f"  ({levels}) {_row(table[at])};")
    return "\n".join([*lines, "}", ""])


def _row(values: np.ndarray) -> str:
    return ", ".join(repr(float(value)) for value in values)


# ---------------------------------------------------------------------- reading
def read(text: str) -> DiscreteDag:
    """The network in a BIF text."""
    return read_blocks(Words(text, "BIF"), {"network": _skip}, "variable", _levels, _family)


def _skip(words: Words) -> None:
    words.until("{")
    words.until("}")


def _levels(words: Words) -> list[str]:
    words.expect("{")
    found: list[str] = []
    while (word := words.next()) != "}":
        if word == "type":
            words.expect("discrete")
            words.until("{")
            found = words.until("}")
        elif word != ";":
            words.until(";")  # a property
    return found


def _family(words: Words, levels: Levels) -> tuple[str, Family]:
    child, parents, shape = family_head(words, levels)
    table = np.full(shape, np.nan)
    words.expect("{")
    while (word := words.next()) != "}":
        if word == "(":
            at = tuple(_place(levels[k], x) for k, x in zip(parents, words.until(")"), strict=True))
            table[at] = numbers_of(words.until(";"), shape[-1], "BIF")
        elif word == "default":
            row = numbers_of(words.until(";"), shape[-1], "BIF")
            table = np.where(np.isnan(table), row, table)
        elif word == "table":
            flat = numbers_of(words.until(";"), int(np.prod(shape)), "BIF")
            table = np.moveaxis(flat.reshape([shape[-1], *shape[:-1]]), 0, -1)
        elif word != ";":
            words.until(";")
    return child, (parents, table)


def _place(levels: list[str], level: str) -> int:
    if level not in levels:
        raise FileFormatError(f"BIF: {level[:40]!r} is none of the levels {', '.join(levels[:6])}")
    return levels.index(level)
