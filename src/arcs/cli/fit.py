"""``arcs fit``: from a data file to a folder with everything that was learned."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli.console import message, output, print_json
from arcs.cli.failures import INTERRUPTED, CommandError
from arcs.cli.inputs import method_completion, parse_settings, read_data, refuse_unknown_method
from arcs.cli.outputs import prepare_folder, result_summary, write_bundle
from arcs.cli.progress import live_line
from arcs.cli.summary import print_result

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.results import FitResult

__all__ = [
    "DATA",
    "Control",
    "Exclude",
    "Interventions",
    "Jobs",
    "Json",
    "Method",
    "Quiet",
    "Seed",
    "TimeLimit",
    "fit",
    "notes_about_data",
    "run_learner",
]

# Options that several commands share.
DATA = Annotated[
    Path, typer.Argument(metavar="DATA", help="CSV, TSV (also .gz) or Parquet file with a header.")
]
Interventions = Annotated[
    str | None,
    typer.Option(
        "--interventions",
        "-i",
        metavar="COLUMN|FILE",
        help="Column that names the intervened variables of each row (comma-separated, blank or "
        "'control' for none), or a file with one such label per line or a 0/1 table.",
    ),
]
Control = Annotated[
    str | None, typer.Option("--control", metavar="LABEL", help="Label of observational rows.")
]
Exclude = Annotated[
    list[str], typer.Option("--exclude", metavar="COLUMN", help="Leave a column out (repeatable).")
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", metavar="CHAR", help="Field separator, if not guessed.")
]
DropUnmeasured = Annotated[
    bool,
    typer.Option("--drop-unmeasured", help="Ignore intervention targets that are not columns."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="Return the best result after that time."),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="Learner (arcs methods lists them).",
        autocompletion=method_completion,
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random numbers.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Processes to use.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def fit(
    data: DATA,
    interventions: Interventions = None,
    control: Control = None,
    method: Method = "arcs",
    init: Annotated[
        str | None, typer.Option("--init", help="Start: 'random' or the name of a learner.")
    ] = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write to (default: <data>-arcs).")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint in the folder.")
    ] = False,
    setting: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="Any setting of the method (repeatable)."),
    ] = [],  # noqa: B006
    exclude: Exclude = [],  # noqa: B006
    delimiter: Delimiter = None,
    drop_unmeasured: DropUnmeasured = False,
    top: Annotated[int, typer.Option("--top", min=0, help="Edges to print.")] = 5,
    quiet: Quiet = False,
    json_: Json = False,
) -> None:
    """Learn a network from DATA and write it to a folder.

    The folder gets result.json, edges.csv, graph.graphml, graph.dot, graph.svg, trace.csv and
    report.html. Ctrl-C stops early and keeps the best network so far.

    \b
    Examples:
      arcs fit cells.csv
      arcs fit cells.csv -i target --control none --seed 1 --out cells
      arcs fit cells.csv --method ges --set max_parents=5
    """
    refuse_unknown_method(method, "--method")
    folder = prepare_folder(out if out is not None else default_folder(data))
    settings = parse_settings(setting)
    settings |= method_settings(method, init=init, n_jobs=jobs)
    settings |= checkpoint_settings(method, folder, resume)
    with notes_about_data(quiet):
        dataset = read_data(
            data,
            interventions,
            control=control,
            exclude=exclude,
            delimiter=delimiter,
            drop_unmeasured=drop_unmeasured,
        )
        result = run_learner(
            *(method, dataset, {"random_state": seed, "time_limit": time_limit, **settings}),
            quiet=quiet,
        )
        files = write_bundle(result, folder)
    if json_:
        print_json(result_summary(result, files))
    elif not quiet:
        print_fit(result, folder, top)
    if result.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def default_folder(data: Path) -> Path:
    """``cells-arcs`` beside where the user is, for ``somewhere/cells.csv.gz``."""
    return Path(f"{data.name.split('.')[0] or 'data'}-arcs")


def method_settings(method: str, **options: Any) -> dict[str, Any]:
    """The options that were given, refused where the method does not know them."""
    from arcs.learners import LEARNERS

    spelled = {"n_jobs": "--jobs", "init": "--init", "resume": "--resume"}
    known = LEARNERS[method].__dataclass_fields__
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            raise typer.BadParameter(
                f"the method {method!r} has no such option; leave it out", param_hint=spelled[name]
            )
    return given


def checkpoint_settings(method: str, folder: Path, resume: bool) -> dict[str, Any]:
    """Where a method that can go on later keeps its state."""
    from arcs.learners import LEARNERS

    if "checkpoint" not in LEARNERS[method].__dataclass_fields__:
        return method_settings(method, resume=True if resume else None)
    path = folder / "checkpoint.npz"
    if resume and not path.exists():
        raise CommandError(f"{path}: there is no checkpoint to resume from; leave out --resume")
    return {"checkpoint": path, "resume": resume}


def run_learner(
    method: str, dataset: Dataset, settings: dict[str, Any], *, quiet: bool
) -> FitResult:
    """Fit with a live line on a terminal."""
    from arcs.learners import learner

    model = learner(method, **settings)
    limit = settings.get("time_limit")
    with live_line(method, quiet=quiet, time_limit=limit) as listener:
        return model.fit(dataset, listener=listener)


@contextlib.contextmanager
def notes_about_data(quiet: bool = False) -> Iterator[None]:
    """Print warnings about the data as plain notes."""
    from arcs.errors import DataWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        try:
            yield
        finally:
            for note in dict.fromkeys(str(warning.message) for warning in caught):
                if not quiet:
                    message(f"note: {note}")


def print_fit(result: FitResult, folder: Path, top: int) -> None:
    """The summary that ends a fit."""
    console = output()
    print_result(console, result, top=top)
    console.print(f"files in {folder}/ (open report.html in a browser)", soft_wrap=True)
    if result.stopped == "interrupted":
        message("interrupted: the best network so far is saved")
