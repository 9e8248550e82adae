"""What ``arcs fit`` writes: a folder with the result in every form people ask for."""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from arcs.cli.failures import CommandError

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = [
    "edge_table",
    "prepare_folder",
    "result_summary",
    "target_table",
    "trace_table",
    "write_bundle",
]


def prepare_folder(path: Path) -> Path:
    """Make the folder and make sure that it can be written to, before a long run."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(
            f"{path}: cannot write there ({reason}); choose another folder with --out"
        ) from error
    return path


def write_bundle(result: FitResult, folder: Path, *, title: str | None = None) -> dict[str, Path]:
    """Write all files; the result itself first, since everything else can be made from it."""
    from arcs.files import write_atomically
    from arcs.graphs.formats import write_graph
    from arcs.report import graph_svg, write_report

    written = {"result.json": result.save(folder / "result.json")}
    tables = {"edges.csv": edge_table(result), "trace.csv": trace_table(result)}
    if result.settings.get("intervention_kind", "hard") != "hard":
        tables["targets.csv"] = target_table(result)
    for name, text in tables.items():
        with write_atomically(folder / name) as stream:
            stream.write(text)
        written[name] = folder / name
    for name in ("graph.graphml", "graph.dot"):
        write_graph(result.dag, folder / name)
        written[name] = folder / name
    svg = graph_svg(result)
    with write_atomically(folder / "graph.svg") as stream:
        stream.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n')
    written["graph.svg"] = folder / "graph.svg"
    written["report.html"] = write_report(result, folder / "report.html", title=title, svg=svg)
    return written


def edge_table(result: FitResult) -> str:
    """The edges as CSV, strongest first; ``arcs convert`` and ``read_graph`` read it, too."""
    from arcs.confidence import intervals
    from arcs.graphs.formats.cells import guarded, write_rows
    from arcs.plots import edge_rows

    extra = list(result.edge_values)
    bounds = intervals(result)
    columns = ("source", "target", "type", "weight", "standard_error", "lower_95", "upper_95")
    table: list[tuple[str, ...]] = [(*columns, "standardised", "direction", *map(guarded, extra))]
    joined: set[int] = set()
    for row in edge_rows(result):
        joined |= {row.source, row.target}
        names = (guarded(result.names[row.source]), guarded(result.names[row.target]))
        at = (row.source, row.target)
        limits = (float(bounds.lower[at]), float(bounds.upper[at]))
        figures = (row.coefficient, row.standard_error, *limits, row.strength)
        numbers = tuple(_cell(figure) for figure in figures)
        direction = "open" if row.reversible else "identified"
        values = (_cell(row.values[name]) for name in extra)
        table.append((*names, "directed", *numbers, direction, *values))
    blank = ("",) * (len(table[0]) - 1)
    alone = [k for k in range(len(result.names)) if k not in joined]
    table += [(guarded(result.names[k]), *blank) for k in alone]
    return write_rows(table)


def target_table(result: FitResult) -> str:
    """Where mechanisms differ between regimes, as CSV."""
    from arcs.graphs.formats.cells import guarded, write_rows

    columns = ("regime", "target", "kind", "evidence", "rows", "variance_ratio")
    table: list[tuple[str, ...]] = [columns]
    for change in result.changes:
        figures = (change.evidence, change.rows, change.variance_ratio)
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
    from arcs.plots import edge_rows, intervened_nodes

    names = result.names
    summary: dict[str, object] = {
        "method": result.method,
        "data": result.source,
        "rows": result.n_rows,
        "variables": len(names),
        "intervened": [names[k] for k in intervened_nodes(result)],
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
            {
                "source": names[row.source],
                "target": names[row.target],
                "coefficient": row.coefficient,
                "standardised": row.strength,
                "direction": "open" if row.reversible else "identified",
            }
            for row in edge_rows(result)
        ],
    }
    if result.changes:
        summary["changes"] = [change.to_dict() for change in result.changes]
    if files is not None:
        summary["files"] = {name: os.fspath(path) for name, path in files.items()}
    return summary


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)
