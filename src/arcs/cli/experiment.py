"""``arcs experiment``: the paper's tables and figures."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli.console import message, new_table, output
from arcs.cli.failures import FAILURE, INTERRUPTED, CommandError

if TYPE_CHECKING:
    from arcs.experiments import Row, Study
    from arcs.experiments.runner import Outcome
    from arcs.experiments.tasks import Task

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

#: Data sets per setting with --quick.
_QUICK = 3

NAME = Annotated[str, typer.Argument(help="table1 ... table5 or a figure; see the list.")]
STORE = Annotated[Path, typer.Option("--store", help="The CSV file of rows.")]
_ROWS = Path("results/rows.csv")


@app.callback()
def experiment() -> None:
    """Run the paper's experiments and show them beside the paper's figures.

    \b
    Example:
      arcs experiment run table5 --quick
      arcs experiment table table5
    """


@app.command("list")
def list_(
    cases: Annotated[bool, typer.Option("--cases", help="List the kinds of data sets.")] = False,
    methods: Annotated[bool, typer.Option("--methods", help="List the methods.")] = False,
) -> None:
    """List the experiments, the kinds of data sets or the methods."""
    from arcs.experiments import CASES, METHODS, STUDIES

    if cases:
        table = new_table(("setting", "left"), ("p", "right"), ("s0", "right"), ("n", "right"))
        for key, case in CASES.items():
            table.add_row(key, *(str(getattr(case.setting, name)) for name in ("p", "s0", "n")))
    elif methods:
        table = new_table(("method", "left"), ("learner", "left"), ("start", "left"))
        for label, how in METHODS.items():
            if how.grid_point is None:
                table.add_row(label, how.learner, how.start or "")
    else:
        table = new_table(("experiment", "left"), ("settings", "right"), ("what it shows", "left"))
        for name, study in STUDIES.items():
            table.add_row(name, str(len(study.cases)), study.title)
    output().print(table)


@app.command("run")
def run(
    name: NAME,
    quick: Annotated[bool, typer.Option("--quick", help=f"{_QUICK} data sets.")] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Data sets per setting (20).")
    ] = None,
    first_seed: Annotated[
        int, typer.Option("--first-seed", min=0, help="Seed of the first data set.")
    ] = 1000,
    methods: Annotated[
        str | None, typer.Option("--methods", help="Only these, separated by commas.")
    ] = None,
    settings: Annotated[
        str | None, typer.Option("--settings", help="Only these networks or settings.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes.")] = 1,
    dask: Annotated[
        str | None, typer.Option("--dask", metavar="ADDRESS", help="Use this Dask scheduler.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.001, help="Seconds per fit.")
    ] = 600.0,
    retry: Annotated[bool, typer.Option("--retry", help="Failed runs once more.")] = False,
    again: Annotated[bool, typer.Option("--again", help="All runs once more.")] = False,
    store: STORE = _ROWS,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Produce the rows of an experiment; what is in the store already is not run again.

    Interrupt it whenever you like: the same command goes on from there. Slow methods (GA, BOSS)
    get fewer data sets unless they are named with --methods.

    \b
    Examples:
      arcs experiment run table1 --quick --jobs 2
      arcs experiment run table3 --methods PC,MMHC --seeds 5
      arcs experiment run table2 --dask tcp://cluster:8786
    """
    from arcs.experiments import RowStore, study
    from arcs.experiments.runner import missing_tasks, run_tasks
    from arcs.experiments.studies import DATA_SETS

    found = study(name)
    count = seeds or (_QUICK if quick else DATA_SETS)
    tasks = _tasks(found, methods, settings, range(first_seed, first_seed + count), time_limit)
    rows = RowStore(store)
    left = tasks if again else missing_tasks(tasks, rows, retry=retry)
    if not quiet:
        message(f"{name}: {len(tasks)} runs, {len(tasks) - len(left)} done before")
    try:
        done = run_tasks(left, rows, jobs=jobs, dask=dask, listener=None if quiet else _tell)
    except KeyboardInterrupt:
        message(f"interrupted: the rows so far are in {store}; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    for label in done.unavailable:
        message(f"{label} was left out: it needs a package that is not installed (arcs-bn[peers])")
    _tell_losses(done)


def _tell_losses(done: Outcome) -> None:
    """Name the runs that came to nothing because a process died, and fail."""
    if done.died:
        message(
            f"the process was killed or crashed in {_listed(done.died)}; all other rows are "
            "written, --retry runs what failed again"
        )
    if done.lost:
        message(
            f"the cluster gave up {_listed(done.lost)}; all other rows are written, the same "
            "command runs what is missing"
        )
    if done.died or done.lost:
        raise typer.Exit(FAILURE)


def _listed(names: tuple[str, ...], most: int = 5) -> str:
    more = f"; and {len(names) - most} more" if len(names) > most else ""
    runs = "1 run" if len(names) == 1 else f"{len(names)} runs"
    return f"{runs} ({'; '.join(names[:most])}{more})"


def _tasks(
    found: Study, methods: str | None, settings: str | None, seeds: range, time_limit: float
) -> list[Task]:
    from arcs.experiments import methods_named
    from arcs.experiments.cases import cases_named
    from arcs.experiments.tasks import plan

    named = _words(methods)
    chosen = methods_named(named or found.methods)
    cases = cases_named(_words(settings), found.cases)
    return plan(cases, chosen, seeds, time_limit, spare_slow=not named)


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _tell(row: Row, number: int, total: int) -> None:
    figures = row.status if row.SHD is None else f"SHD {row.SHD}"
    if row.SHD is not None and not row.ok:
        figures += f" ({row.status})"
    time = "" if row.seconds is None else f" in {row.seconds:.2f} s"
    message(f"[{number}/{total}] {row.case} {row.seed} {row.method}: {figures}{time}")


def _some_rows(store: Path, name: str) -> list[Row]:
    from arcs.experiments import RowStore

    rows = RowStore(store).rows()
    if not rows:
        raise CommandError(f"{store}: no rows yet; start with `arcs experiment run {name}`")
    return rows


@app.command("table")
def table(
    name: NAME,
    form: Annotated[str, typer.Option("--format", "-f", help="text, markdown or csv.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file.")] = None,
    store: STORE = _ROWS,
) -> None:
    """Show an experiment's table, with the paper's figures beside ours."""
    from arcs.experiments import as_csv, as_markdown, as_text, make_table, study
    from arcs.files import write_atomically

    forms: dict[str, Any] = {"text": as_text, "markdown": as_markdown, "csv": as_csv}
    if form not in forms:
        raise typer.BadParameter(f"must be one of {', '.join(forms)}, got {form!r}")
    found = study(name)
    text = forms[form](make_table(found, _some_rows(store, name))).rstrip("\n") + "\n"
    if out is None:
        print(text, end="")
        return
    with write_atomically(out) as stream:
        stream.write(text)


@app.command("figure")
def figure(
    name: NAME,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="PNG, PDF or SVG file (NAME.png).")
    ] = None,
    store: STORE = _ROWS,
) -> None:
    """Draw an experiment's figure."""
    from arcs.experiments.figures import draw
    from arcs.files import write_atomically

    target = out or Path(f"{name}.png")
    kind = target.suffix.lstrip(".").lower()
    if kind not in ("png", "pdf", "svg"):
        raise typer.BadParameter(f"{target}: the name must end in .png, .pdf or .svg")
    drawn = draw(name, _some_rows(store, name))
    with write_atomically(target, "wb") as stream:
        drawn.savefig(stream, format=kind, dpi=150)
    message(f"wrote {target}")


@app.command("report")
def report(
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("docs/results.md"),
    machine: Annotated[
        str | None, typer.Option("--machine", help="What the times were measured on.")
    ] = None,
    store: STORE = _ROWS,
) -> None:
    """Write the page of results: all tables and figures that have rows."""
    from arcs.experiments.report import write_report

    here = machine if machine is not None else f"{os.cpu_count()} cores, {platform.machine()}"
    rows = _some_rows(store, "table1")
    message(f"wrote {write_report(rows, out, machine=here, store=store.as_posix())}")


@app.command("export")
def export(
    out: Annotated[Path, typer.Argument(help="Parquet file.")],
    store: STORE = _ROWS,
) -> None:
    """Copy all rows to a Parquet file."""
    from arcs.experiments import write_parquet

    rows = _some_rows(store, "table1")
    write_parquet(rows, out)
    message(f"wrote {len(rows)} rows to {out}")
