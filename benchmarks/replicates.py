"""What a bootstrap costs, and whether cheaper searches give the same frequencies.

    python benchmarks/replicates.py
    python benchmarks/replicates.py --only Andes --resamples 50
    python benchmarks/replicates.py --only Sachs --resamples 100 --brief-only
    python benchmarks/replicates.py --only Andes,Pigs --resamples 100 --brief-only --jobs 2

For data sets of the paper, for misspecified ones (``averaging.py``) and the Sachs cells: CPU
seconds of one fit, and of replicates, as "fits per 50 replicates":

- brief: cold starts with patience 1 (the default);
- full: the searches of a fit;
- warm: patience 1, started from the order that was found for all rows;
- bare: of the brief ones only search and answer; what a replicate costs if drawing, sums, classes
  and coefficients cost nothing. "descent": the same without any step beyond the first descent,
  which is the least that a cold start can do.

Then differences of edge frequencies, mean and largest over the pairs that one of the two has in at
least one graph in twenty: of brief, warm and descent from full searches of the same rows; and, as a
yardstick, of full searches of other rows (another seed of the bootstrap), which one has to live
with anyway. After them the SHD of the averaged graphs (where the truth is known).

With --jobs, also the seconds that pass with so many processes, over those of one fit.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from averaging import CASES, Case

from arcs.confidence import Bootstrap, bootstrap
from arcs.confidence.bootstrap import FEWEST_ROWS
from arcs.confidence.replicates import drawn_rows
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.progress import Watch
from arcs.simulate import OBSERVATIONAL_SETTINGS, simulate_setting

NAMES = {"Andes": ("Andes", 200), "Pigs": ("Pigs", 600), "rDAG1": ("rDAG1", 240)}
OTHERS = {"batches": "batches", "factor": "hidden factor", "t3": "t3 noise", "Sachs": "Sachs cells"}


def drawn(name: str, seed: int) -> Case:
    """One data set: the first of the experiments, a misspecified one, or the Sachs cells."""
    if name in OTHERS:
        return CASES[OTHERS[name]][0](seed)
    setting = next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == NAMES[name])
    found = simulate_setting(setting, seed)
    return Case(found.data, found.truth.adjacency)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """An answer and its CPU seconds."""
    begin = time.process_time()
    return work(), time.process_time() - begin


def bare(data: Any, model: Any, n: int) -> float:
    """CPU seconds of `n` searches, with their answers and nothing else."""
    spent, rng = 0.0, np.random.default_rng(0)
    draw = "half" if data.n < FEWEST_ROWS * data.p else "resample"
    for _ in range(n):
        times = np.bincount(drawn_rows(data, draw, rng), minlength=data.n)
        statistics = model.statistics(data.counted_times(times, constant="isolate"))
        spent += timed(lambda sums=statistics: model.learn(sums, Watch(None)))[1]
    return spent


def difference(one: Bootstrap, other: Bootstrap) -> str:
    """Mean and largest difference of the edge frequencies."""
    often = np.triu((one.confidence >= 0.05) | (other.confidence >= 0.05), 1)
    gaps = np.abs(one.confidence - other.confidence)[often]
    return f"{gaps.mean():.3f}/{gaps.max():.2f}" if gaps.size else "0/0"


def costs(name: str, case: Case, options: argparse.Namespace) -> None:
    """Print the line of one data set."""
    n, model = options.resamples, learner("arcs", random_state=0)
    fitted = model.fit(case.data)  # compiled
    data = case.data.decided(fitted.preparation)
    bootstrap(data, model, 2)

    def once() -> float:
        return timed(lambda: [model.fit(data) for _ in range(options.fits)])[1] / options.fits

    def run(model: Any, **how: Any) -> tuple[Bootstrap, float]:
        return timed(lambda: bootstrap(data, model, n, **{"random_state": 0, **how}))

    # Fits before and after: what else the machine does hits both alike.
    before = once()
    found = {"brief": run(model)}
    fit = (before + once()) / 2
    if options.brief_only:
        print(f"{name:<10}{fit:>7.2f}{50 / n * found['brief'][1] / fit:>7.1f}", flush=True)
        return
    found["full"] = run(model, brief=False)
    found["warm"] = run(learner("arcs", init=fitted.order.nodes))
    found["descent"] = run(learner("arcs", n_iter=0))
    other, _ = run(model, brief=False, random_state=1)
    spent = [found[kind][1] for kind in ("brief", "full", "warm")]
    if data.conditions is None:
        short = [learner("arcs", patience=1), learner("arcs", n_iter=0)]
        spent += [bare(data, one, n) for one in short]
    else:
        spent += [np.nan, found["descent"][1]]
    cells = [f"{50 / n * seconds / fit:>8.1f}" for seconds in spent]
    full = found["full"][0]
    kinds = [found[kind][0] for kind in ("brief", "warm", "descent")]
    gaps = [f"{difference(full, one):>13}" for one in (*kinds, other)]
    far = [
        f"{evaluate(one.averaged(), case.truth, experimental=case.experimental).SHD:>5.0f}"
        for one in (full, *kinds, other)
    ]
    print(f"{name:<10}{fit:>7.2f}" + "".join([*cells, *gaps, *far]), flush=True)


def passing(name: str, case: Case, options: argparse.Namespace) -> None:
    """Print the seconds that pass with several processes."""
    model = learner("arcs", random_state=0)
    fitted = model.fit(case.data)
    data = case.data.decided(fitted.preparation)
    bootstrap(data, model, 4, n_jobs=options.jobs)  # processes that have compiled code

    def clock(work: Callable[[], Any]) -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    n = options.resamples
    before = clock(lambda: model.fit(data))
    spent = clock(lambda: bootstrap(data, model, n, random_state=0, n_jobs=options.jobs))
    fit = (before + clock(lambda: model.fit(data))) / 2
    print(f"{name}: {n} replicates in {options.jobs} processes {spent:.1f} s,", end=" ")
    print(f"one fit {fit:.2f} s: {spent / fit:.1f} fits", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="Andes,Pigs,rDAG1,batches,factor,t3,Sachs")
    parser.add_argument("--resamples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--fits", type=int, default=3, help="fits to time before and after")
    parser.add_argument("--brief-only", action="store_true", help="time the default only")
    parser.add_argument("--jobs", type=int, help="also measure the time that passes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.jobs is None:
        heads = ("brief", "full", "warm", "bare", "descent")
        gaps = ("brief-full", "warm-full", "descent-full", "other-full")
        print(f"{'':<10}{'fit, s':>7}" + "".join(f"{head:>8}" for head in heads), end="")
        print("".join(f"{gap:>13}" for gap in gaps) + "  SHD: full, brief, warm, descent, other")
    for name in options.only.split(","):
        case = drawn(name, options.seed)
        (costs if options.jobs is None else passing)(name, case, options)


if __name__ == "__main__":
    main()
