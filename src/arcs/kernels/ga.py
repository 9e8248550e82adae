"""A genetic algorithm over orders of nodes, with lasso regressions as fitness.

For an order (parents first) the fitness, to be minimised, is

    f(order) = sum_j min_b { |x_j - sum_i b_i x_i|^2 + lam |b|_1 },   i before j,

on columns of unit norm (the squared error of each node as a share of its variation). The inner
problems are the columns of GADAG's triangular matrix T; they are convex and are solved here by
coordinate descent with an active set instead of a proximal gradient on the whole of T.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating
from arcs.kernels.statistics import gram_entry, gram_row
from arcs.kernels.subsets import nonzero_among

__all__ = [
    "Regressions",
    "breed",
    "cross",
    "entropy",
    "evaluate",
    "lasso_column",
    "mutate",
    "select_parents",
    "start_regressions",
]

_MAX_PASSES = 1000


class Regressions(NamedTuple):
    """Coefficients of every node's regression, and ``g - G b``; row j belongs to node j."""

    coefficients: np.ndarray
    gradients: np.ndarray


@allocating
def _shift(stats, j, i, value, coefficients, gradient, work):
    """Give coefficient i of node j a value and keep ``gradient = g - G b``; return the change."""
    change = value - coefficients[i]
    if change != 0.0:
        coefficients[i] = value
        gram_row(stats, j, i, work)
        for a in range(work.shape[0]):
            gradient[a] -= change * work[a]
    return abs(change)


@allocating
def _pass(stats, j, nodes, k, half, coefficients, gradient, work):
    """One round of coordinate descent over ``nodes[:k]``; return the largest change."""
    largest = 0.0
    for t in range(k):
        i = nodes[t]
        old = coefficients[i]
        z = gradient[i] + old
        if old == 0.0 and abs(z) <= half:
            continue
        value = np.sign(z) * max(abs(z) - half, 0.0)
        largest = max(largest, _shift(stats, j, i, value, coefficients, gradient, work))
    return largest


@allocating
def lasso_column(stats, j, nodes, k, lam, tolerance, coefficients, gradient, active, work):
    """Lasso of node j on ``nodes[:k]``, starting from (and left in) `coefficients`.

    Parameters
    ----------
    stats : Stats
    j : int
    nodes : int64 array
    k : int
    lam : float
    tolerance : float
        Largest change of a coefficient at convergence.
    coefficients : float64 (p,)
        Zero outside ``nodes[:k]``.
    gradient : float64 (p,)
        ``g - G b`` for these coefficients, kept so.
    active : int64 (p,), overwritten
    work : float64 (p,), overwritten

    Returns
    -------
    float
        Squared error plus penalty.
    """
    half = 0.5 * lam
    for _ in range(_MAX_PASSES):
        if _pass(stats, j, nodes, k, half, coefficients, gradient, work) <= tolerance:
            break
        count = nonzero_among(nodes, k, coefficients, active)
        for _ in range(_MAX_PASSES):
            if _pass(stats, j, active, count, half, coefficients, gradient, work) <= tolerance:
                break
    total = 1.0
    for t in range(k):
        i = nodes[t]
        if coefficients[i] != 0.0:
            # |x_j - X b|^2 = 1 - b'g - b'(g - G b)
            total -= coefficients[i] * (gram_entry(stats, j, i, j) + gradient[i])
            total += lam * abs(coefficients[i])
    return total


@allocating
def start_regressions(stats):
    """Empty regressions of all nodes."""
    p = stats.pattern.shape[0]
    regressions = Regressions(np.zeros((p, p)), np.empty((p, p)))
    for j in range(p):
        gram_row(stats, j, j, regressions.gradients[j])
    return regressions


@allocating
def evaluate(stats, order, lam, tolerance, regressions):
    """Fitness of an order.

    `regressions` holds the solution found under some other order. What of it this order allows is
    the starting point: most nodes find that nothing has changed. The new solution is left there.
    """
    p = order.shape[0]
    work, active = np.empty(p), np.empty(p, np.int64)
    total = 0.0
    for k in range(p):
        j = order[k]
        if stats.n[stats.pattern[j]] <= 0.0:
            continue
        coefficients, gradient = regressions.coefficients[j], regressions.gradients[j]
        for t in range(k, p):
            if coefficients[order[t]] != 0.0:
                _shift(stats, j, order[t], 0.0, coefficients, gradient, work)
        total += lasso_column(
            stats, j, order, k, lam, tolerance, coefficients, gradient, active, work
        )
    return total


@allocating
def select_parents(fitness, rng):
    """Draw as many parents as there are orders, with probabilities linear in the fitness.

    The best has weight 1, the worst 0.02.
    """
    size = fitness.shape[0]
    least, most = fitness.min(), fitness.max()
    weights = np.ones(size)
    if most > least:
        weights = 0.02 + 0.98 * (most - fitness) / (most - least)
    cumulated = np.cumsum(weights)
    parents = np.empty(size, np.int64)
    for t in range(size):
        parents[t] = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
    return np.minimum(parents, size - 1)


@allocating
def cross(first, second, kept, child):
    """A child that has the nodes of `first` where `kept`, the others in the order of `second`."""
    p = first.shape[0]
    taken = np.zeros(p, np.bool_)
    for t in range(p):
        if kept[t]:
            child[t] = first[t]
            taken[first[t]] = True
    s = 0
    for t in range(p):
        if not kept[t]:
            while taken[second[s]]:
                s += 1
            child[t] = second[s]
            s += 1


@allocating
def mutate(order, rng):
    """Exchange two positions drawn at random."""
    p = order.shape[0]
    a, b = int(rng.random() * p), int(rng.random() * p)
    order[a], order[b] = order[b], order[a]


@allocating
def _positions_to_keep(p, rng):
    """A random set of positions, of a size uniform on 1 .. p."""
    kept = np.zeros(p, np.bool_)
    positions = np.arange(p)
    for t in range(1 + int(rng.random() * p)):
        s = t + int(rng.random() * (p - t))
        positions[t], positions[s] = positions[s], positions[t]
        kept[positions[t]] = True
    return kept


@allocating
def breed(population, fitness, crossover, mutation, rng):
    """Children of a generation, and the places that they take.

    Returns
    -------
    children : int64 (m, p)
    places : int64 (m,), rows of the population
    """
    size, p = population.shape
    parents = select_parents(fitness, rng)
    places = np.empty(size, np.int64)
    m = 0
    for t in range(size):
        if rng.random() < crossover:
            places[m] = parents[t]
            m += 1
    m -= m % 2
    children = np.empty((m, p), np.int64)
    for t in range(0, m, 2):
        kept = _positions_to_keep(p, rng)
        first, second = population[places[t]], population[places[t + 1]]
        cross(first, second, kept, children[t])
        cross(second, first, kept, children[t + 1])
    for t in range(m):
        if rng.random() < mutation:
            mutate(children[t], rng)
    return children, places[:m]


@allocating
def entropy(population):
    """Shannon entropy of the nodes at each position, summed over positions."""
    size, p = population.shape
    total = 0.0
    for t in range(p):
        counts = np.zeros(p, np.int64)
        for s in range(size):
            counts[population[s, t]] += 1
        for j in range(p):
            if counts[j] > 0:
                share = counts[j] / size
                total -= share * np.log(share)
    return total
