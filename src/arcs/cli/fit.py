"""``arcs fit``: from a data file to a folder with everything that was learned."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arcs.cli import options
from arcs.cli.bundle import Bundle, output_folder, write_bundle
from arcs.cli.confidence import (
    BOOTSTRAP,
    Resamples,
    read_clusters,
    resumes_bootstrap_only,
    with_confidence,
)
from arcs.cli.console import message, messages, output, print_json
from arcs.cli.failures import INTERRUPTED, CommandError
from arcs.cli.inputs import parse_settings, read_data, refuse_unknown_method
from arcs.cli.outputs import result_summary
from arcs.cli.progress import live_line
from arcs.cli.summary import print_result

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.regimes.kinds import RegimeKind
    from arcs.results import FitResult

#: State of a search that has not finished; ``--resume`` goes on from it.
CHECKPOINT = "checkpoint.npz"

__all__ = ["fit", "notes_about_data", "run_learner"]


def fit(
    data: options.Data,
    interventions: options.Interventions = None,
    control: options.Control = None,
    intervention_kind: options.InterventionKind = None,
    adjust: options.Adjust = None,
    conditions: options.Conditions = None,
    condition_policy: options.ConditionPolicy = None,
    transform: options.Transform = None,
    discrete: options.Discrete = None,
    discretize: options.Discretize = None,
    latent: options.Latent = None,
    method: options.Method = "arcs",
    init: options.Init = None,
    knowledge: options.Knowledge = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    effort: options.Effort = None,
    chains: options.Chains = None,
    bootstrap: options.Bootstrap = "auto",
    cluster: options.Cluster = None,
    jobs: options.Jobs = None,
    out: options.Out = None,
    resume: options.Resume = False,
    setting: options.Settings = [],  # noqa: B006
    exclude: options.Exclude = [],  # noqa: B006
    delimiter: options.Delimiter = None,
    drop_unmeasured: options.DropUnmeasured = False,
    missing: options.Missing = "error",
    constant: options.Constant = "error",
    transpose: options.Transpose = False,
    target_suffix: options.TargetSuffix = "",
    top: options.Top = 5,
    quiet: options.Quiet = False,
    json_: options.Json = False,
) -> None:
    """Learn a network from DATA and write it to a folder.

    The folder gets result.json, edges.csv, graph.graphml, graph.dot, graph.svg, trace.csv and
    report.html, and targets.csv where mechanisms may differ between regimes. Ctrl-C (or SIGTERM)
    stops early and keeps the best network so far.

    \b
    Examples:
      arcs fit cells.csv
      arcs fit cells.csv -i target --control none --seed 1 --out cells
      arcs fit cells.csv -i condition --intervention-kind unknown
      arcs fit genes.csv --adjust batch,age,sex --missing em
      arcs fit expression.tsv --transpose --exclude id,date --constant isolate
      arcs fit cells.csv --method ges --set max_parents=5
      arcs fit cells.csv --knowledge known.toml --bootstrap 100 --jobs -1
      arcs fit patients.csv --discrete auto
      arcs fit plates.csv --cluster plate --bootstrap 50
    """
    resamples = Resamples.parse(bootstrap, time_limit)
    settings, kind = _asked_settings(
        method,
        setting,
        knowledge,
        init=starting_point(init),
        effort=effort,
        n_chains=chains,
        n_jobs=None if resamples.asked else jobs,
        intervention_kind=intervention_kind,
        latent=int(latent) if latent is not None and latent.isdigit() else latent,
    )
    with output_folder(out or default_folder(data)) as folder, notes_about_data(quiet):
        anew = resamples.possible and resumes_bootstrap_only(folder, CHECKPOINT)
        settings |= checkpoint_settings(method, folder, resume and not anew, kind)
        reading: dict[str, Any] = {
            "interventions": interventions,
            "control": control,
            "exclude": [*exclude, *([] if cluster is None else [cluster])],
            "delimiter": delimiter,
            "unmeasured": "drop" if drop_unmeasured else "error",
            "missing": missing,
            "constant": constant,
            "transpose": transpose,
            "target_suffix": target_suffix,
            "known_targets": kind.knows_targets,
            "adjust": adjust,
            "conditions": conditions,
            "condition_policy": condition_policy,
            "transform": transform,
            "discrete": discrete,
            "discretize": discretize,
        }
        dataset = read_data(data, **reading)
        settings = {"random_state": seed, "time_limit": time_limit, **settings}
        with telling_what_is_lost(folder):
            result = run_learner(method, dataset, settings, quiet=quiet).with_(reading=reading)
        number = resamples.number(result, dataset, quiet=quiet)
        with writing(quiet):
            bundle = write_bundle(result, folder, only_result=number > 0)  # pictures in the end
        if number and bundle.folder == folder:
            again: dict[str, Any] = {"jobs": jobs, "resume": resume, "quiet": quiet}
            again["clusters"] = read_clusters(data, cluster, delimiter, dataset.n)
            result, bundle = _resampled(result, dataset, settings, number, folder, again)
    _end(result, bundle, folder, top=None if quiet else top, as_json=json_)


def _resampled(
    result: FitResult,
    dataset: Dataset,
    settings: dict[str, Any],
    number: int,
    folder: Path,
    again: dict[str, Any],
) -> tuple[FitResult, Bundle]:
    """The result with confidences, and its files."""
    decided = dataset.decided(result.preparation)
    try:
        result = with_confidence(result, decided, settings, number, folder, **again)
    finally:  # who interrupts the resamples gets all files of the network
        with writing(again["quiet"]):
            bundle = write_bundle(result, folder)
    return result, bundle


def _end(
    result: FitResult, bundle: Bundle, folder: Path, *, top: int | None, as_json: bool
) -> None:
    """Say what was found (unless `top` is None), and end with what went wrong."""
    if result.stopped == "finished" and bundle.folder == folder:
        for name in (CHECKPOINT, BOOTSTRAP):
            (folder / name).unlink(missing_ok=True)
    if as_json:
        print_json(result_summary(result, bundle.files))
    elif top is not None:
        print_fit(result, bundle.folder, top)
    bundle.refuse_failures()
    if result.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _asked_settings(
    method: str, words: list[str], knowledge: Path | None, **own: Any
) -> tuple[dict[str, Any], RegimeKind]:
    """Settings of the learner from ``--set`` and from options, and what interventions do."""
    refuse_unknown_method(method, "--method")
    settings = parse_settings(words) | method_settings(method, **own)
    kind = regimes_of(method, settings)
    return settings | knowledge_setting(knowledge), kind


def regimes_of(method: str, settings: Mapping[str, Any]) -> RegimeKind:
    """What interventions do; what nobody knows is refused before labels are read otherwise."""
    from arcs.learners import LEARNERS
    from arcs.settings import refuse_unknown

    refuse_unknown(LEARNERS[method], list(settings), f"the method {method!r}")
    return regime_kind(settings.get("intervention_kind"))


def regime_kind(word: Any) -> RegimeKind:
    """The kind of that name, the first one by default."""
    from arcs.regimes.kinds import KINDS

    if word is None:
        return next(iter(KINDS.values()))
    if not isinstance(word, str) or word not in KINDS:
        raise typer.BadParameter(
            f"{word!r} is none of {', '.join(KINDS)}", param_hint="--intervention-kind"
        )
    return KINDS[word]


def starting_point(init: str | None) -> Any:
    """What ``--init`` stands for: the order of a saved result, or a word."""
    if init is None or not Path(init).exists():
        return init
    from arcs.cli.inputs import read_result

    return read_result(Path(init)).order


def knowledge_setting(path: Path | None) -> dict[str, Any]:
    """The setting that a file of background knowledge stands for."""
    if path is None:
        return {}
    from arcs.knowledge import read_knowledge

    return {"knowledge": read_knowledge(path)}


def default_folder(data: Path) -> Path:
    """``cells-arcs`` beside where the user is, for ``somewhere/cells.csv.gz``.

    Also for a pattern, ``somewhere/cells/*.parquet``.
    """
    patterned = any(sign in data.name for sign in "*?[")
    name = data.parent.name if patterned and not data.exists() else data.name
    return Path(f"{name.split('.')[0] or 'data'}-arcs")


def method_settings(method: str, **options: Any) -> dict[str, Any]:
    """The options that were given, refused where the method does not know them."""
    from arcs.learners import LEARNERS

    spelled = {"n_jobs": "--jobs", "n_chains": "--chains", "init": "--init", "resume": "--resume"}
    spelled |= {
        "intervention_kind": "--intervention-kind",
        "latent": "--latent",
        "effort": "--effort",
    }
    known = LEARNERS[method].__dataclass_fields__
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            raise typer.BadParameter(
                f"the method {method!r} has no such option; leave it out", param_hint=spelled[name]
            )
    return given


def checkpoint_settings(
    method: str, folder: Path, resume: bool, kind: RegimeKind
) -> dict[str, Any]:
    """Where a method that can go on later keeps its state."""
    from arcs.learners import LEARNERS

    if kind.alternates:
        if resume:
            raise typer.BadParameter(
                f"fits with --intervention-kind {kind.word} cannot be resumed",
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
def telling_what_is_lost(folder: Path) -> Iterator[None]:
    """Who interrupts twice is told what that costs."""
    try:
        yield
    except KeyboardInterrupt:
        kept = folder / CHECKPOINT
        message(
            f"stopped at once: the search is kept in {kept} as of some seconds ago; --resume goes "
            "on from there"
            if kept.exists()
            else "stopped at once: nothing of this run is kept (Ctrl-C once keeps the best so far)"
        )
        raise typer.Exit(INTERRUPTED) from None


@contextlib.contextmanager
def writing(quiet: bool) -> Iterator[None]:
    """Tell on a terminal that files are being written, which takes seconds for large graphs."""
    console = messages()
    if quiet or not console.is_terminal:
        yield
        return
    with console.status("writing files"):
        yield


@contextlib.contextmanager
def notes_about_data(quiet: bool = False) -> Iterator[None]:
    """Print warnings about the data and about files as plain notes."""
    from arcs.errors import DataWarning, FileWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        warnings.simplefilter("always", FileWarning)
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
