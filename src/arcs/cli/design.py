"""``arcs design``: which experiment to do next."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.assignments import numbers_by_name, refuse_unknown_name
from arcs.cli.console import output, print_json, safe
from arcs.cli.inputs import read_result

if TYPE_CHECKING:
    from arcs.tables import Table

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

    directions: edges that get one, on average over the graphs that the data cannot tell apart;
    doubts: settled directions that bootstrap graphs disagree about; graphs left: how many
    still cannot be told apart, at worst and on average; effects: sum of the sizes of its effects
    on the others, in standard deviations (with categories: how many are below it). With --json all
    figures have names of their own.

    \b
    Examples:
      arcs design cells-arcs
      arcs design cells-arcs --candidates mek,pka --cost pka=3
    """
    from arcs.graphs import GaussianDag

    found = read_result(result)
    chosen = None if candidates is None else [name.strip() for name in candidates.split(",")]
    for name in chosen or ():
        refuse_unknown_name(name, found.names, "--candidates")
    costs = numbers_by_name(cost, found.names, "--cost")
    table = found.experiment_table(k, costs, chosen, max_size)
    if json_:
        print_json({"experiments": table.rows()})
    elif len(table):
        output().print(safe(_headline(table.rows()[0])), soft_wrap=True)
        output().print(safe(_narrow(table, bool(costs)).to_text(k)), soft_wrap=True)
        output().print(safe(_legend(table, isinstance(found.dag, GaussianDag))), soft_wrap=True)
    else:
        told = (
            "every direction is known" if found.cpdag.is_dag() else "none of these tells anything"
        )
        output().print(f"no experiment is needed for directions: {told}")


def _headline(best: Mapping[str, Any]) -> str:
    """The best experiment in words."""
    edges, doubts = best["expected_edges"], best["doubts_settled"]
    if not edges:
        text = (
            f"none of these directs an edge that is open; setting {best['targets']} would settle "
            f"{doubts:.3g} directions that bootstrap graphs disagree about"
        )
        return textwrap.fill(text, 80)
    many = "direction" if edges == 1 else "directions"
    text = f"most would be learned from setting {best['targets']}: {edges:.3g} {many} on average"
    if best["cost"] != 1:
        text += f", at the cost of {best['cost']:g}"
    return textwrap.fill(text, 80)


def _narrow(table: Table, with_costs: bool) -> Table:
    """What fits into 80 columns, under headings of one or two words."""
    from arcs.tables import Table

    left = zip(table["largest_class"], table["expected_class"], strict=True)
    columns: dict[str, Any] = {"set": table["targets"], "directions": table["expected_edges"]}
    if "doubts_settled" in table.columns:
        columns["doubts"] = table["doubts_settled"]
    columns["graphs left"] = [f"{worst:,} ({mean:,.3g})" for worst, mean in left]
    columns["effects"] = table["effect"]
    # What is the same in all rows, and nobody asked for, only widens the table.
    if with_costs:
        columns["cost"] = table["cost"]
    if not all(table["exact"]):
        columns["counted"] = ["yes" if exact else "by draws" for exact in table["exact"]]
    return Table(columns)


def _legend(table: Table, linear: bool) -> str:
    """What the columns are, in lines of 80 characters."""
    sizes = "on the others, in sd" if linear else "variables below the one that is set"
    doubts = "doubts: settled directions that bootstrap graphs disagree about; "
    text = (
        "(directions: edges that get one, on average; "
        f"{doubts if 'doubts_settled' in table.columns else ''}graphs left: that cannot be told "
        f"apart, at worst (on average); effects: {sizes})"
    )
    return textwrap.fill(text, 80, subsequent_indent=" ")
