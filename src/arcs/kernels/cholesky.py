"""The regularised Cholesky column under a continuous penalty (MCP, L1, SCAD).

For node v with n rows and candidates C the paper's problem (eq. 11-13, Lemma 3), with columns of
unit norm so that G is a correlation matrix, is

    min_{d > 0, w}  1/2 [d, w]' G [d, w] - n log d + sum_i rho(w_i),

d the diagonal entry and w the off-diagonal entries of the column of L. Two solvers reach the same
stationary points:

- `descend`: cyclic coordinate descent. Each coordinate has a closed form: w_i is the proximal
  operator (step 1) of minus the partial gradient, d the positive root of a quadratic. Only an
  active set is swept; a pass over all candidates then looks for violations of the stationarity
  condition |gradient| <= lambda.
- `proximal_gradient`: Algorithm 2 as published, with its line search and stopping rule.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.l0 import is_candidate
from arcs.kernels.penalties import penalty_prox, penalty_value
from arcs.kernels.problem import ZERO
from arcs.kernels.statistics import gram_entry, gram_row

__all__ = ["column_gradient", "column_value", "descend", "proximal_gradient"]

_MAX_SWEEPS = 500


@kernel
def _best_diagonal(h, n):
    """Minimiser of d^2 / 2 + h d - n log d over d > 0."""
    root = np.sqrt(h * h + 4.0 * n)
    # The second form avoids cancellation when h is large and positive.
    return 0.5 * (root - h) if h <= 0.0 else 2.0 * n / (root + h)


@kernel
def _extend_small(problem, v, k, size, scratch):
    """Gram entries of members k..size-1 with all earlier ones, and with v in the last column."""
    last = scratch.small.shape[0] - 1
    for i in range(k, size):
        for j in range(i + 1):
            value = gram_entry(problem.stats, v, scratch.chosen[i], scratch.chosen[j])
            scratch.small[i, j] = value
            scratch.small[j, i] = value
        scratch.small[last, i] = gram_entry(problem.stats, v, scratch.chosen[i], v)


@kernel
def _sweep(problem, v, fixed, k, d, n, scratch):
    """One cycle over the active set and d; returns ``(d, largest change)``."""
    last = scratch.small.shape[0] - 1
    change = 0.0
    for i in range(k):
        g = scratch.small[last, i] * d
        for j in range(k):
            g += scratch.small[i, j] * scratch.weight[j]
        g -= scratch.weight[i]
        new = -g
        if i >= fixed:
            new = penalty_prox(problem.kind, problem.lam, problem.gamma, 1.0, -g)
        change = max(change, abs(new - scratch.weight[i]))
        scratch.weight[i] = new
    h = 0.0
    for j in range(k):
        h += scratch.small[last, j] * scratch.weight[j]
    new = _best_diagonal(h, n)
    change = max(change, abs(new - d))
    return new, change


@kernel
def column_gradient(problem, v, k, d, scratch, out):
    """Gradient of the smooth part (Lemmas 4 and 5) with respect to the entry of every node c:
    ``(G [d, w])_c``; the entry of v itself is without the ``- n / d``."""
    gram_row(problem.stats, v, v, out)
    p = out.shape[0]
    for c in range(p):
        out[c] *= d
    for j in range(k):
        if scratch.weight[j] != 0.0:
            gram_row(problem.stats, v, scratch.chosen[j], scratch.row)
            for c in range(p):
                out[c] += scratch.weight[j] * scratch.row[c]


@kernel
def column_value(problem, v, fixed, k, d, scratch):
    """The objective at the column in `scratch` and d (``scratch.small`` holds its Gram matrix)."""
    last = scratch.small.shape[0] - 1
    n = problem.stats.n[problem.stats.pattern[v]]
    value = 0.5 * d * d - n * np.log(d)
    for i in range(k):
        w = scratch.weight[i]
        value += w * scratch.small[last, i] * d
        for j in range(k):
            value += 0.5 * w * scratch.weight[j] * scratch.small[i, j]
        if i >= fixed:
            value += penalty_value(problem.kind, problem.lam, problem.gamma, w)
    return value


@kernel
def _drop_zeros(fixed, k, scratch):
    """Leave members out whose weight is zero (not the required ones); keep `small` in step."""
    last = scratch.small.shape[0] - 1
    kept = ZERO
    for i in range(k):
        if i < fixed or scratch.weight[i] != 0.0:
            if kept != i:
                scratch.chosen[kept] = scratch.chosen[i]
                scratch.weight[kept] = scratch.weight[i]
                scratch.small[last, kept] = scratch.small[last, i]
                for j in range(k):
                    scratch.small[kept, j] = scratch.small[i, j]
                for j in range(k):
                    scratch.small[j, kept] = scratch.small[j, i]
            kept += 1
    return kept


@kernel
def _add_violators(problem, position, v, limit, plus, minus, k, scratch):
    """Candidates outside the active set whose gradient exceeds lambda join it with weight zero."""
    p = position.shape[0]
    for c in range(p):
        scratch.member[c] = 0
    for i in range(k):
        scratch.member[scratch.chosen[i]] = 1
    bound = problem.lam * (1.0 + 1e-9) + 1e-12
    for c in range(p):
        if abs(scratch.covariance[c]) > bound and scratch.member[c] == 0:
            if is_candidate(problem, position, c, v, limit, plus, minus):
                if k >= problem.max_parents[v]:
                    break
                scratch.chosen[k] = c
                scratch.weight[k] = 0.0
                k += 1
    for i in range(k):
        scratch.member[scratch.chosen[i]] = 0
    return k


@kernel
def descend(problem, position, v, limit, plus, minus, fixed, k, d, scratch):
    """Coordinate descent from ``scratch.chosen[:k]``, ``scratch.weight[:k]``, d.

    Returns ``(k, d, score, converged)``; the column is left in `scratch`.
    """
    n = problem.stats.n[problem.stats.pattern[v]]
    if n == 0.0:
        return ZERO, 1.0, 0.0, True
    converged = True
    known = ZERO
    for _ in range(100):
        _extend_small(problem, v, known, k, scratch)
        scale = problem.tolerance * np.sqrt(n)
        converged = False
        for _ in range(_MAX_SWEEPS):
            d, change = _sweep(problem, v, fixed, k, d, n, scratch)
            if change <= scale:
                converged = True
                break
        column_gradient(problem, v, k, d, scratch, scratch.covariance)
        known = k
        k = _add_violators(problem, position, v, limit, plus, minus, k, scratch)
        if k == known:
            break
    k = _drop_zeros(fixed, k, scratch)
    return k, d, column_value(problem, v, fixed, k, d, scratch), converged


@kernel
def proximal_gradient(
    gram, n, kind, lam, gamma, column, step, shrink, tolerance, max_iter, free, gradient, new
):
    """Algorithm 2 for one column, as published.

    Parameters
    ----------
    gram : float64 (m, m)
        Gram matrix (unit-norm columns) of the node, first, and its candidates.
    n : float
        Rows that count.
    column : float64 (m,)
        Start, overwritten with the solution: diagonal entry first.
    step, shrink, tolerance, max_iter
        t0, kappa, tol and max-iter of the paper.
    free : uint8 (m,)
        Entries that are not penalised (the diagonal, required parents).
    gradient, new : float64 (m,)
        Scratch.

    Returns
    -------
    iterations : int
    converged : bool
    """
    m = column.shape[0]
    for iteration in range(max_iter):
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
        t = step / max(np.sqrt(norm), 1e-300)
        while True:
            for i in range(m):
                moved = column[i] - t * gradient[i]
                if free[i] == 0:
                    moved = penalty_prox(kind, lam, gamma, t, moved)
                new[i] = moved
            if new[0] > 0.0 and _majorised(gram, n, column, new, gradient, loss, t):
                break
            t *= shrink
        difference, size = 0.0, 0.0
        for i in range(m):
            difference += (new[i] - column[i]) ** 2
            size += column[i] ** 2
            column[i] = new[i]
        if np.sqrt(difference) <= tolerance * max(1.0, np.sqrt(size)):
            return iteration + 1, True
    return max_iter, False


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
