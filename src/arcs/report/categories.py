"""What the report says of networks of categories: tables in place of equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcs.graphs import DiscreteDag, MixedDag
from arcs.report.svg import number
from arcs.results import FitResult
from arcs.tables import printable

__all__ = ["probability_tables", "table_in_words"]

#: Rows of a table that the panel beside the graph shows, and that the page shows.
_FEW, _MOST = 6, 200


def table_in_words(dag: DiscreteDag | MixedDag, node: int) -> str:
    """The table of a node as a line of text, its first rows."""
    if isinstance(dag, MixedDag):
        return _equation_in_words(dag, node)
    name, levels = printable(dag.names[node]), dag.levels[node]
    rows = dag.table(node).rows()
    parents = [dag.names[k] for k in np.flatnonzero(dag.adjacency[:, node])]
    flat = dag.tables[node].reshape(len(rows), -1)
    shown = []
    for row, shares in zip(rows[:_FEW], flat, strict=False):
        given = ", ".join(f"{printable(k)} = {printable(str(row[k]))}" for k in parents)
        told = ", ".join(f"{printable(x)} {number(s)}" for x, s in zip(levels, shares, strict=True))
        shown.append(f"{given}: {told}" if given else told)
    more = f"; and {len(rows) - _FEW} more rows" if len(rows) > _FEW else ""
    head = f"P({name}{' | ' if parents else ''}{', '.join(map(printable, parents))})"
    return f"{head}: {'; '.join(shown)}{more}"


def _equation_in_words(dag: MixedDag, node: int) -> str:
    table = dag.table(node)
    first, *outputs = table.columns
    told = [
        f"{printable(output)} = "
        + ", ".join(
            f"{printable(str(term))} {number(float(value))}"
            for term, value in zip(table[first][:_FEW], table[output], strict=False)
        )
        for output in outputs[:_FEW]
    ]
    return "; ".join(told)


def probability_tables(result: FitResult) -> list[dict[str, Any]]:
    """Every variable's table, for the page; empty for networks of numbers."""
    if not isinstance(result.dag, DiscreteDag | MixedDag):
        return []
    tables = []
    for node, name in enumerate(result.names):
        table = result.dag.table(node)
        rows = [list(row.values()) for row in table.rows()[:_MOST]]
        tables.append(
            {
                "name": printable(name),
                "columns": [printable(column) for column in table.columns],
                "rows": [
                    [number(cell) if isinstance(cell, float) else cell for cell in row]
                    for row in rows
                ],
                "more": max(len(table) - _MOST, 0),
            }
        )
    return tables
