"""Do 95 percent intervals of total effects cover the truth in 95 percent of the cases?

    python benchmarks/coverage.py
    python benchmarks/coverage.py --sets 3

Random DAGs with as many edges as nodes, coefficients of size 0.3 to 0.9 before scaling, seeds from
1000 on. For up to 60 pairs of variables per data set with an effect in truth:

- true graph: delta-method interval, the coefficients fitted to the true graph;
- learned graph: the same, the graph learned from the same rows;
- class: from the least lower to the largest upper bound over the equivalence class of the learned
  graph;
- bootstrap: quantiles over bootstrap graphs;

and "claimed": coverage of the second kind over pairs that the learned graph says have an effect,
whether they do or not: what a reader of the result meets.
"""

from __future__ import annotations

import argparse

import numpy as np

from arcs.confidence import bootstrap
from arcs.effects import class_effects, effect_table
from arcs.learners import learner
from arcs.scores import fit_dag
from arcs.simulate import random_dag, random_weights, sample

KINDS = ("true graph", "learned", "class", "bootstrap", "claimed")
MOST_PAIRS = 60


def measure(p: int, n: int, seed: int, n_resamples: int) -> np.ndarray:
    """Covered and counted, for each kind."""
    rng = np.random.default_rng([seed, p, n])
    drawn = sample(random_weights(random_dag(p, p, rng), rng, low=0.3, high=0.9), n, rng)
    truth = np.asarray(drawn.truth.total_effects())
    fitted = fit_dag(drawn.truth.adjacency, drawn.data.statistics())
    known = effect_table(fitted.dag, fitted.precision)
    model = learner("arcs", random_state=seed)
    result = bootstrap(drawn.data, model, n_resamples, random_state=seed).attach(
        model.fit(drawn.data)
    )
    learned = result.effect_figures()
    off = ~np.eye(p, dtype=bool)
    pairs = np.argwhere((truth != 0) & off)
    pairs = pairs[rng.permutation(len(pairs))[:MOST_PAIRS]]
    counts = np.zeros((len(KINDS), 2))
    quantiles: dict[int, np.ndarray] = {}
    for x, y in pairs.tolist():
        value = truth[x, y]
        members = class_effects(result.dag, result.cpdag, result.precision, (x, y))
        if x not in quantiles:
            quantiles[x] = np.quantile(result.ensemble.total_effects(x), [0.025, 0.975], axis=0)
        bounds = [
            (known.lower[x, y], known.upper[x, y]),
            (learned.lower[x, y], learned.upper[x, y]),
            (members.lower.min(), members.upper.max()),
            tuple(quantiles[x][:, y]),
        ]
        counts[:4, 0] += [low <= value <= high for low, high in bounds]
        counts[:4, 1] += 1
    claimed = (learned.effects != 0) & off
    inside = (learned.lower <= truth) & (truth <= learned.upper)
    counts[4] = (inside & claimed).sum(), claimed.sum()
    return counts


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    print(f"{'p':>4}{'n':>7}" + "".join(f"{name:>12}" for name in KINDS), flush=True)
    for p in (10, 50):
        for n in (100, 500, 2000):
            seeds = range(options.first_seed, options.first_seed + options.sets)
            counts = sum(measure(p, n, seed, options.resamples) for seed in seeds)
            shares = counts[:, 0] / np.maximum(counts[:, 1], 1)
            print(f"{p:>4}{n:>7}" + "".join(f"{share:>12.2f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
