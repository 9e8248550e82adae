"""Where tasks are run: on this machine's processes, or on a Dask cluster.

Both yield rows as they come, in any order, and both run every task in a cell
(:mod:`arcs.experiments.cells`), so the rows are the same but for the seconds. A cluster that loses
a worker gives its tasks to another one; a row that was delivered once is never asked for again.
"""

from __future__ import annotations

import logging
import uuid
import warnings
from collections.abc import Iterator, Sequence

from arcs.errors import SettingsError, require
from arcs.experiments.cells import CellPool, run_in_cell
from arcs.experiments.rows import Row, run_name
from arcs.experiments.tasks import Task

__all__ = ["on_cluster", "on_this_machine"]

_LOG = logging.getLogger(__name__)


def on_this_machine(tasks: Sequence[Task], jobs: int = 1) -> Iterator[Row]:
    """Run the tasks in `jobs` processes at a time.

    Joblib's threads each drive a process of their own; these do the work.
    """
    if jobs < 1:
        raise SettingsError(f"jobs must be at least 1, got {jobs}")
    from joblib import Parallel, delayed

    pool = CellPool()
    parallel = Parallel(
        n_jobs=min(jobs, max(len(tasks), 1)),
        backend="threading",
        return_as="generator_unordered",
        batch_size=1,
    )
    rows = parallel(delayed(pool.run)(task) for task in tasks)
    try:
        # Not `yield from`: when this generator is closed, the processes must end first.
        for row in rows:  # noqa: UP028
            yield row
    finally:
        pool.close()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[0-9]+ tasks", UserWarning, "joblib")
            rows.close()


def on_cluster(tasks: Sequence[Task], address: str) -> Iterator[Row]:
    """Run the tasks on the Dask cluster whose scheduler listens at `address`."""
    distributed = require("distributed", "dask", "running on a cluster")
    with distributed.Client(address, set_as_default=False) as client:
        run = uuid.uuid4().hex
        futures = {
            client.submit(run_in_cell, task, key=f"arcs-{run}-{number}", pure=False): task
            for number, task in enumerate(tasks)
        }
        # Without the loop, only a client that was made the default one would be found.
        for future in distributed.as_completed(futures, loop=client.loop):
            if future.status == "finished":
                yield future.result()
            else:
                name = run_name(futures[future].key)
                _LOG.warning("lost with its worker: %s (%s)", name, future.status)
