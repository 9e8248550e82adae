"""The command as a process of its own: streams, exit codes, a terminal of 80 columns."""

import os
import pty
import re
import signal
import subprocess
import sys

import numpy as np

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


def test_output_to_a_closed_pipe_is_no_error():
    command = f"'{sys.executable}' -m arcs networks | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.startswith("network")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


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


def test_ctrl_c_saves_the_best_so_far(tmp_path):
    rows = np.random.default_rng(0).normal(size=(50, 3))
    np.savetxt(tmp_path / "d.csv", rows, delimiter=",", header="a,b,c", comments="")
    command = [sys.executable, "-c", SLOW_LEARNER, "fit", "d.csv", "-m", "slow"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    printed, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted after" in printed
    assert "the best network so far is saved" in messages
    assert "Traceback" not in messages
    saved = FitResult.load(tmp_path / "d-arcs" / "result.json")
    assert saved.stopped == "interrupted"
    assert saved.n_edges == 3
