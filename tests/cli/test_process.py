"""The command as a process of its own: streams, exit codes, a terminal of 80 columns."""

import json
import os
import pty
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from arcs.results import FitResult

ARCS = [sys.executable, "-m", "arcs"]


def arcs(*words, **settings):
    return subprocess.run(
        [*ARCS, *map(str, words)], capture_output=True, text=True, timeout=120, **settings
    )


def test_exit_codes():
    assert arcs("--version").returncode == 0
    assert arcs("show", "/nonexistent").returncode == 1
    assert arcs("--nonsense").returncode == 2


def closed_at_once(*words):
    """Run ``arcs`` with an output that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*ARCS, *map(str, words)], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120
    )
    os.close(writer)
    return done


@pytest.mark.parametrize(
    "words", [["networks"], ["networks", "--json"], ["methods"], ["fit", "--help"], ["--version"]]
)
def test_output_to_a_closed_pipe_is_no_error(words):
    done = closed_at_once(*words)
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_fit_whose_output_nobody_reads_is_saved(tmp_path):
    write_rows_of_noise(tmp_path / "d.csv")
    done = closed_at_once("fit", tmp_path / "d.csv", "-m", "hc", "-o", tmp_path / "out")
    assert done.returncode == 0
    assert "report.html" in os.listdir(tmp_path / "out")


def test_pipes_are_read_once(tmp_path):
    write_rows_of_noise(tmp_path / "d.csv")
    (tmp_path / "labels").write_text("\n".join(["", "b"] * 25) + "\n")
    words = "-m hc --json --quiet"
    lines = (
        f"{sys.executable} -m arcs fit d.csv -i labels {words}",
        f"{sys.executable} -m arcs fit <(cat d.csv) -i labels {words}",
        f"cat d.csv | {sys.executable} -m arcs fit /dev/stdin -i labels {words}",
        f"gzip < d.csv | {sys.executable} -m arcs fit /dev/stdin -i <(cat labels) {words}",
    )
    answers = []
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        answers.append(json.loads(done.stdout))
        for name in ("data", "seconds", "files"):
            del answers[-1][name]
    assert answers[0]["intervened"] == ["b"]
    assert all(answer == answers[0] for answer in answers)


def test_help_needs_no_numerical_library():
    code = (
        "import sys, arcs.cli; "
        "print(sorted({'matplotlib', 'jinja2', 'sklearn', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"


def test_an_ascii_terminal_gets_ascii():
    done = arcs("networks", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_a_terminal_gets_no_colour_if_it_says_so():
    master, slave = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80"}
    process = subprocess.Popen(
        [*ARCS, "networks"], stdout=slave, stderr=slave, stdin=slave, env=environment
    )
    os.close(slave)
    chunks = []
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:  # the other side has closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(master)
    assert process.wait(timeout=60) == 0
    text = b"".join(chunks).decode()
    assert "\x1b[3" not in text  # bold is no colour
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert max(map(len, text.splitlines())) <= 80


SLOW_LEARNER = """
import sys, time
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from arcs.cli import main
from arcs.learners import LEARNERS, Learned, Learner

@dataclass(frozen=True, kw_only=True)
class Slow(Learner):
    name: ClassVar[str] = "slow"
    def learn(self, statistics, watch):
        print("running", flush=True)
        while watch.tick("wait", 1):
            time.sleep(0.01)
        return Learned(np.triu(np.ones((statistics.p, statistics.p), dtype=bool), k=1))

LEARNERS["slow"] = Slow
main()
"""


def write_rows_of_noise(path):
    rows = np.random.default_rng(0).normal(size=(50, 3))
    np.savetxt(path, rows, delimiter=",", header="a,b,c", comments="")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_save_the_best_so_far(tmp_path, number):
    write_rows_of_noise(tmp_path / "d.csv")
    command = [sys.executable, "-c", SLOW_LEARNER, "fit", "d.csv", "-m", "slow"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "running\n"
    process.send_signal(number)
    printed, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted after" in printed
    assert "the best network so far is saved" in messages
    assert "Traceback" not in messages
    saved = FitResult.load(tmp_path / "d-arcs" / "result.json")
    assert saved.stopped == "interrupted"
    assert saved.n_edges == 3
