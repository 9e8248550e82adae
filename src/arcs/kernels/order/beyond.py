"""Growing a set of parents until nobody at all would help.

The list of :mod:`arcs.kernels.order.parent_set` holds the nodes that matter most. When it has
nobody left to offer, everybody else is looked through. With the regression coefficients b of v on
its parents S,

    cov(c, v | S) = G[c, v] - sum_s b_s G[c, s]   for all c at once,

one pass over |S| + 1 rows of the Gram matrix. Who explains more than a threshold t of what S leaves
of v has ``cov(c, v | S)^2 > t var(v | S) var(c | S)``, and var(c | S) is at most 1; it is computed
only for those for whom it may matter: nodes of which S leaves less than `_LEFT_AT_LEAST` are hardly
anything else than what S is already.

A search comes back to the same sets again and again, and mostly nobody is found. So who would help
beside the list, candidate or not, is remembered for v and S, in a table of two lines of the
processor's cache each: v, |S|, S in ascending order, how many there are, and who. A later set may
take the line; larger ones are looked up anew. What is remembered changes nothing but the time.
"""

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.columns import is_candidate
from arcs.kernels.order.parent_set import add_member, best_open, everybody, is_listed, join
from arcs.kernels.order.records import NOBODY, copy_nodes
from arcs.kernels.regression import COLLINEAR
from arcs.kernels.statistics import combine_rows

__all__ = ["LINE", "grow", "grow_through", "look_beyond"]

#: The share of a node that the parents leave, below which it is taken for one of them.
_LEFT_AT_LEAST = 0.5
#: Numbers in a line of the table, the largest set and the most helpers that it has room for.
LINE, _LARGEST, _HELPERS = 32, 8, 21
#: Where a line tells how many helpers there are.
_COUNT = 2 + _LARGEST


@inlined
def _left_of(v, k, scratch):
    """v minus its regression on the parents, as nodes (in ``scratch.rows``) and weights (in
    ``scratch.weights``)."""
    for t in range(k):
        scratch.rows[t] = scratch.chosen[t]
        scratch.weights[t] = -scratch.coefficient[t]
    scratch.rows[k] = v
    scratch.weights[k] = 1.0


@inlined
def _line(v, k, scratch):
    """Write v and the parents, in ascending order, to ``scratch.key``; return their line."""
    key, chosen = scratch.key, scratch.chosen
    key[0], key[1] = v, k
    total = v * np.int64(-7046029254386353131)
    for t in range(k):
        c = chosen[t]
        x = (c + 1) * np.int64(-4658895280553007687)
        total += (x ^ (x >> 29)) * np.int64(-7723592293110705685)
        at = t + 1
        while at >= 2 and key[at] > c:
            key[at + 1] = key[at]
            at -= 1
        key[at + 1] = c
    total ^= total >> 32
    return total & (scratch.known.shape[0] - 1)


@inlined
def _is_known(line, k, scratch):
    """Whether the line is that of the key."""
    known, key = scratch.known[line], scratch.key
    same = True
    for t in range(k + 2):
        same = same and known[t] == key[t]
    return same


@kernel
def _join_if_helpful(problem, v, c, bound, k, scratch):
    """Let c join the list if it explains more than `bound` of what is left; whether it does."""
    i = scratch.size[0]
    join(problem, v, c, k, scratch)
    gain = scratch.covariance[i] * scratch.covariance[i]
    helpful = gain > bound * scratch.variance[i] and scratch.variance[i] > COLLINEAR
    if not helpful:
        scratch.size[0] = i
    return helpful


@inlined
def _helps_from_afar(problem, v, c, bound, k, scratch):
    """Whether c, who is not near v, explains more than `bound`; it may join the list.

    Who has joined the list before is asked as well: another list for the same set lacks it.
    """
    helps = False
    if is_listed(c, scratch):
        i = scratch.where[c]
        if i > problem.near_start[v + 1] - problem.near_start[v]:
            gain = scratch.covariance[i] * scratch.covariance[i]
            helps = gain > bound * scratch.variance[i] and scratch.variance[i] > COLLINEAR
    else:
        helps = _join_if_helpful(problem, v, c, bound, k, scratch)
    return helps


