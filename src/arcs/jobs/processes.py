"""Tasks in several processes of this machine."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arcs.jobs.ended import Ended
from arcs.jobs.worker import Worker, WorkerClosed

__all__ = ["in_processes"]


def in_processes(
    function: Callable[[Any, Any], Any],
    shared: Any,
    tasks: Sequence[Any],
    n_jobs: int,
    *,
    threads: int = 1,
    patience: float | None = None,
    limit: Callable[[Any], float] | None = None,
) -> Iterator[Ended]:
    """``function(shared, task)`` for all tasks, `n_jobs` at a time, as they end.

    Each process is driven by a thread of this one. Closing the iterator ends all processes.
    `threads`, `patience` and `limit` (in seconds, by task) are those of :class:`Worker`.
    """
    waiting, ended = deque(tasks), queue.SimpleQueue[Ended]()
    workers = [
        Worker(function, shared, threads=threads, patience=patience)
        for _ in range(min(n_jobs, len(tasks)))
    ]

    drivers = [
        threading.Thread(target=_drive, args=(worker, waiting, ended, limit), daemon=True)
        for worker in workers
    ]
    try:
        for driver in drivers:
            driver.start()
        for _ in tasks:
            yield ended.get()
    finally:
        waiting.clear()
        for worker in workers:
            worker.close()
        for driver in drivers:
            driver.join()


def _drive(
    worker: Worker,
    waiting: deque[Any],
    ended: queue.SimpleQueue[Ended],
    limit: Callable[[Any], float] | None,
) -> None:
    """Give a worker one task after another."""
    while waiting:
        try:
            task = waiting.popleft()
        except IndexError:  # another thread took the last one
            return
        try:
            ended.put(worker.run(task, None if limit is None else limit(task)))
        except WorkerClosed:
            return
        except Exception as error:  # a task that cannot be sent
            ended.put(Ended(task, error=error))
