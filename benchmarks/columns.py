"""How often the l0 column solver finds the best of all parent sets.

    python benchmarks/columns.py
    python benchmarks/columns.py --sets 10 --candidates 10

One column is the choice of a node's parents among given candidates, at a price per parent. With few
candidates all subsets can be tried. Three kinds of problems:

- dense: all other variables of a small model in which every second pair is joined, nodes before and
  after alike, so that most candidates help somehow;
- near: a random DAG of 60 nodes and 120 edges, the candidates most correlated with the node;
- weak: the same with coefficients in [0.1, 0.5].

Per line: the share of columns that are optimal (the score equals that of the best subset up to
1e-8), for the solver and for plain forward selection; the largest excess of a column over the
optimum, in nats; and on how many columns the solver was worse than forward selection.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.penalties import Ebic
from arcs.scores.cholesky import CholeskyScore
from arcs.simulate import random_dag, random_weights, sample

TIE = 1e-8


class Column(NamedTuple):
    """Scores of one column by the solver, by forward selection, and of the best subset."""

    found: float
    forward: float
    best: float


def set_values(gram: np.ndarray, v: int, sets: np.ndarray, n: float, price: float) -> np.ndarray:
    """Scores of v with each of `sets` (one per row, all of the same size) as parents."""
    k = sets.shape[1]
    if k == 0:
        return np.zeros(1)
    inner = gram[sets[:, :, None], sets[:, None, :]]
    right = gram[v, sets]
    solved = np.linalg.solve(inner, right[:, :, None])[:, :, 0]
    return np.asarray(0.5 * n * np.log(1.0 - (right * solved).sum(axis=1)) + price * k)


def best_subset(gram: np.ndarray, v: int, candidates: np.ndarray, n: float, price: float) -> float:
    """The smallest score over all subsets of the candidates."""
    smallest = 0.0
    for k in range(1, candidates.size + 1):
        sets = np.array(list(combinations(candidates.tolist(), k)))
        smallest = min(smallest, float(set_values(gram, v, sets, n, price).min()))
    return smallest


def forward(gram: np.ndarray, v: int, candidates: np.ndarray, n: float, price: float) -> float:
    """The score of forward selection: the best candidate is added while that helps."""
    chosen: list[int] = []
    value = 0.0
    while len(chosen) < candidates.size:
        rest = [c for c in candidates.tolist() if c not in chosen]
        values = set_values(gram, v, np.array([[*chosen, c] for c in rest]), n, price)
        if values.min() >= value:
            break
        value = float(values.min())
        chosen.append(rest[int(values.argmin())])
    return value


def columns(statistics: GramStatistics, ebic: float, size: int) -> Iterator[Column]:
    """Every node with the `size` candidates that are most correlated with it."""
    score = CholeskyScore(statistics, Ebic(ebic))
    for v in range(statistics.p):
        gram, n, price = statistics.gram(v), float(statistics.n[v]), float(score.edge_costs[v])
        strength = np.abs(gram[v])
        strength[v] = -1.0
        candidates = np.sort(np.argsort(-strength, kind="stable")[:size])
        task = (gram, v, candidates, n, price)
        found = score.node(v, candidates).score - 0.5 * n * (1.0 - np.log(n))
        yield Column(found, forward(*task), best_subset(*task))


def dense(n: int, size: int, seed: int) -> GramStatistics:
    """A model of ``size + 1`` nodes in which every second pair is joined."""
    rng = np.random.default_rng([seed, n])
    p = size + 1
    model = random_weights(random_dag(p, p * (p - 1) // 4, rng), rng)
    return sample(model, n, rng).data.statistics()


def near(n: int, size: int, seed: int, low: float = 0.5, high: float = 0.8) -> GramStatistics:
    """A random DAG of 60 nodes and 120 edges."""
    rng = np.random.default_rng([seed, n])
    model = random_weights(random_dag(60, 120, rng), rng, low=low, high=high)
    data: Dataset = sample(model, n, rng).data
    return data.statistics()


def weak(n: int, size: int, seed: int) -> GramStatistics:
    """The same with weak edges."""
    return near(n, size, seed, 0.1, 0.5)


PROBLEMS = (
    *((dense, 60, 6), (dense, 300, 6)),
    *((near, 60, 1), (near, 300, 1)),
    *((weak, 60, 1), (weak, 300, 1)),
)


def row(label: str, found: list[Column]) -> str:
    """One line of the table."""
    table = np.array(found)
    optimal = (table <= table[:, 2:] + TIE).mean(axis=0)
    excess = float((table[:, 0] - table[:, 2]).max())
    worse = int((table[:, 0] > table[:, 1] + TIE).sum())
    return (
        f"{label:<24}{len(found):>8}{100 * optimal[0]:>9.2f}%{100 * optimal[1]:>9.2f}%"
        f"{max(excess, 0.0):>12.2f}{worse:>10}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=5, help="data sets of 60 nodes per line")
    parser.add_argument("--candidates", type=int, default=10)
    options = parser.parse_args()
    size = options.candidates
    print(f"{size} candidates, {2**size} subsets\n")
    print(f"{'':<24}{'columns':>8}{'solver':>10}{'forward':>10}{'max excess':>12}{'worse':>10}")
    for make, n, times in PROBLEMS:
        seeds = range(1000, 1000 + options.sets * times)
        for ebic in (0.5, 1.0):
            found = [c for s in seeds for c in columns(make(n, size, s), ebic, size)]
            print(row(f"{make.__name__}, n = {n}, ebic {ebic:g}", found), flush=True)


if __name__ == "__main__":
    main()
