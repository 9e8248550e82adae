"""A genetic algorithm over orders of nodes, with lasso regressions as fitness.

For an order (parents first) the fitness, to be minimised, is

    f(order) = sum_j min_b { |x_j - sum_i b_i x_i|^2 + lam |b|_1 },   i before j,

on columns of unit norm (the squared error of each node as a share of its variation). The inner
problems are the columns of GADAG's triangular matrix T; they are convex and are solved here by
coordinate descent with an active set instead of a proximal gradient on the whole of T.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating, inlined, kernel
from arcs.kernels.statistics import gram_entry, gram_row

__all__ = [
    "Regressions",
    "breed",
    "cross",
    "entropy",
    "evaluate",
    "mutate",
    "select_parents",
    "start_regressions",
]

_MAX_PASSES = 1000
#: Weight of the worst order where that of the best is 1, when parents are drawn.
_LEAST_WEIGHT = 0.02


class Regressions(NamedTuple):
    """The regression of every node, row j that of node j, and room to work in."""

    coefficients: np.ndarray  # (p, p)
    gradients: np.ndarray  # (p, p), g - G b
    active: np.ndarray  # (p, p) int32, [j, :count[j]] are the nodes with a coefficient
    count: np.ndarray  # (p,) int64
    waiting: np.ndarray  # (p, p) int32, [j, :n_waiting[j]] are those that would be, if open
    n_waiting: np.ndarray  # (p,) int64
    open: np.ndarray  # (p,) 1 for nodes before the one at hand, 0 for others
    work: np.ndarray  # (p,)


@kernel
def _shift(stats, j, i, value, regressions):
    """Give coefficient i of node j a value and keep the gradients; return the change."""
    change = value - regressions.coefficients[j, i]
    if change != 0.0:
        regressions.coefficients[j, i] = value
        gradient, row = regressions.gradients[j], regressions.work
        gram_row(stats, j, i, row)
        for a in range(row.shape[0]):
            gradient[a] -= change * row[a]
    return abs(change)


@inlined
def _pass(stats, j, half, regressions):
    """One round of coordinate descent over the active nodes; return the largest change."""
    largest = 0.0
    for t in range(regressions.count[j]):
        i = regressions.active[j, t]
        z = regressions.gradients[j, i] + regressions.coefficients[j, i]
        value = np.sign(z) * max(abs(z) - half, 0.0)
        largest = max(largest, _shift(stats, j, i, value, regressions))
    return largest


@inlined
def _forget(stats, j, regressions):
    """Drop the active nodes that are not open; return whether there were any."""
    kept = 0
    for t in range(regressions.count[j]):
        i = regressions.active[j, t]
        if regressions.open[i] != 0.0:
            regressions.active[j, kept] = i
            kept += 1
        else:
            _shift(stats, j, i, 0.0, regressions)
    dropped = kept < regressions.count[j]
    regressions.count[j] = kept
    return dropped


@inlined
def _still_holds(j, regressions):
    """Whether the regression of j is what it was: its active nodes are open, waiting ones not."""
    for t in range(regressions.count[j]):
        if regressions.open[regressions.active[j, t]] == 0.0:
            return False
    for t in range(regressions.n_waiting[j]):
        if regressions.open[regressions.waiting[j, t]] != 0.0:
            return False
    return True


@inlined
def _discover(j, bound, regressions):
    """Make open nodes active whose gradient exceeds `bound`, and list the others as waiting; return
    how many have become active."""
    gradient = regressions.gradients[j]
    found, waiting = 0, 0
    for i in range(gradient.shape[0]):
        if abs(gradient[i]) > bound and i != j and regressions.coefficients[j, i] == 0.0:
            if regressions.open[i] != 0.0:
                regressions.active[j, regressions.count[j]] = i
                regressions.count[j] += 1
                found += 1
            else:
                regressions.waiting[j, waiting] = i
                waiting += 1
    regressions.n_waiting[j] = waiting
    return found


@inlined
def _settle(j, regressions):
    """Nodes whose coefficient came out as zero are active no longer."""
    kept = 0
    for t in range(regressions.count[j]):
        i = regressions.active[j, t]
        if regressions.coefficients[j, i] != 0.0:
            regressions.active[j, kept] = i
            kept += 1
    regressions.count[j] = kept


@kernel
def _regress(stats, j, lam, tolerance, regressions):
    """Lasso of node j on the open nodes, from what is known of it; squared error plus penalty."""
    half = 0.5 * lam
    holds = _still_holds(j, regressions)
    stale = not holds and _forget(stats, j, regressions)
    for _ in range(0 if holds else _MAX_PASSES):
        # A coefficient below the tolerance is none.
        found = _discover(j, half + tolerance, regressions)
        if found == 0 and not stale:
            break
        stale = True
        for _ in range(_MAX_PASSES):
            if _pass(stats, j, half, regressions) <= tolerance:
                stale = False
                break
        _settle(j, regressions)
    total = 1.0
    for t in range(regressions.count[j]):
        i = regressions.active[j, t]
        b = regressions.coefficients[j, i]
        # |x_j - X b|^2 = 1 - b'g - b'(g - G b)
        total += lam * abs(b) - b * (gram_entry(stats, j, i, j) + regressions.gradients[j, i])
    return total


@allocating
def start_regressions(stats):
    """Empty regressions of all nodes."""
    p = stats.pattern.shape[0]
    regressions = Regressions(
        np.zeros((p, p)),
        np.empty((p, p)),
        np.zeros((p, p), np.int32),
        np.zeros(p, np.int64),
        np.zeros((p, p), np.int32),
        np.zeros(p, np.int64),
        np.zeros(p),
        np.empty(p),
    )
    for j in range(p):
        gram_row(stats, j, j, regressions.gradients[j])
        # Nothing is known of these regressions yet: everybody may matter.
        regressions.n_waiting[j] = p
        for i in range(p):
            regressions.waiting[j, i] = i
    return regressions


@kernel
def evaluate(stats, order, lam, tolerance, regressions):
    """Fitness of an order.

    `regressions` holds the solution found under some other order. What of it this order allows is
    the starting point: most nodes find that nothing has changed. The new solution is left there.
    """
    for i in range(order.shape[0]):
        regressions.open[i] = 0.0
    total = 0.0
    for place in range(order.shape[0]):
        j = order[place]
        if stats.n[stats.pattern[j]] > 0.0:
            total += _regress(stats, j, lam, tolerance, regressions)
        regressions.open[j] = 1.0
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
        weights = _LEAST_WEIGHT + (1.0 - _LEAST_WEIGHT) * (most - fitness) / (most - least)
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
    terms = np.zeros(size + 1)
    for count in range(1, size + 1):
        share = count / size
        terms[count] = share * np.log(share)
    counts = np.zeros(p, np.int64)
    total = 0.0
    for t in range(p):
        for s in range(size):
            counts[population[s, t]] += 1
        for s in range(size):
            total -= terms[counts[population[s, t]]]
            counts[population[s, t]] = 0
    return total
