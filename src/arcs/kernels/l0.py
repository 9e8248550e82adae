"""The l0 column: which predecessors are worth their price.

For a node v with parents S the term of the score is

    f(v | S) = n_v / 2 * log RSS(v | S) + cost_v * |S|,

the limit gamma -> 0 of the MCP-regularised Cholesky score, with the diagonal entry of L optimised
out. A candidate c pays for itself given S exactly if its squared partial correlation with v exceeds
``strict = 1 - exp(-2 cost / n)``.

Parents that help only together are missed by forward selection at that threshold. So the set is
grown at a *lenient* threshold (half the cost), shrunk at the strict one, and then grown and shrunk
strictly until nothing changes. The outcome is never worse than that of plain forward selection.

Growing keeps, for all candidates at once, the partial covariance with v and the partial variance
given the parents so far; adding a parent b eliminates one pivot row

    z[c] = cov(c, b | S) / sd(b | S),   cov(c, v | S + b) = cov(c, v | S) - z[c] z[v],

in O(p |S|) time. Required parents (background knowledge) come first, are never dropped and cost
nothing.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.problem import NOBODY, ZERO
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import gram_row

__all__ = [
    "is_candidate",
    "l0_add_pivot",
    "l0_begin",
    "l0_cut_back",
    "l0_grow",
    "l0_open",
    "l0_shrink",
    "l0_solve",
    "required_parents",
]


#: Candidates that are looked at together.
_BLOCK = 16


@inlined
def is_candidate(problem, position, c, v, limit, plus, minus):
    """Whether c may be a parent of v: it stands before position `limit` (or is `plus`), is neither
    v nor `minus`, and knowledge does not forbid it."""
    if c == v or c == minus:
        return False
    if not (position[c] < limit or c == plus):
        return False
    return problem.allowed.shape[0] == 0 or problem.allowed[c, v] != 0


@inlined
def required_parents(problem, v, out):
    """Write the required parents of v into `out`; return how many there are."""
    k = ZERO
    for c in range(problem.required.shape[0]):
        if problem.required[c, v] != 0:
            out[k] = c
            k += 1
    return k


@inlined
def l0_begin(problem, v, scratch):
    """No parents yet: covariances are the Gram row, variances one."""
    gram_row(problem.stats, v, v, scratch.covariance)
    for c in range(scratch.variance.shape[0]):
        scratch.variance[c] = 1.0


@inlined
def _eliminate(b, k, z, pivots):
    """Take the first k pivots off row b of the Gram matrix, in `z`, four at a time: what this costs
    is reading and writing `z`."""
    p = z.shape[0]
    whole = k - k % 4
    for t in range(0, whole, 4):
        first, second, third, fourth = pivots[t], pivots[t + 1], pivots[t + 2], pivots[t + 3]
        w1, w2, w3, w4 = first[b], second[b], third[b], fourth[b]
        for c in range(p):
            z[c] -= (w1 * first[c] + w2 * second[c]) + (w3 * third[c] + w4 * fourth[c])
    for t in range(whole, k):
        earlier = pivots[t]
        weight = earlier[b]
        for c in range(p):
            z[c] -= weight * earlier[c]


@kernel
def l0_add_pivot(problem, v, b, k, scratch):
    """Eliminate parent b as pivot number k. A collinear b is eliminated as a row of zeros."""
    z = scratch.pivots[k]
    p = z.shape[0]
    pivot = scratch.variance[b]
    if pivot <= COLLINEAR:
        for c in range(p):
            z[c] = 0.0
        return
    gram_row(problem.stats, v, b, z)
    _eliminate(b, k, z, scratch.pivots)
    scale = 1.0 / np.sqrt(pivot)
    weight = z[v] * scale
    for c in range(p):
        value = z[c] * scale
        z[c] = value
        scratch.covariance[c] -= value * weight
        scratch.variance[c] -= value * value


@inlined
def l0_rebuild(problem, v, k, scratch):
    """Pivots, covariances and variances for the parents ``scratch.chosen[:k]``."""
    l0_begin(problem, v, scratch)
    for t in range(k):
        l0_add_pivot(problem, v, scratch.chosen[t], t, scratch)


@kernel
def l0_cut_back(problem, v, kept, before, k, scratch):
    """Go back from `before` pivots to the parents ``scratch.chosen[:k]``, of which the first `kept`
    are the pivots they were: take the others off, last first, and add what is new."""
    p = scratch.covariance.shape[0]
    for t in range(before - 1, kept - 1, -1):
        z = scratch.pivots[t]
        weight = z[v]
        for c in range(p):
            scratch.covariance[c] += z[c] * weight
            scratch.variance[c] += z[c] * z[c]
    for t in range(kept, k):
        l0_add_pivot(problem, v, scratch.chosen[t], t, scratch)


@inlined
def l0_open(problem, position, v, limit, plus, minus, scratch):
    """Mark the candidates of v (see :func:`is_candidate`) in ``scratch.open``."""
    for c in range(position.shape[0]):
        scratch.open[c] = 1.0 if position[c] < limit else 0.0
    if plus >= 0:
        scratch.open[plus] = 1.0
    if minus >= 0:
        scratch.open[minus] = 0.0
    scratch.open[v] = 0.0
    if problem.allowed.shape[0] > 0:
        for c in range(position.shape[0]):
            if problem.allowed[c, v] == 0:
                scratch.open[c] = 0.0


@inlined
def _is_member(c, k, scratch):
    """Whether c is among ``scratch.chosen[:k]``."""
    member = False
    for t in range(k):
        if scratch.chosen[t] == c:
            member = True
    return member


@inlined
def _promises(c, bound, scratch):
    """Whether the squared partial covariance of c, if it is open, exceeds `bound` times its
    variance."""
    gain = scratch.covariance[c] * scratch.covariance[c] * scratch.open[c]
    return gain > bound * scratch.variance[c]


@inlined
def _best_open(bound, k, scratch):
    """The open node outside ``scratch.chosen[:k]`` that explains most, and more than `bound`; or
    NOBODY."""
    p = scratch.open.shape[0]
    best = NOBODY
    for start in range(0, p, _BLOCK):
        stop = min(start + _BLOCK, p)
        # Counting compiles to vector instructions, and nearly always counts nobody.
        promising = 0
        for c in range(start, stop):
            promising += _promises(c, bound, scratch)
        if promising > 0:
            for c in range(start, stop):
                if _promises(c, bound, scratch) and scratch.variance[c] > COLLINEAR:
                    if not _is_member(c, k, scratch):
                        best = c
                        bound = scratch.covariance[c] * scratch.covariance[c] / scratch.variance[c]
    return best


@kernel
def l0_grow(problem, v, threshold, k, scratch):
    """Add the best open node while its squared partial correlation exceeds `threshold`.

    Returns the number of parents in ``scratch.chosen``.
    """
    most = problem.max_parents[v]
    while k < most:
        best = _best_open(threshold * max(scratch.variance[v], COLLINEAR), k, scratch)
        if best < 0:
            break
        scratch.chosen[k] = best
        l0_add_pivot(problem, v, best, k, scratch)
        k += 1
    return k


@inlined
def _invert_factor(small, k, inverse):
    """Inverse of the lower triangular ``small[:k, :k]`` into `inverse`; zero pivots stay zero."""
    for j in range(k):
        for i in range(j):
            inverse[i, j] = 0.0
        inverse[j, j] = 1.0 / small[j, j] if small[j, j] > 0.0 else 0.0
        for i in range(j + 1, k):
            value = 0.0
            if small[i, i] > 0.0:
                for t in range(j, i):
                    value -= small[i, t] * inverse[t, j]
                value /= small[i, i]
            inverse[i, j] = value


@inlined
def _precision(small, vector, k, inverse):
    """From the factor in `small` and the solved vector to the inverse Gram matrix and the
    coefficients, in their places."""
    _invert_factor(small, k, inverse)
    for i in range(k):
        for j in range(i + 1):
            value = 0.0
            for t in range(i, k):
                value += inverse[t, i] * inverse[t, j]
            small[i, j] = value
            small[j, i] = value
        coefficient = 0.0
        for t in range(i, k):
            coefficient += inverse[t, i] * vector[t]
        vector[i] = coefficient


@inlined
def _drop_member(small, vector, k, drop):
    """Inverse Gram matrix and coefficients of the set without member `drop`."""
    pivot = small[drop, drop]
    if pivot > 0.0:
        coefficient = vector[drop] / pivot
        for i in range(k):
            vector[i] -= small[i, drop] * coefficient
            if i != drop:
                share = small[i, drop] / pivot
                for j in range(k):
                    small[i, j] -= share * small[drop, j]
    for i in range(drop, k - 1):
        vector[i] = vector[i + 1]
        for j in range(k):
            small[i, j] = small[i + 1, j]
    for i in range(k - 1):
        for j in range(drop, k - 1):
            small[i, j] = small[i, j + 1]


@kernel
def l0_shrink(threshold, fixed, chosen, k, small, vector, inverse, total):
    """Drop the weakest member while its squared partial correlation is below `threshold`.

    Works on ``chosen[:k]`` with the factor in `small` and the solved vector in `vector`, both of
    which it uses up; the first `fixed` members stay. Dropping member j raises the residual by its
    squared coefficient over the j-th diagonal entry of the inverse Gram matrix. Returns
    ``(k, residual variance, number of leading members that are where they were)``.
    """
    kept = k
    residual = total
    for t in range(k):
        residual -= vector[t] * vector[t]
    residual = max(residual, COLLINEAR)
    _precision(small, vector, k, inverse)
    while k > fixed:
        weakest, least = k, np.inf
        for j in range(fixed, k):
            spread = small[j, j]
            increase = vector[j] * vector[j] / spread if spread > 0.0 else 0.0
            if increase < least:
                weakest, least = j, increase
        if least >= threshold * (residual + least):
            break
        _drop_member(small, vector, k, weakest)
        for t in range(weakest, k - 1):
            chosen[t] = chosen[t + 1]
        k -= 1
        kept = min(kept, weakest)
        residual += least
    return k, residual, kept


@inlined
def l0_load_factor(v, chosen, k, scratch):
    """Copy factor and solved vector of ``chosen[:k]`` out of the pivots."""
    for i in range(k):
        for t in range(i + 1):
            scratch.small[i, t] = scratch.pivots[t, chosen[i]]
        for t in range(i + 1, k):
            scratch.small[i, t] = 0.0
        scratch.vector[i] = scratch.pivots[i, v]


@kernel
def l0_solve(problem, position, v, limit, plus, minus, k, scratch):
    """Parents of v, starting from ``scratch.chosen[:k]`` (required ones first).

    Leaves the parents in ``scratch.chosen``. Returns ``(k, residual variance, score)``.
    """
    fixed = ZERO
    if problem.required.shape[0] > 0:
        while fixed < k and problem.required[scratch.chosen[fixed], v] != 0:
            fixed += 1
    n = problem.stats.n[problem.stats.pattern[v]]
    cost = problem.cost[v]
    l0_open(problem, position, v, limit, plus, minus, scratch)
    l0_rebuild(problem, v, k, scratch)
    # Growing leniently goes through the set of plain forward selection: keep that as a fallback.
    k = l0_grow(problem, v, problem.strict[v], k, scratch)
    plain = k
    plain_score = 0.5 * n * np.log(max(scratch.variance[v], COLLINEAR)) + cost * (k - fixed)
    for t in range(k):
        scratch.copy[t] = scratch.chosen[t]
    k = l0_grow(problem, v, problem.lenient[v], k, scratch)
    k, residual = _settle(problem, v, fixed, k, scratch)
    score = 0.5 * n * np.log(residual) + cost * (k - fixed)
    if score > plain_score + 1e-9:
        k = plain
        for t in range(k):
            scratch.chosen[t] = scratch.copy[t]
        l0_rebuild(problem, v, k, scratch)
        k, residual = _settle(problem, v, fixed, k, scratch)
        score = 0.5 * n * np.log(residual) + cost * (k - fixed)
    return k, residual, score


@kernel
def _settle(problem, v, fixed, k, scratch):
    """Shrink and grow strictly until nothing changes; returns ``(k, residual variance)``."""
    residual = 1.0
    for _ in range(20):
        before = k
        l0_load_factor(v, scratch.chosen, k, scratch)
        k, residual, kept = l0_shrink(
            problem.strict[v],
            fixed,
            scratch.chosen,
            k,
            scratch.small,
            scratch.vector,
            scratch.inverse,
            1.0,
        )
        if k == before:
            break
        l0_cut_back(problem, v, kept, before, k, scratch)
        grown = l0_grow(problem, v, problem.strict[v], k, scratch)
        if grown == k:
            break
        k = grown
    return k, residual
