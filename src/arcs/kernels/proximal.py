"""The regularised Cholesky column by Algorithm 2 as published, line search and stopping included.

It reaches the same stationary points as coordinate descent (:mod:`arcs.kernels.order.descent`),
where the problem is stated.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.penalties import penalty_prox

__all__ = ["LineSearch", "proximal_gradient"]


class LineSearch(NamedTuple):
    """t0, kappa, tol and max-iter of the paper."""

    step: float
    shrink: float
    tolerance: float
    max_iter: int


@kernel
def proximal_gradient(gram, n, penalty, column, free, rule, work):
    """Algorithm 2 for one column, as published.

    Parameters
    ----------
    gram : float64 (m, m)
        Gram matrix (unit-norm columns) of the node, first, and its candidates.
    n : float
        Rows that count.
    penalty : tuple
        Kind, lambda and gamma, as :func:`~arcs.kernels.penalties.penalty_prox` takes them.
    column : float64 (m,)
        Start, overwritten with the solution: diagonal entry first.
    free : uint8 (m,)
        Entries that are not penalised (the diagonal, required parents).
    rule : LineSearch
    work : float64 (2, m)
        Room to work in.

    Returns
    -------
    iterations : int
    converged : bool
    """
    kind, lam, gamma = penalty
    m = column.shape[0]
    gradient, new = work[0], work[1]
    for iteration in range(rule.max_iter):
        loss = 0.0
        norm = 0.0
        for i in range(m):
            g = 0.0
            for j in range(m):
                g += gram[i, j] * column[j]
            loss += 0.5 * column[i] * g
            gradient[i] = g
        loss -= n * np.log(column[0])
        gradient[0] -= n / column[0]
        for i in range(m):
            norm += gradient[i] * gradient[i]
        t = rule.step / max(np.sqrt(norm), 1e-300)
        while True:
            for i in range(m):
                moved = column[i] - t * gradient[i]
                if free[i] == 0:
                    moved = penalty_prox(kind, lam, gamma, t, moved)
                new[i] = moved
            if new[0] > 0.0 and _majorised(gram, n, column, new, gradient, loss, t):
                break
            t *= rule.shrink
        difference, size = 0.0, 0.0
        for i in range(m):
            difference += (new[i] - column[i]) ** 2
            size += column[i] ** 2
            column[i] = new[i]
        if np.sqrt(difference) <= rule.tolerance * max(1.0, np.sqrt(size)):
            return iteration + 1, True
    return rule.max_iter, False


@kernel
def _majorised(gram, n, old, new, gradient, loss, t):
    """Whether the quadratic upper bound of the line search holds (with room for rounding)."""
    m = old.shape[0]
    value, linear, square = 0.0, 0.0, 0.0
    for i in range(m):
        g = 0.0
        for j in range(m):
            g += gram[i, j] * new[j]
        value += 0.5 * new[i] * g
        linear += gradient[i] * (new[i] - old[i])
        square += (new[i] - old[i]) ** 2
    value -= n * np.log(new[0])
    return value <= loss + linear + square / (2.0 * t) + 1e-12 * (1.0 + abs(loss))
