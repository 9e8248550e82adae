"""``arcs repeat``: a fit done again, and whether it gives the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcs.cli import options
from arcs.cli.console import message, output, print_json
from arcs.cli.failures import FAILURE
from arcs.cli.fit import notes_about_data
from arcs.cli.inputs import read_data, read_result
from arcs.cli.progress import live_line

__all__ = ["repeat"]


def repeat(
    result: Annotated[
        Path,
        typer.Argument(metavar="RESULT", help="result.json (or .npz), or the folder it is in."),
    ],
    data: options.Data,
    quiet: options.Quiet = False,
    json_: options.Json = False,
) -> None:
    """Repeat the fit that gave RESULT on DATA, and say whether it gives the same.

    Method, settings, seed and how the data are read are those in the result. The exit code is 0 if
    graph, order, coefficients and score are the same to the last bit, and 1 otherwise.

    \b
    Examples:
      arcs repeat cells-arcs cells.csv
    """
    from arcs.repeating import differences, other_versions, same_learner

    saved = read_result(result)
    model = same_learner(saved)
    if not saved.reading and not quiet:
        message("note: the result does not say how its data were read; they are read as they are")
    with notes_about_data(quiet):
        dataset = read_data(data, **saved.reading)
        with live_line(saved.method, quiet=quiet, time_limit=model.time_limit) as listener:
            again = model.fit(dataset, listener=listener)
    differing = differences(saved, again)
    versions = other_versions(saved)
    if json_:
        print_json({"same": not differing, "differences": differing, "versions": versions})
    elif not quiet:
        console = output()
        console.print("the same, to the last bit" if not differing else "not the same:")
        for line in differing:
            console.print(f"  {line}", soft_wrap=True)
        reasons = [f"version of {line}" for line in versions]
        if saved.stopped != "finished":
            reasons.append(f"the fit was stopped early ({saved.stopped})")
        for line in reasons if differing else ():
            message(f"note: {line}")
    if differing:
        raise typer.Exit(FAILURE)
