"""Growing a set of parents: partial covariances and variances of all candidates at once.

Growing keeps, for all candidates c of a node v, the partial covariance with v and the partial
variance given the parents S so far; adding a parent b eliminates one pivot row

    z[c] = cov(c, b | S) / sd(b | S),   cov(c, v | S + b) = cov(c, v | S) - z[c] z[v],

in O(p |S|) time. A candidate pays for itself if its squared partial correlation with v exceeds a
threshold. All functions work on an l0 engine's scratch (:class:`arcs.kernels.order.l0.L0Scratch`).
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.records import NOBODY, ZERO, copy_nodes
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import gram_row, is_plain, plain_row

#: Nodes that are looked through at a time for promising ones.
_BLOCK = 64
#: Fewer pivots than that are eliminated in one go.
_FEW = 4

__all__ = [
    "add_pivot",
    "begin",
    "cut_back",
    "grow",
    "grow_through",
    "load_factor",
    "open_candidates",
    "rebuild",
]


@inlined
def begin(problem, v, scratch):
    """No parents yet: covariances are the Gram row, variances one."""
    gram_row(problem.stats, v, v, scratch.covariance)
    for c in range(scratch.variance.shape[0]):
        scratch.variance[c] = 1.0


@inlined
def _eliminate_few(b, row, k, scale, z, pivots):
    """Row b of the Gram matrix without the first k pivots, fewer than four, scaled, in `z`. In one
    go: what it costs is reading and writing."""
    p = z.shape[0]
    first, second, third = pivots[0], pivots[1], pivots[2]
    w1, w2, w3 = first[b], second[b], third[b]
    if k == 0:
        for c in range(p):
            z[c] = row[c] * scale
    elif k == 1:
        for c in range(p):
            z[c] = (row[c] - w1 * first[c]) * scale
    elif k == 2:
        for c in range(p):
            z[c] = (row[c] - w1 * first[c] - w2 * second[c]) * scale
    else:
        for c in range(p):
            z[c] = (row[c] - w1 * first[c] - w2 * second[c] - w3 * third[c]) * scale


@inlined
def _eliminate(b, k, scale, z, pivots):
    """The same for any number of pivots, row b being in `z` already: four at a time."""
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
    for c in range(p):
        z[c] *= scale


@kernel
def add_pivot(problem, v, b, k, scratch):
    """Eliminate parent b as pivot number k. A collinear b is eliminated as a row of zeros."""
    z, pivots = scratch.pivots[k], scratch.pivots
    if scratch.variance[b] <= COLLINEAR:
        z[:] = 0.0
        return
    scale = 1.0 / np.sqrt(scratch.variance[b])
    if k < _FEW <= pivots.shape[0] and is_plain(problem.stats, v):
        _eliminate_few(b, plain_row(problem.stats, v, b), k, scale, z, pivots)
    else:
        gram_row(problem.stats, v, b, z)
        _eliminate(b, k, scale, z, pivots)
    weight = z[v]
    for c in range(z.shape[0]):
        scratch.covariance[c] -= z[c] * weight
        scratch.variance[c] -= z[c] * z[c]


@inlined
def rebuild(problem, v, k, scratch):
    """Pivots, covariances and variances for the parents ``scratch.chosen[:k]``."""
    begin(problem, v, scratch)
    for t in range(k):
        add_pivot(problem, v, scratch.chosen[t], t, scratch)


@kernel
def cut_back(problem, v, kept, before, k, scratch):
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
        add_pivot(problem, v, scratch.chosen[t], t, scratch)


@inlined
def open_candidates(problem, position, v, candidates, scratch):
    """Mark the candidates of v (see :func:`~arcs.kernels.order.columns.is_candidate`)."""
    for c in range(position.shape[0]):
        scratch.open[c] = 1.0 if position[c] < candidates.limit else 0.0
    if candidates.plus >= 0:
        scratch.open[candidates.plus] = 1.0
    if candidates.minus >= 0:
        scratch.open[candidates.minus] = 0.0
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
def _list_promising(bound, start, stop, found, scratch):
    """Append the open nodes of a block that explain more than `bound` to ``scratch.promising``,
    which has `found`; returns how many there are then."""
    covariance, variance, open_ = scratch.covariance, scratch.variance, scratch.open
    here = 0
    for c in range(start, stop):
        gain = covariance[c] * covariance[c] * open_[c]
        here += (gain > bound * variance[c]) & (variance[c] > COLLINEAR)
    if here > 0:
        # Without a branch: who is promising is nothing that a processor could predict.
        for c in range(start, stop):
            scratch.promising[found] = c
            gain = covariance[c] * covariance[c] * open_[c]
            found += (gain > bound * variance[c]) & (variance[c] > COLLINEAR)
    return found


@kernel
def best_open(bound, k, scratch):
    """The open node outside ``scratch.chosen[:k]`` that explains most, and more than `bound`; or
    NOBODY."""
    covariance, variance, open_ = scratch.covariance, scratch.variance, scratch.open
    promising = scratch.promising
    p = open_.shape[0]
    # Counting compiles to vector instructions, and mostly counts nobody.
    found = 0
    for c in range(p):
        gain = covariance[c] * covariance[c] * open_[c]
        found += (gain > bound * variance[c]) & (variance[c] > COLLINEAR)
    best = NOBODY
    if found > 0:
        found = ZERO
        for start in range(0, p, _BLOCK):
            found = _list_promising(bound, start, min(start + _BLOCK, p), found, scratch)
        for i in range(found):
            c = promising[i]
            explained = covariance[c] * covariance[c] / variance[c]
            if explained > bound and not _is_member(c, k, scratch):
                best, bound = c, explained
    return best


@kernel
def grow(problem, v, threshold, k, scratch):
    """Add the best open node while its squared partial correlation exceeds `threshold`.

    Returns the number of parents in ``scratch.chosen``.
    """
    most = problem.max_parents[v]
    while k < most:
        best = best_open(threshold * max(scratch.variance[v], COLLINEAR), k, scratch)
        if best < 0:
            break
        scratch.chosen[k] = best
        add_pivot(problem, v, best, k, scratch)
        k += 1
    return k


@kernel
def grow_through(problem, v, k, scratch):
    """Grow at the lenient threshold, the best first.

    Returns ``(k, plain, residual)``: how many parents there are, how many of them (copied to
    ``scratch.pruned``) plain forward selection at the strict threshold would have taken, and the
    variance that those leave.
    """
    most = problem.max_parents[v]
    plain, residual = NOBODY, 1.0
    while True:
        own = max(scratch.variance[v], COLLINEAR)
        best = NOBODY
        if k < most:
            best = best_open(problem.lenient[v] * own, k, scratch)
        if plain < 0:
            enough = best < 0
            if not enough:
                explained = scratch.covariance[best] * scratch.covariance[best]
                enough = explained <= problem.strict[v] * own * scratch.variance[best]
            if enough:
                plain, residual = k, own
                copy_nodes(scratch.chosen, scratch.pruned, k)
        if best < 0:
            break
        scratch.chosen[k] = best
        add_pivot(problem, v, best, k, scratch)
        k += 1
    return k, plain, residual


@inlined
def load_factor(v, chosen, k, scratch):
    """Copy factor and solved vector of ``chosen[:k]`` out of the pivots."""
    for i in range(k):
        for t in range(i + 1):
            scratch.small[i, t] = scratch.pivots[t, chosen[i]]
        for t in range(i + 1, k):
            scratch.small[i, t] = 0.0
        scratch.vector[i] = scratch.pivots[i, v]
