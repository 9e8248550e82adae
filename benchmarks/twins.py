"""Copies of a column in other units: how often does the unit change the graph?

    python benchmarks/twins.py
    python benchmarks/twins.py --sets 60 --first 1000 --methods arcs,ges,hc

Random graphs of eight variables with 60 rows; one to three columns are copied, with another unit
and offset. Each table is fitted twice: as it is, and with *every* column in another unit at another
offset. Counted are the fits whose graphs differ, and whose skeletons differ.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from arcs.learners import learner


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows with copies, and the same in other units."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(8, 8)) * (rng.random((8, 8)) < 0.3), 1)
    rows = rng.normal(size=(60, 8)) @ np.linalg.inv(np.eye(8) - weights)
    copied = rng.choice(8, int(rng.integers(1, 4)), replace=False)
    copies = rows[:, copied] * rng.choice([-1, 1], copied.size) * rng.uniform(0.1, 9, copied.size)
    rows = np.hstack([rows, copies])[:, rng.permutation(8 + copied.size)]
    units = 10.0 ** rng.uniform(-4, 4, rows.shape[1]) * rng.choice([-1, 1], rows.shape[1])
    return rows, rows * units + rng.uniform(-3, 3, rows.shape[1]) * np.abs(units)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--methods", default="arcs,ges,hc")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for method in options.methods.split(","):
        graphs = skeletons = 0
        for seed in range(options.first, options.first + options.sets):
            model = learner(method, random_state=0)
            one, other = (model.fit(rows).dag.adjacency for rows in table(seed))
            graphs += bool((one != other).any())
            skeletons += bool(((one | one.T) != (other | other.T)).any())
        print(f"{method:8} {graphs} of {options.sets} graphs differ, {skeletons} skeletons")


if __name__ == "__main__":
    main()
