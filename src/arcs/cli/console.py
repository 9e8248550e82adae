"""What the commands print with.

Results go to standard output, progress and messages to standard error. Names come from the data:
they are printed without markup and without control characters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = [
    "arrow",
    "key_values",
    "message",
    "messages",
    "new_table",
    "output",
    "print_json",
    "safe",
]

#: Rich falls back to it, too, when it cannot ask a terminal.
_COLUMNS = 80


def output() -> Console:
    """The console of the results. Made at each call: tests replace ``sys.stdout``."""
    return _console(sys.stdout)


def messages() -> Console:
    """The console of progress and messages."""
    return _console(sys.stderr)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader has seen enough: no reason to call the command a failure, as Rich does."""
        raise


def _console(stream: Any) -> Console:
    return _Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=False)


def message(text: str, *, style: str = "") -> None:
    """One line (or as many as it takes) on standard error."""
    messages().print(safe(text), style=style, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON object on standard output, for machines."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, indent=2, default=_plain) + "\n")


def safe(text: str) -> str:
    """The text without control characters: a name must not command the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def arrow(console: Console) -> str:
    """An arrow that the terminal's encoding knows."""
    return "→" if console.encoding.lower().startswith("utf") else "->"


def new_table(*columns: tuple[str, str], title: str | None = None) -> Table:
    """A plain table; each column is a name and its alignment ("left" or "right")."""
    table = Table(title=title, box=None, padding=(0, 2, 0, 0), title_justify="left")
    table.title_style = "bold"
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left")
    return table


def key_values(pairs: Sequence[tuple[str, str]]) -> Table:
    """Facts, one per line."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(name, safe(value))
    return table


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
