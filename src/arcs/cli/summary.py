"""A result in a dozen lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from arcs.cli.console import arrow, key_values, new_table, safe

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["listed", "print_changes", "print_edges", "print_result"]


def print_result(console: Console, result: FitResult, *, top: int = 5) -> None:
    """Facts, then the strongest edges."""
    from arcs.plots import intervened_nodes

    targets = [result.names[k] for k in intervened_nodes(result)]
    told = int(result.cpdag.directed.sum())
    design = f"{len(targets)} intervened upon ({listed(targets)})" if targets else "observational"
    facts = [
        ("data", f"{result.n_rows:,} rows, {len(result.names):,} variables; {design}"),
        ("method", _method(result)),
        ("score", f"BIC {result.bic:,.1f}, log-likelihood {result.log_likelihood:,.1f}"),
        ("edges", f"{result.n_edges:,} ({told:,} with identified direction)"),
        ("stopped", _stopped(result)),
    ]
    console.print(key_values(facts))
    if top > 0 and result.n_edges:
        print_edges(console, result, top)
    if result.settings.get("intervention_kind", "hard") != "hard":
        print_changes(console, result)


def print_changes(console: Console, result: FitResult) -> None:
    """What the regimes do, one line each."""
    from arcs.regimes import describe_changes

    console.print(f"changed mechanisms: {len(result.changes)}")
    for line in describe_changes(result.changes).splitlines():
        console.print(f"  {safe(line)}", soft_wrap=True)


def print_edges(console: Console, result: FitResult, top: int) -> None:
    """The strongest edges as a table."""
    from arcs.plots import edge_rows

    rows = edge_rows(result)
    heading = "strongest edges" if top < len(rows) else "edges"
    extra = [name for name in ("confidence",) if name in result.edge_values]
    columns = [(heading, "left"), ("coefficient", "right"), ("std. error", "right")]
    columns += [
        ("standardised", "right"),
        *((name, "right") for name in extra),
        ("direction", "left"),
    ]
    table = new_table(*columns)
    sign = arrow(console)
    for row in rows[:top]:
        names = f"{_short(result.names[row.source])} {sign} {_short(result.names[row.target])}"
        figures = [row.coefficient, row.standard_error, row.strength]
        figures += [row.values[name] for name in extra]
        told = "open" if row.reversible else ""
        table.add_row(f"  {names}", *(_number(value) for value in figures), told)
    console.print(table)
    if top < len(rows):
        console.print(f"  ... and {len(rows) - top:,} more")


def listed(names: Sequence[str], most: int = 6) -> str:
    """The first few names."""
    more = f", ... {len(names) - most} more" if len(names) > most else ""
    return ", ".join(_short(name) for name in names[:most]) + more


def _method(result: FitResult) -> str:
    chosen = [f"{key} {_setting(value)}" for key, value in result.penalty.items()]
    seed = [] if result.seed is None else [f"seed {result.seed}"]
    details = ", ".join([*chosen, *seed])
    return f"{result.method} ({details})" if details else result.method


def _stopped(result: FitResult) -> str:
    seconds = result.timings.get("total")
    time = "" if seconds is None else f" after {seconds:.1f} s"
    state = "" if result.converged else ", not converged"
    early = "" if result.stopped == "finished" else " (the best result so far)"
    return f"{result.stopped}{time}{state}{early}"


def _setting(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _short(name: str) -> str:
    return safe(name if len(name) <= 24 else f"{name[:14]}...{name[-7:]}")


def _number(value: float) -> str:
    return f"{value:.3g}" if value == value else "-"
