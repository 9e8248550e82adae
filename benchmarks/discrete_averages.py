"""Averages of graphs over categories: which threshold, and what no threshold changes.

    python benchmarks/discrete_averages.py simulated --first 0 --sets 10
    python benchmarks/discrete_averages.py sachs
    python benchmarks/discrete_averages.py scores --first 0 --sets 20

`simulated` draws networks as large as that of Sachs et al. (11 nodes, 17 edges, three levels, an
experiment per node) and prints the mean distance to the truth (pairs whose edge is missing, extra
or turned) of the single fit and of averages of resamples above several thresholds; in the lines
called "hidden" two further nodes, causes of many, are not shown. "least" is what the best threshold
of each data set would give, which nobody can know.

`sachs` prints the same for the cells in three levels, every threshold tried, and for each extra
edge in how many resamples it is.

`scores` compares single fits by score, on such networks and on the cells: what each says of the
graph that another one finds, in nats, and the distances of fits to resampled cells (drawn within
experiments), which tell how much a distance of one edge means.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.data.interventions import Interventions
from arcs.datasets import load_sachs_levels
from arcs.learners import learner
from arcs.learners.arcs import Arcs
from arcs.scores.discrete import score_of
from arcs.simulate import random_dag, random_tables, sample_categories

THRESHOLDS = (0.3, 0.5, 0.7, 0.85, 0.95)


def distance(found: np.ndarray, truth: np.ndarray) -> int:
    """Pairs of nodes whose edge is missing, extra or turned."""
    return int(np.triu((found != truth) | (found != truth).T, 1).sum())


def drawn(n: int, seed: int, hidden: int) -> tuple[Dataset, np.ndarray]:
    """Rows and the graph among the nodes that are shown; hidden ones have five children each."""
    rng = np.random.default_rng(seed)
    dag = np.zeros((11 + hidden, 11 + hidden), dtype=bool)
    dag[hidden:, hidden:] = random_dag(11, 17, seed)
    for node in range(hidden):
        dag[node, hidden + rng.permutation(11)[:5]] = True
    tables = random_tables(dag, seed, levels=3, concentration=1.0)
    rows = sample_categories(tables, n, seed, rows_per_target=n // 20)
    shown = np.arange(hidden, 11 + hidden)
    names = [rows.names[j] for j in shown]
    assert rows.interventions is not None
    data = Dataset(
        names,
        values=np.asarray(rows.values)[:, shown],
        levels=[rows.levels[j] for j in shown] if rows.levels else None,
        interventions=Interventions.from_mask(rows.interventions.mask[:, shown], names),
        constant="isolate",
    )
    return data, dag[np.ix_(shown, shown)]


def simulated(given: argparse.Namespace) -> None:
    """Single fit, averages above thresholds, and the best threshold in hindsight."""
    heads = ("single", *(f"> {t}" for t in THRESHOLDS), "l1", "least")
    print(f"{'':<10}{'n':>6}" + "".join(f"{head:>8}" for head in heads), flush=True)
    for hidden in (0, 2):
        for n in given.rows:
            lines = []
            for seed in range(given.first, given.first + given.sets):
                data, truth = drawn(n, seed, hidden)
                model = learner("arcs", random_state=0, discrete_score="ebic")
                again = bootstrap(data, model, given.resamples, random_state=0, n_jobs=1)
                line = [distance(model.fit(data).dag.adjacency, truth)]
                line += [distance(again.averaged(t), truth) for t in THRESHOLDS]
                line += [distance(again.averaged("l1"), truth)]
                every = np.unique(again.confidence)[:-1]
                line += [min([distance(again.averaged(t), truth) for t in every] or line)]
                lines.append(line)
            told = "".join(f"{figure:8.1f}" for figure in np.mean(lines, axis=0))
            print(f"{'hidden' if hidden else 'all shown':<10}{n:>6}{told}", flush=True)


def sachs(given: argparse.Namespace) -> None:
    """Every threshold, and how often extra edges are found."""
    cells = load_sachs_levels()
    truth, names = cells.reference.directed, cells.data.names
    for score in given.scores:
        model = learner("arcs", random_state=0, discrete_score=score)
        again = bootstrap(cells.data, model, given.resamples, random_state=0, n_jobs=1)
        known = truth | truth.T
        figures = {t: distance(again.averaged(t), truth) for t in np.unique(again.confidence)[:-1]}
        usual = "  ".join(f"> {t}: {distance(again.averaged(t), truth)}" for t in THRESHOLDS)
        print(f"{score:<6}{usual}  l1: {distance(again.averaged('l1'), truth)}")
        least = min(figures.values())
        at = [t for t, figure in figures.items() if figure == least]
        print(f"      least of all thresholds: {least}, from {min(at):.3f} to {max(at):.3f}")
        for kind, pairs in (("extra", ~known), ("known", known)):
            shares = [
                (again.confidence[i, j], f"{names[i]}-{names[j]}")
                for i, j in zip(*np.nonzero(np.triu(pairs, 1)), strict=True)
                if kind == "known" or again.confidence[i, j] > 0.5
            ]
            told = ", ".join(f"{edge} {share:.2f}" for share, edge in sorted(shares, reverse=True))
            print(f"      {kind}: {told}", flush=True)


def by_score(score: str) -> Arcs:
    """The method with a score, as in "ebdeu-2"."""
    kind, _, size = score.partition("-")
    prior = {"equivalent_sample_size": float(size)} if size else {}
    return Arcs(random_state=0, discrete_score=kind, **prior)


def nats(data: Dataset, score: str, adjacency: np.ndarray) -> float:
    """What a score says of a graph."""
    model = by_score(score)
    chosen = {
        "kind": model.discrete_score,
        "gamma": model.ebic,
        "sample_size": model.equivalent_sample_size,
    }
    return score_of(CategoricalTable.of(data), chosen).total(adjacency)


def scores(given: argparse.Namespace) -> None:
    """Single fits by score: simulated networks, the cells, resampled cells."""
    for n in given.rows:
        far = [
            [distance(by_score(one).fit(data).dag.adjacency, truth) for one in given.scores]
            for data, truth in (drawn(n, given.first + i, 0) for i in range(given.sets))
        ]
        spread = np.std(np.array(far) - np.array(far)[:, :1], axis=0, ddof=1) / given.sets**0.5
        cells = zip(given.scores, np.mean(far, axis=0), spread, strict=True)
        print(n, *(f"{one} {mean:.2f} ({error:.2f})" for one, mean, error in cells), flush=True)
    sachs = load_sachs_levels()
    data, truth = sachs.data, sachs.reference.directed
    found = {one: by_score(one).fit(data).dag.adjacency for one in given.scores}
    for one, dag in found.items():
        more = {other: nats(data, one, g) - nats(data, one, dag) for other, g in found.items()}
        told = "  ".join(f"{other} {value:.1f}" for other, value in more.items())
        print(f"{one}: distance {distance(dag, truth)}; nats above its own graph: {told}")
    rng, groups = np.random.default_rng(0), data.groups()
    lines = []
    for _ in range(given.resamples):
        places = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        again = data.take(np.concatenate([rng.choice(own, own.size) for own in places]))
        fits = (by_score(one).fit(again).dag.adjacency for one in given.scores)
        lines.append([distance(dag, truth) for dag in fits])
    for one, line in zip(given.scores, np.transpose(lines), strict=True):
        counts = dict(zip(*np.unique(line, return_counts=True), strict=True))
        told = "  ".join(f"{far}: {count}" for far, count in counts.items())
        print(f"{one} on resamples: mean {line.mean():.2f}, sd {line.std(ddof=1):.2f};  {told}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("simulated")
    one.add_argument("--first", type=int, default=1000)
    one.add_argument("--sets", type=int, default=20)
    one.add_argument("--rows", nargs="+", type=int, default=[500, 2000])
    one.add_argument("--resamples", type=int, default=50)
    one.set_defaults(run=simulated)
    two = commands.add_parser("sachs")
    two.add_argument("--scores", nargs="+", default=["ebic", "bic", "bdeu"])
    two.add_argument("--resamples", type=int, default=200)
    two.set_defaults(run=sachs)
    three = commands.add_parser("scores")
    three.add_argument("--first", type=int, default=1000)
    three.add_argument("--sets", type=int, default=20)
    three.add_argument("--rows", nargs="+", type=int, default=[500, 2000, 5000])
    usual = ["ebic", "ebdeu-1", "ebdeu-2", "ebdeu-5", "ebdeu-10"]
    three.add_argument("--scores", nargs="+", default=usual)
    three.add_argument("--resamples", type=int, default=200)
    three.set_defaults(run=scores)
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given.run(given)


if __name__ == "__main__":
    main()
