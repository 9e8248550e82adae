"""Penalties as kernels know them: values by hand, operators against a fine grid."""

import numpy as np
import pytest

from arcs.kernels.penalties import L0, L1, MCP, SCAD, penalty_prox, penalty_value

KINDS = {"l0": (L0, 1.0), "l1": (L1, 1.0), "mcp": (MCP, 2.0), "scad": (SCAD, 3.7)}


@pytest.mark.parametrize(
    ("kind", "x", "expected"),
    [
        ("l0", 0.0, 0.0),
        ("l0", -0.1, 0.5),
        ("l1", -3.0, 1.5),
        ("mcp", 0.4, 0.5 * 0.4 - 0.16 / 4),
        ("mcp", 5.0, 0.25),
        ("scad", 0.3, 0.15),
        ("scad", 1.0, (2 * 3.7 * 0.5 - 1 - 0.25) / (2 * 2.7)),
        ("scad", -9.0, 0.125 * 4.7),
    ],
)
def test_values_by_hand(kind, x, expected):
    assert penalty_value(KINDS[kind][0], 0.5, KINDS[kind][1], x) == pytest.approx(expected)


@pytest.mark.parametrize("step", [0.5, 2.0, 2.7, 6.0])
@pytest.mark.parametrize("kind", KINDS)
def test_operators_beat_a_grid(kind, step):
    number, gamma = KINDS[kind]
    grid = np.linspace(-6, 6, 2401)
    values = np.array([penalty_value(number, 0.5, gamma, u) for u in grid])
    for x in np.linspace(-5, 5, 41):
        u = penalty_prox(number, 0.5, gamma, step, x)
        here = penalty_value(number, 0.5, gamma, u) + (u - x) ** 2 / (2 * step)
        assert here <= (values + (grid - x) ** 2 / (2 * step)).min() + 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_without_strength_nothing_shrinks(kind):
    assert penalty_prox(KINDS[kind][0], 0.0, KINDS[kind][1], 1.0, -0.3) == -0.3
