"""The time limit holds, and nothing that a method does stops the others."""

from __future__ import annotations

import os
import threading
import time

import pytest

from arcs.experiments.cells import Cell, CellClosed
from arcs.experiments.tasks import Task


@pytest.fixture
def cell(strange_command):
    made = Cell(grace=0.3, command=strange_command)
    yield made
    made.close()


def task(method, time_limit=20.0):
    return Task("Asia-n40-experimental", 1000, method, time_limit)


def child_id(cell):
    return cell._child._process.pid


def test_late_chatty_failing_and_crashing_methods(cell):
    # CD never looks at the clock.
    late = cell.run(task("CD", 0.4))
    assert late.status == "timeout"
    assert late.SHD is None
    assert late.seconds == pytest.approx(0.7)
    assert late.key == task("CD").key
    # What MMHC prints looks like a reply, and is none.
    after = cell.run(task("MMHC"))
    assert after.ok
    assert (after.P, after.M, after.SHD) == (0, 8, 8)
    process = child_id(cell)
    failed = cell.run(task("GIES"))
    assert failed.status == "error: DataError: not with me, said the method"
    assert child_id(cell) == process
    crashed = cell.run(task("HC"))
    assert crashed.status == "error: the process ended with code 7: over"
    assert cell._child is None


def test_closing_from_another_thread_ends_a_run_at_once(cell):
    cell.run(task("MMHC"))
    process = child_id(cell)
    timer = threading.Timer(0.5, cell.close)
    timer.start()
    start = time.perf_counter()
    with pytest.raises(CellClosed):
        cell.run(task("CD", 60.0))
    assert time.perf_counter() - start < 30
    timer.join()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with pytest.raises(CellClosed):
        cell.run(task("MMHC"))
