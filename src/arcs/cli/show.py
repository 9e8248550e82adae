"""``arcs show``: look at a saved result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arcs.cli import options
from arcs.cli.console import key_values, output, print_json
from arcs.cli.inputs import read_result
from arcs.cli.outputs import result_summary
from arcs.cli.summary import print_result

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["show"]


def show(
    result: options.ResultPath,
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
    from arcs.summary import listed

    dag = result.dag
    facts = [
        ("variable", name),
        ("causes", listed(list(dag.parents(name)), 20) or "none"),
        ("effects", listed(list(dag.children(name)), 20) or "none"),
        ("ancestors", listed(list(dag.ancestors(name)), 20) or "none"),
        ("equation", equation(result, node_index(name, result.names))),
    ]
    output().print(key_values(facts))
