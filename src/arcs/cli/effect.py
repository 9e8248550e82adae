"""``arcs effect``: the total effect of one variable on another, or on all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.assignments import refuse_unknown_name
from arcs.cli.console import message, output, print_json, safe
from arcs.cli.inputs import read_result
from arcs.cli.scales import scale_note

if TYPE_CHECKING:
    from arcs.results import FitResult
    from arcs.tables import Table

__all__ = ["effect"]


def effect(
    result: options.ResultPath,
    source: Annotated[str, typer.Argument(metavar="X", help="The cause.")],
    target: Annotated[
        str | None, typer.Argument(metavar="[Y]", help="The effect; all of them if left out.")
    ] = None,
    adjustment: Annotated[
        bool, typer.Option("--adjustment", help="Also tell which variables to adjust for.")
    ] = False,
    level: options.Level = 0.95,
    top: options.Top = 20,
    json_: options.Json = False,
) -> None:
    """Print the total effect of X on Y with its uncertainties.

    There are three: of the estimate given the graph, of the directions that the data leave open,
    and of the graph itself, if the fit was done with --bootstrap.

    \b
    Examples:
      arcs effect cells-arcs mek erk
      arcs effect cells-arcs mek erk --adjustment
      arcs effect cells-arcs mek
    """
    found = read_result(result)
    refuse_unknown_name(source, found.names, "X")
    if target is None:
        _print_all(found, source, level, top, json_)
    else:
        refuse_unknown_name(target, found.names, "Y")
        _print_one(found, (source, target), level, adjustment, json_)
    note = None if json_ else scale_note(found) or _open_note(found, source)
    if note:
        message(note)


def _open_note(found: FitResult, source: str) -> str | None:
    """Tables of probabilities are those of one graph; whether others say something else."""
    from arcs.graphs import GaussianDag

    at = found.names.index(source)
    others = [found.names[j] for j in found.cpdag.undirected[at].nonzero()[0]]
    if isinstance(found.dag, GaussianDag) or not others:
        return None
    return (
        f"note: this is so in this graph; the data leave open which way the edges between {source} "
        f"and {', '.join(others)} point"
    )


def _print_one(
    found: FitResult, ends: tuple[str, str], level: float, adjustment: bool, json_: bool
) -> None:
    from arcs.tables import Table

    source, target = ends
    answer: Any = found.effect(source, target, level)
    sets = found.adjustment_sets(source, target) if adjustment else None
    of_levels = isinstance(answer, Table)  # probabilities of categories
    if json_:
        record: dict[str, Any] = {"probabilities": answer.rows()} if of_levels else answer.to_dict()
        if sets is not None:
            record["adjustment"] = sets.to_dict() | {"for_all_members": sets.for_all_members}
        print_json(record)
        return
    text = answer.to_text(len(answer)) if of_levels else str(answer)
    output().print(safe(text), soft_wrap=True)
    if sets is not None:
        output().print(safe(str(sets)), soft_wrap=True)


def _print_tables(result: FitResult, source: str, top: int, as_json: bool) -> None:
    """What becomes of everything below a variable if it is set, of categories and beside them."""
    at = sorted(result.dag.descendants(result.names.index(source)))
    asked: Any = result
    tables = {result.names[j]: asked.effect(source, result.names[j]) for j in at[:top]}
    if as_json:
        print_json({"effects": {name: table.rows() for name, table in tables.items()}})
    elif not at:
        output().print(safe(f"{source} has no effect on any other variable in this graph"))
    for name, table in () if as_json else tables.items():
        output().print(safe(f"{name}:\n{table.to_text(len(table))}"), soft_wrap=True)
    if len(at) > top:
        message(f"... and {len(at) - top} more (--top)")


def _print_all(result: FitResult, source: str, level: float, top: int, as_json: bool) -> None:
    from arcs.graphs import GaussianDag

    if not isinstance(result.dag, GaussianDag):
        _print_tables(result, source, top, as_json)
        return
    table = result.effects_table(source=source, level=level)
    if as_json:
        print_json({"effects": table.rows()})
    elif len(table):
        output().print(safe(f"total effects of {source} (sd per sd: standardised)"))
        output().print(safe(_narrow(table, level).to_text(top)), soft_wrap=True)
    else:
        output().print(safe(f"{source} has no effect on any other variable in this graph"))


def _narrow(table: Table, level: float) -> Table:
    """What fits into 80 columns: intervals in one, and no name of the cause in every row."""
    from arcs.tables import Table

    def joined(low: str, high: str) -> list[str]:
        ends = zip(table[low], table[high], strict=True)
        return [f"{a:.3g} to {b:.3g}" for a, b in ends]

    columns: dict[str, Any] = {
        "on": table["to"],
        "effect": table["effect"],
        f"{level:.0%} interval": joined("interval_low", "interval_high"),
        "sd per sd": table["standardised"],
    }
    if "ancestor_share" in table.columns:
        columns["of graphs"] = [f"{share:.0%}" for share in table["ancestor_share"]]
        columns["over graphs"] = joined("bootstrap_low", "bootstrap_high")
    return Table(columns)
