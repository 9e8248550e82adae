"""``arcs compare``: several learners on the same data."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.bundle import output_folder
from arcs.cli.console import message, new_table, output, print_json
from arcs.cli.failures import FAILURE, INTERRUPTED
from arcs.cli.fit import knowledge_setting, notes_about_data, regime_kind
from arcs.cli.inputs import read_data, read_structure, refuse_unknown_method
from arcs.cli.progress import live_line

if TYPE_CHECKING:
    from rich.console import Console

    from arcs.comparison import Comparison, MethodRun

__all__ = ["compare"]

_AGREEMENT = (
    "* of the equivalence classes: edges on the diagonal, shared edges above it,\n"
    "  differing pairs (structural Hamming distance) below"
)


def compare(
    data: options.Data,
    methods: Annotated[
        str, typer.Option("--methods", "-m", help="Learners, separated by commas.")
    ] = "arcs,ges,pc",
    truth: options.Truth = None,
    interventions: options.Interventions = None,
    control: options.Control = None,
    intervention_kind: options.InterventionKind = None,
    init: options.Init = None,
    knowledge: options.Knowledge = None,
    adjust: options.Adjust = None,
    conditions: options.Conditions = None,
    condition_policy: options.ConditionPolicy = None,
    transform: options.Transform = None,
    discrete: options.Discrete = None,
    discretize: options.Discretize = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Methods at a time (all cores: -1).")
    ] = None,
    exclude: options.Exclude = [],  # noqa: B006
    delimiter: options.Delimiter = None,
    drop_unmeasured: options.DropUnmeasured = False,
    missing: options.Missing = "error",
    constant: options.Constant = "error",
    transpose: options.Transpose = False,
    target_suffix: options.TargetSuffix = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for each result and a report of all.")
    ] = None,
    quiet: options.Quiet = False,
    json_: options.Json = False,
) -> None:
    """Run several learners on DATA, side by side.

    BIC is larger for better graphs and computed in the same way for all. A method that fails
    does not stop the others; the exit code is then 1.

    \b
    Examples:
      arcs compare cells.csv --methods arcs,ges,pc --out methods
      arcs compare alarm.csv --methods arcs,hc --truth alarm-truth.json
      arcs compare patients.csv --discrete auto --methods arcs --truth truth.bif
    """
    from arcs.comparison import Work, configured, run_methods

    names = list(dict.fromkeys(name.strip() for name in methods.split(",") if name.strip()))
    for name in names:
        refuse_unknown_method(name, "--methods")
    true = None if truth is None else read_structure(truth)[0]
    settings: dict[str, Any] = {"random_state": seed, "time_limit": time_limit, "init": init}
    settings |= {"intervention_kind": intervention_kind, **knowledge_setting(knowledge)}
    kind = regime_kind(intervention_kind)
    place = contextlib.nullcontext() if out is None else output_folder(out)
    with place as folder, notes_about_data(quiet):
        dataset = read_data(
            data,
            interventions,
            command="compare",
            control=control,
            exclude=exclude,
            delimiter=delimiter,
            unmeasured="drop" if drop_unmeasured else "error",
            missing=missing,
            constant=constant,
            transpose=transpose,
            target_suffix=target_suffix,
            adjust=adjust,
            conditions=conditions,
            condition_policy=condition_policy,
            transform=transform,
            discrete=discrete,
            discretize=discretize,
            known_targets=kind.knows_targets,
        )
        listening = partial(live_line, quiet=quiet or (jobs or 1) != 1, time_limit=time_limit)
        chosen = [configured(name, settings) for name in names]
        found = run_methods(chosen, Work(dataset, true, listening), 1 if jobs is None else jobs)
        if folder is not None:
            page = _save(found, folder, f"Methods side by side on {data.name}")
    if json_:
        print_json(_json(found))
    elif not quiet:
        _print(output(), found)
        if folder is not None:
            output().print(f"files in {folder}/ (open {page.name} in a browser)", soft_wrap=True)
    _leave(found)


def _save(found: Comparison, folder: Path, title: str) -> Path:
    """All results, and the report of all, whose path is returned."""
    for method, result in found.results.items():
        result.save(folder / f"{method}.json")
    return found.report(folder / "report.html", title=title)


def _leave(found: Comparison) -> None:
    if found.interrupted:
        message("interrupted: the remaining methods were not run")
        raise typer.Exit(INTERRUPTED)
    if found.failures:
        raise typer.Exit(FAILURE)


def _print(console: Console, found: Comparison) -> None:
    console.print(_score_table(found))
    if any(run.evaluation is not None for run in found.runs):
        console.print()
        console.print(_metrics_table(found))
    if len(found.results) > 1:
        console.print()
        console.print(_agreement_table(found))
        console.print(_AGREEMENT)
    for method, reason in found.failures.items():
        message(f"{method} failed: {reason}")


def _score_table(found: Comparison) -> Any:
    columns = [("method", "left"), ("edges", "right"), ("identified", "right")]
    columns += [("BIC", "right"), ("seconds", "right"), ("stopped", "left")]
    table = new_table(*columns)
    for row in found.table().rows():
        figures = (str(row["edges"]), str(row["identified"]), f"{row['BIC']:,.1f}")
        table.add_row(row["method"], *figures, f"{row['seconds']:.2f}", row["stopped"])
    for method in found.failures:
        table.add_row(method, "-", "-", "-", "-", "failed")
    return table


def _metrics_table(found: Comparison) -> Any:
    names = ("P", "TP", "R", "FP", "M", "SHD", "JI")
    table = new_table(("against the truth", "left"), *((name, "right") for name in names))
    for run in found.runs:
        if run.evaluation is not None:
            values = [getattr(run.evaluation, name) for name in names]
            cells = (f"{v:.2f}" if isinstance(v, float) else str(v) for v in values)
            table.add_row(run.method, *cells)
    return table


def _agreement_table(found: Comparison) -> Any:
    """Shared edges above the diagonal, differing pairs below."""
    results = found.results
    cells = {(method, method): str(result.n_edges) for method, result in results.items()}
    for row in found.agreement().rows():
        cells[row["method"], row["other"]] = str(row["shared"])
        cells[row["other"], row["method"]] = str(row["differing"])
    table = new_table(("agreement *", "left"), *((method, "right") for method in results))
    for one in results:
        table.add_row(one, *(cells[one, other] for other in results))
    return table


def _json(found: Comparison) -> dict[str, Any]:
    pairs = [
        {"methods": [row["method"], row["other"]], "shared": row["shared"], "shd": row["differing"]}
        for row in found.agreement().rows()
    ]
    return {"methods": [_json_run(run) for run in found.runs], "agreement": pairs}


def _json_run(run: MethodRun) -> dict[str, Any]:
    if run.result is None:
        return {"method": run.method, "failure": run.failure}
    return {
        "method": run.method,
        "edges": run.result.n_edges,
        "identified": int(run.result.cpdag.directed.sum()),
        "bic": run.bic,
        "seconds": run.result.timings.get("total"),
        "stopped": run.result.stopped,
        "metrics": None if run.evaluation is None else run.evaluation.to_dict(),
    }
