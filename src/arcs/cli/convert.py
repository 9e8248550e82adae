"""``arcs convert``: graphs from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcs.cli import options
from arcs.cli.console import output
from arcs.cli.failures import CommandError
from arcs.cli.inputs import read_structure

__all__ = ["convert"]


def convert(
    source: Annotated[
        str, typer.Argument(metavar="A", help="Graph file, result, or network:NAME to read.")
    ],
    target: Annotated[Path, typer.Argument(metavar="B", help="Graph file to write.")],
    from_: Annotated[
        str | None, typer.Option("--from", help="Format of A, if its suffix does not tell.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="Format of B, if its suffix does not tell.")
    ] = None,
    cpdag: Annotated[
        bool, typer.Option("--cpdag", help="Write the equivalence class instead of the DAG.")
    ] = False,
    nodes: options.NodeNames = None,
) -> None:
    """Convert a graph from one file format to another.

    Formats: edges (CSV), adjacency (CSV), dot, json, dagitty, tetrad; graphml, cx2 and sif for
    Cytoscape; bnlearn (a model string) and bnlearn-fit (an R script with parameters); bif for
    networks of categories.

    \b
    Examples:
      arcs convert cells-arcs graph.cx2
      arcs convert cells-arcs fitted.R
      arcs convert graph.dot matrix.csv --to adjacency
      arcs convert edges.csv graph.dot --nodes cells.csv
    """
    from arcs.graphs import Dag
    from arcs.graphs.formats import write_graph

    graph, result = read_structure(source, from_, nodes)
    if cpdag and result is not None:
        graph = result.cpdag
    elif cpdag and isinstance(graph, Dag):
        graph = graph.cpdag()
    if not target.parent.is_dir():
        raise CommandError(f"{target.parent}: there is no such folder; make it first")
    if result is not None and not cpdag:
        result.export(target, to)
    else:
        write_graph(graph, target, to)
    output().print(f"{target}: {graph.p} nodes, {graph.n_edges} edges", soft_wrap=True)
