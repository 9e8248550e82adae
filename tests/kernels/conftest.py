"""Statistics and classes for kernels to look at."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.kernels.equivalence import cpdag_kernel, neighbour_lists
from arcs.kernels.greedy_equivalence_records import ClassGraph, Rules, empty_row


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
        p = statistics.p
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
