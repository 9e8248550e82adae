"""What is promised when a search stops: how often going on would have found something better.

    python benchmarks/stopping.py
    python benchmarks/stopping.py --sets 4 --only Hepar2

Searches of the default kind are run until 24 passes in a row find no new best, far longer than any
effort asks for. The steps of a search do not depend on when it stops, so that one long run tells
for every effort where it would have stopped, whether the next pass would have found a score better
by a nat, and how many nats the whole rest of the long run would have won. With fewer than 200
variables a search may also stop because a second one agrees ("agreed": as the default is, apart
from the long run; then a pass more, and the long run's best to compare with). Data sets of seeds
below 100: several settings of the paper, dense and scale-free graphs, and 300 variables.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from dense import draw
from growth import simulate

from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Chain, Pulls
from arcs.search.agreement import FEWEST_WITHOUT
from arcs.search.strategies import PATIENCE
from arcs.simulate import OBSERVATIONAL_SETTINGS, Simulated, simulate_setting

LONG = 24
FIRST_SEED = 60
NAT = 1.0
AGREED = "agreed"
EFFORTS = (*PATIENCE, AGREED)
DENSE = (
    "ER p=50, degree 8",
    "ER p=100, degree 8",
    "ER p=30, degree 10",
    "scale-free p=100, 4 a node",
    "scale-free p=300, 2 a node",
)


class Stop(NamedTuple):
    """Where an effort would have stopped."""

    steps: int
    seconds: float
    best: float
    after_next_pass: float


def problems() -> Iterator[tuple[str, Callable[[int], Simulated]]]:
    """Names of settings, and how to draw a data set of each."""
    for setting in OBSERVATIONAL_SETTINGS:
        if setting.name in ("Hepar2", "Pigs", "rDAG1"):
            yield (
                f"{setting.name}, n={setting.n}",
                lambda seed, setting=setting: simulate_setting(setting, seed),
            )
    for line in DENSE:
        yield line, lambda seed, line=line: draw(line, seed)
    yield "random, p=300", lambda seed: simulate(300, seed, 500)


def long_run(simulated: Simulated, seed: int) -> tuple[dict[str, Stop], float]:
    """Where each effort stops, and the best score of the long run."""
    score = CholeskyScore(simulated.data.statistics(), Ebic(1.0))
    rng = np.random.default_rng(seed)
    chain = Chain(score, rng.permutation(score.statistics.p), rng)
    strategies = {effort: Pulls(patience) for effort, patience in PATIENCE.items()}
    stops: dict[str, Stop] = {}
    ends: dict[str, int] = {}
    begin = time.process_time()
    for done, _ in Pulls(LONG).slices(chain):
        for effort, strategy in strategies.items():
            if effort in stops:
                if done <= ends[effort]:
                    stops[effort] = stops[effort]._replace(after_next_pass=chain.best_energy)
            elif done > 0 and strategy._finished(chain):
                spent, best = time.process_time() - begin, chain.best_energy
                stops[effort] = Stop(done, spent, best, best)
                ends[effort] = done + max(len(chain.progress["nodes"]), score.statistics.p)
    if score.statistics.p < FEWEST_WITHOUT:
        stops[AGREED] = agreeing_run(score, seed)
    return stops, chain.best_energy


def agreeing_run(score: CholeskyScore, seed: int) -> Stop:
    """Where the default stops, which a second search may end."""
    rng = np.random.default_rng(seed)
    chain = Chain(score, rng.permutation(score.statistics.p), rng)
    strategy, begin = Pulls(agreement=True), time.process_time()
    for _ in strategy.slices(chain):
        pass
    spent, best = time.process_time() - begin, chain.best_energy
    done, more = chain.progress["done"], max(len(chain.progress["nodes"]), score.statistics.p)
    while chain.progress["done"] < done + more:
        strategy.slice(chain)
    return Stop(chain.steps_done, spent, best, chain.best_energy)


def main() -> None:
    """Print a line per setting, and all settings together."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=4, help="data sets per setting")
    parser.add_argument("--only", default="", help="settings whose name contains this")
    options = parser.parse_args()
    print("per effort: CPU s | share of searches that the next pass betters by a nat | nats left")
    print(f"{'':<28}" + "".join(f"{effort:>24}" for effort in EFFORTS))
    everything = []
    for name, simulated in problems():
        if options.only not in name:
            continue
        rows = []
        for seed in range(FIRST_SEED, FIRST_SEED + options.sets):
            stops, best = long_run(simulated(seed), seed)
            rows.append([figures(stops.get(effort), best) for effort in EFFORTS])
        everything += rows
        print(line(name, rows), flush=True)
    print(line(f"all {len(everything)} searches", everything))


def figures(stop: Stop | None, best: float) -> tuple[float, float, float]:
    """Seconds, whether the next pass finds a nat, and what the long run finds."""
    if stop is None:
        return np.nan, np.nan, np.nan
    return stop.seconds, stop.best - stop.after_next_pass >= NAT, stop.best - best


def line(name: str, rows: list[list[tuple[float, bool, float]]]) -> str:
    """One line of the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nothing to say about larger networks
        means = np.nanmean(np.array(rows, dtype=float), axis=0)
    cells = (f"{s:>10.2f}{100 * share:>6.0f}%{nats:>7.2f}" for s, share, nats in means)
    return f"{name:<28}" + "".join(cells)


if __name__ == "__main__":
    main()
