"""The part of ``arcs fit`` that tells how far the edges can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arcs.cli.console import message
from arcs.cli.failures import INTERRUPTED
from arcs.cli.progress import live_line

if TYPE_CHECKING:
    from arcs.data import Dataset
    from arcs.results import FitResult

__all__ = ["BOOTSTRAP", "resumes_bootstrap_only", "with_confidence"]

#: Resamples that are done already; ``--resume`` goes on from there.
BOOTSTRAP = "bootstrap.npz"


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
                n_jobs=jobs or 1,
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
