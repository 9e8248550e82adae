"""``arcs evaluate``: how far an estimate is from the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arcs.cli import options
from arcs.cli.console import new_table, output, print_json
from arcs.cli.inputs import read_structure

if TYPE_CHECKING:
    from rich.console import Console

    from arcs.metrics import Evaluation

__all__ = ["evaluate", "print_comparison"]

_COUNTS = {
    "P": "edges of the estimate",
    "TP": "correct",
    "R": "reversed",
    "FP": "extra",
    "M": "missing",
    "SHD": "structural Hamming distance (reversed + extra + missing)",
    "JI": "Jaccard index",
}


def evaluate(
    estimate: Annotated[
        str, typer.Argument(metavar="EST", help="Result, folder of a fit, or graph file.")
    ],
    truth: Annotated[
        str, typer.Argument(metavar="TRUTH", help="The true DAG: graph file or network:NAME.")
    ],
    experimental: Annotated[
        bool | None,
        typer.Option(
            "--experimental/--observational",
            help="Compare directions directly, or up to equivalence (default: as the result says).",
        ),
    ] = None,
    nodes: options.NodeNames = None,
    json_: options.Json = False,
) -> None:
    """Compare an estimated graph with the true one.

    \b
    Examples:
      arcs evaluate alarm-arcs alarm-truth.json
      arcs evaluate edges.csv known.csv --nodes cells.csv
    """
    from arcs.metrics import evaluate as evaluate_graph

    found, result = read_structure(estimate, nodes=nodes)
    true, _ = read_structure(truth, nodes=nodes)
    if experimental is None:
        experimental = result is not None and any(result.targets)
    comparison = evaluate_graph(found, true, experimental)
    if json_:
        print_json({**comparison.to_dict(), "experimental": experimental})
        return
    print_comparison(output(), comparison, experimental)


def print_comparison(console: Console, comparison: Evaluation, experimental: bool) -> None:
    """Counts with their meaning, then the rates."""
    how = "directly" if experimental else "up to Markov equivalence"
    console.print(f"{comparison.s0} true edges; directions compared {how}")
    table = new_table(("", "left"), ("", "right"), ("", "left"))
    table.show_header = False
    for name, meaning in _COUNTS.items():
        value = getattr(comparison, name)
        table.add_row(
            f"  {name}", f"{value:.3f}" if isinstance(value, float) else str(value), meaning
        )
    console.print(table)
    rates = new_table(("", "left"), ("precision", "right"), ("recall", "right"), ("F1", "right"))
    for kind in ("skeleton", "arrow"):
        values = (getattr(comparison, f"{kind}_{rate}") for rate in ("precision", "recall", "f1"))
        rates.add_row(f"  {kind}", *(f"{value:.3f}" for value in values))
    console.print(rates)
