"""Brute force for small graphs, and random graphs for larger ones."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from arcs.graphs import GaussianDag, Pdag


def _acyclic(graphs):
    """Which of a stack of graphs have no closed walk of any length."""
    power = graphs.astype(np.int64)
    acyclic = np.ones(len(graphs), dtype=bool)
    for _ in range(graphs.shape[1]):
        acyclic &= np.trace(power, axis1=1, axis2=2) == 0
        power = ((power @ graphs) > 0).astype(np.int64)
    return acyclic


@cache
def _all_dags(p):
    """Every DAG on p nodes, by trying the three states of every pair."""
    pairs = list(itertools.combinations(range(p), 2))
    states = np.array(list(itertools.product(range(3), repeat=len(pairs))))
    states = states.reshape(3 ** len(pairs), len(pairs))  # also right for a single node
    graphs = np.zeros((len(states), p, p), dtype=bool)
    for k, (i, j) in enumerate(pairs):
        graphs[:, i, j] = states[:, k] == 1
        graphs[:, j, i] = states[:, k] == 2
    return list(graphs[_acyclic(graphs)])


def _markov_key(adjacency, skeleton=None):
    """The skeleton, and all a -> c <- b whose a and b are not adjacent."""
    joined = adjacency | adjacency.T if skeleton is None else skeleton
    apart = ~joined & ~np.eye(len(joined), dtype=bool)
    v_structures = adjacency[:, None, :] & adjacency[None, :, :] & apart[:, :, None]
    return joined.tobytes(), v_structures.tobytes()


def _interventional_key(adjacency, targets):
    """Skeleton and v-structures of every graph whose arrows into the targets are removed."""
    keys = []
    for target in targets:
        cut = adjacency.copy()
        cut[:, list(target)] = False
        keys.append(_markov_key(cut))
    return tuple(keys)


def _classes(dags, key):
    groups = defaultdict(list)
    for dag in dags:
        groups[key(dag)].append(dag)
    return list(groups.values())


@cache
def _markov_classes(p):
    """All DAGs on p nodes by Markov equivalence."""
    return _classes(_all_dags(p), _markov_key)


def _essential(group):
    """An arrow where all members of the class agree, a line where they do not."""
    union = np.any(group, axis=0)
    return union & ~union.T, union & union.T


def _random_dag(rng, p, n_edges):
    order = rng.permutation(p)
    rows, columns = np.triu_indices(p, 1)
    chosen = rng.choice(rows.size, n_edges, replace=False)
    adjacency = np.zeros((p, p), dtype=bool)
    adjacency[order[rows[chosen]], order[columns[chosen]]] = True
    return adjacency


def _random_model(rng, p, n_edges, names=None):
    adjacency = _random_dag(rng, p, n_edges)
    weights = rng.uniform(0.3, 1.2, (p, p)) * rng.choice([-1.0, 1.0], (p, p))
    return GaussianDag(
        adjacency * weights,
        rng.uniform(0.5, 2.0, p),
        names,
        intercepts=rng.normal(size=p),
        standard_errors=rng.uniform(0.01, 0.2, (p, p)),
    )


@pytest.fixture
def rng():
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def all_dags() -> Callable:
    return _all_dags


@pytest.fixture(scope="session")
def classes() -> Callable:
    return _classes


@pytest.fixture(scope="session")
def markov_classes() -> Callable:
    return _markov_classes


@pytest.fixture(scope="session")
def markov_key() -> Callable:
    return _markov_key


@pytest.fixture(scope="session")
def interventional_key() -> Callable:
    return _interventional_key


@pytest.fixture(scope="session")
def essential() -> Callable:
    return _essential


@pytest.fixture(scope="session")
def random_dag() -> Callable:
    return _random_dag


@pytest.fixture(scope="session")
def random_model() -> Callable:
    return _random_model


@pytest.fixture
def mixed_pdag():
    """A class with arrows, lines and an isolated node."""
    directed = np.zeros((6, 6), dtype=bool)
    undirected = np.zeros((6, 6), dtype=bool)
    directed[0, 2] = directed[1, 2] = directed[2, 4] = True
    undirected[0, 5] = undirected[5, 0] = True
    return Pdag(directed, undirected, ["a", "b", "c", "lonely", "e", "f"])
