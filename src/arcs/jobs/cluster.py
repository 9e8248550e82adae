"""Tasks on a Dask cluster, which gives those of a lost worker to another one."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arcs.errors import require
from arcs.jobs.ended import Ended

__all__ = ["on_cluster"]


def on_cluster(
    function: Callable[[Any, Any], Any], shared: Any, tasks: Sequence[Any], client: Any
) -> Iterator[Ended]:
    """``function(shared, task)`` for all tasks, as they end; what was given up is lost."""
    distributed = require("distributed", "dask", "running on a Dask cluster")
    run = uuid.uuid4().hex
    everywhere = client.scatter(shared, broadcast=True, hash=False)
    futures = {
        client.submit(function, everywhere, task, key=f"arcs-{run}-{number}", pure=False): task
        for number, task in enumerate(tasks)
    }
    try:
        # Without the loop, only a client that was made the default one would be found.
        for future in distributed.as_completed(futures, loop=client.loop):
            task = futures[future]
            error = future.exception() if future.status == "error" else None
            if future.status == "finished":
                yield Ended(task, future.result())
            elif error is None or isinstance(error, distributed.scheduler.KilledWorker):
                yield Ended(task, lost=future.status)
            else:
                yield Ended(task, error=error)
    finally:
        client.cancel(list(futures))
