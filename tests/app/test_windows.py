"""A window's work: one thing at a time, stopped, cancelled, gone back to, kept and taken up."""

import threading
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from arcs.app import actions
from arcs.app.windows import GRACE, Windows
from arcs.app.works import keep_aside, leftover_works, open_work, save_work
from arcs.errors import FileFormatError, SettingsError
from arcs.learners import LEARNERS
from arcs.learners.base import Learned, Learner

GO_ON = threading.Event()


@dataclass(frozen=True, kw_only=True)
class Patient(Learner):
    """Waits until it is told to go on, or to stop; then finds a chain."""

    name: ClassVar[str] = "patient"
    uses_knowledge: ClassVar[bool] = True

    init: object = None

    def learn(self, statistics, watch):
        p = statistics.p
        graph = np.eye(p, k=1, dtype=bool)
        while watch.tick("waiting", 1, best=-1.0, edges=p - 1, graph=lambda: graph):
            if GO_ON.wait(0.01):
                break
        return Learned(graph)


@pytest.fixture
def patient():
    GO_ON.clear()
    LEARNERS["patient"] = Patient
    yield GO_ON
    GO_ON.set()
    del LEARNERS["patient"]


@pytest.fixture
def window(tmp_path, table):
    windows = Windows(tmp_path / "1-server")
    window = windows["abcdefgh"]
    window.told = []
    window.tell = lambda kind, content: window.told.append((kind, dict(content)))
    window.take_table(table)
    return window


def until(condition, limit=120.0):
    """Wait for a condition; the limit is for what never comes."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def kinds(window):
    return [kind for kind, _ in window.told]


def fit(window, knowledge=None, start=None):
    done = len(window.fits) + 1
    window.fit(knowledge or {}, start, "said")
    until(lambda: len(window.fits) == done and kinds(window)[-1] == "fitted")


def test_stopping_keeps_the_best(window, patient):
    window.choose({"method": "patient"})
    window.fit({}, None, "first")
    until(lambda: {"progress", "picture"} <= set(kinds(window)))
    state = window.state()
    assert state["job"]["kind"] == "fit"
    assert state["job"]["last"]["stage"] == "waiting"
    with pytest.raises(SettingsError, match="a fit is running"):
        window.fit({}, None, "second")
    window.stop()
    until(lambda: "fitted" in kinds(window))
    assert window.fit_number().result.stopped == "interrupted"
    assert window.fit_number().result.n_edges == 3


def test_a_window_that_is_gone_has_its_fit_cancelled(tmp_path, table, patient):
    windows = Windows(tmp_path / "1-server")
    window = windows["abcdefgh"]
    window.take_table(table)
    window.choose({"method": "patient"})
    window.gone_since = None
    window.fit({}, None, "first")
    job = window.job
    windows.cancel_gone(time.monotonic() + 2 * GRACE)
    assert window.job is job
    window.gone_since = time.monotonic()
    windows.cancel_gone(time.monotonic())  # reloading takes a moment
    assert window.job is job
    windows.cancel_gone(time.monotonic() + 2 * GRACE)
    assert window.job is None
    until(lambda: not job.running)
    assert window.fits == []


def test_forbidding_an_edge_and_going_back(window):
    fit(window)
    first = window.fit_number()
    assert first.result.dag.adjacency[0, 1]
    fit(window, {"forbidden": [["a", "b"]]}, 1)
    second = window.fit_number()
    assert not second.result.dag.adjacency[0, 1]
    assert second.start.number == 1
    assert window.state()["fits"][1]["knowledge"] == {"forbidden": [["a", "b"]]}
    actions.show(window, {"number": 1})
    assert window.fit_number() is first
    counts = actions.compare(window, {"first": 1, "second": 2})["count"]
    old, new = first.result.dag.adjacency, second.result.dag.adjacency
    assert counts["same"] == (old & new).sum()
    assert counts["same"] + counts["turned"] + counts["removed"] == old.sum()
    assert counts["same"] + counts["turned"] + counts["added"] == new.sum()


def test_contradictions_are_refused_before_anything_runs(window):
    said = {"required": [["a", "b"]], "forbidden": [["a", "b"]]}
    with pytest.raises(Exception, match="is required, but that edge is forbidden"):
        window.fit(said, None, "")
    assert window.job is None


def test_what_the_library_refuses_is_told_in_the_words_of_the_command_line(window):
    roles = {**window.choices.roles, "flat": "variable"}
    told = actions.choose(window, {"roles": roles})
    assert any("--constant isolate" in text for text in told["problems"])
    told = actions.choose(window, {"roles": {**roles, "target": "variable"}})
    assert "column 'target' names columns" in told["problems"][0]
    assert actions.choose(window, {"drop_constant": True})["choices"]["drop_constant"]


def test_confidences_fill_in_behind_a_fit(window):
    window.choose({"method": "hc"})
    fit(window)
    window.bootstrap(12)
    until(lambda: "resampled" in kinds(window))
    steps = [content["done"] for kind, content in window.told if kind == "confidence"]
    assert steps == [5, 10, 12]
    edges = actions.graph(window, {})["graph"]["edges"]
    assert all(0 <= edge["values"]["confidence"] <= 1 for edge in edges)
    with pytest.raises(SettingsError, match="resamples"):
        window.bootstrap(0)


def test_a_work_is_saved_and_taken_up_again(window, tmp_path):
    fit(window)
    fit(window, {"forbidden": [["a", "b"]]}, 1)
    folder = tmp_path / "kept"
    files = save_work(window, folder)
    assert {"work.json", "commands.sh", "knowledge-2.toml", "fit-2/report.html"} <= set(files)
    other = Windows(tmp_path / "2-server")["ijklmnop"]
    assert open_work(other, folder) == ""
    assert other.table.names == window.table.names
    assert [f.start for f in other.fits] == [f.start for f in window.fits]
    for mine, theirs in zip(other.fits, window.fits, strict=True):
        assert np.array_equal(mine.result.dag.coefficients, theirs.result.dag.coefficients)
        assert mine.choices == theirs.choices
    assert other.current == 2


def test_changed_or_missing_data_are_remarked_on(window, tmp_path, table):
    fit(window)
    folder = tmp_path / "kept"
    save_work(window, folder)
    table.write_text(table.read_text().replace("1.0,b", "1.0,control"))
    assert "has changed since" in open_work(window, folder)
    table.unlink()
    assert "no longer" in open_work(window, folder)
    assert window.fit_number().result.n_edges
    (folder / "work.json").write_text("{")
    with pytest.raises(FileFormatError, match="damaged"):
        open_work(window, folder)


def test_a_killed_server_leaves_its_works_behind(window, tmp_path):
    fit(window)
    keep_aside(window)
    # The folder of a server is named after its process: no process has the number of this one.
    here = tmp_path / "1-server"
    gone = tmp_path / f"{2**22 + 1}-server"
    here.rename(gone)
    (found,) = leftover_works(tmp_path / "3-server")
    assert found["title"] == "cells.csv"
    other = Windows(tmp_path / "3-server")["ijklmnop"]
    open_work(other, tmp_path / found["folder"])
    assert other.fit_number().result.n_edges == window.fit_number().result.n_edges


def test_a_result_of_the_command_line_can_be_opened(window, tmp_path):
    fit(window)
    path = window.fit_number().result.save(tmp_path / "result.json")
    other = Windows(tmp_path / "2-server", path)["ijklmnop"]
    assert actions.state(other, {})["remark"] == ""
    assert other.fit_number().result.n_edges == window.fit_number().result.n_edges
