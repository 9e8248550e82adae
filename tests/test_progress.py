"""Time limits, Ctrl-C and reports."""

import signal
import subprocess
import sys
import textwrap
import threading
import time
import types

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.learners.arcs import Arcs
from arcs.progress import CompileNotice, Progress, Watch, compiling, interruptible, somebody_watches


# ------------------------------------------------------------------------------- the watch
def test_a_watch_without_limit_never_expires():
    watch = Watch()
    assert watch.remaining == float("inf")
    assert watch.tick("work", 1)
    assert not watch.expired()


def test_time_runs_out():
    watch = Watch(0.02)
    assert watch.tick("work")
    assert 0 < watch.remaining <= 0.02
    time.sleep(0.03)
    assert not watch.tick("work")
    assert watch.timed_out
    assert not watch.interrupted


def test_listeners_get_frozen_events():
    events = []
    watch = Watch(None, events.append)
    watch.tick("search", 3, total=10, score=-1.5, best=-2.0, edges=4)
    (event,) = events
    assert event == Progress("search", 3, 10, -1.5, -2.0, None, 4, event.elapsed)
    assert event.elapsed > 0
    with pytest.raises(AttributeError):
        event.iteration = 4


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), "x", True])
def test_bad_limits_are_refused(limit):
    with pytest.raises(SettingsError, match="positive number of seconds"):
        Watch(limit)
    with pytest.raises(SettingsError, match="positive number of seconds"):
        Arcs(time_limit=limit)


# ------------------------------------------------------------------------------- Ctrl-C
def test_the_first_ctrl_c_asks_and_the_second_insists():
    watch = Watch()
    with interruptible(watch):
        signal.raise_signal(signal.SIGINT)
        assert watch.interrupted
        assert not watch.tick("work")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_handler_is_put_back_after_an_error():
    def work():
        with interruptible(Watch()):
            raise ValueError

    with pytest.raises(ValueError):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_handlers_are_left_alone():
    seen = []
    previous = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        watch = Watch()
        with interruptible(watch):
            signal.raise_signal(signal.SIGINT)
        assert seen == [1]
        assert not watch.interrupted
    finally:
        signal.signal(signal.SIGINT, previous)


def test_other_threads_work_without_signals():
    results = []

    def work():
        with interruptible(Watch()) as nothing:
            results.append(nothing)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [None]


# ------------------------------------------------------------------------------- in a fit
def test_a_time_limit_keeps_the_best_so_far(linear_rows):
    values = linear_rows(150, 40, 0, density=0.1)
    settings = {"search": "anneal", "n_iter": 10**12, "random_state": 0}
    result = Arcs(**settings, time_limit=0.5).fit(values)  # without a limit for years
    assert result.stopped == "time limit"
    assert result.trace["best"][-1] < result.trace["best"][0]
    assert result.score == result.trace["best"][-1]
    assert result.trace["iteration"][-1] < 10**12


def test_reports_tell_how_far_the_search_is(linear_rows):
    events = []
    Arcs(search="anneal", n_iter=2000, penalty="mcp", random_state=0).fit(
        linear_rows(100, 8, 1), listener=events.append
    )
    stages = [event.stage for event in events if event.stage != "compile"]
    assert stages == sorted(stages, key=["tune", "anneal"].index)
    assert stages.count("tune") == 80
    search = [event for event in events if event.stage == "anneal"]
    assert search[-1].iteration == search[-1].total == 2000
    assert (np.diff([event.iteration for event in search]) > 0).all()
    assert (np.diff([event.best for event in search]) <= 0).all()
    assert (np.diff([event.temperature for event in search]) <= 0).all()
    assert all(event.score >= event.best - 1e-6 for event in search)
    assert all(event.edges >= 0 for event in search)


PROGRAM = textwrap.dedent(
    """
    import sys
    import numpy as np
    from arcs.learners.arcs import Arcs
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 30)) @ (np.eye(30) + np.triu(rng.normal(size=(30, 30)), 25))
    told = []
    def listener(event):
        if event.stage == "anneal" and event.iteration >= 2000 and not told:
            told.append(1)
            print("working", flush=True)
    learner = Arcs(search="anneal", n_iter=10**12, random_state=0, n_chains=CHAINS, n_jobs=CHAINS)
    result = learner.fit(values, listener=listener)
    print(result.stopped, len(result.trace["best"]) > 5, result.score < result.trace["best"][0])
    """
)


@pytest.mark.parametrize("chains", [1, 2])
def test_ctrl_c_returns_the_best_so_far(chains):
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("CHAINS", str(chains))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout.readline() == "working\n"
        program.send_signal(signal.SIGINT)
        out, errors = program.communicate(timeout=60)
    finally:
        program.kill()
        program.wait()
    assert out == "interrupted True True\n"
    assert errors == ""
    assert program.returncode == 0


def test_those_who_asked_for_no_reports_are_told_of_compilation(monkeypatch, capsys):
    notice = CompileNotice()
    for event in (Progress("compile", 3, total=60), Progress("search", 1), Progress("search", 2)):
        notice(event)
    told = capsys.readouterr().err
    assert told.startswith("\rcompiling kernels, once: 3 of about 60")
    assert told.endswith(" \r")  # the line is taken back, and nothing else is said
    assert "search" not in told
    assert compiling(Progress("compile", 3)) == "compiling kernels, once: 3"


def test_a_notebook_has_one_output_that_changes(monkeypatch, capsys):
    shown = []

    def display(data, *, raw, display_id):
        shown.append(data["text/plain"])
        return types.SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))

    kernel = types.SimpleNamespace(kernel=object())
    shell = types.SimpleNamespace(get_ipython=lambda: kernel)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    outputs = types.SimpleNamespace(display=display)
    monkeypatch.setitem(sys.modules, "IPython.display", outputs)
    with CompileNotice() as notice:
        notice(Progress("start"))
        notice(Progress("compile", 3, total=60))
        notice(Progress("compile", 4, total=60))
    assert shown == [
        "compiling kernels, once: 3 of about 60",
        "compiling kernels, once: 4 of about 60",
        "compiled in 0 s, once: later fits find it ready",
    ]
    assert capsys.readouterr().err == ""


def test_a_notebook_is_somebody_who_watches(monkeypatch):
    shell = types.SimpleNamespace(get_ipython=lambda: None)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.delattr(sys, "ps1", raising=False)
    assert not somebody_watches()
    shell.get_ipython = object
    assert somebody_watches()


def test_time_goes_on_after_an_interruption_but_not_towards_the_limit():
    watch = Watch(time_limit=60.0)
    watch.before = 3600.0
    assert watch.elapsed >= 3600.0
    assert 50.0 < watch.remaining <= 60.0
    assert not watch.expired()
