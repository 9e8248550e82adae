"""The search against FLOP and against the true DAG's score.

    arcs experiment run table1 --methods ARCS --again --jobs 2
    arcs experiment run table2 --methods ARCS,FLOP --again --jobs 2
    arcs experiment run table5 --methods ARCS --again --jobs 2
    python benchmarks/search.py

The first three lines fit every data set, one core per fit; where n > p with both methods in one
run, one right after the other. This script reads the rows they leave and prints, for every setting:
mean SHD and median seconds of both, the median over data sets of the ratio of their times, and the
share of data sets that were *solved*, which means that the score found is at least as good as that
of the true DAG. The exit status tells whether all targets were met.

`--rich` instead fits Andes with 200 observational rows and five rows per variable under
intervention, and prints SHD and peak memory.

`--others Hepar2,Pigs` fits the data sets of these networks in other ways and prints SHDs and scores
beside each other: whether more searching would help, or whether what is left is up to the score.

- plain: 12 p steps, none of which may raise the score, and a fixed final price (gamma = 1.25);
- chains: the best of four chains;
- truth: a search that starts from the true order.
"""

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from truth import true_score

from arcs.graphs import GaussianDag
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.simulate import OBSERVATIONAL_SETTINGS, simulate_setting
from arcs.simulate.sampling import sample_experiments

TIMES_FLOP = 3.0
EXPERIMENTAL_SUM = 27.0
RICH_SHD = 3.0


def observational(rows: pd.DataFrame) -> bool:
    """The 14 settings; returns whether the targets were met."""
    print(
        f"{'setting':18s} {'SHD':>5s} {'s':>5s} {'solved':>7s} {'FLOP':>6s} {'s':>6s} {'ratio':>6s}"
    )
    met = True
    for setting in OBSERVATIONAL_SETTINGS:
        of_case = rows[rows["case"] == setting.key]
        ours = of_case[of_case["method"] == "ARCS"].set_index("seed")
        theirs = of_case[of_case["method"] == "FLOP"].set_index("seed")
        solved = []
        for seed, row in ours.iterrows():
            simulated = simulate_setting(setting, int(seed))
            limit = true_score(simulated.data.statistics(), simulated.truth)
            solved.append(row["score"] <= limit + 1e-3)
        shd = ours["SHD"].mean()
        line = f"{setting.name:11s} n={setting.n:<4d} {shd:6.1f} {ours['seconds'].median():5.2f}"
        line += f" {np.sum(solved):3d}/{len(solved):<3d}"
        met &= all(solved)
        if len(theirs):
            ratio = (theirs["seconds"] / ours["seconds"]).median()
            flop = theirs["SHD"].mean()
            line += f" {flop:6.1f} {theirs['seconds'].median():6.2f} {ratio:6.1f}"
            met &= bool(ratio >= TIMES_FLOP and shd < flop)
        print(line, flush=True)
    return met


def experimental(rows: pd.DataFrame) -> bool:
    """The nine small experimental settings; returns whether the target was met."""
    ours = rows[rows["case"].str.endswith("-experimental") & (rows["method"] == "ARCS")]
    means = ours.groupby("case")["SHD"].mean()
    print(
        "\nexperimental data: " + ", ".join(f"{c.split('-')[0]} {m:.1f}" for c, m in means.items())
    )
    print(f"sum {means.sum():.1f}, longest fit {ours['seconds'].max():.2f} s")
    return bool(means.sum() <= EXPERIMENTAL_SUM)


def rich(data_sets: int, first: int) -> bool:
    """Andes: 200 observational rows, then five rows for every variable under intervention."""
    (setting,) = (s for s in OBSERVATIONAL_SETTINGS if s.name == "Andes" and s.n == 200)
    shds, seconds = [], []
    for seed in range(first, first + data_sets):
        dag = simulate_setting(setting, seed).truth
        simulated = sample_experiments(dag, "each", 5, seed, n_observational=200)
        begin = time.perf_counter()
        result = learner("arcs", random_state=seed).fit(simulated.data)
        seconds.append(time.perf_counter() - begin)
        shds.append(evaluate(result.dag, simulated.truth, experimental=True).SHD)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"Andes, 200 rows and 5 per target: SHD {np.mean(shds):.2f} ({min(shds)} to {max(shds)}),"
    )
    print(f"median {np.median(seconds):.1f} s, peak {peak:.0f} MiB resident")
    return bool(np.mean(shds) <= RICH_SHD)


def other_ways(p: int, truth: GaussianDag) -> dict[str, dict[str, Any]]:
    """Settings of the learner for other ways to search."""
    plain = {"temperature": 0.0, "n_iter": 12 * p, "patience": 10**6, "final_ebic": 1.25}
    return {"plain": plain, "chains": {"n_chains": 4}, "truth": {"init": truth.order()}}


def others(rows: pd.DataFrame, names: list[str], seeds: range) -> None:
    """Other ways to search on the same data sets."""
    ways = ("plain", "chains", "truth")
    print(f"{'':18s} {'mean SHD':^30s} {'nats above the default':^24s}")
    print(f"{'setting':18s} {'default':>8s}" + "".join(f"{way:>8s}" for way in 2 * ways))
    for setting in OBSERVATIONAL_SETTINGS:
        if setting.name not in names:
            continue
        ours = rows[(rows["case"] == setting.key) & (rows["method"] == "ARCS")].set_index("seed")
        shds, above = [], []
        for seed in seeds:
            simulated = simulate_setting(setting, seed)
            found = [
                learner("arcs", random_state=seed, **settings).fit(simulated.data)
                for settings in other_ways(setting.p, simulated.truth).values()
            ]
            shds.append([evaluate(result.dag, simulated.truth).SHD for result in found])
            above.append([result.score - ours.loc[seed, "score"] for result in found])
        line = f"{setting.name:11s} n={setting.n:<4d} {ours.loc[list(seeds), 'SHD'].mean():8.2f}"
        figures = (*np.mean(shds, axis=0), *np.mean(above, axis=0))
        print(line + "".join(f"{figure:8.2f}" for figure in figures), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=Path, default=Path("results/rows.csv"))
    parser.add_argument("--rich", action="store_true")
    parser.add_argument("--others", metavar="NAMES", help="networks, separated by commas")
    parser.add_argument("--data-sets", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    if options.rich:
        return 0 if rich(options.data_sets, options.first_seed) else 1
    rows = pd.read_csv(options.rows).drop_duplicates(["case", "method", "seed"], keep="last")
    if options.others:
        seeds = range(options.first_seed, options.first_seed + options.data_sets)
        others(rows, options.others.split(","), seeds)
        return 0
    met = observational(rows)
    return 0 if experimental(rows) and met else 1


if __name__ == "__main__":
    sys.exit(main())
