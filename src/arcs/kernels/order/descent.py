"""The regularised Cholesky column under a continuous penalty (MCP, L1, SCAD).

For node v with n rows and candidates C the paper's problem (eq. 11-13, Lemma 3), with columns of
unit norm so that G is a correlation matrix, is

    min_{d > 0, w}  1/2 [d, w]' G [d, w] - n log d + sum_i rho(w_i),

d the diagonal entry and w the off-diagonal entries of the column of L. `descend` is cyclic
coordinate descent. Each coordinate has a closed form: w_i is the proximal operator (step 1) of
minus the partial gradient, d the positive root of a quadratic. Only an active set is swept; a pass
over all candidates then looks for violations of the stationarity condition |gradient| <= lambda.
(Algorithm 2 as published is in :mod:`arcs.kernels.proximal`.)

The column lives in the scratch (:class:`arcs.kernels.order.continuous.ContinuousScratch`): parents
in ``chosen[:k]``, their entries in ``weight[:k]``, the diagonal entry in ``diagonal[0]``.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import count_required, is_candidate
from arcs.kernels.order.records import ZERO
from arcs.kernels.penalties import penalty_prox, penalty_value
from arcs.kernels.statistics import gram_entry, gram_row

__all__ = ["column_gradient", "column_value", "descend", "exceeds_lambda"]

_MAX_SWEEPS = 500
_MAX_ROUNDS = 100
#: How far a gradient may exceed lambda, relatively and absolutely.
_SLACK, _ROUNDING = 1e-9, 1e-12


@inlined
def exceeds_lambda(problem, gradient):
    """Whether a candidate with this gradient would join the column."""
    return abs(gradient) > problem.lam * (1.0 + _SLACK) + _ROUNDING


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
def _sweep(problem, fixed, k, n, scratch):
    """One cycle over the active set and d; returns the largest change."""
    last = scratch.small.shape[0] - 1
    d = scratch.diagonal[0]
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
    scratch.diagonal[0] = new
    return max(change, abs(new - d))


@kernel
def column_gradient(problem, v, k, scratch, out):
    """Gradient of the smooth part (Lemmas 4 and 5) with respect to the entry of every node c:
    ``(G [d, w])_c``; the entry of v itself is without the ``- n / d``."""
    gram_row(problem.stats, v, v, out)
    p = out.shape[0]
    for c in range(p):
        out[c] *= scratch.diagonal[0]
    for j in range(k):
        if scratch.weight[j] != 0.0:
            gram_row(problem.stats, v, scratch.chosen[j], scratch.row)
            for c in range(p):
                out[c] += scratch.weight[j] * scratch.row[c]


@kernel
def column_value(problem, v, fixed, k, scratch):
    """The objective at the column in `scratch` (``scratch.small`` holds its Gram matrix)."""
    d = scratch.diagonal[0]
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
def _add_violators(problem, position, v, candidates, k, scratch):
    """Candidates outside the active set whose gradient exceeds lambda join it with weight zero."""
    p = position.shape[0]
    for c in range(p):
        scratch.member[c] = 0
    for i in range(k):
        scratch.member[scratch.chosen[i]] = 1
    for c in range(p):
        if exceeds_lambda(problem, scratch.gradient[c]) and scratch.member[c] == 0:
            if is_candidate(problem, position, c, v, candidates):
                if k >= problem.max_parents[v]:
                    break
                scratch.chosen[k] = c
                scratch.weight[k] = 0.0
                k += 1
    for i in range(k):
        scratch.member[scratch.chosen[i]] = 0
    return k


@kernel
def descend(problem, position, v, candidates, k, scratch):
    """Coordinate descent from the column of k parents in `scratch`, the required ones first.

    Returns ``(k, score, converged)``; the column is left in `scratch`.
    """
    n = problem.stats.n[problem.stats.pattern[v]]
    fixed = count_required(problem, v, k, scratch.chosen)
    if n == 0.0:
        scratch.diagonal[0] = 1.0
        return fixed, 0.0, True
    converged = True
    known = ZERO
    for _ in range(_MAX_ROUNDS):
        _extend_small(problem, v, known, k, scratch)
        scale = problem.tolerance * np.sqrt(n)
        converged = False
        for _ in range(_MAX_SWEEPS):
            if _sweep(problem, fixed, k, n, scratch) <= scale:
                converged = True
                break
        column_gradient(problem, v, k, scratch, scratch.gradient)
        known = k
        k = _add_violators(problem, position, v, candidates, k, scratch)
        if k == known:
            break
    k = _drop_zeros(fixed, k, scratch)
    return k, column_value(problem, v, fixed, k, scratch), converged
