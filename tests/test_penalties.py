"""Penalties: values, proximal operators and thresholds, against fine grids in every branch."""

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.penalties import L0, L1, MCP, SCAD, Ebic, penalty

#: Concavities and strengths; with the steps below, step / gamma is below, at and above one.
PENALTIES = [
    L1(0.7),
    L0(0.7),
    L0(0.02),
    MCP(0.7, 2.0),
    MCP(1.3, 1.01),
    MCP(0.2, 50.0),
    SCAD(0.7, 3.7),
    SCAD(1.3, 2.05),
    SCAD(0.2, 40.0),
]
STEPS = [0.05, 0.5, 1.0, 1.01, 1.7, 2.0, 2.7, 3.7, 5.0, 60.0]

each_penalty = pytest.mark.parametrize("rho", PENALTIES, ids=repr)
each_step = pytest.mark.parametrize("step", STEPS)


def objective(rho, u, x, step):
    return rho.value(u) + (u - x) ** 2 / (2 * step)


def reach(rho, step):
    """Beyond this, every penalty but l1 is flat and the proximal operator is the identity."""
    return 2.5 * max(rho.gamma * rho.lam, rho.threshold(step), rho.lam * step, 0.1)


@each_penalty
@each_step
def test_prox_beats_a_fine_grid(rho, step):
    top = reach(rho, step)
    grid = np.append(np.linspace(-top, top, 4001), 0.0)
    values = rho.value(grid)
    for x in np.linspace(-top, top, 61):
        found = rho.prox(x, step)
        here = objective(rho, found, x, step)
        assert here <= (values + (grid - x) ** 2 / (2 * step)).min() + 1e-12


@each_penalty
@each_step
def test_prox_is_odd_shrinks_and_is_monotone(rho, step):
    x = np.linspace(0, reach(rho, step), 301)
    found = rho.prox(x, step)
    np.testing.assert_array_equal(rho.prox(-x, step), -found)
    assert (found >= 0).all()
    assert (found <= x * (1 + 1e-12)).all()
    assert (np.diff(found) >= -1e-12).all()


@each_penalty
@each_step
def test_threshold_is_the_largest_input_sent_to_zero(rho, step):
    edge = rho.threshold(step)
    inside = np.linspace(0, edge * (1 - 1e-9), 50)
    assert (rho.prox(inside, step) == 0).all()
    beyond = edge * (1 + 1e-9) + np.linspace(1e-12, reach(rho, step), 50)
    assert (rho.prox(beyond, step) > 0).all()


@pytest.mark.parametrize(
    ("rho", "step"),
    [
        (MCP(0.5, 2.0), 2.0),
        (MCP(0.5, 2.0), 8.0),
        (L0(0.5), 2.0),
        (L0(0.5), 9.0),
        (SCAD(0.5, 3.0), 16.0),
    ],
    ids=repr,
)
def test_ties_go_to_the_minimiser_nearest_zero(rho, step):
    """At the threshold zero and the input itself are equally good (the remark after Lemma 6)."""
    edge = rho.threshold(step)
    assert rho.value(edge) == pytest.approx(edge**2 / (2 * step))
    assert rho.prox(edge, step) == 0


def test_at_step_gamma_every_point_between_is_as_good():
    """alpha = 1, x = 1 in Lemma 6: the minimisers are all of [0, gamma lam]; zero is taken."""
    rho = MCP(0.5, 2.0)
    u = np.linspace(0, 1, 11)
    np.testing.assert_allclose(objective(rho, u, 1.0, 2.0), 0.25)
    assert rho.prox(1.0, 2.0) == 0


@pytest.mark.parametrize("lam", [0.3, 1.0, 4.0])
def test_values_by_integration_of_their_derivatives(lam):
    """MCP and SCAD are defined through their derivatives (eq. 10; Fan and Li, 2001)."""
    t = np.linspace(0, 12, 240_001)

    def integral(slope, x):
        used = t <= x
        return np.trapezoid(slope[used], t[used])

    mcp_slope = np.maximum(lam - t / 3.0, 0.0)
    scad_slope = np.where(t <= lam, lam, np.maximum(3.7 * lam - t, 0) / 2.7)
    for x in (0.0, 0.1, 0.3, 0.9, 1.1, 2.9, 3.7, 12.0):
        assert MCP(lam, 3.0).value(x) == pytest.approx(integral(mcp_slope, x), abs=2e-4)
        assert SCAD(lam, 3.7).value(-x) == pytest.approx(integral(scad_slope, x), abs=2e-4)
        assert L1(lam).value(-x) == pytest.approx(lam * x)
        assert L0(lam).value(-x) == (lam if x else 0)


