"""Tetrad's knowledge file; see :mod:`arcs.knowledge.files`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from arcs.errors import FileFormatError, KnowledgeError
from arcs.knowledge.statements import Knowledge, Label

__all__ = ["parse", "serialise"]

_SECTIONS = {
    "addtemporal": "tiers",
    "forbiddirect": "forbidden",
    "requiredirect": "required",
    "requireddirect": "required",
}
_TIER = re.compile(r"(\d{1,9})([*-]*)")


def parse(text: str) -> Knowledge:
    """Read the file's text; blank lines and lines that begin with ``//`` or ``#`` are skipped."""
    tiers: dict[int, tuple[str, list[str]]] = {}
    pairs: dict[str, list[tuple[str, ...]]] = {"forbidden": [], "required": []}
    section = ""
    for line, words in _lines(text):
        if len(words) == 1 and words[0].lower() in _SECTIONS:
            section = _SECTIONS[words[0].lower()]
        elif section == "tiers":
            _add_tier(tiers, line, words)
        elif section and len(words) == 2:
            pairs[section].append(tuple(words))
        elif section:
            raise FileFormatError(f"line {line}: an edge is two names, not {len(words)}")
        else:
            raise FileFormatError(
                f"line {line}: {words[0]!r} is not one of the sections {', '.join(_SECTIONS)}"
            )
    order = sorted(tiers)
    members = [tiers[number][1] for number in order]
    skips = _beyond_next_tier(members, ["-" in tiers[number][0] for number in order])
    return Knowledge(
        required=pairs["required"],
        forbidden=[*pairs["forbidden"], *skips],
        tiers=members,
        edges_within_tiers=["*" not in tiers[number][0] for number in order] or True,
    )


def serialise(knowledge: Knowledge, names: Sequence[str] = ()) -> str:
    """The text of the file; `names` are all variables, for roots and leaves."""
    if (knowledge.roots or knowledge.leaves) and not names:
        raise KnowledgeError(
            "Tetrad's format has no roots and leaves: give names=... of all variables, so that "
            "they can be written as forbidden edges"
        )
    lines = ["/knowledge", "addtemporal"]
    for t, tier in enumerate(knowledge.tiers):
        mark = "" if knowledge.tier_allows_edges(t) else "*"
        lines.append(" ".join([f"{t + 1}{mark}", *(_word(label) for label in tier)]))
    into = [(a, root) for root in knowledge.roots for a in names if a != root]
    out_of = [(leaf, b) for leaf in knowledge.leaves for b in names if b != leaf]
    lines += ["", "forbiddirect"]
    forbidden = dict.fromkeys([*knowledge.forbidden, *into, *out_of])
    lines += [f"{_word(a)} {_word(b)}" for a, b in forbidden]
    lines += ["", "requiredirect"]
    lines += [f"{_word(a)} {_word(b)}" for a, b in knowledge.required]
    return "\n".join(lines) + "\n"


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Numbers and words of the lines that say something, after the heading."""
    started = False
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith(("//", "#")):
            continue
        if not started:
            if words[0].lower() != "/knowledge":
                raise FileFormatError(f"line {number}: the file must begin with /knowledge")
            started = True
            continue
        yield number, words
    if not started:
        raise FileFormatError("line 1: the file is empty; it must begin with /knowledge")


def _add_tier(tiers: dict[int, tuple[str, list[str]]], line: int, words: list[str]) -> None:
    found = _TIER.fullmatch(words[0])
    if found is None:
        raise FileFormatError(f"line {line}: a tier begins with its number, not {words[0]!r}")
    number = int(found[1])
    if number in tiers:
        raise FileFormatError(f"line {line}: tier {number} is there already")
    tiers[number] = (found[2], words[1:])


def _beyond_next_tier(tiers: list[list[str]], only_next: list[bool]) -> list[tuple[str, str]]:
    """Edges from a tier that causes only the next one to the tiers after that."""
    return [
        (a, b)
        for t, tier in enumerate(tiers)
        if only_next[t]
        for later in tiers[t + 2 :]
        for a in tier
        for b in later
    ]


def _word(label: Label) -> str:
    if not isinstance(label, str):
        raise KnowledgeError(
            f"Tetrad's files hold names, but column {label} is given by its number; write TOML"
        )
    if len(label.split()) != 1 or label != label.strip() or label.startswith(("//", "#")):
        raise KnowledgeError(f"Tetrad's format cannot hold the name {label!r}; write TOML or CSV")
    return label
