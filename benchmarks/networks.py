"""Networks outside the paper: SHD, seconds, and the score against that of the true DAG.

    python benchmarks/networks.py
    python benchmarks/networks.py --sets 2 --only diabetes,pathfinder

Data as in the paper's Section 5.1, columns shuffled, random start. *Excess* is the score found
minus the true DAG's, in nats: below zero the rest is up to the score, above zero the search has
failed.
FLOP (penalty 3, 20 restarts) runs beside where there are more rows than columns; its seconds are
those of its own call.
"""

import argparse
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from truth import true_score

from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.simulate import Setting, Simulated, network, simulate_setting

ROWS = {"munin1": 300, "diabetes": 300, "pathfinder": 150, "link": 900}
FLOP: Mapping[str, Any] = {"penalty": 3.0, "restarts": 20}


def setting_of(name: str) -> Setting:
    """A setting like those of the paper."""
    graph = network(name)
    return Setting(name.capitalize(), name, 1, graph.p, int(graph.adjacency.sum()), ROWS[name])


def ours(simulated: Simulated, seed: int) -> tuple[float, float, float]:
    """SHD, seconds and excess of the default search."""
    begin = time.perf_counter()
    result = learner("arcs", random_state=seed).fit(simulated.data)
    spent = time.perf_counter() - begin
    found = float(result.trace["best"][-1])
    excess = found - true_score(simulated.data.statistics(), simulated.truth)
    return float(evaluate(result.dag, simulated.truth).SHD), spent, excess


def theirs(simulated: Simulated) -> tuple[float, float]:
    """SHD and seconds of FLOP."""
    result = learner("peer-flop", **FLOP).fit(simulated.data)
    return float(evaluate(result.cpdag, simulated.truth).SHD), result.timings["peer"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=5, help="data sets per network")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--only", default=",".join(ROWS), help="networks, separated by commas")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.sets)
    print(
        f"{'network':12s}{'p':>5s}{'n':>5s}{'SHD':>7s}{'s':>7s}{'excess':>9s}{'FLOP':>7s}{'s':>7s}"
    )
    for name in options.only.split(","):
        setting = setting_of(name)
        data = [simulate_setting(setting, seed) for seed in seeds]
        mean = np.mean([ours(d, seed) for d, seed in zip(data, seeds, strict=True)], axis=0)
        line = f"{setting.name:12s}{setting.p:5d}{setting.n:5d}{mean[0]:7.1f}{mean[1]:7.1f}"
        line += f"{mean[2]:9.1f}"
        if setting.n > setting.p:
            line += "".join(f"{x:7.1f}" for x in np.mean([theirs(d) for d in data], axis=0))
        print(line, flush=True)


if __name__ == "__main__":
    main()
