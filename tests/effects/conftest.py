"""Random Gaussian models, and what is known of one fitted to rows."""

import numpy as np
import pytest

from arcs.data import GramStatistics
from arcs.graphs import GaussianDag
from arcs.scores import fit_dag


@pytest.fixture(scope="session")
def random_dag_model():
    """A function ``(seed, p, edges) -> GaussianDag`` with shuffled nodes and intercepts."""

    def make(seed, p=6, edges=9):
        rng = np.random.default_rng(seed)
        pairs = np.argwhere(np.triu(np.ones((p, p)), 1))
        chosen = pairs[rng.choice(len(pairs), min(edges, len(pairs)), replace=False)]
        weights = np.zeros((p, p))
        sizes = rng.uniform(0.4, 1.2, len(chosen)) * rng.choice([-1, 1], len(chosen))
        weights[chosen[:, 0], chosen[:, 1]] = sizes
        at = rng.permutation(p)
        names = [f"v{k}" for k in range(p)]
        weights = weights[np.ix_(at, at)]
        return GaussianDag(weights, rng.uniform(0.5, 2, p), names, intercepts=rng.normal(size=p))

    return make


@pytest.fixture(scope="session")
def refitted():
    """A function ``(dag, n, seed) -> FittedDag``: the same structure fitted to drawn rows."""

    def fit(dag, n, seed):
        return fit_dag(dag.adjacency, GramStatistics.from_values(dag.sample(n, seed), dag.names))

    return fit
