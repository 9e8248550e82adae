"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import typer
from api_pages import write_if_new
from sphinx.application import Sphinx
from sphinx.config import Config

INTRODUCTION = """# Command line

Made from the commands themselves: what `arcs COMMAND --help` prints. Every command ends with code
0 when it worked, 1 when it failed, 2 when it was called in a wrong way and 130 when it was
interrupted; `--debug` shows where an error came from.
"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before the sources are read."""
    app.connect("config-inited", write_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, config: Config) -> None:
    """One page with every command."""
    from arcs.cli import app as commands

    root = typer.main.get_command(commands)
    text = "\n".join([INTRODUCTION, *sections(root, "arcs")])
    write_if_new(Path(app.srcdir) / "reference" / "commands.md", text)


def sections(command: click.Command, name: str) -> Iterator[str]:
    """A section for each command that does something, groups unfolded."""
    children = getattr(command, "commands", None)  # the groups of typer are not click's own
    if children is not None:
        for word, child in children.items():
            if not child.hidden:
                yield from sections(child, f"{name} {word}")
    else:
        yield section(command, name)


def section(command: click.Command, name: str) -> str:
    """Usage, what the command does, its examples and its options."""
    context = command.context_class(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines = [f"## {name}", "", "```text", usage, "```", "", prose(command.help or ""), ""]
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            lines += [*described(parameter, context), ""]
    return "\n".join(lines)


def prose(text: str) -> str:
    """Help text with its ``\\b`` paragraphs as blocks of code."""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            head, *rest = paragraph.lstrip("\b\n").split("\n")
            parts.append(f"{head}\n\n```text\n{inspect.cleandoc(chr(10).join(rest))}\n```")
        else:
            parts.append(" ".join(paragraph.split()))
    return "\n\n".join(parts)


def described(parameter: click.Parameter, context: click.Context) -> list[str]:
    """An entry of a definition list."""
    record = parameter.get_help_record(context)
    if record is not None:
        spelling, text = record
    else:
        spelling, text = parameter.make_metavar(context), getattr(parameter, "help", None) or ""
    return [f"`{spelling}`", f": {escaped(text) or 'no further text'}"]


def escaped(text: str) -> str:
    """Text in which nothing is markup."""
    for character in "\\`*_<>[]$":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())
