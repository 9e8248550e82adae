"""Coordinate descent over blocks: what it lowers, keeps, and where it ends."""

import numpy as np
import pytest

from arcs.graphs.topology import find_cycle
from arcs.kernels.cd import full_sweep, objective, refresh, update_scales
from arcs.learners.cd import block_order, empty_graph
from arcs.penalties import MCP
from arcs.simulate import random_dag, random_weights, sample


def simulated(p=10, edges=14, n=80, seed=0):
    return sample(random_weights(random_dag(p, edges, seed), seed), n, seed)


def plain_objective(x, phi, rho, lam, gamma):
    """Q written out on the rows themselves (unit-norm, centred columns)."""
    x = x - x.mean(axis=0)
    x = x / np.linalg.norm(x, axis=0)
    fit = x * rho - x @ phi
    price = MCP(lam, gamma).value(phi).sum()
    return -len(x) * np.log(rho).sum() + 0.5 * (fit**2).sum() + price


def reach(adjacency):
    paths = adjacency.astype(int)
    for _ in range(len(adjacency)):
        paths = ((paths + paths @ paths) > 0).astype(int)
    return paths.astype(bool)


def descended(statistics, lam, gamma=2.0, sweeps=40):
    """State after sweeps at one penalty, and the objective after each update."""
    p = statistics.p
    pairs, rank = block_order(statistics, "strength")
    state, work = empty_graph(statistics, rank), np.empty(p)
    lams, gammas = np.full(p, lam), np.full(p, gamma)
    refresh(statistics.kernel, state, work)
    values = [objective(statistics.kernel, state, lams, gammas)]
    for _ in range(sweeps):
        full_sweep(statistics.kernel, state, pairs, lams, gammas, p * p, work)
        values.append(objective(statistics.kernel, state, lams, gammas))
        update_scales(statistics.kernel, state, work)
        values.append(objective(statistics.kernel, state, lams, gammas))
    return state, np.array(values)


@pytest.mark.parametrize("lam", [1.0, 3.0])
def test_every_sweep_lowers_the_objective(lam):
    state, values = descended(simulated(n=60).data.statistics(), lam)
    assert np.all(np.diff(values) <= 1e-9)
    assert values[-1] < values[0] - 1.0
    assert find_cycle(state.phi != 0) is None


def test_objective_is_that_of_the_rows():
    data = simulated(n=60).data
    state, values = descended(data.statistics(), 2.0)
    assert values[-1] == pytest.approx(plain_objective(data.values, state.phi, state.rho, 2.0, 2.0))


def test_residual_products_do_not_drift():
    statistics = simulated(p=15, edges=30, n=50).data.statistics()
    state, _ = descended(statistics, 1.0)
    carried = state.residual.copy()
    refresh(statistics.kernel, state, np.empty(statistics.p))
    np.testing.assert_allclose(carried, state.residual, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_solution_is_stationary_on_edges_that_are_free(seed):
    """Zero gradient on edges, |gradient| <= lambda on absent edges that close no cycle."""
    statistics = simulated(p=12, edges=20, n=100, seed=seed).data.statistics()
    lam, gamma = 2.0, 2.0
    state, _ = descended(statistics, lam, gamma, sweeps=300)
    edges = state.phi != 0
    slope = np.sign(state.phi) * np.maximum(lam - np.abs(state.phi) / gamma, 0)
    np.testing.assert_allclose(state.residual.T[edges], slope[edges], atol=1e-6)
    paths = reach(edges)
    free = ~edges & ~edges.T & ~paths.T & ~np.eye(12, dtype=bool)
    assert np.abs(state.residual.T[free]).max() <= lam + 1e-9
    assert edges.sum() > 5
