"""Rows do not depend on interrupts, back ends, or on who was killed in between."""

from __future__ import annotations

import dataclasses
import os
import signal
from collections import Counter

import pytest

from arcs.errors import SettingsError
from arcs.experiments import runner
from arcs.experiments.cases import EXPERIMENTAL
from arcs.experiments.methods import methods_named
from arcs.experiments.rows import run_name
from arcs.experiments.runner import missing_tasks, run_tasks
from arcs.experiments.store import RowStore
from arcs.experiments.tasks import UNAVAILABLE, Task, empty_row, plan, run_task

TASKS = plan(EXPERIMENTAL[:1], methods_named(["CD", "GIES"]), range(1000, 1003), 60.0)


@pytest.fixture
def store(tmp_path):
    return RowStore(tmp_path / "rows.csv")


def content(rows):
    """Everything but the time, however often."""
    return Counter(dataclasses.replace(row, seconds=None) for row in rows)


@pytest.fixture(scope="module")
def expected():
    return content([run_task(task) for task in TASKS])


class Here:
    """A back end without processes that counts its runs."""

    def __init__(self, monkeypatch):
        self.runs = []
        monkeypatch.setattr(runner, "on_this_machine", self.rows)

    def rows(self, tasks, jobs):
        for task in tasks:
            self.runs.append(task)
            yield run_task(task)


@pytest.fixture
def here(monkeypatch):
    return Here(monkeypatch)


def interrupt_after(count):
    def listener(row, number, total):
        if number == count:
            raise KeyboardInterrupt

    return listener


def test_rows_are_sensible(expected):
    rows = list(expected)
    assert len(rows) == 6
    assert all(row.ok and row.p == row.s0 == 8 and row.n == 40 for row in rows)
    assert all(row.SHD == row.R + row.FP + row.M for row in rows)
    assert len({row.settings for row in rows}) == 2
    assert all(row.key in {task.key for task in TASKS} for row in rows)


@pytest.mark.parametrize("count", [1, 4])
def test_an_interrupted_run_goes_on_where_it_stopped(store, here, expected, count):
    with pytest.raises(KeyboardInterrupt):
        run_tasks(missing_tasks(TASKS, store), store, listener=interrupt_after(count))
    assert len(store.rows()) == count
    outcome = run_tasks(missing_tasks(TASKS, store), store)
    assert outcome.added == len(TASKS) - count
    assert Counter(here.runs) == Counter(TASKS)
    assert content(store.rows()) == expected
    assert missing_tasks(TASKS, store) == []


def test_a_change_of_settings_is_a_new_run_and_a_time_limit_is_none(store, here, monkeypatch):
    run_tasks(TASKS[:1], store)
    task = TASKS[0]
    assert missing_tasks([dataclasses.replace(task, time_limit=1.0)], store) == []
    changed = dataclasses.replace(methods_named(["CD"])[0], settings={"gamma": 3.0})
    monkeypatch.setattr("arcs.experiments.tasks.method", lambda label: changed)
    assert missing_tasks([task], store) == [task]


def test_failures_are_done_unless_they_are_to_be_tried_again(store, monkeypatch):
    statuses = ["timeout", "error: x", f"{UNAVAILABLE}no such package", "ok"]
    rows = [empty_row(t, s) for t, s in zip(TASKS, statuses, strict=False)]
    monkeypatch.setattr(runner, "on_this_machine", lambda tasks, jobs: (row for row in rows))
    outcome = run_tasks(TASKS, store)
    assert outcome.unavailable == (TASKS[2].method,)
    assert outcome.added == 3
    assert outcome.lost == tuple(run_name(task.key) for task in TASKS[4:])
    assert outcome.died == ()
    assert missing_tasks(TASKS, store) == [TASKS[2], *TASKS[4:]]
    assert missing_tasks(TASKS, store, retry=True) == [*TASKS[:3], *TASKS[4:]]


def test_processes_give_the_same_rows_also_when_they_are_interrupted(store, expected, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        run_tasks(TASKS, store, jobs=2, listener=interrupt_after(3))
    assert len(store.rows()) == 3
    Here(monkeypatch)
    run_tasks(missing_tasks(TASKS, store), store)
    assert content(store.rows()) == expected


def test_a_killed_process_costs_one_row_and_is_named(store, strange_processes):
    asia = EXPERIMENTAL[0].key
    fatal = Task(asia, 1001, "HC", 60.0)
    tasks = [Task(asia, 1000, "MMHC", 60.0), fatal, Task(asia, 1002, "MMHC", 60.0)]
    outcome = run_tasks(tasks, store, jobs=2)
    assert outcome.died == ("Asia-n40-experimental, data set 1001, HC",)
    assert (outcome.added, outcome.lost) == (3, ())
    statuses = {row.key: row.status for row in store.rows()}
    assert statuses.pop(fatal.key) == "error: the process ended (killed by signal 9: over)"
    assert list(statuses.values()) == ["ok", "ok"]
    assert missing_tasks(tasks, store, retry=True) == [fatal]


def test_a_cluster_that_loses_a_worker_gives_the_same_rows(store, expected):
    distributed = pytest.importorskip("distributed")
    killed = []

    def kill_the_busiest(row, number, total):
        if number == 1:
            busy = max(client.processing().items(), key=lambda entry: len(entry[1]))[0]
            killed.append(client.run(os.getpid, workers=[busy])[busy])
            os.kill(killed[0], signal.SIGKILL)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=60
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        address = cluster.scheduler_address
        outcome = run_tasks(TASKS, store, dask=address, listener=kill_the_busiest)
    assert killed
    assert outcome.added == len(TASKS)
    assert content(store.rows()) == expected


def test_a_run_on_too_few_processes_is_refused(store):
    with pytest.raises(SettingsError, match="jobs must be at least 1, got 0"):
        run_tasks(TASKS, store, jobs=0)


def test_plan_goes_seed_by_seed_and_leaves_out_what_cannot_run():
    from arcs.experiments.cases import HIGH_DIMENSIONAL, LOW_DIMENSIONAL

    both = (HIGH_DIMENSIONAL[0], LOW_DIMENSIONAL[0])
    tasks = plan(both, methods_named(["GES", "FLOP"]), [1, 2], 5.0)
    few, many = (c.key for c in both)
    assert tasks == [
        Task(case, seed, method, 5.0)
        for seed in (1, 2)
        for case, method in ((few, "GES"), (many, "GES"), (many, "FLOP"))
    ]


def test_slow_methods_get_fewer_data_sets_unless_they_are_asked_for():
    methods = methods_named(["GES", "BOSS"])
    spared = plan(EXPERIMENTAL[:1], methods, range(8), spare_slow=True)
    assert Counter(task.method for task in spared) == {"GES": 8, "BOSS": 5}
    assert [task.seed for task in spared if task.method == "BOSS"] == [0, 1, 2, 3, 4]
    assert len(plan(EXPERIMENTAL[:1], methods, range(8))) == 16
