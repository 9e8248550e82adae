"""The blocks of code on a page: found, and run.

A page is a story: its blocks run in their order, in one folder and one name space.

- ``python`` blocks are executed; those with ``>>>`` are checked against the output they show;
- ``console`` and ``{run}`` blocks run their ``arcs`` commands, which must end well;
- ``<!-- file: NAME -->`` before a block means that the block is the content of that file;
- ``<!-- setup: ... -->`` is Python that a reader need not see;
- ``<!-- not run: REASON -->`` exempts a block.

Tutorials are run by the gallery. Blocks in their prose are not: ``.. not run: REASON`` stands
before each. Commands that are not run still have to exist, with their options.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

_BLOCK = re.compile(
    r"(?:^<!--\s*(?P<note>file|not run):\s*(?P<value>.*?)\s*-->\n+)?"
    r"^(?P<fence>`{3,}|:{3,})(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^(?P=fence)\s*$"
    r"|^<!--\s*setup:\n(?P<setup>.*?)-->",
    re.MULTILINE | re.DOTALL,
)
#: What would be shown as a block, however it is written: fences that `_BLOCK` must have met.
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*$", re.MULTILINE)
_PROSE_BLOCK = re.compile(
    r"(?:^# \.\. not run: (?P<reason>.+)\n#\n)?^# \.\. code(?:-block)?:: *(?P<language>\w+)\n"
    r"(?P<text>(?:^#(?:    .*)?\n)*)",
    re.MULTILINE,
)
#: Languages that are run, and those that are only looked at.
COMMANDS = ("console", "{run}")
PASSIVE = ("text", "{toctree}", "{glossary}", "{grid}")


@dataclass(frozen=True)
class Block:
    """A block of code of a page.

    Attributes
    ----------
    language : str
        What follows the fence; "setup" for hidden Python.
    text : str
        The code.
    line : int
        Where it begins.
    file : str
        The file whose content it is, or "".
    exempt : str
        Why it is not run, or "".
    """

    language: str
    text: str
    line: int
    file: str = ""
    exempt: str = ""


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page in Markdown, in order."""
    found = []
    for match in _BLOCK.finditer(page):
        line = page.count("\n", 0, match.start()) + 1
        if match["setup"] is not None:
            found.append(Block("setup", match["setup"], line))
            continue
        note = {match["note"]: match["value"]} if match["note"] else {}
        found.append(
            Block(
                match["language"],
                match["text"],
                line,
                file=note.get("file", ""),
                exempt=note.get("not run", ""),
            )
        )
    return found


def prose_blocks_of(tutorial: str) -> list[Block]:
    """The blocks in the prose of a tutorial, which the gallery shows and does not run."""
    found = []
    for match in _PROSE_BLOCK.finditer(tutorial):
        line = tutorial.count("\n", 0, match.start()) + 1
        text = "\n".join(entry[5:] for entry in match["text"].splitlines())
        found.append(Block(match["language"], text, line, exempt=match["reason"] or ""))
    return found


def overlooked(page: str) -> list[int]:
    """Lines with fences of no block that we know: indented, quoted, or of other characters."""
    spans = [match.span() for match in _BLOCK.finditer(page)]
    return [
        page.count("\n", 0, fence.start()) + 1
        for fence in _FENCE.finditer(page)
        if not any(start <= fence.start() < end for start, end in spans)
    ]


def accounted_for(block: Block) -> bool:
    """Whether a block is run, is no code, or says why it is not run."""
    known = ("python", "setup", *COMMANDS, *PASSIVE)
    return bool(block.exempt or block.file) or block.language in known


def run_block(block: Block, folder: Path, names: dict[str, Any]) -> str:
    """Run one block; what it printed, for commands."""
    if block.exempt:
        return ""
    if block.file:
        (folder / block.file).write_text(block.text, encoding="utf-8")
    elif block.language in ("python", "setup"):
        with inside(folder):
            run_python(block, names)
    elif block.language in COMMANDS:
        return "\n".join(run_command(command, folder) for command in commands_of(block.text))
    return ""


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Execute code, or check a session against its output."""
    if ">>>" not in block.text:
        exec(compile(block.text, f"<line {block.line}>", "exec"), names)
        return
    session = doctest.DocTestParser().get_doctest(
        block.text, names, f"line {block.line}", None, block.line
    )
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    if runner.run(session, out=said.append, clear_globs=False).failed:
        raise AssertionError("".join(said))
    names.update(session.globs)


def commands_of(text: str) -> list[str]:
    """The commands of a block, comments and options of the directive left out."""
    joined = text.replace("\\\n", " ")
    lines = [line.removeprefix("$ ").strip() for line in joined.splitlines()]
    return [line for line in lines if line and not line.startswith((":", "#"))]


def check_command(command: str) -> None:
    """Refuse ``arcs ...`` with a command or an option that there is not; nothing is run.

    Raises
    ------
    AssertionError
        If a word is not known.
    """
    import typer

    from arcs.cli import app

    program, *words = shlex.split(command, comments=True)
    if program != "arcs":
        return
    found: Any = typer.main.get_command(app)
    while words and hasattr(found, "commands") and not words[0].startswith("-"):
        found = found.commands.get(words.pop(0))
        if found is None:
            raise AssertionError(f"there is no such command: {command}")
    try:
        found.make_parser(found.context_class(found)).parse_args(words)
    except Exception as error:  # typer brings its own copy of click, and so of its errors
        raise AssertionError(f"{command}: {error}") from None


def run_command(command: str, folder: Path) -> str:
    """Run ``arcs ...`` in a folder; its output.

    Raises
    ------
    AssertionError
        If it is another program, or ends in any other way than well.
    """
    from arcs.cli import app

    program, *arguments = shlex.split(command, comments=True)
    if program != "arcs":
        raise AssertionError(f"only arcs is run on pages, not {program!r}: give a reason instead")
    with inside(folder):
        outcome = CliRunner(env={"COLUMNS": "90", "NO_COLOR": "1"}).invoke(app, arguments)
    if outcome.exit_code:
        raise AssertionError(f"{command}: exit code {outcome.exit_code}\n{outcome.output}")
    return outcome.output.rstrip()


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
