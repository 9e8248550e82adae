"""``arcs methods``: the learners and what they are."""

from __future__ import annotations

import dataclasses
from typing import Any

from arcs.cli import options
from arcs.cli.console import new_table, output, print_json

__all__ = ["methods"]


def methods(
    json_: options.Json = False,
) -> None:
    """List the learners that fit and compare know.

    \b
    Example:
      arcs methods
    """
    from arcs.learners import LEARNERS, learner_names

    rows = []
    for name in learner_names():
        kind = LEARNERS[name]
        described = (kind.__doc__ or "").strip().split("\n")[0].rstrip(".")
        rows.append((name, kind.uses_interventions, described, _settings(kind)))
    if json_:
        keys = ("name", "uses_interventions", "description", "settings")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    table = new_table(("method", "left"), ("interventions", "left"), ("what it does", "left"))
    for name, uses, described, _ in rows:
        table.add_row(name, "yes" if uses else "no", described)
    output().print(table)


def _settings(kind: Any) -> dict[str, Any]:
    """Names and defaults of the settings, for ``--set``."""
    return {
        field.name: None if field.default is dataclasses.MISSING else field.default
        for field in dataclasses.fields(kind)
    }
