"""Dense and scale-free graphs: ARCS against FLOP (flopsearch, 20 restarts), interleaved.

    python benchmarks/dense.py
    python benchmarks/dense.py --sets 3 --line "ER p=50, degree 8" --without-flop

Erdős–Rényi graphs of an average degree, and scale-free ones, with coefficients of 0.5 to 0.8 in
size before the variables are scaled to variance one. SHD to the true class and CPU seconds, means
over data sets from seed 1000 on; every data set is fitted by all methods in turn, so that whatever
else the machine does hits all of them. FLOP is called directly, at the price c in
2 log L - c k log n of 2 and of 3.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

from arcs import ARCS
from arcs.errors import DataWarning
from arcs.graphs import Pdag
from arcs.metrics import evaluate
from arcs.simulate import Simulated, erdos_renyi_dag, random_weights, sample, scale_free_dag

RESTARTS = 20
PRICES = (2.0, 3.0)
#: Name: rows, and the graph of a seed.
LINES: dict[str, tuple[int, Callable[[int], np.ndarray]]] = {
    "ER p=50, degree 8": (1000, lambda seed: erdos_renyi_dag(50, 8, seed)),
    "ER p=100, degree 8": (1000, lambda seed: erdos_renyi_dag(100, 8, seed)),
    "ER p=100, degree 16": (1000, lambda seed: erdos_renyi_dag(100, 16, seed)),
    "ER p=30, degree 10": (300, lambda seed: erdos_renyi_dag(30, 10, seed)),
    "ER p=200, degree 10": (400, lambda seed: erdos_renyi_dag(200, 10, seed)),
    "scale-free p=100, 4 a node": (1000, lambda seed: scale_free_dag(100, 4, seed)),
    "scale-free p=300, 2 a node": (1000, lambda seed: scale_free_dag(300, 2, seed)),
}


def draw(line: str, seed: int) -> Simulated:
    """Data set number `seed` of a line."""
    n, graph = LINES[line]
    return sample(random_weights(graph(seed), seed), n, seed)


def ours(simulated: Simulated) -> tuple[float, float]:
    """SHD and CPU seconds of a default fit."""
    begin = time.process_time()
    result = ARCS(random_state=0).fit(simulated.data).result_
    spent = time.process_time() - begin
    return float(evaluate(result.cpdag, simulated.truth).SHD), spent


def flop(simulated: Simulated, price: float) -> tuple[float, float]:
    """SHD and CPU seconds of FLOP, which writes 1 for i -> j and 2 for i - j."""
    import flopsearch

    begin = time.process_time()
    codes = np.asarray(flopsearch.flop(simulated.data.values, price, restarts=RESTARTS))
    spent = time.process_time() - begin
    found = Pdag(codes == 1, codes == 2, simulated.data.names)
    return float(evaluate(found, simulated.truth).SHD), spent


def main() -> None:
    """Print the table, line by line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=20, help="data sets per line")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--line", action="append", choices=LINES)
    parser.add_argument("--without-flop", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)  # that there are many edges is the point
    names = ["ARCS"] if options.without_flop else ["ARCS", *(f"FLOP {c:g}" for c in PRICES)]
    ours(draw("ER p=30, degree 10", 0))
    print(f"{'SHD, CPU s':<28}" + "".join(f"{name:>18}" for name in names))
    for line in options.line or LINES:
        rows = []
        for seed in range(options.first_seed, options.first_seed + options.sets):
            simulated = draw(line, seed)
            row = [ours(simulated)]
            if not options.without_flop:
                row += [flop(simulated, price) for price in PRICES]
            rows.append(row)
        means = np.mean(rows, axis=0)
        print(f"{line:<28}" + "".join(f"{shd:>10.1f}{s:>8.2f}" for shd, s in means), flush=True)


if __name__ == "__main__":
    main()
