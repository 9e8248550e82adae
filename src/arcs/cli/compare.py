"""``arcs compare``: several learners on the same data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.console import message, new_table, output, print_json
from arcs.cli.failures import FAILURE, INTERRUPTED
from arcs.cli.fit import notes_about_data, run_learner
from arcs.cli.inputs import read_data, read_structure, refuse_unknown_method

if TYPE_CHECKING:
    from rich.console import Console

    from arcs.data import Dataset
    from arcs.graphs import GaussianDag, Pdag
    from arcs.metrics import Comparison
    from arcs.results import FitResult

__all__ = ["agreement", "compare"]

_AGREEMENT = (
    "* of the equivalence classes: edges on the diagonal, shared edges above it,\n"
    "  differing pairs (structural Hamming distance) below"
)


@dataclass(frozen=True, eq=False)
class Run:
    """One method's result, or why there is none."""

    method: str
    result: FitResult | None = None
    bic: float = float("nan")
    metrics: Comparison | None = None
    failure: str = ""


def compare(
    data: options.Data,
    methods: Annotated[
        str, typer.Option("--methods", "-m", help="Learners, separated by commas.")
    ] = "arcs,ges,pc",
    truth: options.Truth = None,
    interventions: options.Interventions = None,
    control: options.Control = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    exclude: options.Exclude = [],  # noqa: B006
    missing: options.Missing = "error",
    drop_constant: options.DropConstant = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also save each result in this folder.")
    ] = None,
    quiet: options.Quiet = False,
    json_: options.Json = False,
) -> None:
    """Run several learners on DATA, side by side.

    BIC is larger for better graphs and computed in the same way for all. A method that fails
    does not stop the others; the exit code is then 1.

    \b
    Examples:
      arcs compare cells.csv --methods arcs,ges,pc
      arcs compare alarm.csv --methods arcs,hc --truth alarm-truth.json
    """
    names = list(dict.fromkeys(name.strip() for name in methods.split(",") if name.strip()))
    for name in names:
        refuse_unknown_method(name, "--methods")
    true = None if truth is None else read_structure(truth)[0]
    folder = None
    if out is not None:
        from arcs.cli.outputs import prepare_folder

        folder = prepare_folder(out)
    settings = {"random_state": seed, "time_limit": time_limit, "n_jobs": jobs}
    with notes_about_data(quiet):
        dataset = read_data(
            data,
            interventions,
            control=control,
            exclude=exclude,
            missing=missing,
            drop_constant=drop_constant,
        )
        runs = _run_all(names, dataset, settings, true, quiet)
    if folder is not None:
        for run in runs:
            if run.result is not None:
                run.result.save(folder / f"{run.method}.json")
    if json_:
        print_json(_json(runs))
    elif not quiet:
        _print(output(), runs)
    _leave(runs)


def _leave(runs: list[Run]) -> None:
    if any(run.result is not None and run.result.stopped == "interrupted" for run in runs):
        message("interrupted: the remaining methods were not run")
        raise typer.Exit(INTERRUPTED)
    if any(run.failure for run in runs):
        raise typer.Exit(FAILURE)


def _run_all(
    names: list[str],
    dataset: Dataset,
    settings: dict[str, Any],
    truth: GaussianDag | Pdag | None,
    quiet: bool,
) -> list[Run]:
    runs = []
    for name in names:
        run = _run_one(name, dataset, settings, truth, quiet)
        runs.append(run)
        if run.result is not None and run.result.stopped == "interrupted":
            break
    return runs


