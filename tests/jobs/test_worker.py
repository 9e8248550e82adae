"""A process for tasks: it can be killed, closed, late, and talk nonsense."""

import os
import signal
import threading
import time

import pytest

from arcs.jobs import Worker, announce_start
from arcs.jobs.worker import WorkerClosed


@pytest.fixture
def worker():
    """Made by the test, closed here."""
    workers = []

    def make(function, shared=None, **how):
        workers.append(Worker(function, shared, **how))
        return workers[-1]

    yield make
    for one in workers:
        one.close()


def process_and(shared, task):
    return shared, task, os.getpid()


def sent_by_value(function):
    """Other processes cannot import this file."""
    function.__module__ = "__main__"
    return function


def test_one_process_runs_many_tasks(worker):
    one = worker(sent_by_value(process_and), "shared")
    found = [one.run(k).value for k in range(3)]
    assert [entry[:2] for entry in found] == [("shared", k) for k in range(3)]
    assert {entry[2] for entry in found} == {one.process_id}
    assert one.process_id != os.getpid()


def test_a_process_that_is_killed_between_two_tasks_costs_nothing(worker):
    one = worker(sent_by_value(process_and))
    first = one.run(None).value[2]
    os.kill(first, signal.SIGKILL)
    second = one.run(None).value[2]
    assert second != first
    one.close()
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)


def test_a_task_that_ends_its_process_is_lost_with_its_last_words(worker):
    def leave(shared, task):
        import sys

        sys.stdout.write("not a message\n")
        sys.stderr.write("first\nlast words\n")
        sys.stderr.flush()
        os._exit(7) if task else None
        return task

    one = worker(leave)
    assert one.run(1).lost == "exit code 7: last words"
    assert one.run(0).value == 0


def test_errors_travel_also_those_that_cannot(worker):
    class Odd(Exception):
        def __init__(self, one, two):
            super().__init__(f"{one} and {two}")

    def fail(shared, task):
        if task == "odd":
            raise Odd("this", "that")
        if task == "exit":
            raise SystemExit(3)
        if task == "value":
            return (k for k in range(3))
        raise ValueError("plain")

    one = worker(fail)
    assert repr(one.run("plain").error) == "ValueError('plain')"
    assert str(one.run("odd").error) == "Odd: this and that"
    assert repr(one.run("exit").error) == "RuntimeError('SystemExit(3)')"
    assert "generator" in str(one.run("value").error)


def test_time_counts_from_the_announced_start(worker):
    def prepare_and_work(shared, task):
        time.sleep(0.3)
        announce_start()
        time.sleep(task)
        return "done"

    one = worker(prepare_and_work)
    assert one.run(0.0, limit=0.2).value == "done"
    late = one.run(3600.0, limit=0.2)
    assert late.late
    assert late.value is None
    assert one.run(0.0, limit=20.0).value == "done"


def test_preparations_have_their_own_limit(worker):
    one = worker(lambda shared, task: time.sleep(task), patience=30.0)
    assert not one.run(0.0).late
    one._patience = 0.2
    assert one.run(3600.0).late


def test_closing_from_another_thread_ends_a_run_at_once(worker):
    one = worker(lambda shared, task: time.sleep(task))
    one.run(0.0)
    process = one.process_id
    timer = threading.Timer(0.3, one.close)
    timer.start()
    with pytest.raises(WorkerClosed):
        one.run(3600.0)
    timer.join()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with pytest.raises(WorkerClosed):
        one.run(0.0)


def test_ctrl_c_does_not_reach_the_process(worker):
    one = worker(sent_by_value(process_and))
    assert os.getpgid(one.run(None).value[2]) != os.getpgid(0)


def test_a_process_leaves_when_its_parent_is_killed(tmp_path):
    """The grandchild's parent is a process of this test that kills itself."""
    import subprocess
    import sys

    script = (
        "import os, signal, sys\n"
        "from arcs.jobs import Worker\n"
        "one = Worker(lambda shared, task: None)\n"
        "one.run(0)\n"
        "sys.stdout.write(str(one.process_id)); sys.stdout.flush()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    for _ in range(600):
        if not os.path.exists(f"/proc/{done.stdout}"):
            break
        time.sleep(0.1)
    assert not os.path.exists(f"/proc/{done.stdout}")
