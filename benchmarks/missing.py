"""Rows with holes: what each way of using them costs in SHD.

    python benchmarks/missing.py                      # seeds 1000 to 1019
    python benchmarks/missing.py --seeds 0 1 2 --share 0.3

Cells of simulated rows are missing at random. Lines: the rows before anything went missing; the EM
covariance; the correlations of shared rows as they are repaired (eigenvalues are raised to the size
of the most negative one); and the same raised to almost nothing, 1e-6. Means over seeds, and in how
many of them the matrix needed repair.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from arcs import ARCS
from arcs.data import Dataset
from arcs.data.missing import PairwiseSums
from arcs.metrics import evaluate
from arcs.simulate import random_dag, random_weights, sample


def barely_repaired(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Correlations of shared rows with eigenvalues raised to 1e-6, and the rows they stand for."""
    pairs = PairwiseSums(values.shape[1])
    pairs.add(values)
    roots, vectors = np.linalg.eigh(pairs.correlation())
    raised = (vectors * np.maximum(roots, 1e-6)) @ vectors.T
    names = [f"x{j}" for j in range(values.shape[1])]
    return raised, pairs.effective_rows(names)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=range(1000, 1020))
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--share", type=float, default=0.2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, list[int]] = {}
    repaired = 0
    for seed in options.seeds:
        model = random_weights(random_dag(options.nodes, 3 * options.nodes // 2, seed), seed)
        drawn = sample(model, options.rows, seed)
        values = drawn.data.values.copy()
        values[np.random.default_rng(seed).random(values.shape) < options.share] = np.nan
        pairwise = Dataset.of(values, missing="pairwise")
        repaired += pairwise.repaired().repaired
        lines = {
            "complete": drawn.data,
            "em": Dataset.of(values, missing="em"),
            "pairwise": pairwise,
            "pairwise, raised to 1e-6": barely_repaired(values),
        }
        for name, data in lines.items():
            result = ARCS(random_state=0).fit(data).result_
            found.setdefault(name, []).append(evaluate(result.dag, drawn.truth).SHD)
    print(f"{len(found['em'])} data sets, {repaired} matrices repaired; mean SHD (standard error)")
    for name, values in found.items():
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        print(f"{name:28} {np.mean(values):6.1f} ({error:.1f})")


if __name__ == "__main__":
    main()
