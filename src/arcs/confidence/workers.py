"""Running independent pieces of work here, in processes, or on a Dask cluster.

A process that dies (killed, or out of memory) takes the task it is at with it, and nothing else:
each process has a pool of its own, since a pool of several gives up all of them when one dies. The
other tasks are run to their end, and then an error names what was lost.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Protocol, TypeVar

from arcs.errors import SettingsError, WorkerError, require

__all__ = ["run_anywhere"]

#: So many of the lost tasks are named in the error's message.
_NAMED = 5
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class _Task(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Task)
R = TypeVar("R")
#: What a task is run by, and what all tasks need.
_Work = tuple[Callable[[Any, Any], Any], Any]


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
        What all tasks need (the data), sent once to each process.
    tasks : sequence
        Each with a `name`, by which errors speak of it.
    n_jobs : int
        Processes of the backend "joblib"; 1 for none but this one, -1 for one per core.
    backend : "joblib", "dask", or a ``distributed.Client``
        "dask" starts a local cluster of `n_jobs` workers for the time of the work.

    Raises
    ------
    WorkerError
        If tasks were lost with the processes they ran in; after all other results.
    """
    if not isinstance(n_jobs, int) or (n_jobs < 1 and n_jobs != -1):
        raise SettingsError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs!r}")
    if hasattr(backend, "submit") and hasattr(backend, "scatter"):
        yield from _on_cluster(function, shared, tasks, backend)
    elif backend == "dask":
        distributed = require("distributed", "dask", "backend='dask'")
        workers = None if n_jobs == -1 else n_jobs
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
        with distributed.Client(set_as_default=False, **options) as client:
            yield from _on_cluster(function, shared, tasks, client)
    elif backend != "joblib":
        raise SettingsError(f"backend must be 'joblib', 'dask' or a Dask client, got {backend!r}")
    elif _processes(n_jobs) == 1:
        for task in tasks:
            yield function(shared, task)
    else:
        yield from _in_processes(function, shared, tasks, _processes(n_jobs))


def _processes(n_jobs: int) -> int:
    if n_jobs != -1:
        return n_jobs
    from joblib import cpu_count

    return int(cpu_count())


def _refuse_losses(lost: Sequence[str], n_tasks: int) -> None:
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


# ---------------------------------------------------------------------- processes of this machine
def _in_processes(
    function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T], n_jobs: int
) -> Iterator[R]:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    waiting = deque(tasks)
    workers = [_Worker((function, shared), n_jobs) for _ in range(min(n_jobs, len(tasks)))]
    running: dict[Future[R], tuple[_Worker, T]] = {}
    lost = []

    def give_work(worker: _Worker) -> None:
        if waiting:
            task = waiting.popleft()
            running[worker.start(task)] = worker, task

    try:
        for worker in workers:
            give_work(worker)
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                worker, task = running.pop(future)
                died = isinstance(future.exception(), TerminatedWorkerError)
                if died:
                    lost.append(task.name)
                give_work(worker)
                if not died:
                    yield future.result()
    finally:
        for worker in workers:
            worker.end()
    _refuse_losses(lost, len(tasks))


class _Worker:
    """One process, replaced when it has died."""

    def __init__(self, work: _Work, n_jobs: int) -> None:
        from joblib import cpu_count

        threads = str(max(int(cpu_count()) // n_jobs, 1))
        self._environment = dict.fromkeys(_THREADS, threads)
        self._work = work
        self._pool = self._new_pool()

    def _new_pool(self) -> Any:
        # Joblib's processes take classes and functions of notebooks, and do not fork threads.
        from joblib.externals.loky import ProcessPoolExecutor

        return ProcessPoolExecutor(
            1, initializer=_receive, initargs=self._work, env=self._environment
        )

    def start(self, task: _Task) -> Future[Any]:
        """Begin a task; a process that died since the last one is replaced first."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        try:
            future: Future[Any] = self._pool.submit(_run_here, task)
        except TerminatedWorkerError:
            self.end()
            self._pool = self._new_pool()
            future = self._pool.submit(_run_here, task)
        return future

    def end(self) -> None:
        """End the process at once."""
        self._pool.shutdown(wait=True, kill_workers=True)


#: In a worker process: what it was started for.
_received: list[_Work] = []


def _receive(function: Callable[[Any, Any], Any], shared: Any) -> None:
    _received[:] = [(function, shared)]


def _run_here(task: Any) -> Any:
    function, shared = _received[0]
    return function(shared, task)


# ---------------------------------------------------------------------- clusters
def _on_cluster(
    function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T], client: Any
) -> Iterator[R]:
    distributed = require("distributed", "dask", "running on a Dask cluster")
    run = uuid.uuid4().hex
    everywhere = client.scatter(shared, broadcast=True, hash=False)
    futures = {}
    for number, task in enumerate(tasks):
        key = f"arcs-{run}-{number}"
        futures[client.submit(function, everywhere, task, key=key, pure=False)] = task.name
    lost = []
    try:
        # Without the loop, only a client that was made the default one would be found.
        for future in distributed.as_completed(futures, loop=client.loop):
            error = future.exception() if future.status == "error" else None
            if future.status == "finished":
                yield future.result()
            elif error is None or isinstance(error, distributed.scheduler.KilledWorker):
                lost.append(futures[future])
            else:
                raise error
    finally:
        client.cancel(list(futures))
    _refuse_losses(lost, len(tasks))
