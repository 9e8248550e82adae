"""A result on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from arcs.cli.console import arrow

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["print_result"]


def print_result(console: Console, result: FitResult, *, top: int = 5) -> None:
    """Two sentences, facts, then the strongest edges."""
    console.print(result.summary(top, arrow=arrow(console)), soft_wrap=True)
