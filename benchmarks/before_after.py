"""Is this checkout as fast as another one? CPU seconds of the same fits, interleaved.

    git worktree add ../before main~10
    python benchmarks/before_after.py --other ../before

Each checkout runs in a process of its own, and both take turns, so that whatever else the machine
does hits both alike. A fit is done once before it counts. The table has, per task, the median CPU
seconds of both, the median of the ratios of neighbouring runs (this one to the other), and whether
the scores are the same to the last bit. ``--compile`` measures the first fit of a process with an
empty cache of compiled code instead.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def _setting(name: str, n: int | None, experimental: bool = False) -> Any:
    """A data set of the paper's setting with that name (and number of rows)."""
    from arcs.simulate import EXPERIMENTAL_SETTINGS, OBSERVATIONAL_SETTINGS, simulate_setting

    group = EXPERIMENTAL_SETTINGS if experimental else OBSERVATIONAL_SETTINGS
    found = [s for s in group if s.name == name and (n is None or s.n == n)]
    return simulate_setting(found[0], 1000).data


def _tasks() -> dict[str, Callable[[], float]]:
    """Fits by name; each returns its score."""
    from arcs import ARCS, learner

    def default(
        name: str, n: int | None, experimental: bool = False, one_mean: bool = False
    ) -> Callable[[], float]:
        data = _setting(name, n, experimental)
        if one_mean and hasattr(data, "with_conditions"):
            data = data.with_conditions(None)
        return lambda: ARCS(random_state=0).fit(data).score_

    def paper() -> Callable[[], float]:
        data = _setting("Andes", None)
        return lambda: ARCS.paper(random_state=0).fit(data).score_

    def other(method: str) -> Callable[[], float]:
        data = _setting("Andes", 200)
        return lambda: float(learner(method, random_state=0).fit(data).score)

    return {
        "Andes n=200": default("Andes", 200),
        "Pigs n=600": default("Pigs", 600),
        "rDAG2 n=600": default("rDAG2", 600),
        "experimental Alarm": default("Alarm", None, experimental=True),
        # Without the choice of a policy for conditions, which older checkouts do not have.
        "experimental Alarm, one mean": default("Alarm", None, True, one_mean=True),
        "ARCS.paper, Andes": paper(),
        **{f"{method}, Andes n=200": other(method) for method in ("ges", "hc", "pc", "mmhc")},
    }


def _serve() -> None:
    """Answer task names on standard input with CPU seconds and score on standard output."""
    tasks = _tasks()
    for line in sys.stdin:
        start = time.process_time()
        score = tasks[line.strip()]()
        print(json.dumps([time.process_time() - start, float(score).hex()]), flush=True)


def _first_fit() -> None:
    """CPU seconds of the first default fit."""
    from arcs import ARCS
    from arcs.simulate import random_dag, random_weights, sample

    data = sample(random_weights(random_dag(20, 30, 0), 0), 200, 0).data
    start = time.process_time()
    ARCS(random_state=0).fit(data)
    print(time.process_time() - start)


def _start(checkout: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    room = {**os.environ, "PYTHONPATH": str(checkout / "src"), **variables}
    command = [sys.executable, __file__, *options]
    return subprocess.Popen(
        command, env=room, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _ask(worker: subprocess.Popen[str], task: str) -> tuple[float, str]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(task + "\n")
    worker.stdin.flush()
    seconds, score = json.loads(worker.stdout.readline())
    return seconds, score


def compare(other: Path, tasks: list[str], repeats: int) -> None:
    """Print the table."""
    workers = _start(ROOT, "--serve"), _start(other, "--serve")
    print("| task | here, s | other, s | ratio | scores |\n|---|--:|--:|--:|---|")
    for task in tasks:
        scores = [_ask(worker, task)[1] for worker in workers]
        here, there = [], []
        for turn in range(repeats):
            pair = workers if turn % 2 else workers[::-1]
            seconds = {worker: _ask(worker, task)[0] for worker in pair}
            here.append(seconds[workers[0]])
            there.append(seconds[workers[1]])
        ratio = median(a / b for a, b in zip(here, there, strict=True))
        same = "same" if scores[0] == scores[1] else "differ"
        print(f"| {task} | {median(here):.2f} | {median(there):.2f} | {ratio:.3f} | {same} |")
    for worker in workers:
        worker.communicate()


def compare_compilation(other: Path, repeats: int) -> None:
    """Print CPU seconds of a first fit, in both checkouts, `repeats` times."""
    for _ in range(repeats):
        for name, checkout in (("here", ROOT), ("other", other)):
            with tempfile.TemporaryDirectory() as room:
                text, _ = _start(checkout, "--first-fit", NUMBA_CACHE_DIR=room).communicate()
            print(f"first fit, {name}: {float(text):.1f} CPU s", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--other", type=Path, help="the other checkout")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--task", action="append", help="only this one (may be repeated)")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--first-fit", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        _serve()
    elif chosen.first_fit:
        _first_fit()
    elif chosen.other is None:
        parser.error("--other PATH is needed")
    elif chosen.compile:
        compare_compilation(chosen.other.resolve(), chosen.repeats)
    else:
        compare(chosen.other.resolve(), chosen.task or list(_tasks()), chosen.repeats)


if __name__ == "__main__":
    main()
