"""``arcs methods``: the learners, what they are, and what can be set."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.console import new_table, output, print_json
from arcs.cli.inputs import method_completion, refuse_unknown_method

__all__ = ["methods"]

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="Print the settings of this learner.", autocompletion=method_completion
    ),
]


def methods(
    name: Name = None,
    json_: options.Json = False,
) -> None:
    """List the learners that fit and compare know, or the settings of one.

    \b
    Examples:
      arcs methods
      arcs methods arcs
    """
    from arcs.learners import LEARNERS, learner_names

    if name is not None:
        refuse_unknown_method(name, "NAME")
    rows = [_described(each, LEARNERS[each]) for each in (learner_names() if not name else [name])]
    if json_:
        print_json(rows)
    elif name:
        _print_settings(rows[0])
    else:
        _print_methods(rows)


def _described(name: str, kind: Any) -> dict[str, Any]:
    """A learner and its settings, for ``--set``."""
    from arcs.settings import described_settings

    described = described_settings(kind)
    return {
        "name": name,
        "uses_interventions": kind.uses_interventions,
        "description": (kind.__doc__ or "").strip().split("\n")[0].rstrip("."),
        "settings": {entry.name: _plain(entry.default) for entry in described},
        "allowed": {entry.name: entry.allowed for entry in described},
        "about": {entry.name: entry.about for entry in described},
    }


def _plain(default: Any) -> Any:
    return None if default is dataclasses.MISSING else default


def _print_methods(rows: list[dict[str, Any]]) -> None:
    table = new_table(("method", "left"), ("interventions", "left"), ("what it does", "left"))
    for row in rows:
        uses = "yes" if row["uses_interventions"] else "no"
        table.add_row(row["name"], uses, row["description"])
    output().print(table)
    output().print("arcs methods NAME prints what can be set.")


def _print_settings(row: dict[str, Any]) -> None:
    console = output()
    console.print(f"{row['name']}: {row['description']}.", soft_wrap=True)
    for name, default in row["settings"].items():
        console.print(f"\n--set {name}={_spelled(default)}", soft_wrap=True)
        for text in (row["about"][name], f"May be {row['allowed'][name]}."):
            if text:
                console.print(f"    {text}", soft_wrap=True)


def _spelled(default: Any) -> str:
    """A default as ``--set`` takes it."""
    words = {None: "null", True: "true", False: "false"}
    return words[default] if default is None or isinstance(default, bool) else str(default)
