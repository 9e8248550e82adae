"""Work that is done elsewhere: errors and deaths are reported, nothing hangs."""

import os
import signal
from dataclasses import dataclass

import pytest

from arcs.errors import DataError, SettingsError, WorkerError
from arcs.jobs import run_anywhere
from arcs.jobs.anywhere import refuse_losses


@dataclass(frozen=True)
class Task:
    index: int

    @property
    def name(self):
        return f"task {self.index}"


def tasks_for_others(indices):
    """Tasks of a class that is sent by value: other processes cannot import this file."""

    @dataclass(frozen=True)
    class Sent:
        index: int
        name: str

    return [Sent(i, f"task {i}") for i in indices]


def killed_by_odd_numbers():
    def double_or_die(shared, task):
        if task.index % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return shared * task.index

    return double_or_die


def test_here_and_now():
    results = run_anywhere(lambda shared, task: shared + task.index, 10, [Task(0), Task(5)])
    assert list(results) == [10, 15]


def test_errors_of_a_task_come_through():
    def refuse(shared, task):
        raise DataError(f"task {task.index}")

    with pytest.raises(DataError, match="task 3"):
        list(run_anywhere(refuse, None, [Task(3)]))
    with pytest.raises(DataError, match="task 3"):
        list(run_anywhere(refuse, None, tasks_for_others([3]), n_jobs=2))


def collect(results):
    """What comes before the error, and the error."""
    found = []

    def take_all():
        for result in results:
            found.append(result)

    with pytest.raises(WorkerError) as caught:
        take_all()
    return found, caught.value


def test_a_killed_process_costs_its_own_task_and_no_other():
    tasks = tasks_for_others([0, 2, 4, 1, 6, 8])
    found, error = collect(run_anywhere(killed_by_odd_numbers(), 2, tasks, n_jobs=2))
    assert sorted(found) == [0, 4, 8, 12, 16]
    assert error.lost == ("task 1",)
    assert str(error) == "1 of 6 tasks was lost with its worker (killed, or out of memory): task 1"


def test_a_single_task_that_dies_does_not_take_the_caller_with_it():
    _, error = collect(run_anywhere(killed_by_odd_numbers(), 1, tasks_for_others([7]), n_jobs=2))
    assert error.lost == ("task 7",)


def test_many_lost_tasks_are_counted_and_the_first_are_named():
    message = r"7 of 9 tasks were lost with their workers .*: t0, t1, t2, t3, t4 and 2 more$"
    with pytest.raises(WorkerError, match=message) as caught:
        refuse_losses([f"t{i}" for i in range(7)], 9)
    assert len(caught.value.lost) == 7
    assert caught.value.partial is None


def test_a_cluster_names_what_it_gave_up():
    distributed = pytest.importorskip("distributed")
    import dask

    tasks = tasks_for_others([0, 1, 2])
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(silence_logs=60, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        found, error = collect(run_anywhere(killed_by_odd_numbers(), 2, tasks, backend=client))
    assert "task 1" in error.lost
    assert len(found) + len(error.lost) == 3


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5])
def test_a_wrong_number_of_processes_is_refused(n_jobs):
    with pytest.raises(SettingsError, match="n_jobs must be at least 1, or -1"):
        list(run_anywhere(len, None, [Task(1)], n_jobs=n_jobs))
