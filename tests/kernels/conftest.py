"""Statistics and classes for kernels to look at."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.kernels.equivalence import cpdag_kernel, neighbour_lists
from arcs.kernels.greedy_equivalence_records import ClassGraph, Rules, empty_row
from arcs.scores.discrete import score_of
from arcs.scores.families import FamilyScore


@pytest.fixture(scope="session")
def gram_statistics(experiment):
    """A function ``(p, seed)``: statistics of a small experiment."""

    def make(p=6, seed=0, n=90):
        values, mask = experiment(n, p, seed)
        return Dataset.of(values, interventions=mask).statistics()

    return make


@pytest.fixture(scope="session")
def share():
    """A function ``(statistics, v, columns, node)``: the share of a node's variation that columns
    leave unexplained on the rows of v, by NumPy."""

    def make(statistics, v, columns, node=None):
        node, gram = v if node is None else node, statistics.gram(v)
        columns = list(columns)
        if not columns:
            return float(gram[node, node])
        inner = np.linalg.solve(gram[np.ix_(columns, columns)], gram[columns, node])
        return float(gram[node, node] - gram[columns, node] @ inner)

    return make


@pytest.fixture(scope="session")
def category_score():
    """A function ``(seed, kind)``: a score of six categories, two of which were set
    in some rows."""

    def make(seed=0, kind="bic", p=6, n=150, *, observed=False):
        rng = np.random.default_rng(seed)
        codes = np.zeros((n, p), np.int64)
        sizes = rng.integers(2, 4, p)
        for j in range(p):
            noise = rng.integers(0, sizes[j], n)
            cause = codes[:, j - 1] % sizes[j] if j else noise
            codes[:, j] = np.where(rng.random(n) < 0.6, cause, noise)
        was_set = np.zeros((n, p), bool)
        was_set[:20, 1] = was_set[20:40, 4] = not observed
        names = tuple(f"x{j}" for j in range(p))
        levels = tuple(tuple(f"{k}" for k in range(size)) for size in sizes)
        targets = ((), (1,), (4,))
        table = CategoricalTable(names, levels, codes, was_set, targets, np.zeros(p, bool))
        return FamilyScore(score_of(table, {"kind": kind}), table)

    return make


@pytest.fixture(scope="session")
def worth(gram_statistics, share, category_score):
    """A function ``(kind, seed, price)``: numbers or categories, and what a parent is worth."""

    def make(kind, seed, price):
        if kind == "categories":
            score = category_score(seed)
            return (
                score,
                lambda y, given, x: (
                    2 * (score.score.node(y, given) - score.score.node(y, [*given, x]))
                ),
            )
        statistics = gram_statistics(seed=seed)

        def gain_of(y, given, x):
            drop = share(statistics, y, given) / share(statistics, y, [*given, x])
            return statistics.n[y] * np.log(drop) - price

        return statistics, gain_of

    return make


@pytest.fixture(scope="session")
def class_graph():
    """A function ``(dag)``: its equivalence class as kernels see it."""

    def make(dag):
        directed, undirected = cpdag_kernel(dag)
        skeleton = dag | dag.T
        return ClassGraph(directed, undirected, skeleton, *neighbour_lists(skeleton))

    return make


@pytest.fixture(scope="session")
def operators():
    """A function ``(find, statistics, graph, y, price)``: the operators that `find` lists at y, as
    ``(gain, x, clique)``."""

    def make(find, statistics, graph, y, price):
        p = len(price)
        rules = Rules(np.asarray(price), np.full(p, p), np.ones((p, p), dtype=bool))
        row = empty_row(1000, 1000, 5000)
        find(statistics.kernel, graph, rules, y, row)
        return [
            (gain, x, tuple(row.member[row.start[c] : row.start[c + 1]].tolist()))
            for gain, x, c in zip(
                row.gain[: row.size[0]].tolist(),
                row.source[: row.size[0]].tolist(),
                row.clique[: row.size[0]].tolist(),
                strict=True,
            )
        ]

    return make