@kernel
def _list_reached(problem, v, bound, k, scratch):
    """Who might explain more than `bound`, list aside, into ``scratch.found``; returns how many."""
    reach, found = scratch.reach, scratch.found
    _left_of(v, k, scratch)
    combine_rows(problem.stats, v, scratch.rows, scratch.weights, k + 1, reach)
    least = bound * _LEFT_AT_LEAST
    count = 0
    # Without a branch: who is reached is nothing that a processor could predict.
    for c in range(reach.shape[0]):
        found[count] = c
        count += reach[c] * reach[c] > least
    return count


@kernel
def _look_through_all(problem, v, line, k, scratch):
    """Who beside the list would help v at the lenient threshold, into ``scratch.found``, and, if
    there is room, into the line; returns how many."""
    found = scratch.found
    bound = problem.lenient[v] * max(scratch.residual[0], COLLINEAR)
    count, size = 0, scratch.size[0]
    for i in range(_list_reached(problem, v, bound, k, scratch)):
        c = found[i]
        if _helps_from_afar(problem, v, c, bound, k, scratch):
            found[count] = c
            count += 1
        scratch.size[0] = size
    if line >= 0 and count <= _HELPERS:
        known = scratch.known[line]
        for t in range(k + 2):
            known[t] = scratch.key[t]
        known[_COUNT] = count
        for i in range(count):
            known[_COUNT + 1 + i] = found[i]
    return count


@kernel
def look_beyond(problem, position, v, candidates, threshold, k, scratch):
    """Let every candidate join the list whose squared partial correlation with v exceeds the
    threshold, which is not below the lenient one; returns how many did."""
    found = scratch.found
    line = _line(v, k, scratch) if k <= _LARGEST else NOBODY
    if line >= 0 and _is_known(line, k, scratch):
        count = np.int64(scratch.known[line, _COUNT])
        for i in range(count):
            found[i] = scratch.known[line, _COUNT + 1 + i]
    else:
        count = _look_through_all(problem, v, line, k, scratch)
    joined = 0
    bound = threshold * max(scratch.residual[0], COLLINEAR)
    for i in range(count):
        c = found[i]
        if is_candidate(problem, position, c, v, candidates) and not is_listed(c, scratch):
            joined += _join_if_helpful(problem, v, c, bound, k, scratch)
    return joined


@kernel
def _best(problem, position, v, candidates, threshold, k, scratch):
    """The candidate that explains most of what the k parents leave, and enough; or NOBODY."""
    best = NOBODY
    if k < problem.max_parents[v]:
        best = best_open(threshold, scratch)
        if best < 0 and not everybody(problem):
            if look_beyond(problem, position, v, candidates, threshold, k, scratch) > 0:
                best = best_open(threshold, scratch)
    return best


@kernel
def grow(problem, position, v, candidates, threshold, k, scratch):
    """Add the best candidate while its squared partial correlation exceeds `threshold`.

    Returns the number of parents in ``scratch.chosen``.
    """
    while True:
        best = _best(problem, position, v, candidates, threshold, k, scratch)
        if best < 0:
            break
        add_member(problem, v, best, k, scratch)
        k += 1
    return k


@kernel
def grow_through(problem, position, v, candidates, k, scratch):
    """Grow at the lenient threshold, the best first.

    Returns ``(k, plain, residual)``: how many parents there are, how many of them (copied to
    ``scratch.pruned``) plain forward selection at the strict threshold would have taken, and the
    variance that those leave.
    """
    plain, residual = NOBODY, 1.0
    while True:
        own = max(scratch.residual[0], COLLINEAR)
        best = _best(problem, position, v, candidates, problem.lenient[v], k, scratch)
        if plain < 0:
            enough = best < 0
            if not enough:
                at = scratch.where[best]
                explained = scratch.covariance[at] * scratch.covariance[at]
                enough = explained <= problem.strict[v] * own * scratch.variance[at]
            if enough:
                plain, residual = k, own
                copy_nodes(scratch.chosen, scratch.pruned, k)
        if best < 0:
            break
        add_member(problem, v, best, k, scratch)
        k += 1
    return k, plain, residual
