"""What covariates, conditions and hidden factors cost: CPU time against the plain fit.

    python benchmarks/real_times.py                  # 5 data sets from seed 1000, p = 50 and 100
    python benchmarks/real_times.py --quick          # 2 data sets, p = 50
    python benchmarks/real_times.py --latent         # one hidden factor, p = 100, n = 500
    python benchmarks/real_times.py --nodes 100 --kinds batch --sets 1 --runs 1

Rows are those of `messy_data.conditions` (nine conditions of 60 rows). "clean": nothing differs
between conditions, so that all fits look for the same graph; "batch": all means shift, and the
plain fit, which ignores that, looks for a thicket. The ways are run in turn on each data set,
twice (--runs), and the faster run counts; printed are the medians of the ratios to the plain fit.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import messy_data
import numpy as np
from messy_data import Messy

from arcs import ARCS

WAYS: dict[str, Callable[[Messy], dict[str, object]]] = {
    "plain": lambda data: {},
    "adjust": lambda data: {"adjust": data.covariates},
    "free": lambda data: {"conditions": list(data.labels), "condition_policy": "free"},
    "auto": lambda data: {"conditions": list(data.labels), "condition_policy": "auto"},
}


def seconds(data: Messy, way: str, **settings: object) -> float:
    """CPU time of one fit, reading included."""
    start = time.process_time()
    ARCS(random_state=0, **settings).fit(data.values, **WAYS[way](data))
    return time.process_time() - start


def ratios(kind: str, p: int, seeds: range, repeats: int = 2) -> None:
    """Print the median ratio of every way to the plain fit."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for seed in seeds:
        made = messy_data.conditions(kind, p, seed)
        covariates = np.random.default_rng(seed).normal(size=(len(made.values), 3))
        data = Messy(made.values, made.truth, made.labels, covariates=covariates)
        runs = [{way: seconds(data, way) for way in WAYS} for _ in range(repeats)]
        for way in WAYS:
            times[way].append(min(run[way] for run in runs))
    plain = np.array(times["plain"])
    told = ", ".join(f"{way} {np.median(times[way] / plain):.2f}" for way in WAYS if way != "plain")
    print(f"{kind:6s} p = {p}: plain {np.median(plain):.3f} s; times as long: {told}", flush=True)


def latent(seeds: range) -> None:
    """Print what one hidden factor takes."""
    found = [seconds(messy_data.factors(1, 100, 500, seed), "plain", latent=1) for seed in seeds]
    print(f"latent = 1, p = 100, n = 500: {np.mean(found):.1f} s (at most {max(found):.1f} s)")


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 data sets, p = 50")
    parser.add_argument("--latent", action="store_true", help="hidden factors only")
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--nodes", nargs="+", type=int, default=(50, 100))
    parser.add_argument("--kinds", nargs="+", choices=("none", "batch"), default=("none", "batch"))
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(1000, 1000 + (2 if options.quick else options.sets))
    if options.latent:
        latent(seeds)
        return
    ratios("none", 20, range(3))  # everything is compiled
    print("--")
    for p in (50,) if options.quick else options.nodes:
        for kind in options.kinds:
            ratios(kind, p, seeds, options.runs)


if __name__ == "__main__":
    main()
