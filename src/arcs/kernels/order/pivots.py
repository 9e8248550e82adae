"""Growing a set of parents: partial covariances and variances of the candidates that matter.

Growing keeps, for candidates c of a node v, the partial covariance with v and the partial variance
given the parents S so far; adding a parent b eliminates one pivot row

    z[c] = cov(c, b | S) / sd(b | S),   cov(c, v | S + b) = cov(c, v | S) - z[c] z[v],

in O(l |S|) time for l candidates. A candidate pays for itself if its squared partial correlation
with v exceeds a threshold.

With many variables few ever matter to v. So this is done for a *list*: v itself, the nodes most
correlated with it (``problem.near``, which never changes), and whoever else joins. Nobody is left
out by that: when the list has nobody left to offer, all nodes are looked through
(:mod:`arcs.kernels.order.beyond`), which takes no pivots, and whoever would help joins the list. A
set is fully grown only if no candidate at all would help. With fewer variables everybody is on the
list, in the order of the table, and rows of the Gram matrix are used as they are.

All functions work on an l0 engine's scratch (:class:`arcs.kernels.order.l0.L0Scratch`), whose
arrays go by places on the list; ``scratch.home`` is the place of v.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import is_candidate
from arcs.kernels.order.records import NOBODY, ZERO
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import gather_row, gram_entry, gram_row, is_plain, plain_row

__all__ = [
    "add_pivot",
    "begin",
    "best_open",
    "cut_back",
    "everybody",
    "is_listed",
    "join",
    "load_factor",
    "open_candidates",
    "rebuild",
]


#: Places that are looked through at a time for promising ones.
_BLOCK = 64
#: Fewer pivots than that are eliminated in one go.
_FEW = 4


@inlined
def everybody(problem):
    """Whether lists hold everybody."""
    return problem.near_start.shape[0] == 0


@inlined
def _read_row(problem, v, b, scratch, out):
    """Row b of the Gram matrix that counts for v, as far as the list goes."""
    if everybody(problem):
        gram_row(problem.stats, v, b, out)
    else:
        gather_row(problem.stats, v, b, scratch.nodes, scratch.size[0], out)


@kernel
def begin(problem, v, scratch):
    """No parents yet, and the list that every column of v begins with: covariances are entries of
    the Gram matrix, variances one."""
    if everybody(problem):
        scratch.home[0] = v
        scratch.size[0] = scratch.nodes.shape[0]
    else:
        nodes, where = scratch.nodes, scratch.where
        scratch.home[0] = 0
        nodes[0] = v
        where[v] = 0
        size = 1
        for i in range(problem.near_start[v], problem.near_start[v + 1]):
            nodes[size] = problem.near[i]
            where[nodes[size]] = size
            size += 1
        scratch.size[0] = size
    _read_row(problem, v, v, scratch, scratch.covariance)
    for i in range(scratch.size[0]):
        scratch.variance[i] = 1.0


@inlined
def is_listed(c, scratch):
    """Whether c is on the list; what is left in `where` from other lists betrays itself."""
    i = scratch.where[c]
    return i < scratch.size[0] and scratch.nodes[i] == c


@kernel
def join(problem, v, c, k, scratch):
    """Append c to the list, with what the k parents leave of it."""
    i = scratch.size[0]
    scratch.size[0] += 1
    scratch.nodes[i] = c
    scratch.where[c] = i
    covariance, variance = gram_entry(problem.stats, v, v, c), 1.0
    for t in range(k):
        b = scratch.chosen[t]
        at = scratch.where[b]
        pivot = scratch.pivots[t, at]
        value = 0.0
        if pivot > 0.0:
            value = gram_entry(problem.stats, v, b, c)
            for s in range(t):
                value -= scratch.pivots[s, at] * scratch.pivots[s, i]
            value /= pivot
        scratch.pivots[t, i] = value
        covariance -= value * scratch.pivots[t, scratch.home[0]]
        variance -= value * value
    scratch.covariance[i] = covariance
    scratch.variance[i] = variance
    scratch.open[i] = 1.0


@inlined
def _eliminate_few(at, row, k, z, pivots):
    """Row `row`, of place `at`, without the first k pivots, fewer than four, in `z`: in one go.

    What it costs is reading and writing.
    """
    first, second, third = pivots[0], pivots[1], pivots[2]
    w1, w2, w3 = first[at], second[at], third[at]
    if k == 0:
        for i in range(z.shape[0]):
            z[i] = row[i]
    elif k == 1:
        for i in range(z.shape[0]):
            z[i] = row[i] - w1 * first[i]
    elif k == 2:
        for i in range(z.shape[0]):
            z[i] = row[i] - w1 * first[i] - w2 * second[i]
    else:
        for i in range(z.shape[0]):
            z[i] = row[i] - w1 * first[i] - w2 * second[i] - w3 * third[i]


@inlined
def _eliminate(at, k, size, z, pivots):
    """Take any number of pivots off row `z`, that of place `at`: four at a time."""
    whole = k - k % 4
    for t in range(0, whole, 4):
        first, second, third, fourth = pivots[t], pivots[t + 1], pivots[t + 2], pivots[t + 3]
        w1, w2, w3, w4 = first[at], second[at], third[at], fourth[at]
        for i in range(size):
            z[i] -= (w1 * first[i] + w2 * second[i]) + (w3 * third[i] + w4 * fourth[i])
    for t in range(whole, k):
        earlier = pivots[t]
        weight = earlier[at]
        for i in range(size):
            z[i] -= weight * earlier[i]


@kernel
def add_pivot(problem, v, b, k, scratch):
    """Eliminate parent b, who is on the list, as pivot number k. A collinear b is eliminated as a
    row of zeros."""
    size, at = scratch.size[0], scratch.where[b]
    z = scratch.pivots[k]
    if scratch.variance[at] <= COLLINEAR:
        for i in range(size):
            z[i] = 0.0
        return
    scale = 1.0 / np.sqrt(scratch.variance[at])
    if k < _FEW <= scratch.pivots.shape[0] and everybody(problem) and is_plain(problem.stats, v):
        _eliminate_few(at, plain_row(problem.stats, v, b), k, z, scratch.pivots)
    else:
        _read_row(problem, v, b, scratch, z)
        _eliminate(at, k, size, z, scratch.pivots)
    weight = z[scratch.home[0]] * scale
    for i in range(size):
        z[i] *= scale
        scratch.covariance[i] -= z[i] * weight
        scratch.variance[i] -= z[i] * z[i]


@kernel
def rebuild(problem, v, k, scratch):
    """Pivots, covariances and variances for the parents ``scratch.chosen[:k]``."""
    begin(problem, v, scratch)
    for t in range(k):
        if not is_listed(scratch.chosen[t], scratch):
            join(problem, v, scratch.chosen[t], 0, scratch)
    for t in range(k):
        add_pivot(problem, v, scratch.chosen[t], t, scratch)


@kernel
def cut_back(problem, v, kept, before, k, scratch):
    """Go back from `before` pivots to the parents ``scratch.chosen[:k]``, of which the first `kept`
    are the pivots they were: take the others off, last first, and add what is new."""
    for t in range(before - 1, kept - 1, -1):
        z = scratch.pivots[t]
        weight = z[scratch.home[0]]
        for i in range(scratch.size[0]):
            scratch.covariance[i] += z[i] * weight
            scratch.variance[i] += z[i] * z[i]
    for t in range(kept, k):
        add_pivot(problem, v, scratch.chosen[t], t, scratch)


@kernel
def open_candidates(problem, position, v, candidates, scratch):
    """Mark who of the list is a candidate of v (see
    :func:`~arcs.kernels.order.columns.is_candidate`)."""
    if everybody(problem) and problem.allowed.shape[0] == 0:
        for c in range(position.shape[0]):
            scratch.open[c] = 1.0 if position[c] < candidates.limit else 0.0
        if candidates.plus >= 0:
            scratch.open[candidates.plus] = 1.0
        if candidates.minus >= 0:
            scratch.open[candidates.minus] = 0.0
        scratch.open[v] = 0.0
    else:
        for i in range(scratch.size[0]):
            c = scratch.nodes[i]
            scratch.open[i] = 1.0 if is_candidate(problem, position, c, v, candidates) else 0.0


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
    """Append the open places of a block that explain more than `bound` to ``scratch.promising``,
    which has `found`; returns how many there are then."""
    covariance, variance, open_ = scratch.covariance, scratch.variance, scratch.open
    here = 0
    for i in range(start, stop):
        gain = covariance[i] * covariance[i] * open_[i]
        here += (gain > bound * variance[i]) & (variance[i] > COLLINEAR)
    if here > 0:
        # Without a branch: who is promising is nothing that a processor could predict.
        for i in range(start, stop):
            scratch.promising[found] = i
            gain = covariance[i] * covariance[i] * open_[i]
            found += (gain > bound * variance[i]) & (variance[i] > COLLINEAR)
    return found


@kernel
def best_open(threshold, k, scratch):
    """The open node of the list outside ``scratch.chosen[:k]`` that explains most, if its squared
    partial correlation exceeds the threshold; or NOBODY."""
    covariance, variance, open_ = scratch.covariance, scratch.variance, scratch.open
    size = scratch.size[0]
    bound = threshold * max(variance[scratch.home[0]], COLLINEAR)
    # Counting compiles to vector instructions, and mostly counts nobody.
    found = 0
    for i in range(size):
        gain = covariance[i] * covariance[i] * open_[i]
        found += (gain > bound * variance[i]) & (variance[i] > COLLINEAR)
    best = NOBODY
    if found > 0:
        found = ZERO
        for start in range(0, size, _BLOCK):
            found = _list_promising(bound, start, min(start + _BLOCK, size), found, scratch)
        for j in range(found):
            i = scratch.promising[j]
            explained = covariance[i] * covariance[i] / variance[i]
            if explained > bound and not _is_member(scratch.nodes[i], k, scratch):
                best, bound = scratch.nodes[i], explained
    return best


@inlined
def load_factor(chosen, k, scratch):
    """Copy factor and solved vector of ``chosen[:k]`` out of the pivots."""
    for i in range(k):
        at = scratch.where[chosen[i]]
        for t in range(i + 1):
            scratch.small[i, t] = scratch.pivots[t, at]
        for t in range(i + 1, k):
            scratch.small[i, t] = 0.0
        scratch.vector[i] = scratch.pivots[i, scratch.home[0]]
