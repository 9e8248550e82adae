"""What formats of networks of categories have in common: words, blocks, tables that fit together.

Errors name the format that is being read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.formats.parts import Graph

__all__ = [
    "Family",
    "Levels",
    "Words",
    "assembled",
    "escaped",
    "family_head",
    "numbers_of",
    "quoted",
    "read_blocks",
    "with_tables",
]

#: Levels of each variable, by name.
Levels: TypeAlias = Mapping[str, list[str]]
#: The parents of a variable, and its table with its own axis last.
Family: TypeAlias = tuple[list[str], np.ndarray]

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


def quoted(name: str) -> str:
    """A plain word as it is, anything else in quotes."""
    return name if _PLAIN.fullmatch(name) else f'"{escaped(name)}"'


def escaped(name: str) -> str:
    """What may stand between quotes."""
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


# ---------------------------------------------------------------------- reading
class Words:
    """The words of a text of some format, one after the other."""

    def __init__(self, text: str, format: str) -> None:
        self.format = format
        self.words = list(_words(_COMMENT.sub(" ", text)))
        self.at = 0

    def next(self) -> str:
        """The next word; the end of the file is refused."""
        if self.at >= len(self.words):
            raise FileFormatError(f"{self.format}: the text ends in the middle of a block")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, word: str) -> None:
        """The next word, which has to be this one."""
        found = self.next()
        if found != word:
            raise FileFormatError(f"{self.format}: {word!r} was expected, not {found[:40]!r}")

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


def read_blocks(
    words: Words,
    headers: Mapping[str, Callable[[Words], object]],
    variable: str,
    levels_of: Callable[[Words], list[str]],
    family_of: Callable[[Words, Levels], tuple[str, Family]],
) -> DiscreteDag:
    """The network in blocks: headers (by first word), variables, and their probabilities."""
    levels: dict[str, list[str]] = {}
    families: dict[str, Family] = {}
    while not words.over:
        block = words.next()
        if block in headers:
            headers[block](words)
        elif block == variable:
            name = words.next()
            levels[name] = levels_of(words)
        elif block == "probability":
            child, family = family_of(words, levels)
            families[child] = family
        else:
            raise FileFormatError(f"{words.format}: a block cannot begin with {block[:40]!r}")
    return assembled(levels, families, words.format)


def family_head(words: Words, levels: Levels) -> tuple[str, list[str], list[int]]:
    """Child, parents and the shape of the table, from ``( child | parent, ... )``."""
    words.expect("(")
    child, *rest = words.until(")")
    parents = rest[1:] if rest[:1] == ["|"] else rest
    for name in (child, *parents):
        if name not in levels:
            raise FileFormatError(f"{words.format}: there is no variable {name[:40]!r}")
    return child, parents, [len(levels[name]) for name in (*parents, child)]


def numbers_of(texts: list[str], count: int, format: str) -> np.ndarray:
    """So many probabilities."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        raise FileFormatError(f"{format}: probabilities are no numbers: {texts[:4]}") from None
    if len(numbers) != count:
        raise FileFormatError(f"{format}: {len(numbers)} probabilities where {count} are needed")
    return numbers


def assembled(levels: Levels, families: Mapping[str, Family], format: str) -> DiscreteDag:
    """The network of these levels, and of these parents and tables (the child's axis last)."""
    names = list(levels)
    index = {name: j for j, name in enumerate(names)}
    arrows, tables = np.zeros((len(names), len(names)), dtype=bool), []
    for j, name in enumerate(names):
        if name not in families:
            raise FileFormatError(f"{format}: {name[:40]!r} has no probabilities")
        parents, table = families[name]
        at = [index[parent] for parent in parents]
        arrows[at, j] = True
        if np.isnan(table).any():
            raise FileFormatError(f"{format}: some probabilities of {name[:40]!r} are not given")
        total = table.sum(axis=-1, keepdims=True)
        if (np.abs(total - 1.0) > 0.01).any():
            raise FileFormatError(f"{format}: probabilities of {name[:40]!r} do not add up to one")
        tables.append(np.transpose(table / total, [*np.argsort(at), len(at)]))
    return DiscreteDag(arrows, [levels[name] for name in names], tables, names)
