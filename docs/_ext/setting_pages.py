"""The reference of the settings of every method, made from their declarations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from api_pages import summary, write_if_new
from command_pages import escaped
from sphinx.application import Sphinx
from sphinx.config import Config

INTRODUCTION = """# Settings of the methods

What can be set, what it may be and what it is by default: `arcs fit --set NAME=VALUE` on the
command line, keywords in Python. Made from the declarations that check every setting before
anything runs; `arcs methods METHOD` prints the same.
"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before the sources are read."""
    app.connect("config-inited", write_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, config: Config) -> None:
    """One page with every method."""
    write_if_new(Path(app.srcdir) / "reference" / "settings.md", page())


def page() -> str:
    """A section per method of our own; adapters to others come last."""
    from arcs.learners import LEARNERS, learner_names

    names = sorted(learner_names(), key=lambda name: (name != "arcs", name.startswith("peer-")))
    return "\n".join([INTRODUCTION, *(section(name, LEARNERS[name]) for name in names)])


def section(name: str, kind: Any) -> str:
    """What a method does, and its settings as a definition list."""
    from arcs.settings import described_settings

    lines = [f"## {name}", "", escaped(summary(kind)), ""]
    for entry in described_settings(kind):
        lines += [f"`{entry.name} = {entry.default!r}`", f": {escaped(entry.about)}"]
        lines += [f"  May be {escaped(entry.allowed)}.", ""]
    return "\n".join(lines)