def test_mcp_joins_l1_and_l0():
    x = np.linspace(-3, 3, 61)
    np.testing.assert_allclose(MCP(0.8, 1e9).value(x), L1(0.8).value(x), atol=1e-7)
    np.testing.assert_allclose(MCP(0.8, 1e9).prox(x), L1(0.8).prox(x), atol=1e-7)
    # gamma lam^2 / 2 fixed at the price of an edge, and gamma small against the step
    gamma, step = 1.01, 1e4
    lam = np.sqrt(2 * 0.6 / gamma)
    wide = 100 * x
    np.testing.assert_allclose(MCP(lam, gamma).prox(wide, step), L0(0.6).prox(wide, step))


@each_penalty
def test_shapes_are_kept(rho):
    x = np.arange(6.0).reshape(2, 3)
    assert rho.value(x).shape == (2, 3)
    assert rho.prox(x).shape == (2, 3)
    assert rho.value(x)[1, 2] == rho.value(5.0)


@pytest.mark.parametrize("kind", [L0, L1, MCP, SCAD])
def test_without_strength_nothing_changes(kind):
    x = np.array([-2.0, 0.0, 1e-9, 3.0])
    np.testing.assert_array_equal(kind(0.0).prox(x, 7.0), x)
    np.testing.assert_array_equal(kind(0.0).value(x), np.zeros(4))


def test_by_name():
    assert penalty("mcp", 0.3, 5.0) == MCP(0.3, 5.0)
    assert penalty("scad", 0.3) == SCAD(0.3)
    for name in ("l0", "l1"):
        with pytest.raises(SettingsError, match=f"penalty {name} has no gamma"):
            penalty(name, 0.3, 5.0)
    with pytest.raises(SettingsError, match=r"there is no penalty 'mpc'.*'mcp'"):
        penalty("mpc", 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: L1(-1), "lam must be a number of at least 0, got -1"),
        (lambda: L1(np.nan), "lam"),
        (lambda: L0(np.inf), "lam"),
        (lambda: MCP(1.0, 1.0), "gamma of MCP must be a number above 1"),
        (lambda: MCP(1.0, np.nan), "gamma"),
        (lambda: SCAD(1.0, 2.0), "gamma of SCAD must be a number above 2"),
        (lambda: Ebic(-0.5), "extended BIC"),
        (lambda: Ebic("1"), "extended BIC"),
        (lambda: MCP(1.0).prox(1.0, 0.0), "step must be positive"),
        (lambda: L1(1.0).prox(1.0, np.nan), "step must be positive"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(SettingsError, match=message):
        make()


def test_price_of_an_edge():
    np.testing.assert_allclose(Ebic(0.0).costs(np.array([np.e**6]), 10), [3.0])
    np.testing.assert_allclose(Ebic(0.5).costs(np.array([np.e**6]), 10), [3 + 0.5 * np.log(10)])
    assert np.isfinite(Ebic(1.0).costs(np.array([0.0]), 1)).all()


def test_every_member_answers_for_its_price():
    n = np.array([10.0, 0.0, 100.0])
    np.testing.assert_array_equal(L0(3.0).costs(n, 5), [3.0, 3.0, 3.0])
    np.testing.assert_allclose(Ebic(2.0).costs(n, 5)[2], 0.5 * np.log(100) + 2 * np.log(5))
    assert [kind.counts_edges for kind in (L0, Ebic, L1, MCP, SCAD)] == [True] * 2 + [False] * 3
    assert all(kind.has_gamma for kind in (Ebic, MCP, SCAD))
    assert not any(kind.has_gamma for kind in (L0, L1))


def test_another_gamma_where_there_is_one():
    assert Ebic(1.0).at(0.5) == Ebic(0.5)
    assert MCP(0.3).at(7.0) == MCP(0.3, 7.0)
    assert SCAD(0.3).at(7.0) == SCAD(0.3, 7.0)
    assert L0(0.3).at(7.0) == L0(0.3)
    assert L1(0.3).at(7.0) == L1(0.3)
    with pytest.raises(SettingsError, match="above 2"):
        SCAD(0.3).at(1.5)


def test_the_record_names_kind_and_parameters():
    assert MCP(0.3, 7.0).describe() == {"kind": "mcp", "lam": 0.3, "gamma": 7.0}
    assert L0(0.3).describe() == {"kind": "l0", "lam": 0.3, "gamma": 1.0}
    assert Ebic(0.5).describe() == {"kind": "l0", "ebic": 0.5}
