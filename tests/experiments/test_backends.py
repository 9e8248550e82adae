"""The time limit holds, and nothing that a method does stops the others."""

from __future__ import annotations

import pytest

from arcs.experiments import backends
from arcs.experiments.tasks import Task


def task(method, time_limit=20.0, seed=1000):
    return Task("Asia-n40-experimental", seed, method, time_limit)


def test_late_chatty_failing_and_crashing_methods(strange_processes, monkeypatch):
    monkeypatch.setattr(backends, "GRACE", 0.3)
    # CD never looks at the clock; what MMHC prints looks like a reply, and is none.
    tasks = [task("CD", 0.4), task("MMHC"), task("GIES"), task("HC"), task("MMHC", seed=1002)]
    late, chatty, failed, crashed, after = backends.on_this_machine(tasks)
    assert late.status == "timeout"
    assert late.SHD is None
    assert late.seconds == pytest.approx(0.7)
    assert late.key == task("CD").key
    assert chatty.ok
    assert (chatty.P, chatty.M, chatty.SHD) == (0, 8, 8)
    assert failed.status == "error: DataError: not with me, said the method"
    assert crashed.status == "error: the process ended (exit code 7: over)"
    assert after.ok
