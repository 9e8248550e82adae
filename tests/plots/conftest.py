"""Results to draw."""

import numpy as np
import pytest

from arcs.results import FitResult
from arcs.simulate import network, random_weights, sample, sample_experiments


@pytest.fixture(scope="session")
def experimental():
    """Eleven nodes, experiments on three of them, with trace and tuning table."""
    model = random_weights(network("sachs"), 0)
    drawn = sample_experiments(
        model, ["PKC", "Mek", "Akt"], 40, 1, n_observational=100, shuffle=False
    )
    steps = np.arange(0, 1000, 10)
    gammas, lambdas = (a.ravel() for a in np.meshgrid([2.0, 5.0], [1.0, 2.0, 4.0]))
    return FitResult.from_structure(
        "oracle",
        drawn.truth.adjacency,
        drawn.data.statistics(),
        trace={
            "iteration": steps,
            "score": 100.0 + np.sin(steps),
            "best": np.full(steps.size, 99.0),
            "temperature": 0.99**steps,
        },
        penalty={"kind": "mcp", "gamma": 5.0, "lam": 1.0},
        tuning={"gamma": gammas, "lambda": lambdas, "BIC": gammas - lambdas, "edges": gammas},
    )


@pytest.fixture(scope="session")
def observational():
    """The graph of asia (eight nodes)."""
    drawn = sample(random_weights(network("asia"), 0), 300, 1, shuffle=False)
    return FitResult.from_structure("oracle", drawn.truth.adjacency, drawn.data.statistics())
