"""What tests of several rooms share: small linear models and the plain reference."""

import importlib.util
import signal
from pathlib import Path

import numpy as np
import pytest

# Started in the background of a shell, a run ignores Ctrl-C, and so would what its tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _linear_rows(n=150, p=6, seed=0, density=0.5):
    """Rows of a random linear Gaussian model, columns in random order."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 0.9, (p, p)) * rng.choice([-1, 1], (p, p))
    weights = np.triu(weights * (rng.random((p, p)) < density), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return values[:, rng.permutation(p)]


@pytest.fixture(scope="session")
def linear_rows():
    """A function ``(n, p, seed, density) -> rows``."""
    return _linear_rows


@pytest.fixture(scope="session")
def experiment():
    """A function ``(n, p, seed) -> (rows, mask)``: each variable is set in a tenth of the rows."""

    def make(n=150, p=6, seed=0, density=0.5):
        rng = np.random.default_rng([seed, 1])
        values = _linear_rows(n, p, seed, density).copy()
        mask = np.zeros((n, p), dtype=bool)
        for j in range(p):
            mask[rng.choice(n, max(n // 10, 1), replace=False), j] = True
        values[mask] = rng.normal(size=mask.sum())
        return values, mask

    return make


@pytest.fixture(scope="session")
def reference():
    """The module ``tests/reference/annealing.py``."""
    path = Path(__file__).parent / "reference" / "annealing.py"
    spec = importlib.util.spec_from_file_location("annealing_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
