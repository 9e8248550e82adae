"""``arcs design``: which experiment to do next."""

from __future__ import annotations

from typing import Annotated

import typer

from arcs.cli import options
from arcs.cli.assignments import numbers_by_name, refuse_unknown_name
from arcs.cli.console import output, print_json, safe
from arcs.cli.inputs import read_result

__all__ = ["design"]


def design(
    result: options.ResultPath,
    k: Annotated[int, typer.Option("--top", "-k", min=1, help="Experiments to list.")] = 5,
    candidates: Annotated[
        str | None,
        typer.Option(
            "--candidates", metavar="A,B,...", help="What can be set; everything by default."
        ),
    ] = None,
    cost: Annotated[
        list[str],
        typer.Option("--cost", metavar="X=COST", help="Cost of setting X, else 1 (repeatable)."),
    ] = [],  # noqa: B006
    max_size: Annotated[
        int, typer.Option("--max-size", min=1, help="Variables to set in one experiment.")
    ] = 1,
    json_: options.Json = False,
) -> None:
    """List the experiments from which most would be learned about directions.

    expected_edges: how many edges get a direction, on average over the graphs that the data cannot
    tell apart; doubts_settled: of the directions that bootstrap graphs disagree about;
    largest_class: graphs that may be left at worst.

    \b
    Examples:
      arcs design cells-arcs
      arcs design cells-arcs --candidates mek,pka --cost pka=3
    """
    from arcs.tables import Table

    found = read_result(result)
    chosen = None if candidates is None else [name.strip() for name in candidates.split(",")]
    for name in chosen or ():
        refuse_unknown_name(name, found.names, "--candidates")
    costs = numbers_by_name(cost, found.names, "--cost")
    table = found.experiment_table(k, costs, chosen, max_size)
    if json_:
        print_json({"experiments": table.rows()})
    elif len(table):
        best = table.rows()[0]
        many = "direction" if best["expected_edges"] == 1 else "directions"
        learned = f"{best['expected_edges']:.3g} {many} on average"
        output().print(safe(f"most would be learned from setting {best['targets']}: {learned}"))
        # What is the same in all rows, and nobody asked for, only widens the table.
        idle = {"cost": not costs, "exact": all(table["exact"])}
        shown = [name for name in table.columns if not idle.get(name, False)]
        output().print(safe(Table({n: table[n] for n in shown}).to_text(k)), soft_wrap=True)
    else:
        told = (
            "every direction is known" if found.cpdag.is_dag() else "none of these tells anything"
        )
        output().print(f"no experiment is needed for directions: {told}")
