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
from arcs.graphs.formats.bif import Words, assembled, escaped, numbers_of, quoted, with_tables
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
    words = Words(text)
    levels: dict[str, list[str]] = {}
    families: dict[str, tuple[list[str], np.ndarray]] = {}
    while not words.over:
        block = words.next()
        if block == "belief":
            words.expect("network")
            words.next()
        elif block == "node":
            name = words.next()
            levels[name] = _levels(words)
        elif block == "probability":
            child, parents, table = _family(words, levels)
            families[child] = parents, table
        else:
            raise FileFormatError(f"DSC: a block cannot begin with {block[:40]!r}")
    return assembled(levels, families)


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


def _family(words: Words, levels: dict[str, list[str]]) -> tuple[str, list[str], np.ndarray]:
    words.expect("(")
    child, *rest = words.until(")")
    parents = rest[1:]
    for name in (child, *parents):
        if name not in levels:
            raise FileFormatError(f"DSC: there is no variable {name[:40]!r}")
    shape = [len(levels[name]) for name in (*parents, child)]
    table = np.full(shape, np.nan)
    words.expect("{")
    while (word := words.next()) != "}":
        if word == "(":
            at = _place(words.until(")"), shape[:-1])
            row = [text for text in words.until(";") if text != ":"]
            table[at] = numbers_of(row, shape[-1])
        elif not parents:
            table[:] = numbers_of([word, *words.until(";")], shape[-1])
        else:
            raise FileFormatError(f"DSC: a row of {child[:40]!r} has no place in brackets")
    return child, parents, table


def _place(texts: list[str], shape: list[int]) -> tuple[int, ...]:
    if len(texts) != len(shape) or not all(
        text.isdecimal() and int(text) < size for text, size in zip(texts, shape, strict=True)
    ):
        raise FileFormatError(f"DSC: ({', '.join(texts)[:40]}) is no row of a table of {shape}")
    return tuple(map(int, texts))
