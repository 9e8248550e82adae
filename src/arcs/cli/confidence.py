"""The part of ``arcs fit`` that tells how far the edges can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arcs.cli.console import message
from arcs.cli.failures import INTERRUPTED, CommandError
from arcs.cli.progress import live_line

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.results import FitResult

__all__ = [
    "BOOTSTRAP",
    "Resamples",
    "processes",
    "read_clusters",
    "resumes_bootstrap_only",
    "with_confidence",
]

#: Resamples that are done already; ``--resume`` goes on from there.
BOOTSTRAP = "bootstrap.npz"


#: Without being asked, so many resamples are drawn of tables up to this size, where a fit takes a
#: moment. No clock has a say: the same data must give the same files on every machine.
AUTOMATIC = 25
MOST_VARIABLES, MOST_VALUES = 60, 1_000_000
#: Of hidden factors, and where mechanisms are estimated for each regime, a fit takes longer.
MOST_WITH_MECHANISMS = 20
#: Thickets take long, and resamples of them tell nothing.
MOST_EDGES_PER_VARIABLE = 3
#: Methods of which a fit takes longer than a moment, whatever the size; those of other packages do.
SLOW = ("ga", "peer-")
#: Work of so many seconds is shared between processes unless --jobs says otherwise.
WORTH_PROCESSES = 20.0


@dataclass(frozen=True)
class Resamples:
    """How many resamples were asked for; None if that is for the size of the data to decide."""

    wanted: int | None
    limited: bool

    @classmethod
    def parse(cls, word: str, time_limit: float | None) -> Resamples:
        """A number, or "auto"."""
        if word == "auto":
            return cls(None, time_limit is not None)
        if not word.isascii() or not word.isdigit():
            raise typer.BadParameter(
                f"{word!r} is neither a number of resamples nor 'auto'", param_hint="--bootstrap"
            )
        return cls(int(word), time_limit is not None)

    @property
    def asked(self) -> bool:
        """Whether a number was given, and it is not zero."""
        return bool(self.wanted)

    @property
    def possible(self) -> bool:
        """Whether there may be a bootstrap at all."""
        return self.wanted is None or self.wanted > 0

    def number(self, result: FitResult, dataset: Dataset, *, quiet: bool) -> int:
        """How many to draw, now that the fit is done; what nobody asked for is said."""
        if self.wanted is not None:
            return 0 if result.stopped == "interrupted" else self.wanted
        if self.limited or result.stopped != "finished" or dataset.values is None:
            return 0
        if not (result.n_edges and _takes_a_moment(result, dataset)):
            return 0
        if not quiet:
            message(
                f"note: {AUTOMATIC} resamples for the confidence in edges, as for every table of "
                f"at most {_most_variables(result)} variables (--bootstrap 0 leaves this out)"
            )
        return AUTOMATIC


def _takes_a_moment(result: FitResult, dataset: Dataset) -> bool:
    """Whether table and graph are so small that resamples cost little, by counts alone."""
    p = dataset.p
    small = p <= _most_variables(result) and dataset.n * p <= MOST_VALUES
    sparse = result.n_edges <= MOST_EDGES_PER_VARIABLE * p
    return small and sparse and not result.method.startswith(SLOW)


def _most_variables(result: FitResult) -> int:
    settings = result.settings
    longer = settings.get("latent") or settings.get("intervention_kind", "hard") != "hard"
    return MOST_WITH_MECHANISMS if longer else MOST_VARIABLES


def read_clusters(
    path: Path, column: str | None, delimiter: str | None, n: int
) -> list[str] | None:
    """The cluster of each row, from a column of the data, if there is one."""
    from arcs.data.readers import column_position, open_table

    if column is None:
        return None
    table = open_table(path, delimiter)
    at = column_position(table.names, column, path)
    labels = [label for _, texts in table.chunks([], [at]) for label in texts[0]]
    if len(labels) != n:
        raise CommandError(
            f"--cluster: of the {len(labels)} rows of the file {n} are used; with rows that are "
            "dropped it is not known which cluster the others belong to. Leave them out of the file"
        )
    return labels


def processes(result: FitResult, n_resamples: int) -> int:
    """All cores where that saves time: to start processes takes some seconds."""
    seconds = n_resamples * _working_seconds(result) / 2
    return -1 if seconds > WORTH_PROCESSES else 1


def _working_seconds(result: FitResult) -> float:
    """What the fit would have taken had everything been loaded and compiled."""
    timings = result.timings
    if "total" not in timings:
        return 0.0
    return float(timings["total"] - timings.get("load", 0.0) - timings.get("compile", 0.0))


def resumes_bootstrap_only(folder: Path, search: str) -> bool:
    """Whether only the bootstrap was interrupted: the search is simply done again."""
    return (folder / BOOTSTRAP).exists() and not (folder / search).exists()


def with_confidence(
    result: FitResult,
    dataset: Dataset,
    settings: dict[str, Any],
    n_resamples: int,
    folder: Path,
    *,
    jobs: int | None = None,
    resume: bool = False,
    quiet: bool = False,
    clusters: list[str] | None = None,
) -> FitResult:
    """The result with bootstrap confidences beside its edges."""
    from arcs.confidence import bootstrap
    from arcs.learners import learner

    try:
        with live_line("bootstrap", quiet=quiet, time_limit=None) as listener:
            found = bootstrap(
                dataset,
                learner(result.method, **settings),
                n_resamples,
                random_state=result.seed,
                clusters=clusters,
                n_jobs=jobs or processes(result, n_resamples),
                checkpoint=folder / BOOTSTRAP,
                resume=resume,
                listener=listener,
            )
    except KeyboardInterrupt:
        message(
            f"interrupted: the network is in {folder}/, the resamples so far in "
            f"{folder / BOOTSTRAP}; --resume goes on from here"
        )
        raise typer.Exit(INTERRUPTED) from None
    return found.attach(result)
