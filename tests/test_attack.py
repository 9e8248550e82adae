"""A short attack with a fixed seed: nothing hangs, crashes, or breaks a promise."""

import argparse
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import attack

    yield attack
    for name in [name for name in sys.modules if name.split(".")[0] in ("attack", "attacks")]:
        del sys.modules[name]


def test_a_short_attack_is_clean(tool, capsys):
    options = argparse.Namespace(seed=11, minutes=None, cases=120, first=0, jobs=2)
    report = tool.attack(options)
    assert report.broken == {}
    assert report.counts["fits"] + report.counts["files"] == 120
    assert report.counts["fits graph"] > 30
    assert "0 failures" in capsys.readouterr().out


def test_cases_are_the_same_every_time_and_can_be_printed(tool):
    cases = [tool.draw_case(3, k) for k in range(200)]
    assert cases == [json.loads(json.dumps(tool.draw_case(3, k))) for k in range(200)]
    assert {"fit", "file", "command"} <= {case["kind"] for case in cases}
    assert {case.get("table") for case in cases} == {"numbers", "categories", "both", None}


def test_what_breaks_is_made_smaller(tool, monkeypatch):
    """A failure that depends on one setting only is reported with that setting only."""
    drawn = (tool.draw_case(5, k) for k in range(99))
    case = next(c for c in drawn if c["kind"] == "fit" and c["table"] == "numbers")
    case |= {"settings": {"patience": 1, "ebic": 2.0, "gamma": 3.0}, "p": 6, "n": 80}
    asked = []

    class Fake:
        def __init__(self, function):
            pass

        def run(self, case, limit):
            asked.append(case)
            broken = "ebic" in case["settings"]
            value = ("broken", "words") if broken else ("graph", "")
            return tool.Ended(case, value)

        def close(self):
            pass

    monkeypatch.setattr(tool, "Worker", Fake)
    least = tool.smallest(case, "words")
    assert least["settings"] == {"ebic": 2.0}
    assert (least["p"], least["n"], least["values"]) == (2, 5, "linear")
    assert len(asked) < 100


def test_hangs_and_crashes_are_failures(tool):
    task = {"kind": "fit", "number": 1}
    assert tool.outcome(tool.Ended(task, late=True))[0] == "broken"
    assert tool.outcome(tool.Ended(task, lost="killed by signal 11: x")) == (
        "broken",
        "crashes (killed by signal 11: x)",
    )
    assert tool.outcome(tool.Ended(task, ("refused", "why"))) == ("refused", "why")


def test_an_interrupted_attack_prints_what_it_has(tool, monkeypatch, capsys):
    """The table, and the first failing case as it was drawn: nobody waits for a smaller one."""
    case = {"kind": "machine", "fault": "signals", "number": 7}

    def stopped(drawn, jobs):
        yield tool.Ended(case, ("broken", "words"))
        raise KeyboardInterrupt

    monkeypatch.setattr(tool, "_in_children", stopped)
    monkeypatch.setattr(tool, "smallest", None)
    report = tool.attack(argparse.Namespace(seed=1, minutes=None, cases=9, first=0, jobs=1))
    tool.print_table(report)
    out = capsys.readouterr().out
    assert "1 x words\n  --seed 1 --only 7\n  drawn: " + json.dumps(case) in out
    assert out.endswith("fits 1, fits broken 1; 1 failures; interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_an_attack_with_its_table(number):
    command = [sys.executable, str(TOOLS / "attack.py"), "--minutes", "9", "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "seed 0\n"
    process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert out.endswith("0 failures; interrupted\n")
