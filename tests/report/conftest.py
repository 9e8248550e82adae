"""Results to report on, one of them with names that try to break out."""

import numpy as np
import pytest

from arcs.graphs import GaussianDag, Order, Pdag
from arcs.results import FitResult
from arcs.simulate import network, random_dag, random_weights, sample, sample_experiments

HOSTILE = (
    "</script><script>window.broken=1</script>",
    '"><img src=x onerror="window.broken=1">',
    "a&b <b>bold</b>",
    "{{ 7*7 }}",
    "line\u2028break\u202e[31m",
    "'); window.broken=1; //",
    "&lt;&quot;",
    "ünï→変数",
)


def renamed(result, names):
    """The result over other names, also such as no data may have."""
    dag = result.dag
    parameters = {"intercepts": dag.intercepts, "standard_errors": dag.standard_errors}
    return result.with_(
        dag=GaussianDag(dag.coefficients, dag.noise_variances, names, **parameters),
        cpdag=Pdag(result.cpdag.directed, result.cpdag.undirected, names),
        order=Order(result.order.nodes, names),
    )


def make(seed=0):
    drawn = sample_experiments(
        random_weights(network("asia"), seed),
        [0, 2],
        30,
        1,
        n_observational=200,
        shuffle=False,
    )
    steps = np.arange(0, 1000, 10)
    p = drawn.truth.p
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
    return make()


@pytest.fixture(scope="session")
def hostile():
    """The same with hostile names; a graph from elsewhere may have them."""
    return renamed(make(), HOSTILE)


@pytest.fixture(scope="session")
def large():
    """More edges than a picture can hold."""
    drawn = sample(random_weights(random_dag(120, 170, 0), 0), 300, 0)
    return FitResult.from_structure("oracle", drawn.truth.adjacency, drawn.data.statistics())
