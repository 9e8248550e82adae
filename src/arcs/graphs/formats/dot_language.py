"""The little language that Graphviz and DAGitty share: ``keyword name { statements }``.

Supported are node and edge statements (with chains such as ``a -> b -> c``), attribute lists,
comments, ports (ignored) and defaults (``node [...]``, ignored). Sub-graphs and HTML labels are
refused.

Inside quotes, ``\\"`` stands for a quote and ``\\\\`` for a backslash. Graphviz itself keeps the
second pair as two characters in an identifier but draws one; writing it so means that no name,
whatever it contains, can end its quotes early.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from arcs.errors import FileFormatError, GraphError

__all__ = ["EdgeStatement", "Statements", "attributes", "quoted", "read_statements"]

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<arrow><->|->|<-|--|@->|<-@|@-@|@--|--@)
  | (?P<word>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])|[\w.]+)
  | (?P<mark>[{}\[\]=;,:])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class EdgeStatement:
    """``source arrow target [attributes]`` and the line it stands on."""

    source: str
    arrow: str
    target: str
    attributes: dict[str, str]
    line: int


@dataclass
class Statements:
    """What stands between the braces; nodes in the order of their first appearance."""

    keyword: str
    attributes: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    node_lines: dict[str, int] = field(default_factory=dict)
    edges: list[EdgeStatement] = field(default_factory=list)


def quoted(name: str) -> str:
    """`name` as a quoted string that ends where it should."""
    if "\0" in name:
        raise GraphError(f"the name {name!r} holds a NUL character; rename it")
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def attributes(values: dict[str, str | float | None]) -> str:
    """An attribute list, empty if all values are None."""
    pairs = [
        f"{key}={quoted(value) if isinstance(value, str) else quoted(repr(value))}"
        for key, value in values.items()
        if value is not None
    ]
    return f" [{', '.join(pairs)}]" if pairs else ""


def read_statements(text: str, keywords: tuple[str, ...]) -> Statements:
    """Parse `text`, whose first word must be one of `keywords`."""
    return _Reader(_tokens(text), text.count("\n") + 1).read(keywords)


def _tokens(text: str) -> list[_Token]:
    tokens, at, line = [], 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FileFormatError(f"line {line}: cannot read {text[at : at + 20]!r}")
        if match.lastgroup != "blank":
            tokens.append(_Token(str(match.lastgroup), match.group(), line))
        line += match.group().count("\n")
        at = match.end()
    return tokens


def _unquoted(token: _Token) -> str:
    if token.kind != "string":
        return token.text
    return re.sub(r'\\(["\\])', r"\1", token.text[1:-1])


class _Reader:
    """A recursive-descent parser over a list of tokens."""

    def __init__(self, tokens: list[_Token], last_line: int):
        self._tokens = tokens
        self._at = 0
        self._end = _Token("end", "the end of the file", last_line)

    def read(self, keywords: tuple[str, ...]) -> Statements:
        if self._peek().text.lower() == "strict":
            self._next()
        head = self._next()
        if head.text.lower() not in keywords:
            self._fail(head, f"one of {', '.join(keywords)}")
        found = Statements(head.text.lower())
        if self._peek().text != "{":
            self._name()
        self._expect("{")
        while self._peek().text != "}":
            self._statement(found)
        self._expect("}")
        if self._peek().kind != "end":
            self._fail(self._peek(), "nothing after the closing brace")
        return found

    def _statement(self, found: Statements) -> None:
        token = self._peek()
        if token.kind == "mark" and token.text in ";,":
            self._next()
            return
        if token.kind == "mark" or (token.kind == "word" and token.text.lower() == "subgraph"):
            self._fail(token, "a node or an edge (sub-graphs are not supported)")
        first = self._name()
        if self._is_mark("="):
            self._next()
            found.attributes[first] = self._name()
        elif token.kind == "word" and token.text.lower() in ("node", "edge", "graph"):
            defaults = self._attributes()
            if token.text.lower() == "graph":
                found.attributes |= defaults
        else:
            self._chain(first, token.line, found)

    def _chain(self, first: str, line: int, found: Statements) -> None:
        names, arrows = [first], []
        self._skip_port()
        while self._peek().kind == "arrow":
            arrows.append(self._next().text)
            names.append(self._name())
            self._skip_port()
        listed = self._attributes()
        for name in names:
            found.nodes.setdefault(name, {})
            found.node_lines.setdefault(name, line)
        if not arrows:
            found.nodes[first] |= listed
        for source, arrow, target in zip(names, arrows, names[1:], strict=False):
            found.edges.append(EdgeStatement(source, arrow, target, listed, line))

    def _attributes(self) -> dict[str, str]:
        listed: dict[str, str] = {}
        while self._is_mark("["):
            self._next()
            while not self._is_mark("]"):
                key = self._name()
                listed[key] = ""
                if self._is_mark("="):
                    self._next()
                    listed[key] = self._name()
                if self._is_mark(",") or self._is_mark(";"):
                    self._next()
            self._expect("]")
        return listed

    def _skip_port(self) -> None:
        while self._is_mark(":"):
            self._next()
            self._name()

    def _is_mark(self, text: str) -> bool:
        return self._peek().kind == "mark" and self._peek().text == text

    def _peek(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else self._end

    def _next(self) -> _Token:
        token = self._peek()
        self._at += 1
        return token

    def _name(self) -> str:
        token = self._next()
        if token.kind not in ("word", "string"):
            self._fail(token, "a name")
        return _unquoted(token)

    def _expect(self, text: str) -> None:
        token = self._next()
        if token.kind != "mark" or token.text != text:
            self._fail(token, repr(text))

    def _fail(self, token: _Token, wanted: str) -> None:
        raise FileFormatError(f"line {token.line}: expected {wanted}, found {token.text[:40]!r}")
