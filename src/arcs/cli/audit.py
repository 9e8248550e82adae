"""``arcs audit``: what is odd about a table, and the option that deals with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcs.cli import options
from arcs.cli.console import message, output, print_json, safe
from arcs.cli.failures import in_terms_of_options
from arcs.cli.fit import notes_about_data
from arcs.cli.inputs import read_data

__all__ = ["audit"]


def audit(
    data: options.Data,
    interventions: options.Interventions = None,
    control: options.Control = None,
    adjust: options.Adjust = None,
    conditions: options.Conditions = None,
    transform: options.Transform = None,
    discrete: options.Discrete = None,
    discretize: options.Discretize = None,
    exclude: options.Exclude = [],  # noqa: B006
    delimiter: options.Delimiter = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Where to draw it (.png, .svg or .pdf)."),
    ] = None,
    json_: options.Json = False,
) -> None:
    """Look at DATA before learning from them.

    Prints everything that is odd, each with the option that deals with it: columns that explain
    the others, shapes, outlying rows, conditions that disagree, copies, identifiers.

    \b
    Examples:
      arcs audit genes.csv --exclude batch --exclude sex
      arcs audit cells.csv -i target --picture cells.png
      arcs audit patients.csv --discrete auto --discretize quantiles-3
    """
    from arcs.data.policies import KEEP

    with notes_about_data():
        dataset = read_data(
            data,
            interventions,
            control=control,
            exclude=exclude,
            delimiter=delimiter,
            command="audit",
            unmeasured="drop",
            constant="drop",
            missing=KEEP,
            adjust=adjust,
            conditions=conditions,
            transform=transform,
            discrete=discrete,
            discretize=discretize,
        )
        found = dataset.audit()
    if json_:
        print_json(found.to_dict())
    else:
        lines = [
            in_terms_of_options(line) if line.startswith("problem: ") else line
            for line in str(found).splitlines()
        ]
        output().print(safe("\n".join(lines)), soft_wrap=True)
        if dataset.discrete:
            levels = dataset.level_table()
            output().print(safe(f"\n{levels.to_text(len(levels))}"), soft_wrap=True)
    if picture is not None:
        from arcs.files import write_atomically
        from arcs.plots import plot_audit

        figure = plot_audit(dataset)
        with write_atomically(picture, "wb") as stream:
            figure.savefig(stream, format=picture.suffix.lstrip(".") or "png", dpi=150)
        message(f"picture in {picture}")
