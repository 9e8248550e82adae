"""Weak edges: mean SHD where coefficients are smaller than the paper's.

    python benchmarks/weak_edges.py
    python benchmarks/weak_edges.py --sets 3 --without-flop

Three graphs of the paper with more rows than variables, coefficients uniform in size on the given
range before the variables are scaled to variance one, columns in random order. An edge of
coefficient 0.1 explains about one percent of a variable; with a few hundred rows no method can tell
it from nothing, so part of these distances is nobody's fault.

- fixed: ARCS with ``final_ebic=1.5``, pruned at the price of the extended BIC with that parameter;
- adaptive: the default, pruned at a level that the data choose;
- FLOP (flopsearch), 20 restarts, with the price c in 2 log L - c k log n at 2 and at 3.

Data sets from seed 1000 on; SHD as in the paper. Seconds are those of the fits, means over all
lines, after compilation; those of FLOP are measured inside of its own call.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.simulate import (
    OBSERVATIONAL_SETTINGS,
    Setting,
    Simulated,
    network,
    random_dag,
    random_weights,
    sample,
)

SETTINGS = (("Andes", 400), ("rDAG1", 450), ("rDAG2", 600))
RANGES = ((0.1, 0.5), (0.2, 0.8), (0.5, 0.8))
OURS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "fixed": ("arcs", {"random_state": 0, "final_ebic": 1.5}),
    "adaptive": ("arcs", {"random_state": 0, "final_ebic": "adaptive"}),
}
THEIRS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "FLOP 2": ("peer-flop", {"penalty": 2.0, "restarts": 20}),
    "FLOP 3": ("peer-flop", {"penalty": 3.0, "restarts": 20}),
}


def draw(setting: Setting, low: float, high: float, seed: int) -> Simulated:
    """Data set number `seed` of a setting, with coefficients of that size."""
    key = [seed, zlib.crc32(setting.name.encode()), setting.n, round(100 * low), round(100 * high)]
    rng = np.random.default_rng(key)
    if setting.network is None:
        graph = random_dag(setting.p, setting.s0, rng)
    else:
        graph = network(setting.network, setting.copies)
    return sample(random_weights(graph, rng, low=low, high=high), setting.n, rng)


def measure(name: str, settings: Mapping[str, Any], data: Simulated) -> tuple[float, float]:
    """SHD and seconds of one fit."""
    begin = time.perf_counter()
    result = learner(name, **settings).fit(data.data)
    spent = time.perf_counter() - begin
    return float(evaluate(result.cpdag, data.truth).SHD), result.timings.get("peer", spent)


def mean(
    setting: Setting,
    low: float,
    high: float,
    seeds: Sequence[int],
    methods: Mapping[str, tuple[str, Mapping[str, Any]]],
) -> np.ndarray:
    """Mean SHD and seconds of every method, as an array of shape (methods, 2)."""
    found = []
    for seed in seeds:
        data = draw(setting, low, high, seed)
        found.append([measure(*method, data) for method in methods.values()])
    return np.asarray(np.mean(found, axis=0))


def main() -> None:
    """Print the table, line by line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=20, help="data sets per line")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--without-flop", action="store_true")
    options = parser.parse_args()
    methods = OURS if options.without_flop else {**OURS, **THEIRS}
    chosen = [s for s in OBSERVATIONAL_SETTINGS if (s.name, s.n) in SETTINGS]
    seeds = range(options.first_seed, options.first_seed + options.sets)
    for method in OURS.values():
        measure(*method, draw(chosen[0], 0.5, 0.8, 0))
    print(f"mean SHD of {len(seeds)} data sets\n")
    print(f"{'':<16}{'|beta|':<14}" + "".join(f"{name:>11}" for name in methods))
    means = []
    for setting in chosen:
        for low, high in RANGES:
            means.append(mean(setting, low, high, seeds, methods))
            label = f"{setting.name + ', n = ' + str(setting.n):<16}{f'{low} to {high}':<14}"
            print(label + "".join(f"{shd:>11.1f}" for shd in means[-1][:, 0]), flush=True)
    seconds = np.mean(means, axis=0)[:, 1]
    print(f"{'seconds':<30}" + "".join(f"{value:>11.2f}" for value in seconds))


if __name__ == "__main__":
    main()
