"""A result as tables, and as what ``--json`` prints."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = [
    "edge_table",
    "result_summary",
    "target_table",
    "trace_table",
]


def edge_table(result: FitResult) -> str:
    """The edges as CSV, strongest first; ``arcs convert`` and ``read_graph`` read it, too."""
    from arcs.graphs.formats.cells import guarded, write_rows

    table = result.edge_table()
    columns = [name for name in table if not _unknown(table[name])]
    lines = [
        [
            guarded(_cell(row[name])) if isinstance(row[name], str) else _cell(row[name])
            for name in columns
        ]
        for row in table.rows()
    ]
    return write_rows([[guarded(name) for name in columns], *lines])


def _unknown(column: list[object]) -> bool:
    return bool(column) and all(value != value for value in column)


def target_table(result: FitResult) -> str:
    """Where mechanisms differ between regimes, as CSV."""
    from arcs.graphs.formats.cells import guarded, write_rows

    columns = ("regime", "target", "kind", "evidence", "rows", "variance_ratio", "shift")
    table: list[tuple[str, ...]] = [columns]
    for change in result.changes:
        figures = (change.evidence, change.rows, change.variance_ratio, change.shift)
        names = (guarded(change.regime), guarded(change.target))
        table.append((*names, change.kind, *map(_cell, figures)))
    return write_rows(table)


def trace_table(result: FitResult) -> str:
    """The trace as CSV; only a heading for methods that keep none."""
    from arcs.graphs.formats.cells import write_rows

    columns = list(result.trace) or ["iteration", "score", "best"]
    rows = (
        zip(*(result.trace[name].tolist() for name in columns), strict=True) if result.trace else []
    )
    return write_rows([tuple(columns), *(tuple(map(_cell, row)) for row in rows)])


def result_summary(result: FitResult, files: dict[str, Path] | None = None) -> dict[str, object]:
    """What ``--json`` prints."""
    summary: dict[str, object] = {
        "method": result.method,
        "data": result.source,
        "rows": result.n_rows,
        "variables": len(result.names),
        "intervened": list(result.intervened),
        "seed": result.seed,
        "penalty": dict(result.penalty),
        "score": result.score,
        "bic": result.bic,
        "log_likelihood": result.log_likelihood,
        "stopped": result.stopped,
        "converged": result.converged,
        "seconds": result.timings.get("total"),
        "n_edges": result.n_edges,
        "edges": [
            {name: None if value != value else value for name, value in row.items()}
            for row in result.edge_table().rows()
        ],
    }
    if result.changes:
        summary["changes"] = [change.to_dict() for change in result.changes]
    if result.preparation:
        summary["preparation"] = dict(result.preparation)
    if files is not None:
        summary["files"] = {name: os.fspath(path) for name, path in files.items()}
    return summary


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)
