"""Kinds of interventions against ways to treat them, on simulated data with known truth.

    python benchmarks/interventions.py                  # 20 data sets per line, from seed 1000
    python benchmarks/interventions.py --quick          # 3 data sets of 20 variables

Two designs on random DAGs with twice as many edges as nodes, beside observational rows:

- narrow: ten regimes of 50 rows, one target each, among the variables that have parents (setting a
  variable without parents to what it is anyway changes nothing that could be found);
- broad: three regimes of 150 rows, half of the variables are targets of each;
- few, half, all: four regimes of 100 rows in which one variable, half of them or all are targets
  (`--designs few half all --kinds shift`: from treatments to batches).

Interventions set the target (hard), double the standard deviation of its noise (noise: variance
times 4), shift its mean by two standard deviations of its noise (shift), or halve its coefficients
(coefficients). Treatments: all rows alike (ignore), and the
three values of `intervention_kind`; "unknown" is told the regimes, but not the targets.

SHD is the distance of Section 5.2 of the paper (directions up to equivalence), "direct" compares
every direction with the true DAG. Precision and recall are of the pairs (regime, target) that were
found; "named" is the share of those found rightly whose change is called by its name (hard: set).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable

import numpy as np

from arcs.data import Dataset
from arcs.errors import DataWarning
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.results import FitResult
from arcs.simulate import Simulated, random_dag, random_weights, sample_experiments

KINDS = {"hard": 1.0, "noise": 2.0, "shift": 2.0, "coefficients": 0.5}
TREATMENTS = ("ignore", "hard", "soft", "unknown")
#: Number of regimes, rows of each, observational rows.
DESIGNS = {
    "narrow": (10, 50, 100),
    "broad": (3, 150, 50),
    "few": (4, 100, 100),
    "half": (4, 100, 100),
    "all": (4, 100, 100),
}
#: Which of the variables are targets of each regime.
SHARES = {"broad": 0.5, "few": 0.0, "half": 0.5, "all": 1.0}


def simulate(design: str, kind: str, p: int, seed: int) -> Simulated:
    """One data set; the DAG and the targets depend on the seed only."""
    regimes, rows, observational = DESIGNS[design]
    dag = random_weights(random_dag(p, 2 * p, seed), seed)
    rng = np.random.default_rng([seed, 7])
    if design == "narrow":
        children = np.flatnonzero(dag.adjacency.any(axis=0))
        groups = [(int(v),) for v in rng.choice(children, regimes, replace=False)]
    else:
        many = max(int(SHARES[design] * p), 1)
        groups = [tuple(rng.choice(p, many, replace=False).tolist()) for _ in range(regimes)]
    return sample_experiments(
        dag, groups, rows, seed, n_observational=observational, kind=kind, factor=KINDS[kind]
    )


def fit(data: Dataset, treatment: str) -> FitResult:
    """The network under one treatment of the regimes."""
    if treatment == "ignore":
        data = Dataset.from_array(data.values, data.names)
        return learner("arcs", random_state=0).fit(data)
    return learner("arcs", random_state=0, intervention_kind=treatment).fit(data)


def measure(simulated: Simulated, treatment: str, kind: str) -> list[float]:
    """SHD, direct SHD, precision and recall of the targets, share named rightly, seconds."""
    start = time.perf_counter()
    result = fit(simulated.data, treatment)
    seconds = time.perf_counter() - start
    design = simulated.data.interventions
    names = simulated.data.names
    true = {(design.label(r), names[v]) for r, group in enumerate(design.targets) for v in group}
    found = {(change.regime, change.target) for change in result.changes}
    right = len(true & found)
    name = "set" if kind == "hard" else kind
    named = [c.kind == name for c in result.changes if (c.regime, c.target) in true]
    told = treatment == "unknown"
    return [
        evaluate(result.dag, simulated.truth).SHD,
        evaluate(result.dag, simulated.truth, experimental=True).SHD,
        right / max(len(found), 1) if told else float("nan"),
        right / len(true) if told else float("nan"),
        float(np.mean(named)) if told and named else float("nan"),
        seconds,
    ]


def report(design: str, p: int, seeds: range, kinds: Iterable[str]) -> None:
    """Print the table of one design."""
    regimes, rows, observational = DESIGNS[design]
    print(
        f"\n{design}: {regimes} regimes of {rows} rows and {observational} observational rows, "
        f"p = {p}, mean of {len(seeds)} data sets"
    )
    targets = f"{'precision':>10s} {'recall':>7s} {'named':>6s}"
    columns = f"{'SHD':>6s} {'direct':>7s} {targets} {'seconds':>8s}"
    print(f"{'intervention':14s} {'treatment':10s} {columns}")
    for kind in kinds:
        sets = [simulate(design, kind, p, seed) for seed in seeds]
        for treatment in TREATMENTS:
            values = np.nanmean([measure(data, treatment, kind) for data in sets], axis=0)
            shd, direct, precision, recall, named, seconds = values
            told = " " * 25
            if treatment == "unknown":
                told = f"{precision:10.2f} {recall:7.2f} {named:6.2f}"
            line = f"{shd:6.1f} {direct:7.1f} {told} {seconds:8.2f}"
            print(f"{kind:14s} {treatment:10s} {line}", flush=True)


def main() -> None:
    """Print one table per design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 data sets of 20 variables")
    parser.add_argument("--designs", nargs="+", choices=list(DESIGNS), default=["narrow", "broad"])
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--sets", type=int, default=20, help="data sets per line")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=40)
    options = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)
    # Precision and recall are asked for where targets are unknown only.
    warnings.filterwarnings("ignore", "Mean of empty slice", RuntimeWarning)
    p, sets = (20, 3) if options.quick else (options.nodes, options.sets)
    for design in options.designs:
        report(design, p, range(options.first_seed, options.first_seed + sets), options.kinds)


if __name__ == "__main__":
    main()
