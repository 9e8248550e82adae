"""Where tasks are run: in this machine's processes, or on a Dask cluster.

Learners stop by themselves when their time is up, if they get the chance to look at the clock. So
every task runs in a process that can be killed: when a fit overruns its limit by more than a grace,
the run becomes a row with the status "timeout"; a crash (or the kernel, out of memory) likewise
costs one run. Processes work with one thread per numerical library: results do not depend on the
number of cores, and times can be compared.

Both places yield rows as they come, in any order, the same but for the seconds. A cluster that
loses a worker gives its tasks to another one; a row that was delivered once is never asked for
again.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterator, Sequence

from arcs import jobs as running
from arcs.errors import SettingsError, require
from arcs.experiments.rows import Row, run_name
from arcs.experiments.tasks import DIED, Task, empty_row, run_task

__all__ = ["on_cluster", "on_this_machine"]

_LOG = logging.getLogger(__name__)
#: Seconds beyond the time limit in which a method may come to an end by itself.
GRACE = 10.0
#: Seconds for imports, compilation and simulation before the fit starts.
_PATIENCE = 900.0


def on_this_machine(tasks: Sequence[Task], jobs: int = 1) -> Iterator[Row]:
    """Run the tasks in `jobs` processes at a time."""
    if jobs < 1:
        raise SettingsError(f"jobs must be at least 1, got {jobs}")
    how = {"patience": _PATIENCE, "limit": _limit}
    for ended in running.in_processes(_run, None, tasks, jobs, **how):  # type: ignore[arg-type]
        yield _row(ended)


def on_cluster(tasks: Sequence[Task], address: str) -> Iterator[Row]:
    """Run the tasks on the Dask cluster whose scheduler listens at `address`."""
    distributed = require("distributed", "dask", "running on a cluster")
    with distributed.Client(address, set_as_default=False) as client:
        for ended in running.on_cluster(_run_in_own_process, None, tasks, client):
            if ended.error is not None or ended.lost:
                reason = ended.lost or repr(ended.error)
                _LOG.warning("lost with its worker: %s (%s)", run_name(ended.task.key), reason)
            else:
                yield ended.value


def _run(shared: None, task: Task) -> Row:
    return run_task(task, running.announce_start)


def _limit(task: Task) -> float:
    return task.time_limit + GRACE


def _row(ended: running.Ended) -> Row:
    if ended.late:
        return empty_row(ended.task, "timeout", seconds=_limit(ended.task))
    if ended.error is not None:
        raise ended.error
    if ended.lost:
        return empty_row(ended.task, f"{DIED}ended ({ended.lost})")
    row: Row = ended.value
    return row


#: Free workers of this process, if it is one of a cluster: they live as long as it does.
_FREE: queue.SimpleQueue[running.Worker] = queue.SimpleQueue()


def _run_in_own_process(shared: None, task: Task) -> Row:
    try:
        worker = _FREE.get_nowait()
    except queue.Empty:
        worker = running.Worker(_run, patience=_PATIENCE)
    try:
        return _row(worker.run(task, _limit(task)))
    finally:
        _FREE.put(worker)
