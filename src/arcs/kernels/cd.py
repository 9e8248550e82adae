"""Blockwise coordinate descent over the edges of a DAG.

The objective is the MCP-regularised negative log-likelihood of Fu and Zhou (2013) in the scaled
parameters of Aragam and Zhou (2015), ``phi[i, j] = beta[i, j] / omega_j`` and
``rho_j = 1 / omega_j``, in which the loss is convex:

    Q(phi, rho) = sum_j { -n_j log rho_j + |rho_j x_j - sum_i phi[i, j] x_i|^2 / 2
                          + sum_i MCP(phi[i, j]; lambda_j, gamma_j) }.

The columns x have unit norm on the rows that count for node j. Q is separable over nodes, and a
*block* is the pair (phi[i, j], phi[j, i]), of which a DAG lets one at most differ from zero. With
the residual products ``residual[j, i] = x_i'(rho_j x_j - sum_k phi[k, j] x_k)`` kept up to date,
the best value of phi[i, j] is the proximal operator at ``residual[j, i] + phi[i, j]``, so that
looking at a block costs O(1), changing it O(p), and asking for a cycle one depth-first search over
the edges. Every update is the exact minimum over its block (or over rho_j): Q never increases.

Nodes of which no row counts (n_j = 0) have no parents and ``rho_j = 0``.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating
from arcs.kernels.penalties import MCP, penalty_prox, penalty_value
from arcs.kernels.statistics import gram_row

__all__ = [
    "Blocks",
    "active_edges",
    "active_sweep",
    "descend_on_active",
    "full_sweep",
    "objective",
    "refresh",
    "update_scales",
]

#: Relative difference of two gains below which a block's directions count as equally good.
_TIE = 1e-10


class Blocks(NamedTuple):
    """State of the descent.

    Attributes
    ----------
    phi : float64 (p, p)
        Scaled coefficients, ``phi[i, j]`` for the edge i -> j.
    rho : float64 (p,)
        Inverse noise standard deviations (unit-norm scale).
    residual : float64 (p, p)
        ``residual[j, i]`` is the product of column i with the scaled residual of node j.
    children : int64 (p, p)
        The first ``degree[i]`` entries of row i are the children of i.
    degree : int64 (p,)
    rank : int64 (p,)
        Of two equally good directions, the one from the lower rank is taken.
    allowed, required : bool (p, p)
        Background knowledge. Required edges are not penalised and always among the children, even
        when their coefficient happens to be zero.
    """

    phi: np.ndarray
    rho: np.ndarray
    residual: np.ndarray
    children: np.ndarray
    degree: np.ndarray
    rank: np.ndarray
    allowed: np.ndarray
    required: np.ndarray


@allocating
def _gain(value, z, lam, gamma):
    """How much the objective falls when a coefficient goes from zero to `value`."""
    return z * value - 0.5 * value * value - penalty_value(MCP, lam, gamma, value)


@allocating
def refresh(stats, state, work):
    """Recompute all residual products from phi and rho (also removes rounding drift)."""
    p = state.rho.shape[0]
    for j in range(p):
        gram_row(stats, j, j, work)
        for i in range(p):
            state.residual[j, i] = state.rho[j] * work[i]
    for k in range(p):
        for c in range(state.degree[k]):
            j = state.children[k, c]
            gram_row(stats, j, k, work)
            for i in range(p):
                state.residual[j, i] -= state.phi[k, j] * work[i]


@allocating
def update_scales(stats, state, work):
    """Set every rho_j to its minimum given phi; return the largest change."""
    p = state.rho.shape[0]
    largest = 0.0
    for j in range(p):
        n = stats.n[stats.pattern[j]]
        if n <= 0.0:
            continue
        # residual[j, j] = rho_j - c with c the fit's product with x_j.
        c = state.rho[j] - state.residual[j, j]
        new = 0.5 * (c + np.sqrt(c * c + 4.0 * n))
        change = new - state.rho[j]
        if change != 0.0:
            gram_row(stats, j, j, work)
            for i in range(p):
                state.residual[j, i] += change * work[i]
            state.rho[j] = new
            largest = max(largest, abs(change))
    return largest


@allocating
def _add_child(state, i, j):
    state.children[i, state.degree[i]] = j
    state.degree[i] += 1


@allocating
def _remove_child(state, i, j):
    last = state.degree[i] - 1
    for c in range(last + 1):
        if state.children[i, c] == j:
            state.children[i, c] = state.children[i, last]
            break
    state.degree[i] = last


@allocating
def _set(stats, state, i, j, value, work):
    """Give phi[i, j] a new value; return the absolute change."""
    old = state.phi[i, j]
    change = value - old
    if change == 0.0:
        return 0.0
    if not state.required[i, j]:
        if old == 0.0:
            _add_child(state, i, j)
        elif value == 0.0:
            _remove_child(state, i, j)
    state.phi[i, j] = value
    gram_row(stats, j, i, work)
    for k in range(work.shape[0]):
        state.residual[j, k] -= change * work[k]
    return abs(change)


@allocating
def _set_freely(stats, state, i, j, work):
    """Give the required edge i -> j its best coefficient, without penalty; return the change."""
    if state.rho[j] <= 0.0:
        return 0.0
    return _set(stats, state, i, j, state.residual[j, i] + state.phi[i, j], work)


@allocating
def _reaches(state, start, goal, mark, stamp, stack):
    """Whether a directed path of two or more edges leads from `start` to `goal`.

    The direct edge is left out: it belongs to the block that is being decided.
    """
    top = 0
    mark[start] = stamp
    for c in range(state.degree[start]):
        node = state.children[start, c]
        if node != goal:
            mark[node] = stamp
            stack[top] = node
            top += 1
    while top > 0:
        top -= 1
        node = stack[top]
        for c in range(state.degree[node]):
            child = state.children[node, c]
            if child == goal:
                return True
            if mark[child] != stamp:
                mark[child] = stamp
                stack[top] = child
                top += 1
    return False


@allocating
def _prefers_first(first, second, rank_first, rank_second):
    """Which of two gains is larger; the rank decides between (numerically) equal ones."""
    if abs(first - second) <= _TIE * max(first, second):
        return rank_first < rank_second
    return first > second


@allocating
def _best_block(state, i, j, lam, gamma, mark, stamp, stack):
    """The values of (phi[i, j], phi[j, i]) that minimise Q without closing a cycle."""
    was_ij, was_ji = state.phi[i, j], state.phi[j, i]
    z_ij, z_ji = state.residual[j, i] + was_ij, state.residual[i, j] + was_ji
    new_ij, new_ji = 0.0, 0.0
    if state.rho[j] > 0.0 and state.allowed[i, j]:
        new_ij = penalty_prox(MCP, lam[j], gamma[j], 1.0, z_ij)
    if state.rho[i] > 0.0 and state.allowed[j, i]:
        new_ji = penalty_prox(MCP, lam[i], gamma[i], 1.0, z_ji)
    # An edge that is there proves that nothing leads back from its head to its tail.
    if new_ij != 0.0 and was_ij == 0.0 and _reaches(state, j, i, mark, stamp, stack):
        new_ij = 0.0
    elif new_ji != 0.0 and was_ji == 0.0 and _reaches(state, i, j, mark, stamp + 1, stack):
        new_ji = 0.0
    if new_ij != 0.0 and new_ji != 0.0:
        gain_ij = _gain(new_ij, z_ij, lam[j], gamma[j])
        gain_ji = _gain(new_ji, z_ji, lam[i], gamma[i])
        if _prefers_first(gain_ij, gain_ji, state.rank[i], state.rank[j]):
            new_ji = 0.0
        else:
            new_ij = 0.0
    return new_ij, new_ji


@allocating
def full_sweep(stats, state, pairs, lam, gamma, max_edges, work):
    """Update every block once, in the order of `pairs`.

    Parameters
    ----------
    stats : Stats
    state : Blocks, changed in place
    pairs : int64 (p (p - 1) / 2, 2)
    lam, gamma : float64 (p,), the penalty on the edges into each node
    max_edges : int
    work : float64 (p,)

    Returns
    -------
    change : float
        Largest absolute change of a coefficient.
    moved : int
        Blocks whose edge appeared, vanished or turned.
    full : bool
        Whether the sweep was broken off because `max_edges` was exceeded.
    """
    p = state.rho.shape[0]
    mark = np.full(p, -1, np.int64)
    stack = np.empty(p, np.int64)
    edges = state.degree.sum()
    largest, moved = 0.0, 0
    for t in range(pairs.shape[0]):
        i, j = pairs[t, 0], pairs[t, 1]
        if state.required[i, j] or state.required[j, i]:
            tail, head = (i, j) if state.required[i, j] else (j, i)
            largest = max(largest, _set_freely(stats, state, tail, head, work))
            continue
        was_ij, was_ji = state.phi[i, j], state.phi[j, i]
        small = abs(state.residual[j, i]) <= lam[j] and abs(state.residual[i, j]) <= lam[i]
        if small and was_ij == 0.0 and was_ji == 0.0:
            continue
        new_ij, new_ji = _best_block(state, i, j, lam, gamma, mark, 2 * t, stack)
        if (new_ij != 0.0) != (was_ij != 0.0) or (new_ji != 0.0) != (was_ji != 0.0):
            moved += 1
            edges += (new_ij != 0.0) + (new_ji != 0.0) - (was_ij != 0.0) - (was_ji != 0.0)
        largest = max(largest, _set(stats, state, j, i, new_ji, work))
        largest = max(largest, _set(stats, state, i, j, new_ij, work))
        if edges > max_edges:
            return largest, moved, True
    return largest, moved, False


@allocating
def active_edges(state, pairs):
    """The edges there are, in the order of `pairs`, as rows (tail, head)."""
    edges = np.empty((state.degree.sum(), 2), np.int64)
    count = 0
    for t in range(pairs.shape[0]):
        i, j = pairs[t, 0], pairs[t, 1]
        if state.phi[i, j] != 0.0 or state.required[i, j]:
            edges[count, 0], edges[count, 1] = i, j
            count += 1
        elif state.phi[j, i] != 0.0 or state.required[j, i]:
            edges[count, 0], edges[count, 1] = j, i
            count += 1
    return edges


@allocating
def active_sweep(stats, state, edges, lam, gamma, work):
    """Update the coefficients of `edges` and then rho; return the largest change."""
    largest = 0.0
    for t in range(edges.shape[0]):
        i, j = edges[t, 0], edges[t, 1]
        if state.required[i, j]:
            largest = max(largest, _set_freely(stats, state, i, j, work))
        elif state.phi[i, j] != 0.0:
            value = penalty_prox(MCP, lam[j], gamma[j], 1.0, state.residual[j, i] + state.phi[i, j])
            largest = max(largest, _set(stats, state, i, j, value, work))
    return max(largest, update_scales(stats, state, work))


@allocating
def descend_on_active(stats, state, pairs, lam, gamma, tolerance, max_sweeps, work):
    """Repeat :func:`active_sweep` until nothing changes by more than `tolerance`."""
    edges = active_edges(state, pairs)
    for _ in range(max_sweeps):
        if active_sweep(stats, state, edges, lam, gamma, work) <= tolerance:
            return True
    return False


@allocating
def objective(stats, state, lam, gamma):
    """The value of Q; needs up-to-date residual products."""
    p = state.rho.shape[0]
    total = 0.0
    for j in range(p):
        n = stats.n[stats.pattern[j]]
        if n > 0.0:
            # |r|^2 = rho x'r - sum_i phi_i x_i'r
            total += -n * np.log(state.rho[j]) + 0.5 * state.rho[j] * state.residual[j, j]
    for i in range(p):
        for c in range(state.degree[i]):
            j = state.children[i, c]
            total -= 0.5 * state.phi[i, j] * state.residual[j, i]
            if not state.required[i, j]:
                total += penalty_value(MCP, lam[j], gamma[j], state.phi[i, j])
    return total
