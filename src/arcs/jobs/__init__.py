"""Running independent tasks here, in processes of this machine, or on a Dask cluster.

A process that dies (killed, or out of memory) takes the task it is at with it, and nothing else.
"""

from arcs.jobs.anywhere import run_anywhere, workers
from arcs.jobs.cluster import on_cluster
from arcs.jobs.ended import Ended
from arcs.jobs.processes import in_processes
from arcs.jobs.program import Program
from arcs.jobs.worker import Worker, announce_start

__all__ = [
    "Ended",
    "Program",
    "Worker",
    "announce_start",
    "in_processes",
    "on_cluster",
    "run_anywhere",
    "workers",
]
