"""What a column leaves of everybody, kept until its parents change.

Most columns that are solved differ from a present one by a single parent, and whether another
candidate might join is asked far more often than anything else. Both begin with what the present
parents leave: it is worked out when it is first asked for after a change, always in the same way,
so that it follows from the parents and their order alone (:mod:`arcs.kernels.order.parent_set`).
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel
from arcs.kernels.order.parent_set import everybody, list_near, rebuild
from arcs.kernels.order.records import copy_nodes

__all__ = [
    "Views",
    "load_view",
    "look",
    "look_at_all",
    "new_views",
    "place_of_view",
    "unpack_precision",
]


class Views(NamedTuple):
    """What is derived from the columns. Where the nodes that are near v begin in `problem.near`,
    its view begins in `covariance` and `variance`, one place later for each node before it: v
    itself comes first. Where everybody is near, each view has p places."""

    known: np.ndarray  # (p,) uint8, whether the view is that of the present parents
    precision: np.ndarray  # (p, m (m + 1) / 2), packed inverse of the parents' Gram matrix
    coefficient: np.ndarray  # (p, m)
    covariance: np.ndarray  # (places,)
    variance: np.ndarray  # (places,)


def new_views(p: int, m: int, near: int) -> Views:
    """Views of `p` nodes with `m` parents at the most and lists that hold `near` nodes together."""
    return Views(
        np.zeros(p, np.uint8),
        np.zeros((p, m * (m + 1) // 2)),
        np.zeros((p, m)),
        np.zeros(near + p),
        np.zeros(near + p),
    )


@inlined
def place_of_view(problem, p, v):
    """Where v's view begins."""
    return v * p if everybody(problem) else problem.near_start[v] + v


@kernel
def _renew(problem, state, v, work):
    """Work v's view out; the scratch is used up."""
    scratch, views = work.scratch, state.derived
    k = state.columns.count[v]
    copy_nodes(state.columns.parents[v], scratch.chosen, k)
    rebuild(problem, v, k, scratch)
    at = 0
    for i in range(k):
        row = scratch.precision[i]
        for j in range(i + 1):
            views.precision[v, at] = row[j]
            at += 1
        views.coefficient[v, i] = scratch.coefficient[i]
    p = state.order.shape[0]
    start = place_of_view(problem, p, v)
    size = p if everybody(problem) else problem.near_start[v + 1] - problem.near_start[v] + 1
    covariance, variance = views.covariance[start:], views.variance[start:]
    for i in range(size):
        covariance[i] = scratch.covariance[i]
        variance[i] = scratch.variance[i]
    views.known[v] = 1


@inlined
def look(problem, state, v, work):
    """See to it that v's view is known; the scratch may be used up."""
    if state.derived.known[v] == 0:
        _renew(problem, state, v, work)


@kernel
def look_at_all(problem, state, work):
    """See to it that every view is known."""
    for v in range(state.order.shape[0]):
        look(problem, state, v, work)


@inlined
def unpack_precision(views, v, k, precision):
    """Write the inverse of the Gram matrix of v's k parents to `precision`."""
    at = 0
    for i in range(k):
        for j in range(i + 1):
            precision[i, j] = views.precision[v, at]
            precision[j, i] = views.precision[v, at]
            at += 1


@kernel
def load_view(problem, state, v, work):
    """Go on from v's present parents in the scratch; returns how many there are."""
    look(problem, state, v, work)
    scratch, views = work.scratch, state.derived
    k = state.columns.count[v]
    unpack_precision(views, v, k, scratch.precision)
    for t in range(k):
        scratch.chosen[t] = state.columns.parents[v, t]
        scratch.coefficient[t] = views.coefficient[v, t]
    list_near(problem, v, scratch)
    start = place_of_view(problem, state.order.shape[0], v)
    covariance, variance = views.covariance[start:], views.variance[start:]
    for i in range(scratch.size[0]):
        scratch.covariance[i] = covariance[i]
        scratch.variance[i] = variance[i]
    scratch.residual[0] = state.columns.residual[v]
    if not everybody(problem):
        for t in range(k):
            _join_member(scratch.chosen[t], scratch)
    return k


@inlined
def _join_member(c, scratch):
    """Append a member to the list unless it is there: nothing is left of it."""
    i = scratch.where[c]
    if i >= scratch.size[0] or scratch.nodes[i] != c:
        i = scratch.size[0]
        scratch.size[0] += 1
        scratch.nodes[i] = c
        scratch.where[c] = i
        scratch.covariance[i], scratch.variance[i] = 0.0, 0.0
