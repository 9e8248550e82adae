"""What is compiled inside of a block is counted, timed and told."""

import os
import subprocess
import sys
import time

from numba import njit

from arcs.kernels.compilation import FUNCTIONS, Compilation


def functions():
    @njit
    def inner(x):
        return x + 1

    @njit
    def outer(x):
        return inner(x) * 2

    return inner, outer


def test_functions_and_what_they_call_are_counted_once():
    _, outer = functions()
    told = []
    began = time.perf_counter()
    with Compilation(lambda *figures: told.append(figures)) as compiled:
        assert outer(3) == 8
        assert outer(4) == 10
    assert compiled.count == 2
    assert told == [(0, FUNCTIONS), (0, FUNCTIONS)]
    assert 0 < compiled.seconds <= time.perf_counter() - began
    assert {name.rsplit(".", 1)[1] for name in compiled.functions} == {"inner", "outer"}


def test_what_is_compiled_already_costs_nothing():
    inner, outer = functions()
    outer(1)
    with Compilation() as compiled:
        outer(2)
        inner(2)
    assert compiled.count == 0
    assert compiled.seconds == 0.0
    outer(1.5)
    assert compiled.count == 0


def test_reading_from_disk_counts_apart_from_compiling(tmp_path):
    """The first process compiles; the second reads, and compiles nothing."""
    program = (
        "import numpy as np\n"
        "from arcs.kernels.compilation import Compilation\n"
        "from arcs.kernels.equivalence import topological_order_kernel as kernel\n"
        "with Compilation() as compiled:\n"
        "    kernel(np.triu(np.ones((5, 5), bool), 1))\n"
        "times = compiled.timings()\n"
        "print(compiled.count, times['load'] > 0, times['compile'] > 0)\n"
    )

    def run():
        room = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=room, capture_output=True, text=True, check=True)
        return done.stdout.split()

    count, *first = run()
    assert int(count) > 0
    assert first == ["True", "True"]
    assert run() == ["0", "True", "False"]
