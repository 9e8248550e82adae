"""``arcs show``: look at a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcs.cli import options
from arcs.cli.console import key_values, output, print_json
from arcs.cli.inputs import read_result
from arcs.cli.outputs import result_summary
from arcs.cli.summary import listed, print_result

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["show"]


def show(
    result: Annotated[
        Path,
        typer.Argument(metavar="RESULT", help="result.json (or .npz), or the folder it is in."),
    ],
    node: Annotated[
        str | None, typer.Option("--node", help="Causes, effects and equation of one variable.")
    ] = None,
    top: options.Top = 20,
    json_: options.Json = False,
) -> None:
    """Print what a saved result holds.

    \b
    Examples:
      arcs show cells-arcs
      arcs show cells-arcs --node mek
    """
    found = read_result(result)
    if json_:
        print_json(result_summary(found))
    elif node is not None:
        _print_node(found, node)
    else:
        print_result(output(), found, top=top)


def _print_node(result: FitResult, name: str) -> None:
    from arcs.graphs.names import node_index
    from arcs.report import equation

    index = node_index(name, result.names)
    causes = [result.names[k] for k in result.dag.parents(index)]
    effects = [result.names[k] for k in result.dag.children(index)]
    ancestors = [result.names[k] for k in result.dag.ancestors(index)]
    facts = [
        ("variable", name),
        ("causes", listed(causes, 20) or "none"),
        ("effects", listed(effects, 20) or "none"),
        ("ancestors", listed(ancestors, 20) or "none"),
        ("equation", equation(result, index)),
    ]
    output().print(key_values(facts))
