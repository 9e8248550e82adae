"""One best graph against the average of bootstrap graphs; and what frequencies are worth.

    python benchmarks/averaging.py
    python benchmarks/averaging.py --sets 3 --only "weak, n = 500" --plot calibration.png

Random DAGs of 20 nodes and 20 edges, columns in random order, seeds from 1000 on:

- right model, n = 100 and 500; weak edges (coefficients of size 0.1 to 0.4, n = 500);
- misspecified, n = 500, and the method is told nothing of it: eight batches whose means differ by
  half a standard deviation; a hidden factor that acts on all variables; noise with Student's
  distribution of 3 degrees of freedom; one percent of the cells far off;
- Andes with weak edges (n = 400, the paper's graph); the Sachs cells (against the reference of 17
  edges, with interventions and conditions).

Per kind, single against averaged (threshold 0.5): SHD; area under the precision-recall curve of
directed edges, ranked by |standardised coefficient| and by frequency (lines count one half); area
under the ROC curve of "x is an ancestor of y", ranked by |standardised total effect| and by its
mean over the graphs. (The L1 threshold of Scutari and Nagarajan, solved exactly, keeps just the
edges above one half as well.)

Then the calibration: of the pairs with frequency f, the share that is adjacent in truth, for right
and for misspecified models; --plot draws it.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.datasets import load_sachs
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.simulate import network, random_dag, random_weights, sample

BINS = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1.001])


@dataclass(frozen=True)
class Case:
    """Data and truth."""

    data: Any
    truth: np.ndarray
    experimental: bool = False


def graph(rng: np.random.Generator, low: float = 0.5, high: float = 0.8) -> Any:
    """A random model of 20 nodes."""
    return random_weights(random_dag(20, 20, rng), rng, low=low, high=high)


def right(n: int, low: float = 0.5, high: float = 0.8) -> Callable[[np.random.Generator], Case]:
    """Data of the model that the method assumes."""

    def draw(rng: np.random.Generator) -> Case:
        found = sample(graph(rng, low, high), n, rng)
        return Case(found.data, found.truth.adjacency)

    return draw


def spoiled(kind: str) -> Callable[[np.random.Generator], Case]:
    """Data of another model."""

    def draw(rng: np.random.Generator) -> Case:
        model, n = graph(rng), 500
        noise = (
            rng.standard_t(3, (n, 20)) / np.sqrt(3) if kind == "t3" else rng.normal(size=(n, 20))
        )
        noise = noise * np.sqrt(model.noise_variances)
        if kind == "factor":
            noise = noise + rng.normal(size=(n, 1)) * rng.normal(size=20) * 0.5
        rows = noise @ np.asarray(model.total_effects())
        if kind == "batches":
            rows = rows + 0.5 * rng.normal(size=(8, 20))[rng.integers(8, size=n)]
        if kind == "cells":
            far = rng.random(rows.shape) < 0.01
            rows[far] = rng.normal(size=far.sum()) * 8
        at = rng.permutation(20)
        return Case(Dataset.of(rows[:, at]), model.adjacency[np.ix_(at, at)])

    return draw


def andes(rng: np.random.Generator) -> Case:
    """Andes with weak edges."""
    found = sample(random_weights(network("andes"), rng, low=0.1, high=0.5), 400, rng)
    return Case(found.data, found.truth.adjacency)


def sachs(_: np.random.Generator) -> Case:
    """The cells; there is one such data set only."""
    found = load_sachs()
    return Case(found.data, found.reference.directed, experimental=True)


CASES: dict[str, tuple[Callable[[np.random.Generator], Case], bool | None]] = {
    "right, n = 100": (right(100), True),
    "right, n = 500": (right(500), True),
    "weak, n = 500": (right(500, 0.1, 0.4), True),
    "batches": (spoiled("batches"), False),
    "hidden factor": (spoiled("factor"), False),
    "t3 noise": (spoiled("t3"), False),
    "outlying cells": (spoiled("cells"), False),
    "Andes, weak": (andes, None),
    "Sachs cells": (sachs, None),
}


def measure(case: Case, n_resamples: int, seed: int) -> tuple[list[float], np.ndarray]:
    """The figures of one data set, and (frequency, truth) of all pairs."""
    model = learner("arcs", random_state=seed)
    fitted = model.fit(case.data)
    data = case.data.decided(fitted.preparation)
    result = bootstrap(data, model, n_resamples, random_state=seed).attach(fitted)
    ensemble, p = result.ensemble, len(result.names)
    shares = ensemble.frequencies
    off = ~np.eye(p, dtype=bool)
    single = np.abs(result.dag.standardised_coefficients())
    often = shares["directed"] + shares["undirected"] / 2
    sd = np.sqrt(np.diag(result.dag.covariance()))
    scale = sd[:, None] / sd[None, :]
    effect = np.abs(np.asarray(result.dag.total_effects()) * scale)
    mean_effect = np.mean([np.abs(ensemble.total_effects(x)) for x in range(p)], axis=1) * scale
    reach = np.linalg.matrix_power(case.truth.astype(float) + np.eye(p), p)[off] > 0

    def distance(estimate: Any) -> float:
        graph = estimate.dag if case.experimental else estimate.cpdag
        return float(evaluate(graph, case.truth, experimental=case.experimental).SHD)

    figures = [
        distance(result),
        distance(result.averaged()),
        average_precision_score(case.truth[off], single[off]),
        average_precision_score(case.truth[off], often[off]),
        roc_auc_score(reach, effect[off]),
        roc_auc_score(reach, mean_effect[off]),
    ]
    at = np.triu_indices(p, 1)
    joined = (case.truth | case.truth.T)[at]
    return figures, np.column_stack([result.edge_values["confidence"][at], joined])


def calibration(pairs: np.ndarray) -> list[tuple[float, float, int]]:
    """Mean frequency, share of true edges and number of pairs in every bin."""
    rows = []
    for low, high in itertools.pairwise(BINS):
        here = pairs[(pairs[:, 0] > 0) & (pairs[:, 0] >= low) & (pairs[:, 0] < high)]
        if len(here):
            rows.append((float(here[:, 0].mean()), float(here[:, 1].mean()), len(here)))
    return rows


def draw(curves: dict[str, list[tuple[float, float, int]]], path: str) -> None:
    """The calibration as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.2, 4.2))
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for label, rows in curves.items():
        frequency, share, _ = zip(*rows, strict=True)
        axes.plot(frequency, share, marker="o", label=label)
    axes.set(
        xlabel="share of bootstrap graphs with the edge", ylabel="share of these edges that is true"
    )
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=140)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=25)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--only", action="append", help="one of the kinds (repeatable)")
    parser.add_argument("--plot")
    options = parser.parse_args()
    head = ("SHD", "averaged", "AUPRC", "averaged", "AUC", "averaged")
    print(f"{'':<18}" + "".join(f"{name:>10}" for name in head), flush=True)
    pairs: dict[str, list[np.ndarray]] = {"right model": [], "misspecified": []}
    for name, (make, fits) in CASES.items():
        if options.only and name not in options.only:
            continue
        found = []
        for seed in range(options.first_seed, options.first_seed + options.sets):
            figures, points = measure(make(np.random.default_rng(seed)), options.resamples, seed)
            found.append(figures)
            if fits is not None:
                pairs["right model" if fits else "misspecified"].append(points)
            if make is sachs:
                break
        mean = np.mean(found, axis=0)
        cells = [f"{value:.1f}" for value in mean[:2]] + [f"{value:.2f}" for value in mean[2:]]
        print(f"{name:<18}" + "".join(f"{cell:>10}" for cell in cells), flush=True)
    curves = {k: calibration(np.concatenate(v)) for k, v in pairs.items() if v}
    for label, rows in curves.items():
        print(f"\n{label}: frequency, share true, pairs")
        for frequency, share, number in rows:
            print(f"{frequency:10.2f}{share:10.2f}{number:10d}")
    if options.plot:
        draw(curves, options.plot)


if __name__ == "__main__":
    main()
