"""Several first fits at once, nothing compiled before: do they share the work, and the cache?

    python benchmarks/cold_start.py [--processes 4]

A default fit of a small table in one process with an empty folder for compiled code, then in
several that start at the same time with another empty folder, then in one that finds what they
left. Wall and CPU seconds, how many functions each group compiled (one that is compiled twice was
wasted), what is left in the folder, and whether all answers are the same to the last bit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIT = """
import json, time
from arcs import ARCS
from arcs.kernels.compilation import Compilation
from arcs.simulate import random_dag, random_weights, sample
data = sample(random_weights(random_dag(12, 18, 0), 0), 200, 0).data
with Compilation() as compiled:
    score = ARCS(random_state=0).fit(data).score_
print(json.dumps([time.process_time(), compiled.count, float(score).hex()]))
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--processes", type=int, default=4)
    several = parser.parse_args().processes
    print("| processes | wall, s | CPU, s | compiled | files | answers |")
    print("|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as alone:
        fit_at_once("1, empty cache", 1, alone)
    with tempfile.TemporaryDirectory() as shared:
        fit_at_once(f"{several} at once, empty cache", several, shared)
        fit_at_once("1, with what they left", 1, shared)


def fit_at_once(name: str, count: int, folder: str) -> None:
    """Print the row of so many processes that start together."""
    room = {**os.environ, "NUMBA_CACHE_DIR": folder}
    begin = time.perf_counter()
    started = [
        subprocess.Popen([sys.executable, "-c", FIT], env=room, stdout=subprocess.PIPE)
        for _ in range(count)
    ]
    told = [json.loads(process.communicate()[0]) for process in started]
    wall = time.perf_counter() - begin
    cpu, compiled = sum(line[0] for line in told), sum(line[1] for line in told)
    answers = "same" if len({line[2] for line in told}) == 1 else "differ"
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    other = [path.name for path in files if path.suffix != ".nbc"]
    left = str(len(files)) if not other else f"{len(files)}, of them {other}"
    print(f"| {name} | {wall:.1f} | {cpu:.1f} | {compiled} | {left} | {answers} |", flush=True)


if __name__ == "__main__":
    main()
