"""``arcs report``: the page of a saved result, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcs.cli.console import output
from arcs.cli.inputs import read_result

__all__ = ["report"]


def report(
    result: Annotated[
        Path,
        typer.Argument(metavar="RESULT", help="result.json (or .npz), or the folder it is in."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page (default: report.html beside it).")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Heading of the page.")] = None,
) -> None:
    """Make the interactive report of a saved result.

    \b
    Examples:
      arcs report cells-arcs
      arcs report result.json --out page.html
    """
    from arcs.report import write_report

    folder = result if result.is_dir() else result.parent
    page = write_report(read_result(result), out or folder / "report.html", title=title)
    output().print(f"{page} (open it in a browser)", soft_wrap=True)
