"""DSC, the format of Microsoft's belief networks (bnlearn, GeNIe): categories with their tables.

**Direction:** ``probability ( child | parent, ... )``. Rows of a table have the positions of the
parents' levels before them, from 0 on, ``(0, 1) : 0.2, 0.8;``; a node without parents has one row
of numbers. Names that are no plain words are quoted, as levels always are. Counts behind the tables
are not kept.
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
    escaped,
    family_head,
    numbers_of,
    quoted,
    read_blocks,
    with_tables,
)
from arcs.graphs.formats.parts import Graph

__all__ = ["read", "serialise"]


def serialise(graph: Graph) -> str:
    """The network; only a `DiscreteDag` has tables."""
    dag = with_tables(graph, "dsc")
    parts = ['belief network "unknown"\n']
    for name, levels in zip(dag.names, dag.levels, strict=True):
        listed = ", ".join(f'"{escaped(level)}"' for level in levels)
        kind = f"type : discrete [ {len(levels)} ] = {{ {listed} }};"
        parts.append(f"node {quoted(name)} {{\n  {kind}\n}}\n")
    for j, table in enumerate(dag.tables):
        parents = np.flatnonzero(dag.adjacency[:, j]).tolist()
        given = ", ".join(quoted(dag.names[k]) for k in parents)
        parts.append(f"probability ( {quoted(dag.names[j])}{' | ' if given else ''}{given} ) {{\n")
        for at in product(*(range(size) for size in table.shape[:-1])):
            place = f"({', '.join(map(str, at))}) : " if at else ""
            row = ", ".join(repr(float(value)) for value in table[at])
            parts.append(f"  {place}{row};\n")
        parts.append("}\n")
    return "".join(parts)


def read(text: str) -> DiscreteDag:
    """The network in a DSC text."""
    return read_blocks(Words(text, "DSC"), {"belief": _skip}, "node", _levels, _family)


def _skip(words: Words) -> None:
    words.expect("network")
    words.next()


def _levels(words: Words) -> list[str]:
    words.expect("{")
    found: list[str] = []
    while (word := words.next()) != "}":
        if word.startswith("type"):
            words.until("{")
            found = words.until("}")
        elif word != ";":
            words.until(";")  # a name, a position
    return found


def _family(words: Words, levels: Levels) -> tuple[str, Family]:
    child, parents, shape = family_head(words, levels)
    table = np.full(shape, np.nan)
    words.expect("{")
    while (word := words.next()) != "}":
        if word == "(":
            at = _place(words.until(")"), shape[:-1])
            row = [text for text in words.until(";") if text != ":"]
            table[at] = numbers_of(row, shape[-1], "DSC")
        elif not parents:
            table[:] = numbers_of([word, *words.until(";")], shape[-1], "DSC")
        else:
            raise FileFormatError(f"DSC: a row of {child[:40]!r} has no place in brackets")
    return child, (parents, table)


def _place(texts: list[str], shape: list[int]) -> tuple[int, ...]:
    if len(texts) != len(shape) or not all(
        text.isdecimal() and int(text) < size for text, size in zip(texts, shape, strict=True)
    ):
        raise FileFormatError(f"DSC: ({', '.join(texts)[:40]}) is no row of a table of {shape}")
    return tuple(map(int, texts))
