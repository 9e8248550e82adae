"""One search on several cores: wall time by number of workers, and whether answers are the same.

    python benchmarks/workers.py                          # one and two workers
    python benchmarks/workers.py --jobs 1 2 4 --only "p=1000" --repeats 3

Every data set is fitted with each number of workers in turn, so that whatever else the machine does
hits all alike; the least wall time of several counts (others were disturbed), and the speed-up is
that of the whole fit. CPU time tells what sharing costs: it should not grow. Linear algebra has one
thread, so that workers are what is compared. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from growth import simulate
from threadpoolctl import threadpool_limits

from arcs.data import Dataset
from arcs.learners import learner
from arcs.simulate import OBSERVATIONAL_SETTINGS, simulate_setting


def _setting(name: str, n: int) -> Callable[[int], Dataset]:
    (found,) = [s for s in OBSERVATIONAL_SETTINGS if s.name == name and s.n == n]
    return lambda seed: simulate_setting(found, seed).data


def _random(p: int) -> Callable[[int], Dataset]:
    return lambda seed: simulate(p, seed, 500).data


CASES: dict[str, Callable[[int], Dataset]] = {
    "Win95pts n=500": _setting("Win95pts", 500),
    "Pigs n=200": _setting("Pigs", 200),
    "Pigs n=600": _setting("Pigs", 600),
    "rDAG2 n=600": _setting("rDAG2", 600),
    "p=1000": _random(1000),
    "p=2000": _random(2000),
}


def fit(data: Dataset, jobs: int) -> tuple[float, float, str]:
    """Wall and CPU seconds of a default fit, and its score and graph."""
    begin, used = time.perf_counter(), time.process_time()
    result = learner("arcs", random_state=0, n_jobs=jobs).fit(data)
    wall, cpu = time.perf_counter() - begin, time.process_time() - used
    return wall, cpu, result.score.hex() + result.dag.coefficients.tobytes().hex()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", action="append", choices=CASES)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    fit(CASES["Win95pts n=500"](0), max(options.jobs))
    print(f"{'':16}" + "".join(f"{f'{jobs}: wall, CPU s':>20}" for jobs in options.jobs))
    for name in options.only or CASES:
        data = CASES[name](options.seed)
        data.statistics()
        runs = [[fit(data, jobs) for jobs in options.jobs] for _ in range(options.repeats)]
        wall = [min(run[i][0] for run in runs) for i in range(len(options.jobs))]
        cpu = [min(run[i][1] for run in runs) for i in range(len(options.jobs))]
        same = len({answer for run in runs for *_, answer in run}) == 1
        cells = "".join(f"{w:>12.2f}{c:>8.2f}" for w, c in zip(wall, cpu, strict=True))
        faster = "  ".join(f"x {wall[0] / w:.2f}" for w in wall[1:])
        print(
            f"{name:16}{cells}   {faster}  {'same answers' if same else 'ANSWERS DIFFER'}",
            flush=True,
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
