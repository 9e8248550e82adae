"""One best graph against the average of bootstrap graphs; and what frequencies are worth.

    python benchmarks/averaging.py
    python benchmarks/averaging.py --sets 3 --only "weak, n = 500" --plot calibration.png
    python benchmarks/averaging.py --sets 5 --resamples 30 --only Andes --only rDAG1 --only rDAG2

Seeds from 1000 on. Random DAGs of 20 nodes and 20 edges, columns in random order:

- right model, n = 100 and 500; weak edges (coefficients of size 0.1 to 0.4, n = 500);
- misspecified, n = 500, and the method is told nothing of it: eight batches whose means differ by
  half a standard deviation; a hidden factor that acts on all variables; noise with Student's
  distribution of 3 degrees of freedom; one percent of the cells far off;
The paper's graphs with weak edges, the data sets of ``weak_edges.py``: Andes (223 nodes, n = 400),
rDAG1 (300 nodes and edges, n = 450), rDAG2 (300 nodes, 600 edges, n = 600), coefficients of size
0.1 to 0.5 and 0.2 to 0.8. And the Sachs cells (against the reference of 17 edges, with
interventions and conditions).

Per kind, single against averaged (edges in more than half of the graphs; with fewer than three rows
per variable, where half-samples are drawn, in more than a fifth): SHD, and the standard error of
the mean difference; the SHD with one half in any case; area under the precision-recall curve of
directed edges, ranked by |standardised coefficient| and by frequency (lines count one half); area
under the ROC curve of "x is an ancestor of y", ranked by |standardised total effect| and by its
mean over the graphs. (The L1 threshold of Scutari and Nagarajan, solved exactly, keeps just the
edges above one half as well.)

Then the calibration: of the pairs with frequency f, the share that is adjacent in truth, for right
models, the paper's graphs with weak edges, and misspecified models; --plot draws it.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from weak_edges import SETTINGS as WEAK
from weak_edges import draw as weak_data

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.datasets import load_sachs
from arcs.graphs import GraphEnsemble
from arcs.graphs.gaussian import total_effect_matrix
from arcs.graphs.topology import topological_order
from arcs.learners import learner
from arcs.metrics import evaluate
from arcs.simulate import OBSERVATIONAL_SETTINGS, Setting, random_dag, random_weights, sample

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


def right(n: int, low: float = 0.5, high: float = 0.8) -> Callable[[int], Case]:
    """Data of the model that the method assumes."""

    def draw(seed: int) -> Case:
        rng = np.random.default_rng(seed)
        found = sample(graph(rng, low, high), n, rng)
        return Case(found.data, found.truth.adjacency)

    return draw


def spoiled(kind: str) -> Callable[[int], Case]:
    """Data of another model."""

    def draw(seed: int) -> Case:
        rng = np.random.default_rng(seed)
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


def weak(setting: Setting, low: float, high: float) -> Callable[[int], Case]:
    """One of the paper's graphs with weak edges."""

    def draw(seed: int) -> Case:
        found = weak_data(setting, low, high, seed)
        return Case(found.data, found.truth.adjacency)

    return draw


def sachs(_: int) -> Case:
    """The cells; there is one such data set only."""
    found = load_sachs()
    return Case(found.data, found.reference.directed, experimental=True)


RIGHT, WEAKLY, WRONG = "right model", "weak edges", "misspecified"
#: How each kind is drawn from a seed, and the curve of the calibration that it belongs to.
CASES: dict[str, tuple[Callable[[int], Case], str | None]] = {
    "right, n = 100": (right(100), RIGHT),
    "right, n = 500": (right(500), RIGHT),
    "weak, n = 500": (right(500, 0.1, 0.4), RIGHT),
    "batches": (spoiled("batches"), WRONG),
    "hidden factor": (spoiled("factor"), WRONG),
    "t3 noise": (spoiled("t3"), WRONG),
    "outlying cells": (spoiled("cells"), WRONG),
    **{
        f"{setting.name}, {low} to {high}": (weak(setting, low, high), WEAKLY)
        for setting in OBSERVATIONAL_SETTINGS
        if (setting.name, setting.n) in WEAK
        for low, high in ((0.1, 0.5), (0.2, 0.8))
    },
    "Sachs cells": (sachs, None),
}


def mean_total_effect(ensemble: GraphEnsemble) -> np.ndarray:
    """Mean size of all total effects over the graphs."""
    total = np.zeros((ensemble.p, ensemble.p))
    for b in range(len(ensemble)):
        order = topological_order(ensemble.adjacency(b))
        total += np.abs(total_effect_matrix(ensemble.coefficients(b), order))
    return total / len(ensemble)


def measure(case: Case, n_resamples: int, seed: int, n_jobs: int) -> tuple[list[float], np.ndarray]:
    """The figures of one data set, and (frequency, truth) of all pairs."""
    model = learner("arcs", random_state=seed)
    fitted = model.fit(case.data)
    data = case.data.decided(fitted.preparation)
    result = bootstrap(data, model, n_resamples, random_state=seed, n_jobs=n_jobs).attach(fitted)
    ensemble, p = result.ensemble, len(result.names)
    shares = ensemble.frequencies
    off = ~np.eye(p, dtype=bool)
    single = np.abs(result.dag.standardised_coefficients())
    often = shares["directed"] + shares["undirected"] / 2
    sd = np.sqrt(np.diag(result.dag.covariance()))
    scale = sd[:, None] / sd[None, :]
    effect = np.abs(np.asarray(result.dag.total_effects()) * scale)
    mean_effect = mean_total_effect(ensemble) * scale
    reach = np.linalg.matrix_power(case.truth.astype(float) + np.eye(p), p)[off] > 0

    def distance(estimate: Any) -> float:
        graph = estimate.dag if case.experimental else estimate.cpdag
        return float(evaluate(graph, case.truth, experimental=case.experimental).SHD)

    figures = [
        distance(result),
        distance(result.averaged()),
        distance(result.averaged(0.5)),
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
    parser.add_argument(
        "--only", action="append", help="kinds whose name begins like this (repeatable)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes for replicates")
    parser.add_argument("--plot")
    options = parser.parse_args()
    head = ("SHD", "averaged", "+-", "at 0.5", "AUPRC", "averaged", "AUC", "averaged")
    print(f"{'':<18}" + "".join(f"{name:>10}" for name in head), flush=True)
    pairs: dict[str, list[np.ndarray]] = {RIGHT: [], WEAKLY: [], WRONG: []}
    for name, (make, curve) in CASES.items():
        if not name.startswith(tuple(options.only or [""])):
            continue
        found = []
        for seed in range(options.first_seed, options.first_seed + options.sets):
            figures, points = measure(make(seed), options.resamples, seed, options.jobs)
            found.append(figures)
            if curve is not None:
                pairs[curve].append(points)
            if make is sachs:
                break
        mean = np.mean(found, axis=0)
        gaps = np.diff(found, axis=1)[:, 0]
        spread = f"{gaps.std(ddof=1) / np.sqrt(len(gaps)):.1f}" if len(gaps) > 1 else "-"
        cells = [f"{mean[0]:.1f}", f"{mean[1]:.1f}", spread, f"{mean[2]:.1f}"]
        cells += [f"{value:.2f}" for value in mean[3:]]
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
