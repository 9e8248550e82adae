import io

import pytest
from rich.console import Console

from arcs.cli import progress
from arcs.cli.progress import LiveLine, in_words, live_line
from arcs.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    return now


def event(iteration, stage="anneal"):
    return Progress(
        stage, iteration, total=1000, best=-1234.56, temperature=0.123, edges=17, elapsed=1.0
    )


def test_the_line_tells_everything_in_80_columns(clock):
    line = LiveLine("arcs", time_limit=None)
    line(event(1))
    clock[0] += 10
    line(event(250))
    text = line.render().plain
    for part in ("arcs: looking for", "25%", "17 edges", "0:10, about 0:30 left of this step"):
        assert part in text
    assert "T 0.12" not in text
    assert len(text) <= 120


def test_time_left_is_at_most_the_limit(clock):
    line = LiveLine("arcs", time_limit=15.0)
    line(event(1))
    clock[0] += 10
    line(event(10))
    assert line.time_left(clock[0]) == ["at most 0:05 left"]


def test_a_new_stage_has_its_own_pace(clock):
    line = LiveLine("arcs")
    line(event(1, "tune"))
    clock[0] += 100
    line(event(1, "anneal"))
    clock[0] += 1
    line(event(500, "anneal"))
    assert line.time_left(clock[0]) == ["about 0:01 left of this step"]


def test_before_the_first_event(clock):
    assert "starting" in LiveLine("arcs").render().plain
    assert LiveLine("arcs").time_left(clock[0]) == []


def test_the_first_steps_tell_nothing_about_the_end(clock):
    line = LiveLine("arcs")
    line(event(1))
    clock[0] += 10
    line(event(40))
    assert line.time_left(clock[0]) == []


def test_an_interruption_is_acknowledged(clock):
    line = LiveLine("arcs")
    line(event(1))
    line(Progress("stopping"))
    line(event(2))
    assert "stopping, to keep the best so far" in line.render().plain
    assert "loses it" in line.render().plain


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("level 2", "testing edges given 2 other variables"),
        ("ges forward", "adding edges"),
        ("something else", "something else"),
    ],
)
def test_stages_in_words(stage, words):
    assert in_words(stage) == words


def test_silent_in_a_pipe_and_when_quiet(monkeypatch):
    for terminal, quiet, heard in ((False, False, False), (True, True, False), (True, False, True)):
        stream = io.StringIO()
        console = Console(file=stream, force_terminal=terminal, width=80)
        monkeypatch.setattr(progress, "messages", lambda console=console: console)
        with live_line("arcs", quiet=quiet) as listener:
            assert (listener is not None) == heard
            if listener is not None:
                listener(event(3))
        assert bool(stream.getvalue()) == heard


def test_long_runs_show_hours():
    assert progress.clock(3 * 3600 + 62) == "3:01:02"


def test_time_goes_on_after_an_interruption(clock):
    line = LiveLine("arcs", time_limit=100.0)
    clock[0] += 2
    line(Progress("pulls", 5, elapsed=3602.0))
    assert "1:00:02" in line.render().plain
    assert line.time_left(clock[0]) == ["at most 1:38 left"]


def test_compilation_has_a_bar_of_its_own(clock):
    line = LiveLine("arcs")
    line(Progress("compile", 45, total=90))
    text = line.render().plain
    assert "arcs: compiling kernels, once: 45 of about 90  [####....] 50%" in text
    assert "left" not in text
