"""A set of parents that grows and shrinks by one member at a time, and what it leaves of everybody.

For a node v with parents S, all columns of unit norm, three things are kept up to date:

- the inverse P of the parents' Gram matrix and the coefficients b = P G[S, v];
- what S leaves of v, ``residual = 1 - b' G[S, v]``;
- for everybody c the partial covariance with v and the partial variance given S. Their ratio tells
  what c would explain: c pays for itself if its squared partial correlation with v exceeds a
  threshold.

Member j is missed by ``b_j^2 / P_jj``, so the weakest one is known at once. When c joins or leaves,
everything follows from one combination of |S| + 1 rows of the Gram matrix,

    q = cov(., c | S)    (S without c),
    cov(., v | S + c) = cov(., v | S) - q cov(c, v | S) / q_c,
    var(. | S + c)    = var(. | S) - q^2 / q_c,

and the reverse, in O(l |S|) time for l candidates, whatever S was before. So a column that loses or
gains one parent is solved from where it was (:class:`arcs.kernels.order.l0.Views`), not from
nothing.

With many variables few ever matter to v. So this is done for a *list*: v itself, the nodes most
correlated with it (``problem.near``, which never changes), and whoever else joins. Nobody is left
out by that: when the list has nobody left to offer, all nodes are looked through
(:mod:`arcs.kernels.order.beyond`), and whoever would help joins the list. A set is fully grown only
if no candidate at all would help. With fewer variables everybody is on the list, in the order of
the table, and rows of the Gram matrix are used as they are.

A member that the others determine is carried along with coefficient zero. Where members are nearly
that, differences of large numbers would lose digits: then a set that has lost one is put together
anew.

All functions work on an l0 engine's scratch (:class:`arcs.kernels.order.l0.L0Scratch`), whose
arrays go by places on the list; ``scratch.home`` is the place of v.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import is_candidate
from arcs.kernels.order.records import NOBODY, copy_nodes
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import (
    combine_listed_rows,
    combine_rows,
    gather_row,
    gram_entry,
    gram_row,
)

__all__ = [
    "add_member",
    "begin",
    "best_open",
    "drop_member",
    "everybody",
    "is_listed",
    "is_member",
    "join",
    "list_near",
    "open_candidates",
    "rebuild",
    "shrink",
    "shrink_copy",
]

#: A member's entry on the diagonal of the inverse Gram matrix from which on digits would be lost.
_DELICATE = 1e6


@inlined
def everybody(problem):
    """Whether lists hold everybody."""
    return problem.near_start.shape[0] == 0


@inlined
def list_near(problem, v, scratch):
    """The list that every column of v begins with."""
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


@kernel
def begin(problem, v, scratch):
    """No parents yet: covariances are entries of the Gram matrix, variances one."""
    list_near(problem, v, scratch)
    if everybody(problem):
        gram_row(problem.stats, v, v, scratch.covariance)
    else:
        size = scratch.size[0]
        gather_row(problem.stats, v, v, scratch.nodes, size, scratch.covariance)
    for i in range(scratch.size[0]):
        scratch.variance[i] = 1.0
    scratch.residual[0] = 1.0


@inlined
def is_listed(c, scratch):
    """Whether c is on the list; what is left in `where` from other lists betrays itself."""
    i = scratch.where[c]
    return i < scratch.size[0] and scratch.nodes[i] == c


@inlined
def is_member(c, k, chosen):
    """Whether c is among ``chosen[:k]``."""
    member = False
    for t in range(k):
        if chosen[t] == c:
            member = True
    return member


@inlined
def _project(problem, v, c, k, scratch):
    """Coefficients of c on the k parents, into ``scratch.weights``; returns the share that they
    explain."""
    entries, weights = scratch.entries, scratch.weights
    for t in range(k):
        entries[t] = gram_entry(problem.stats, v, scratch.chosen[t], c)
        weights[t] = 0.0
    # Row by row: sums that do not wait for each other, as the terms of inner products do.
    for s in range(k):
        row, entry = scratch.precision[s], entries[s]
        for t in range(k):
            weights[t] += entry * row[t]
    explained = 0.0
    for t in range(k):
        explained += weights[t] * entries[t]
    return explained


@kernel
def join(problem, v, c, k, scratch):
    """Append c to the list, with what the k parents leave of it."""
    i = scratch.size[0]
    scratch.size[0] += 1
    scratch.nodes[i] = c
    scratch.where[c] = i
    scratch.variance[i] = 1.0 - _project(problem, v, c, k, scratch)
    covariance = gram_entry(problem.stats, v, v, c)
    for t in range(k):
        covariance -= scratch.coefficient[t] * scratch.entries[t]
    scratch.covariance[i] = covariance
    scratch.open[i] = 1.0


@inlined
def _combine(problem, v, k, scratch):
    """The sum of ``weights[t]`` times row ``rows[t]`` of the Gram matrix, as far as the list goes,
    into ``scratch.reach``."""
    rows, weights, out = scratch.rows, scratch.weights, scratch.reach
    if everybody(problem):
        combine_rows(problem.stats, v, rows, weights, k, out)
    else:
        combine_listed_rows(problem.stats, v, rows, weights, k, scratch.nodes, scratch.size[0], out)


@inlined
def _shift_everybody(step, share, scratch):
    """Add `step` times ``scratch.reach`` to covariances, and `share` times its square to
    variances."""
    reach, covariance, variance = scratch.reach, scratch.covariance, scratch.variance
    for i in range(scratch.size[0]):
        covariance[i] += step * reach[i]
        variance[i] += share * (reach[i] * reach[i])


@kernel
def add_member(problem, v, b, k, scratch):
    """Let b, who is on the list, be parent number k."""
    precision, coefficient = scratch.precision, scratch.coefficient
    weights, at = scratch.weights, scratch.where[b]
    scratch.chosen[k] = b
    coefficient[k] = 0.0
    for t in range(k + 1):
        precision[k, t], precision[t, k] = 0.0, 0.0
    if scratch.variance[at] > COLLINEAR:
        _project(problem, v, b, k, scratch)
        for t in range(k):
            weights[t] = -weights[t]
        weights[k] = 1.0
        copy_nodes(scratch.chosen, scratch.rows, k + 1)
        for t in range(k + 1):
            scratch.entries[t] = weights[t]
        _combine(problem, v, k + 1, scratch)
        share = 1.0 / scratch.reach[at]
        step = scratch.covariance[at] * share
        scratch.residual[0] -= step * scratch.covariance[at]
        _shift_everybody(-step, -share, scratch)
        entries = scratch.entries
        for t in range(k + 1):
            weight, row = entries[t] * share, precision[t]
            for s in range(k + 1):
                row[s] += weight * entries[s]
            coefficient[t] += step * entries[t]
        # What is left of a member is nothing; rounding leaves a little.
        scratch.covariance[at], scratch.variance[at] = 0.0, 0.0


@inlined
def _weakest(fixed, k, precision, coefficient):
    """The member whose loss raises the residual least, and by how much."""
    weakest, least = k, np.inf
    for j in range(fixed, k):
        squared, spread = coefficient[j] * coefficient[j], precision[j, j]
        increase = squared / spread if spread > 0.0 else 0.0
        if increase < least:
            weakest, least = j, increase
    return weakest, least


@inlined
def _take_out(j, k, chosen, precision, coefficient):
    """Inverse Gram matrix and coefficients of ``chosen[:k]`` without member j, in place."""
    spread, last = precision[j, j], precision[j]
    if spread > 0.0:
        step = coefficient[j] / spread
        for t in range(k):
            if t != j:
                weight, row = precision[t, j] / spread, precision[t]
                for s in range(k):
                    row[s] -= weight * last[s]
        for t in range(k):
            coefficient[t] -= step * last[t]
    for t in range(j, k - 1):
        chosen[t], coefficient[t] = chosen[t + 1], coefficient[t + 1]
        row, below = precision[t], precision[t + 1]
        for s in range(k):
            row[s] = below[s]
    for t in range(k - 1):
        row = precision[t]
        for s in range(j, k - 1):
            row[s] = row[s + 1]


@inlined
def _is_delicate(k, precision):
    """Whether some member is determined by the others, or nearly so."""
    delicate = False
    for t in range(k):
        delicate = delicate or precision[t, t] == 0.0 or precision[t, t] > _DELICATE
    return delicate


@kernel
def drop_member(problem, v, j, k, scratch):
    """Let member number j of k go; everybody after it moves up."""
    precision, coefficient = scratch.precision, scratch.coefficient
    if _is_delicate(k, precision):
        for t in range(j, k - 1):
            scratch.chosen[t] = scratch.chosen[t + 1]
        rebuild(problem, v, k - 1, scratch)
    else:
        spread, step = precision[j, j], coefficient[j]
        for t in range(k):
            scratch.rows[t] = scratch.chosen[t]
            scratch.weights[t] = precision[j, t] / spread
        _combine(problem, v, k, scratch)
        _shift_everybody(step, spread, scratch)
        scratch.residual[0] += step * step / spread
        _take_out(j, k, scratch.chosen, precision, coefficient)


@kernel
def rebuild(problem, v, k, scratch):
    """Put the set ``scratch.chosen[:k]`` together from nothing, leaving who is a candidate as it
    is for all who were on the list."""
    begin(problem, v, scratch)
    for t in range(k):
        b = scratch.chosen[t]
        if not is_listed(b, scratch):
            join(problem, v, b, t, scratch)
        add_member(problem, v, b, t, scratch)


@kernel
def shrink(problem, v, threshold, fixed, k, scratch):
    """Drop the weakest member while its squared partial correlation is below `threshold`; the first
    `fixed` stay. Returns how many are left."""
    while k > fixed:
        j, least = _weakest(fixed, k, scratch.precision, scratch.coefficient)
        residual = max(scratch.residual[0], COLLINEAR)
        if least >= threshold * (residual + least):
            break
        drop_member(problem, v, j, k, scratch)
        k -= 1
    return k


@kernel
def shrink_copy(threshold, fixed, chosen, k, residual, precision, coefficient):
    """:func:`shrink` of nothing but a set: ``chosen[:k]``, which leaves `residual`, with its
    inverse Gram matrix and coefficients, all of which are overwritten. Returns ``(k, residual)``.
    """
    residual = max(residual, COLLINEAR)
    while k > fixed:
        j, least = _weakest(fixed, k, precision, coefficient)
        if least >= threshold * (residual + least):
            break
        _take_out(j, k, chosen, precision, coefficient)
        residual += least
        k -= 1
    return k, residual


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
def _flag_promising(bound, scratch):
    """Flag the open places that explain more than `bound` of what is left."""
    covariance, variance, open_ = scratch.covariance, scratch.variance, scratch.open
    flags = scratch.flags
    for i in range(scratch.size[0]):
        gain = covariance[i] * covariance[i] * open_[i]
        flags[i] = (gain > bound * variance[i]) & (variance[i] > COLLINEAR)


@kernel
def best_open(threshold, scratch):
    """The open node of the list that explains most, if its squared partial correlation exceeds the
    threshold; or NOBODY. (Of members nothing is left to explain anything.)

    Flags are set with vector instructions, and looked through eight at a time.
    """
    covariance, variance, flags = scratch.covariance, scratch.variance, scratch.flags
    size, best = scratch.size[0], NOBODY
    bound = threshold * max(scratch.residual[0], COLLINEAR)
    _flag_promising(bound, scratch)
    for word in range((size + 7) // 8):
        if scratch.words[word] != 0:
            for i in range(8 * word, min(8 * word + 8, size)):
                if flags[i] != 0:
                    explained = covariance[i] * covariance[i] / variance[i]
                    if explained > bound:
                        best, bound = scratch.nodes[i], explained
    return best
