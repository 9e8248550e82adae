"""What a bootstrap costs, and whether cheaper searches give the same frequencies.

    python benchmarks/replicates.py
    python benchmarks/replicates.py --only Andes --resamples 50
    python benchmarks/replicates.py --only Sachs --resamples 100 --brief-only

For data sets of the paper: CPU seconds of one fit, and of replicates, as "fits per 50 replicates":

- brief: cold starts with patience 1 (the default);
- full: the searches of a fit;
- warm: patience 1, started from the order that was found for all rows.

Then the differences of edge frequencies from those of full searches (same rows), over the pairs
that any of the two has in at least one graph in twenty: mean and largest. What is unavoidable is
seen from full searches of two chains each, whose better answer counts.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

from arcs.confidence import Bootstrap, bootstrap
from arcs.datasets import load_sachs
from arcs.learners import learner
from arcs.simulate import OBSERVATIONAL_SETTINGS, simulate_setting

NAMES = {"Andes": ("Andes", 200), "Pigs": ("Pigs", 600), "rDAG1": ("rDAG1", 240)}


def timed(data: Any, model: Any, n: int, **options: Any) -> tuple[Bootstrap, float]:
    """A bootstrap and its CPU seconds."""
    begin = time.process_time()
    found = bootstrap(data, model, n, random_state=0, **options)
    return found, time.process_time() - begin


def fitted(data: Any, model: Any, times: int) -> tuple[Any, float]:
    """A fit and its CPU seconds, the mean of several."""
    begin = time.process_time()
    for _ in range(times):
        result = model.fit(data)
    return result, (time.process_time() - begin) / times


def difference(one: Bootstrap, other: Bootstrap) -> str:
    """Mean and largest difference of the edge frequencies."""
    often = np.triu((one.confidence >= 0.05) | (other.confidence >= 0.05), 1)
    gaps = np.abs(one.confidence - other.confidence)[often]
    return f"{gaps.mean():.3f} / {gaps.max():.2f}" if gaps.size else "0 / 0"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="Andes,Pigs,rDAG1,Sachs")
    parser.add_argument("--resamples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--fits", type=int, default=3, help="fits to time before and after")
    parser.add_argument("--brief-only", action="store_true", help="time the default only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    n = options.resamples
    print(f"{'':<14}{'fit, s':>8}{'brief':>8}{'full':>8}{'warm':>8}", end="")
    print(f"{'brief - full':>16}{'warm - full':>16}{'2 chains - full':>16}")
    for name in options.only.split(","):
        data = drawn(name, options.seed)
        model = learner("arcs", random_state=0)
        model.fit(data)  # compiled
        bootstrap(data, model, 2)
        # Fits before, between and after: what else the machine does hits both alike.
        result, before = fitted(data, model, options.fits)
        brief, brief_time = timed(data, model, n)
        once = (before + fitted(data, model, options.fits)[1]) / 2
        if options.brief_only:
            print(f"{name:<14}{once:>8.2f}{50 / n * brief_time / once:>8.1f}", flush=True)
            continue
        full, full_time = timed(data, model, n, brief=False)
        warm, warm_time = timed(data, learner("arcs", init=result.order.nodes), n)
        again, _ = timed(data, learner("arcs", n_chains=2), n, brief=False)
        ratios = [50 / n * t / once for t in (brief_time, full_time, warm_time)]
        row = f"{name:<14}{once:>8.2f}" + "".join(f"{ratio:>8.1f}" for ratio in ratios)
        gaps = [difference(full, other) for other in (brief, warm, again)]
        print(row + "".join(f"{gap:>16}" for gap in gaps), flush=True)


def drawn(name: str, seed: int) -> Any:
    """One data set: the first of the experiments, or the Sachs cells."""
    if name == "Sachs":
        return load_sachs().data
    setting = next(s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) == NAMES[name])
    return simulate_setting(setting, seed).data


if __name__ == "__main__":
    main()
