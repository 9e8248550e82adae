"""Background knowledge in files: TOML, CSV, and Tetrad's knowledge file.

TOML
    Every statement of :class:`~arcs.knowledge.Knowledge` under its own name. Variables are names,
    or column numbers written as numbers::

        required = [["smoking", "tar"]]
        tiers = [["age", "sex"], ["smoking", "tar"], ["cancer"]]
        edges_within_tiers = [false, true, true]
        leaves = ["cancer"]

CSV
    Columns ``from``, ``to`` and ``kind``. The kinds ``required`` and ``forbidden`` speak of an
    edge, ``root`` and ``leaf`` of the variable in ``from``; ``tier`` and ``closed tier`` (without
    edges inside) put that variable into the tier whose number is in ``to``.

Tetrad
    The text file that begins with ``/knowledge`` and has sections ``addtemporal`` (a tier per line;
    ``*`` after its number: no edges within, ``-``: it causes only the next tier), ``forbiddirect``
    and ``requiredirect``. It has no roots and leaves, which are written as forbidden edges, and no
    way to write a name that holds blanks.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from arcs.errors import FileFormatError, KnowledgeError
from arcs.files import refuse_impossible_name, write_atomically
from arcs.graphs.formats.cells import guarded, read_rows, unguarded, write_rows
from arcs.knowledge import tetrad
from arcs.knowledge.statements import Knowledge, Label

__all__ = ["FORMATS", "knowledge_text", "read_knowledge", "write_knowledge"]

FORMATS = ("toml", "csv", "tetrad")
_FIELDS = ("required", "forbidden", "tiers", "edges_within_tiers", "roots", "leaves")
_COLUMNS = ("from", "to", "kind")
_KINDS = ("required", "forbidden", "root", "leaf", "tier", "closed tier")


def read_knowledge(path: str | os.PathLike[str], format: str | None = None) -> Knowledge:
    """Read background knowledge.

    Parameters
    ----------
    path : path
    format : {"toml", "csv", "tetrad"}, optional
        By default told from the file: one whose first line is ``/knowledge`` is Tetrad's,
        otherwise the ending decides.

    Raises
    ------
    FileFormatError
        With the line, if the file is not what it should be.
    KnowledgeError
        If the statements contradict each other.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.knowledge import read_knowledge
    >>> path = Path(folder.name, "known.toml")
    >>> _ = path.write_text('required = [["age", "cancer"]]')
    >>> read_knowledge(path).required
    (('age', 'cancer'),)
    >>> folder.cleanup()
    """
    source = Path(path)
    refuse_impossible_name(source)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileFormatError(f"{source}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source}: not UTF-8 text ({error.reason})") from None
    chosen = format or _guessed(source, text)
    readers: dict[str, Callable[[str], Knowledge]] = {
        "toml": _from_toml,
        "csv": _from_csv,
        "tetrad": tetrad.parse,
    }
    try:
        return readers[_known(chosen)](text)
    except (FileFormatError, KnowledgeError) as error:
        raise type(error)(f"{source}: {error}") from None


def write_knowledge(
    knowledge: Knowledge,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    names: Sequence[str] = (),
) -> Path:
    """Write background knowledge, atomically.

    Parameters
    ----------
    knowledge : Knowledge
    path : path
    format : {"toml", "csv", "tetrad"}, optional
        By default from the ending; what is neither ``.toml`` nor ``.csv`` is Tetrad's.
    names : sequence of str
        All variables; only Tetrad's format needs them, for roots and leaves.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.knowledge import Knowledge, write_knowledge
    >>> path = write_knowledge(Knowledge(roots=["age"]), Path(folder.name, "known.toml"))
    >>> print(path.read_text().strip())
    roots = ["age"]
    >>> folder.cleanup()
    """
    target = Path(path)
    text = knowledge_text(knowledge, format or _guessed(target, ""), names=names)
    with write_atomically(target) as stream:
        stream.write(text)
    return target


def knowledge_text(knowledge: Knowledge, format: str = "toml", *, names: Sequence[str] = ()) -> str:
    """What :func:`write_knowledge` writes."""
    chosen = _known(format)
    if chosen == "toml":
        return _to_toml(knowledge)
    return _to_csv(knowledge) if chosen == "csv" else tetrad.serialise(knowledge, names)


def _guessed(path: Path, text: str) -> str:
    if text.lstrip().lower().startswith("/knowledge"):
        return "tetrad"
    return {".toml": "toml", ".csv": "csv", ".tsv": "csv"}.get(path.suffix.lower(), "tetrad")


def _known(format: str) -> str:
    if format not in FORMATS:
        raise KnowledgeError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    return format


# ---------------------------------------------------------------------- TOML
def _from_toml(text: str) -> Knowledge:
    try:
        table = tomllib.loads(text)
    # The parser of the library lets more through than its own error: RecursionError where lists
    # are nested too deeply, a plain ValueError for numbers of thousands of digits.
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"not TOML ({error})") from None
    unknown = [key for key in table if key not in _FIELDS]
    if unknown:
        raise FileFormatError(f"{unknown[0]!r} is not one of {', '.join(_FIELDS)}")
    for key, value in table.items():
        if not isinstance(value, list) and not (key == _FIELDS[3] and isinstance(value, bool)):
            raise FileFormatError(f"{key!r} must be a list, not {value!r}")
    return Knowledge(**table)


def _to_toml(knowledge: Knowledge) -> str:
    said = knowledge.to_dict()
    lines = [f"{key} = {_toml_value(said[key])}" for key in _FIELDS if key in said]
    return "".join(f"{line}\n" for line in lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(entry) for entry in value)}]"
    return str(value) if isinstance(value, int) else _toml_string(value)


def _toml_string(text: str) -> str:
    """A basic string; everything that TOML wants escaped is written as ``\\uXXXX``."""
    plain = (c if c >= " " and c not in '"\\\x7f' else f"\\u{ord(c):04x}" for c in text)
    return f'"{"".join(plain)}"'


# ---------------------------------------------------------------------- CSV
def _from_csv(text: str) -> Knowledge:
    said: dict[str, list[Any]] = {"required": [], "forbidden": [], "roots": [], "leaves": []}
    tiers: dict[int, list[Label]] = {}
    closed: dict[int, bool] = {}
    for line, variable, other, kind in _csv_rows(text):
        if kind in ("required", "forbidden"):
            if not other.strip():
                raise FileFormatError(f"line {line}: a {kind} edge needs a variable in 'to'")
            said[kind].append((variable, other))
        elif kind in ("root", "leaf"):
            said["roots" if kind == "root" else "leaves"].append(variable)
        else:
            number = _tier_number(other, line)
            tiers.setdefault(number, []).append(variable)
            if closed.setdefault(number, kind == "closed tier") != (kind == "closed tier"):
                raise FileFormatError(f"line {line}: tier {number} is closed in some lines only")
    order = sorted(tiers)
    within = [not closed[number] for number in order] or True
    return Knowledge(**said, tiers=[tiers[k] for k in order], edges_within_tiers=within)


def _csv_rows(text: str) -> list[tuple[int, str, str, str]]:
    rows = list(read_rows(text))
    header = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    absent = [name for name in _COLUMNS if name not in header]
    if absent:
        raise FileFormatError(f"line 1: there is no column {absent[0]!r} among {header}")
    found = []
    for line, cells in rows[1:]:
        record = dict(zip(header, cells, strict=False))
        kind = record.get("kind", "").strip().lower()
        if kind not in _KINDS:
            raise FileFormatError(f"line {line}: kind {kind!r} is not one of {', '.join(_KINDS)}")
        ends = [unguarded(record.get(name, "")) for name in ("from", "to")]
        if not ends[0].strip():
            raise FileFormatError(f"line {line}: the column 'from' is empty")
        found.append((line, ends[0], ends[1], kind))
    return found


def _tier_number(text: str, line: int) -> int:
    try:
        return int(text)
    except ValueError:
        raise FileFormatError(f"line {line}: {text!r} is not the number of a tier") from None


def _to_csv(knowledge: Knowledge) -> str:
    rows: list[tuple[str, str, str]] = [("from", "to", "kind")]
    for kind, pairs in (("required", knowledge.required), ("forbidden", knowledge.forbidden)):
        rows += [(_name(a), _name(b), kind) for a, b in pairs]
    for t, tier in enumerate(knowledge.tiers):
        kind = "tier" if knowledge.tier_allows_edges(t) else "closed tier"
        rows += [(_name(label), str(t), kind) for label in tier]
    for kind, labels in (("root", knowledge.roots), ("leaf", knowledge.leaves)):
        rows += [(_name(label), "", kind) for label in labels]
    return write_rows(rows)


def _name(label: Label) -> str:
    if not isinstance(label, str):
        raise KnowledgeError(
            f"CSV files hold names, but column {label} is given by its number; write TOML"
        )
    return guarded(label)
