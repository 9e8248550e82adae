"""Fill a store with the rows of a study: only what is missing is run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from arcs.experiments.backends import on_cluster, on_this_machine
from arcs.experiments.rows import Row, run_name
from arcs.experiments.store import RowStore
from arcs.experiments.tasks import DIED, UNAVAILABLE, Task

__all__ = ["Outcome", "missing_tasks", "run_tasks"]

#: Called with every row, the number of rows so far, and the number of all.
Listener = Callable[[Row, int, int], None]


@dataclass(frozen=True)
class Outcome:
    """What a run of many tasks came to.

    Attributes
    ----------
    added : int
        Rows written.
    unavailable : tuple of str
        Methods that need a package which is not installed; no row was written for them.
    died : tuple of str
        Tasks whose process was killed or crashed; their rows say so.
    lost : tuple of str
        Tasks without a row, because a cluster gave them up.
    """

    added: int = 0
    unavailable: tuple[str, ...] = ()
    died: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def missing_tasks(tasks: Sequence[Task], store: RowStore, *, retry: bool = False) -> list[Task]:
    """The tasks without a row in the store; with `retry`, also those that failed."""
    done = store.keys(unfinished=not retry)
    return [task for task in dict.fromkeys(tasks) if task.key not in done]


def run_tasks(
    tasks: Sequence[Task],
    store: RowStore,
    *,
    jobs: int = 1,
    dask: str | None = None,
    listener: Listener | None = None,
) -> Outcome:
    """Run `tasks` and append their rows to the store as they come.

    An interrupt leaves the store with all rows that were delivered; the same call with
    :func:`missing_tasks` goes on from there. A process that dies costs the run it was at, which the
    outcome names, and no other.

    Parameters
    ----------
    tasks : sequence of Task
        What to run; see :func:`missing_tasks`.
    store : RowStore
        Where the rows go.
    jobs : int
        Processes on this machine.
    dask : str, optional
        Address of a Dask scheduler, to use its workers instead.
    listener : callable, optional
        Told of every row.
    """
    if not tasks:
        return Outcome()
    left = dict.fromkeys(task.key for task in tasks)
    unavailable, died, added, seen = dict[str, None](), [], 0, 0
    rows: Iterator[Row] = on_cluster(tasks, dask) if dask else on_this_machine(tasks, jobs)
    # Closing ends the processes, also when the loop is left by an exception.
    with contextlib.closing(rows), store.appending() as file:  # type: ignore[type-var]
        for row in rows:
            seen += 1
            left.pop(row.key, None)
            if row.status.startswith(DIED):
                died.append(run_name(row.key))
            if row.status.startswith(UNAVAILABLE):
                unavailable[row.method] = None
            else:
                file.add(row)
                added += 1
            if listener is not None:
                listener(row, seen, len(tasks))
    return Outcome(added, tuple(unavailable), tuple(died), tuple(map(run_name, left)))
