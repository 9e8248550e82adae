"""``arcs fit``: from a data file to a folder with everything that was learned."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arcs.cli import options
from arcs.cli.confidence import BOOTSTRAP, resumes_bootstrap_only, with_confidence
from arcs.cli.console import message, output, print_json
from arcs.cli.failures import INTERRUPTED, CommandError
from arcs.cli.inputs import parse_settings, read_data, refuse_unknown_method
from arcs.cli.outputs import prepare_folder, result_summary, write_bundle
from arcs.cli.progress import live_line
from arcs.cli.summary import print_result

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.results import FitResult

#: State of a search that has not finished; ``--resume`` goes on from it.
CHECKPOINT = "checkpoint.npz"

__all__ = ["fit", "notes_about_data", "run_learner"]


def fit(
    data: options.Data,
    interventions: options.Interventions = None,
    control: options.Control = None,
    intervention_kind: options.InterventionKind = None,
    method: options.Method = "arcs",
    init: options.Init = None,
    knowledge: options.Knowledge = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    chains: options.Chains = None,
    bootstrap: options.Bootstrap = 0,
    jobs: options.Jobs = None,
    out: options.Out = None,
    resume: options.Resume = False,
    setting: options.Settings = [],  # noqa: B006
    exclude: options.Exclude = [],  # noqa: B006
    delimiter: options.Delimiter = None,
    drop_unmeasured: options.DropUnmeasured = False,
    missing: options.Missing = "error",
    drop_constant: options.DropConstant = False,
    top: options.Top = 5,
    quiet: options.Quiet = False,
    json_: options.Json = False,
) -> None:
    """Learn a network from DATA and write it to a folder.

    The folder gets result.json, edges.csv, graph.graphml, graph.dot, graph.svg, trace.csv and
    report.html, and targets.csv where mechanisms may differ between regimes. Ctrl-C stops early
    and keeps the best network so far.

    \b
    Examples:
      arcs fit cells.csv
      arcs fit cells.csv -i target --control none --seed 1 --out cells
      arcs fit cells.csv -i condition --intervention-kind unknown
      arcs fit cells.csv --method ges --set max_parents=5
      arcs fit cells.csv --knowledge known.toml --bootstrap 100 --jobs -1
    """
    refuse_unknown_method(method, "--method")
    folder = prepare_folder(out if out is not None else default_folder(data))
    settings = parse_settings(setting)
    own_jobs = None if bootstrap else jobs
    settings |= method_settings(
        method,
        init=init,
        n_chains=chains,
        n_jobs=own_jobs,
        intervention_kind=intervention_kind,
    )
    kind = checked_kind(settings.get("intervention_kind", "hard"))
    settings |= knowledge_setting(knowledge)
    anew = bool(bootstrap) and resumes_bootstrap_only(folder, CHECKPOINT)
    settings |= checkpoint_settings(method, folder, resume and not anew, kind)
    with notes_about_data(quiet):
        dataset = read_data(
            data,
            interventions,
            control=control,
            exclude=exclude,
            delimiter=delimiter,
            drop_unmeasured=drop_unmeasured,
            missing=missing,
            drop_constant=drop_constant,
            known_targets=kind != "unknown",
        )
        settings = {"random_state": seed, "time_limit": time_limit, **settings}
        result = run_learner(method, dataset, settings, quiet=quiet)
        files = write_bundle(result, folder)
        if bootstrap and result.stopped != "interrupted":
            again: dict[str, Any] = {"jobs": jobs, "resume": resume, "quiet": quiet}
            result = with_confidence(result, dataset, settings, bootstrap, folder, **again)
            files = write_bundle(result, folder)
    if result.stopped == "finished":
        for name in (CHECKPOINT, BOOTSTRAP):
            (folder / name).unlink(missing_ok=True)
    if json_:
        print_json(result_summary(result, files))
    elif not quiet:
        print_fit(result, folder, top)
    if result.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def checked_kind(kind: str) -> str:
    """A kind of intervention, refused before labels are read in a way that nobody asked for."""
    from arcs.regimes.setup import INTERVENTION_KINDS

    if kind not in INTERVENTION_KINDS:
        raise typer.BadParameter(
            f"{kind!r} is none of {', '.join(INTERVENTION_KINDS)}", param_hint="--intervention-kind"
        )
    return kind


def knowledge_setting(path: Path | None) -> dict[str, Any]:
    """The setting that a file of background knowledge stands for."""
    if path is None:
        return {}
    from arcs.knowledge import read_knowledge

    return {"knowledge": read_knowledge(path)}


def default_folder(data: Path) -> Path:
    """``cells-arcs`` beside where the user is, for ``somewhere/cells.csv.gz``."""
    return Path(f"{data.name.split('.')[0] or 'data'}-arcs")


def method_settings(method: str, **options: Any) -> dict[str, Any]:
    """The options that were given, refused where the method does not know them."""
    from arcs.learners import LEARNERS

    spelled = {"n_jobs": "--jobs", "n_chains": "--chains", "init": "--init", "resume": "--resume"}
    spelled["intervention_kind"] = "--intervention-kind"
    known = LEARNERS[method].__dataclass_fields__
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            raise typer.BadParameter(
                f"the method {method!r} has no such option; leave it out", param_hint=spelled[name]
            )
    return given


def checkpoint_settings(
    method: str, folder: Path, resume: bool, intervention_kind: str = "hard"
) -> dict[str, Any]:
    """Where a method that can go on later keeps its state."""
    from arcs.learners import LEARNERS

    if intervention_kind != "hard":
        if resume:
            raise typer.BadParameter(
                f"fits with --intervention-kind {intervention_kind} cannot be resumed",
                param_hint="--resume",
            )
        return {}
    if "checkpoint" not in LEARNERS[method].__dataclass_fields__:
        return method_settings(method, resume=True if resume else None)
    path = folder / CHECKPOINT
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
    if result.stopped != "finished":
        more = "; --resume goes on from here" if (folder / CHECKPOINT).exists() else ""
        message(f"{result.stopped}: the best network so far is saved{more}")
