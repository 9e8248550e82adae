"""What the tests of several learners share: random problems, oracles, the paper's settings."""

from collections import Counter

import numpy as np
import pytest

from arcs.metrics import evaluate
from arcs.simulate import (
    EXPERIMENTAL_SETTINGS,
    OBSERVATIONAL_SETTINGS,
    random_dag,
    random_weights,
    simulate_setting,
)


@pytest.fixture(scope="session")
def random_model():
    """A function ``(rng, largest) -> model`` of 3 to `largest` nodes, sparse to fairly dense."""

    def draw(rng, largest):
        p = int(rng.integers(3, largest + 1))
        edges = int(rng.integers(1, min(p * (p - 1) // 2, 2 * p) + 1))
        return random_weights(random_dag(p, edges, rng), rng)

    return draw


@pytest.fixture(scope="session")
def agreement():
    """A function that counts how our searches compare with an oracle's.

    It takes triples of our result, the oracle's edges (both directions of an undirected one) and
    the oracle's score. Equal classes must have equal scores; a worse score fails at once.
    """

    def verdict(found, edges, total):
        assert found.score > total - 1e-8 * abs(total)
        if np.array_equal(found.cpdag.directed | found.cpdag.undirected, edges):
            assert found.score == pytest.approx(total, rel=1e-8)
            return "equal"
        return "better" if found.score > total + 1e-6 else "tied"

    return lambda fits: Counter(verdict(*fit) for fit in fits)


@pytest.fixture(scope="session")
def mean_distance():
    """A function: mean SHD of a learner's class over data sets 0 to 4 of one of the paper's
    settings."""

    def distance(learner, name, n, *, experimental=False):
        settings = EXPERIMENTAL_SETTINGS if experimental else OBSERVATIONAL_SETTINGS
        setting = next(s for s in settings if (s.name, s.n) == (name, n))
        found = []
        for seed in range(5):
            simulated = simulate_setting(setting, seed)
            estimate = learner.fit(simulated.data).cpdag
            found.append(evaluate(estimate, simulated.truth, experimental=experimental).SHD)
        return np.mean(found)

    return distance
