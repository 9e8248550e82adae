"""Algorithm 2 as published ends where nothing nearby is better."""

import numpy as np
import pytest

from arcs.kernels.penalties import L1, MCP
from arcs.kernels.proximal import LineSearch, proximal_gradient
from arcs.penalties import L1 as L1Penalty
from arcs.penalties import MCP as MCPPenalty

RULE = LineSearch(1.0, 0.5, 1e-10, 20_000)


def objective(gram, n, penalty, column, free):
    charged = penalty.value(column[free == 0]).sum()
    return 0.5 * column @ gram @ column - n * np.log(column[0]) + charged


@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize(
    ("kind", "penalty"), [(L1, L1Penalty(1.5)), (MCP, MCPPenalty(1.5, 3.0))], ids=["l1", "mcp"]
)
def test_no_coordinate_can_be_improved(linear_rows, kind, penalty, required):
    gram, n = np.corrcoef(linear_rows(80, 5, 6).T), 80.0
    free = np.array([1, int(required), 0, 0, 0], np.uint8)
    column = np.array([np.sqrt(n), 0.0, 0.0, 0.0, 0.0])
    triple = (kind, penalty.lam, penalty.gamma)
    _, converged = proximal_gradient(gram, n, triple, column, free, RULE, np.empty((2, 5)))
    assert converged
    best = objective(gram, n, penalty, column, free)
    for i in range(5):
        for value in [*np.linspace(-12, 12, 97), 0.0, column[i] - 1e-3, column[i] + 1e-3]:
            other = column.copy()
            other[i] = value
            if other[0] > 0:
                assert objective(gram, n, penalty, other, free) >= best - 1e-6


def test_iterations_are_bounded():
    gram, column = np.array([[1.0, 0.6], [0.6, 1.0]]), np.array([1.0, 0.0])
    free, work = np.array([1, 0], np.uint8), np.empty((2, 2))
    rule = LineSearch(1.0, 0.5, 1e-12, 3)
    assert proximal_gradient(gram, 100.0, (L1, 0.1, 1.0), column, free, rule, work) == (3, False)