def _run_one(
    name: str,
    dataset: Dataset,
    settings: dict[str, Any],
    truth: GaussianDag | Pdag | None,
    quiet: bool,
) -> Run:
    from arcs.errors import ArcsError
    from arcs.learners import LEARNERS
    from arcs.metrics import compare as compare_graphs
    from arcs.results import FitResult

    known = LEARNERS[name].__dataclass_fields__
    mine = {key: value for key, value in settings.items() if value is not None and key in known}
    try:
        result = run_learner(name, dataset, mine, quiet=quiet)
        # A method that ignores interventions has computed its BIC on other rows.
        refitted = FitResult.from_structure(name, result.dag.adjacency, dataset.statistics())
        experimental = dataset.interventions is not None
        metrics = None if truth is None else compare_graphs(result.dag, truth, experimental)
    except ArcsError as error:
        return Run(name, failure=str(error))
    return Run(name, result, refitted.bic, metrics)


def agreement(first: FitResult, second: FitResult) -> tuple[int, int]:
    """Shared edges (same pair, same mark) and differing pairs of two equivalence classes."""
    import numpy as np

    one, two = first.cpdag, second.cpdag
    shared = (one.directed & two.directed).sum()
    shared += np.triu(one.undirected & two.undirected).sum()
    differ = (one.directed != two.directed) | (one.undirected != two.undirected)
    return int(shared), int(np.triu(differ | differ.T).sum())


def _print(console: Console, runs: list[Run]) -> None:
    done = [run for run in runs if run.result is not None]
    console.print(_score_table(runs))
    if any(run.metrics is not None for run in done):
        console.print()
        console.print(_metrics_table(done))
    if len(done) > 1:
        console.print()
        console.print(_agreement_table(done))
        console.print(_AGREEMENT)
    for run in runs:
        if run.failure:
            message(f"{run.method} failed: {run.failure}")


def _score_table(runs: list[Run]) -> Any:
    columns = [("method", "left"), ("edges", "right"), ("identified", "right")]
    columns += [("BIC", "right"), ("seconds", "right"), ("stopped", "left")]
    table = new_table(*columns)
    for run in runs:
        if run.result is None:
            table.add_row(run.method, "-", "-", "-", "-", "failed")
            continue
        told = int(run.result.cpdag.directed.sum())
        seconds = run.result.timings.get("total", float("nan"))
        figures = (str(run.result.n_edges), str(told), f"{run.bic:,.1f}", f"{seconds:.2f}")
        table.add_row(run.method, *figures, run.result.stopped)
    return table


def _metrics_table(runs: list[Run]) -> Any:
    names = ("P", "TP", "R", "FP", "M", "SHD", "JI")
    table = new_table(("against the truth", "left"), *((name, "right") for name in names))
    for run in runs:
        if run.metrics is None:
            continue
        values = [getattr(run.metrics, name) for name in names]
        table.add_row(run.method, *(f"{v:.2f}" if isinstance(v, float) else str(v) for v in values))
    return table


def _agreement_table(runs: list[Run]) -> Any:
    """Shared edges above the diagonal, differing pairs below."""
    table = new_table(("agreement *", "left"), *((run.method, "right") for run in runs))
    for i, row in enumerate(runs):
        cells = []
        for j, column in enumerate(runs):
            if row.result is None or column.result is None:
                continue
            shared, differ = agreement(row.result, column.result)
            cells.append(str(row.result.n_edges) if i == j else str(shared if j > i else differ))
        table.add_row(row.method, *cells)
    return table


def _json(runs: list[Run]) -> dict[str, Any]:
    done = [run for run in runs if run.result is not None]
    pairs = [
        {"methods": [a.method, b.method], "shared": found[0], "shd": found[1]}
        for i, a in enumerate(done)
        for b in done[i + 1 :]
        if a.result is not None and b.result is not None
        for found in [agreement(a.result, b.result)]
    ]
    return {"methods": [_json_run(run) for run in runs], "agreement": pairs}


def _json_run(run: Run) -> dict[str, Any]:
    if run.result is None:
        return {"method": run.method, "failure": run.failure}
    return {
        "method": run.method,
        "edges": run.result.n_edges,
        "identified": int(run.result.cpdag.directed.sum()),
        "bic": run.bic,
        "seconds": run.result.timings.get("total"),
        "stopped": run.result.stopped,
        "metrics": None if run.metrics is None else run.metrics.to_dict(),
    }
