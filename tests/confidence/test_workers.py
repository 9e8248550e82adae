"""Work that is done elsewhere: errors and deaths are reported, nothing hangs."""

import os
from dataclasses import dataclass

import pytest

from arcs.confidence.workers import run_anywhere
from arcs.errors import ArcsError, DataError


@dataclass(frozen=True)
class Task:
    index: int


def test_here_and_now():
    results = run_anywhere(lambda shared, task: shared + task.index, 10, [Task(0), Task(5)])
    assert list(results) == [10, 15]


def test_errors_of_a_task_come_through():
    def refuse(shared, task):
        raise DataError(f"task {task.index}")

    with pytest.raises(DataError, match="task 3"):
        list(run_anywhere(refuse, None, [Task(3)]))


def test_a_worker_that_dies_is_an_error_and_no_hang():
    class Fatal:  # defined here, it is sent by value to processes that cannot import this file
        index = 0

    def die(shared, task):
        os._exit(1)

    with pytest.raises(ArcsError, match="a worker process died"):
        list(run_anywhere(die, None, [Fatal(), Fatal()], n_jobs=2))
