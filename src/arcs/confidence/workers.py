"""Running independent pieces of work here, in processes, or on a Dask cluster."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from arcs.errors import ArcsError, SettingsError, require

__all__ = ["run_anywhere"]


class _Task(Protocol):
    @property
    def index(self) -> int: ...


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
        A module's function, so that it can be sent to other processes.
    shared
        What all tasks need (the data), sent once where possible.
    tasks : sequence
        Each with an `index`, by which errors name it.
    n_jobs : int
        Processes of the backend "joblib"; 1 for none but this one, -1 for one per core.
    backend : "joblib", "dask", or a ``distributed.Client``
        "dask" starts a local cluster of `n_jobs` workers for the time of the work.

    Raises
    ------
    ArcsError
        If a worker died; results that came before are with the caller already.
    """
    if not isinstance(n_jobs, int) or (n_jobs < 1 and n_jobs != -1):
        raise SettingsError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs!r}")
    if hasattr(backend, "submit") and hasattr(backend, "scatter"):
        yield from _on_cluster(function, shared, tasks, backend)
    elif backend == "dask":
        distributed = require("distributed", "dask", "backend='dask'")
        workers = None if n_jobs == -1 else n_jobs
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        with distributed.Client(set_as_default=False, **options) as client:
            yield from _on_cluster(function, shared, tasks, client)
    elif backend != "joblib":
        raise SettingsError(f"backend must be 'joblib', 'dask' or a Dask client, got {backend!r}")
    elif n_jobs == 1 or len(tasks) < 2:
        for task in tasks:
            yield function(shared, task)
    else:
        yield from _in_processes(function, shared, tasks, n_jobs)


def _in_processes(
    function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T], n_jobs: int
) -> Iterator[R]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    results = parallel(delayed(function)(shared, task) for task in tasks)
    done = 0
    try:
        for result in results:
            done += 1
            yield result
    except BrokenProcessPool as error:
        raise ArcsError(
            f"a worker process died (out of memory, or killed) after {done} of {len(tasks)} "
            "replicates; with a checkpoint, resume=True goes on from there"
        ) from error
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[0-9]+ tasks", UserWarning, "joblib")
            results.close()


def _on_cluster(
    function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T], client: Any
) -> Iterator[R]:
    distributed = require("distributed", "dask", "running on a Dask cluster")
    run = uuid.uuid4().hex
    everywhere = client.scatter(shared, broadcast=True, hash=False)
    futures = {}
    for task in tasks:
        key = f"arcs-{run}-{task.index}"
        future = client.submit(function, everywhere, task, key=key, pure=False)
        futures[future] = task.index
    try:
        # Without the loop, only a client that was made the default one would be found.
        for future in distributed.as_completed(futures, loop=client.loop):
            if future.status != "finished":
                error = future.exception()
                if isinstance(error, ArcsError):
                    raise error
                raise ArcsError(f"replicate {futures[future]} was lost: {error}") from error
            yield future.result()
    finally:
        client.cancel(list(futures))
