"""BIF, the Bayesian interchange format: networks of categories with their tables.

**Direction:** ``probability ( child | parent, ... )``. Rows of a table are written with the levels
of the parents before them, in their order; a ``table`` without them runs through the levels of the
child slowest and of the last parent fastest. Names that are not plain words are quoted. Counts
behind the tables are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.formats.parts import Graph

__all__ = [
    "Words",
    "assembled",
    "escaped",
    "numbers_of",
    "quoted",
    "read",
    "serialise",
    "with_tables",
]

_PLAIN = re.compile(r"[A-Za-z_][\w.-]*|\d+")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}\[\](),;|])|([^\s{}\[\](),;|"]+)')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


# ---------------------------------------------------------------------- writing
def with_tables(graph: Graph, format: str) -> DiscreteDag:
    """The graph, if it is a network of categories; others have no tables to write."""
    if not isinstance(graph, DiscreteDag):
        raise GraphError(
            f"the format {format!r} is for networks of categories; a graph alone, or coefficients, "
            "go into another format"
        )
    return graph


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


def quoted(name: str) -> str:
    """A plain word as it is, anything else in quotes."""
    return name if _PLAIN.fullmatch(name) else f'"{escaped(name)}"'


def escaped(name: str) -> str:
    """What may stand between quotes."""
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


# ---------------------------------------------------------------------- reading
class Words:
    """The words of a file, one after the other."""

    def __init__(self, text: str) -> None:
        self.words = list(_words(_COMMENT.sub(" ", text)))
        self.at = 0

    def next(self) -> str:
        """The next word; the end of the file is refused."""
        if self.at >= len(self.words):
            raise FileFormatError("the BIF text ends in the middle of a block")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, word: str) -> None:
        """The next word, which has to be this one."""
        found = self.next()
        if found != word:
            raise FileFormatError(f"BIF: {word!r} was expected, not {found[:40]!r}")

    def until(self, end: str) -> list[str]:
        """All words up to this one, without commas."""
        found = []
        while (word := self.next()) != end:
            if word != ",":
                found.append(word)
        return found

    @property
    def over(self) -> bool:
        """Whether there is nothing left."""
        return self.at >= len(self.words)


def _words(text: str) -> Iterator[str]:
    for quoted, sign, word in (match.groups() for match in _TOKEN.finditer(text)):
        yield re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else sign or word


def read(text: str) -> DiscreteDag:
    """The network in a BIF text."""
    words = Words(text)
    levels: dict[str, list[str]] = {}
    families: dict[str, tuple[list[str], np.ndarray]] = {}
    while not words.over:
        block = words.next()
        if block == "network":
            words.until("{")
            words.until("}")
        elif block == "variable":
            name = words.next()
            levels[name] = _levels(words)
        elif block == "probability":
            child, parents, table = _family(words, levels)
            families[child] = parents, table
        else:
            raise FileFormatError(f"BIF: a block cannot begin with {block[:40]!r}")
    return assembled(levels, families)


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


def _family(words: Words, levels: dict[str, list[str]]) -> tuple[str, list[str], np.ndarray]:
    words.expect("(")
    child, *rest = words.until(")")
    parents = rest[1:] if rest[:1] == ["|"] else rest
    for name in (child, *parents):
        if name not in levels:
            raise FileFormatError(f"BIF: there is no variable {name[:40]!r}")
    shape = [len(levels[name]) for name in (*parents, child)]
    table = np.full(shape, np.nan)
    words.expect("{")
    while (word := words.next()) != "}":
        if word == "(":
            at = tuple(_place(levels[k], x) for k, x in zip(parents, words.until(")"), strict=True))
            table[at] = numbers_of(words.until(";"), shape[-1])
        elif word == "default":
            row = numbers_of(words.until(";"), shape[-1])
            table = np.where(np.isnan(table), row, table)
        elif word == "table":
            flat = numbers_of(words.until(";"), int(np.prod(shape)))
            table = np.moveaxis(flat.reshape([shape[-1], *shape[:-1]]), 0, -1)
        elif word != ";":
            words.until(";")
    return child, parents, table


def _place(levels: list[str], level: str) -> int:
    if level not in levels:
        raise FileFormatError(f"BIF: {level[:40]!r} is none of the levels {', '.join(levels[:6])}")
    return levels.index(level)


def numbers_of(texts: list[str], count: int) -> np.ndarray:
    """So many probabilities."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        raise FileFormatError(f"BIF: probabilities are no numbers: {texts[:4]}") from None
    if len(numbers) != count:
        raise FileFormatError(f"BIF: {len(numbers)} probabilities where {count} are needed")
    return numbers


def assembled(
    levels: dict[str, list[str]], families: dict[str, tuple[list[str], np.ndarray]]
) -> DiscreteDag:
    """The network of these levels, and of these parents and tables (the child's axis last)."""
    names = list(levels)
    index = {name: j for j, name in enumerate(names)}
    arrows, tables = np.zeros((len(names), len(names)), dtype=bool), []
    for j, name in enumerate(names):
        if name not in families:
            raise FileFormatError(f"BIF: {name[:40]!r} has no probabilities")
        parents, table = families[name]
        at = [index[parent] for parent in parents]
        arrows[at, j] = True
        if np.isnan(table).any():
            raise FileFormatError(f"BIF: some probabilities of {name[:40]!r} are not given")
        total = table.sum(axis=-1, keepdims=True)
        if (np.abs(total - 1.0) > 0.01).any():
            raise FileFormatError(f"BIF: probabilities of {name[:40]!r} do not add up to one")
        tables.append(np.transpose(table / total, [*np.argsort(at), len(at)]))
    return DiscreteDag(arrows, [levels[name] for name in names], tables, names)
