"""Chains to look at."""

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.penalties import L0, L1, MCP, SCAD, Ebic
from arcs.scores.cholesky import CholeskyScore
from arcs.scores.discrete import DiscreteScore, count_rows
from arcs.search import Chain

PENALTIES = {
    "l0": Ebic(0.7),
    "l0 fixed price": L0(3.0),
    "mcp": MCP(1.8, 2.0),
    "mcp wide": MCP(1.8, 20.0),
    "l1": L1(1.8),
    "scad": SCAD(1.8, 3.7),
}


@pytest.fixture
def a_chain(experiment):
    """A function ``(kind, seed, p, n)``: a chain at a random order under a penalty."""

    def make(kind, seed=0, p=8, n=120, **knowledge):
        values, mask = experiment(n, p, seed, density=0.35)
        statistics = Dataset.of(values, interventions=mask).statistics()
        rng = np.random.default_rng(seed)
        order = knowledge.pop("order", rng.permutation(p))
        chain = Chain(CholeskyScore(statistics, PENALTIES[kind], **knowledge), order, rng)
        chain.solve()
        return chain

    return make


@pytest.fixture(scope="session")
def chain_of():
    """A function ``(rows, order)``: a chain whose columns are solved for the order."""

    def make(rows, order=None, **knowledge):
        score = CholeskyScore(Dataset.of(rows).statistics(), Ebic(1.0), **knowledge)
        order = np.arange(rows.shape[1]) if order is None else np.array(order)
        chain = Chain(score, order, np.random.default_rng(0))
        chain.solve()
        return chain

    return make


@pytest.fixture(scope="session")
def parents_of():
    """A function ``(chain, v)``: the parents of a node."""

    def make(chain, v):
        return set(chain.state.columns.parents[v, : chain.state.columns.count[v]].tolist())

    return make


@pytest.fixture
def path_rows():
    """0 -> 1 -> 2 -> 3, with 4 -> 5 apart."""
    rows = np.random.default_rng(1).normal(size=(400, 6))
    for child, parent in ((1, 0), (2, 1), (3, 2), (5, 4)):
        rows[:, child] += rows[:, parent]
    return rows


@pytest.fixture(scope="session")
def contents():
    """A function: everything that a state says, as bytes (unused slots say nothing, and what is
    derived from columns follows from them)."""

    def make(state):
        parts = [state.order, state.position]
        for v, k in enumerate(state.columns.count):
            for array in state.columns._asdict().values():
                parts.append(array[v] if array.ndim == 1 else array[v, :k])
        return b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)

    return make


@pytest.fixture(scope="session")
def categorical():
    """A function ``(kind)``: a chain over five categorical variables, 0 -> 1 -> 2, 0 -> 3 <- 4."""

    def make(kind="bic", seed=0, order=None, **knowledge):
        rng = np.random.default_rng(1)
        codes = np.zeros((300, 5), int)
        codes[:, 0] = rng.random(300) < 0.4
        codes[:, 4] = rng.random(300) < 0.5
        codes[:, 1] = np.where(rng.random(300) < 0.7, 2 * codes[:, 0], rng.integers(0, 3, 300))
        codes[:, 2] = np.where(rng.random(300) < 0.8, codes[:, 1] > 0, rng.integers(0, 2, 300))
        both = 2 * codes[:, 0] + codes[:, 4]
        codes[:, 3] = np.where(rng.random(300) < 0.6, both, rng.integers(0, 4, 300))
        score = DiscreteScore(count_rows(codes, (2, 3, 2, 4, 2)), kind, **knowledge)
        order = np.random.default_rng(seed).permutation(5) if order is None else np.array(order)
        chain = Chain(score, order, np.random.default_rng(seed))
        chain.solve()
        return chain

    return make
