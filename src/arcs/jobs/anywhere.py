"""One call for all places where tasks can be run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from arcs.errors import SettingsError, WorkerError, require
from arcs.jobs.cluster import on_cluster
from arcs.jobs.ended import Ended
from arcs.jobs.processes import in_processes

__all__ = ["run_anywhere", "workers"]

#: So many of the lost tasks are named in the error's message.
_NAMED = 5


class _Task(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Task)
R = TypeVar("R")


def run_anywhere(
    function: Callable[[Any, T], R],
    shared: Any,
    tasks: Sequence[T],
    *,
    n_jobs: int = 1,
    backend: Any = "joblib",
) -> Iterator[R]:
    """``function(shared, task)`` for all tasks; results as they come, in any order.

    Parameters
    ----------
    function : callable
        Sent to other processes, by value if they cannot import it.
    shared
        What all tasks need (the data), sent once to each process.
    tasks : sequence
        Each with a `name`, by which errors speak of it.
    n_jobs : int
        Processes of the backend "joblib"; 1 for none but this one, -1 for one per core.
    backend : "joblib", "dask", or a ``distributed.Client``
        "joblib" stands for processes of this machine; "dask" starts a local cluster of `n_jobs`
        workers for the time of the work.

    Raises
    ------
    WorkerError
        If tasks were lost with the processes they ran in; after all other results.
    """
    if not isinstance(n_jobs, int) or (n_jobs < 1 and n_jobs != -1):
        raise SettingsError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs!r}")
    lost = []
    with contextlib.closing(_ended(function, shared, tasks, n_jobs, backend)) as outcomes:
        for ended in outcomes:
            if ended.error is not None:
                raise ended.error
            if ended.lost:
                lost.append(ended.task.name)
            else:
                yield ended.value
    refuse_losses(lost, len(tasks))


def workers(n_jobs: int) -> int:
    """How many work at once: -1 stands for all cores that there are."""
    if n_jobs != -1:
        return n_jobs
    from joblib import cpu_count

    return int(cpu_count())


def _ended(
    function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T], n_jobs: int, backend: Any
) -> Generator[Ended]:
    if hasattr(backend, "submit") and hasattr(backend, "scatter"):
        yield from on_cluster(function, shared, tasks, backend)
    elif backend == "dask":
        distributed = require("distributed", "dask", "backend='dask'")
        count = None if n_jobs == -1 else n_jobs
        options = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": ":0"}
        with distributed.Client(set_as_default=False, **options) as client:
            yield from on_cluster(function, shared, tasks, client)
    elif backend != "joblib":
        raise SettingsError(f"backend must be 'joblib', 'dask' or a Dask client, got {backend!r}")
    elif (processes := workers(n_jobs)) == 1:
        for task in tasks:
            yield Ended(task, function(shared, task))
    else:
        threads = max(workers(-1) // processes, 1)
        yield from in_processes(function, shared, tasks, processes, threads=threads)


def refuse_losses(lost: Sequence[str], n_tasks: int) -> None:
    """Raise an error that names what was lost, if anything was."""
    if not lost:
        return
    names = ", ".join(lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    verb, whose = ("was", "its worker") if len(lost) == 1 else ("were", "their workers")
    raise WorkerError(
        f"{len(lost)} of {n_tasks} tasks {verb} lost with {whose} (killed, or out of memory): "
        f"{names}{more}",
        lost,
    )
