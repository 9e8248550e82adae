"""Results to report on, one of them with names that try to break out."""

import numpy as np
import pytest

from arcs.results import FitResult
from arcs.simulate import network, random_weights, sample_experiments

HOSTILE = (
    "</script><script>window.broken=1</script>",
    '"><img src=x onerror="window.broken=1">',
    "a&b <b>bold</b>",
    "{{ 7*7 }}",
    "line\nbreak\x00\x1b[31m",
    "'); window.broken=1; //",
    "&lt;&quot;",
    "ünï→変数",
)


def make(names, seed=0):
    drawn = sample_experiments(
        random_weights(network("asia"), seed, names=names),
        [0, 2],
        30,
        1,
        n_observational=200,
        shuffle=False,
    )
    steps = np.arange(0, 1000, 10)
    p = len(names)
    return FitResult.from_structure(
        "oracle",
        drawn.truth.adjacency,
        drawn.data.statistics(),
        trace={
            "iteration": steps,
            "score": 100.0 - steps / 20 + np.cos(steps),
            "best": 99.0 - steps / 20,
            "temperature": 0.99**steps,
        },
        penalty={"kind": "mcp", "gamma": 2.0, "lam": 2.0},
        tuning={
            "gamma": np.repeat([2.0, 5.0], 3),
            "lambda": np.tile([1.0, 2.0, 4.0], 2),
            "bic": np.array([1.0, 7.0, 2.0, 3.0, 4.0, 5.0]),
        },
        edge_values={"confidence": np.linspace(0.3, 1.0, p * p).reshape(p, p)},
        audit={"duplicated_columns": [], "condition_number": 12.5},
        settings={"init": "random"},
        seed=7,
        source="cells.csv",
    )


@pytest.fixture(scope="session")
def result():
    return make(network("asia").names)


@pytest.fixture(scope="session")
def hostile():
    """The same with hostile names (control characters are legal in names of columns)."""
    return make(HOSTILE)
