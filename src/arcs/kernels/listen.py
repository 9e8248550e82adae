"""One column of a regularised inverse covariance matrix: neighbours by scaled MCP regression.

Node v is regressed on the nodes that are left by minimising

    -n log rho + |rho x_v - sum_i w_i x_i|^2 / 2 + sum_i MCP(w_i; lam, gamma),

columns of unit norm. The noise level 1 / rho is estimated along, which makes lam free of scale:
products of pure noise with the residual are standard normal whatever v's variance. Nodes are
visited in the order of their correlation with v, so that the outcome does not depend on labels.
"""

import numpy as np

from arcs.kernels.jit import allocating
from arcs.kernels.penalties import MCP, penalty_prox
from arcs.kernels.statistics import gram_row
from arcs.kernels.subsets import nonzero_among

__all__ = ["neighbours"]

_MAX_PASSES = 200


@allocating
def _pass(stats, v, nodes, lam, gamma, weights, residual, work):
    """One round over `nodes`; return the largest change."""
    largest = 0.0
    for i in nodes:
        old = weights[i]
        if old == 0.0 and abs(residual[i]) <= lam:
            continue
        change = penalty_prox(MCP, lam, gamma, 1.0, residual[i] + old) - old
        if change != 0.0:
            weights[i] += change
            gram_row(stats, v, i, work)
            for a in range(work.shape[0]):
                residual[a] -= change * work[a]
            largest = max(largest, abs(change))
    return largest


@allocating
def _rescale(stats, v, n, rho, residual, work):
    """The best rho for the weights; return it with its change."""
    c = rho - residual[v]
    new = 0.5 * (c + np.sqrt(c * c + 4.0 * n))
    gram_row(stats, v, v, work)
    for a in range(work.shape[0]):
        residual[a] += (new - rho) * work[a]
    return new, abs(new - rho)


@allocating
def neighbours(stats, v, others, lam, gamma, tolerance, most):
    """Nodes among `others` with a nonzero weight in the regression of v.

    Parameters
    ----------
    stats : Stats
    v : int
    others : int64 array, in the order in which they are visited
    lam, gamma : float
    tolerance : float
        Largest change of a weight at convergence, relative to sqrt(n).
    most : int
        The descent is broken off when there are more neighbours than this.

    Returns
    -------
    int64 array
    """
    p = stats.pattern.shape[0]
    n = stats.n[stats.pattern[v]]
    residual, work, weights = np.empty(p), np.empty(p), np.zeros(p)
    active = np.empty(p, np.int64)
    gram_row(stats, v, v, residual)
    rho = np.sqrt(n)
    small = tolerance * rho
    for a in range(p):
        residual[a] *= rho
    k = others.shape[0]
    count = 0
    for _ in range(_MAX_PASSES):
        change = _pass(stats, v, others, lam, gamma, weights, residual, work)
        count = nonzero_among(others, k, weights, active)
        if change <= small or count > most:
            break
        for _ in range(_MAX_PASSES):
            rho, moved = _rescale(stats, v, n, rho, residual, work)
            change = _pass(stats, v, active[:count], lam, gamma, weights, residual, work)
            if max(moved, change) <= small:
                break
    return active[: nonzero_among(others, k, weights, active)]
