"""What toggling one parent of a node gains: the cache of a hill climb.

``gain[i, j]`` is the change of the score when i joins the parents of j, or leaves them. The score
is a sum over nodes, so a move changes the columns of the nodes whose parents it changes, and no
others. The climb knows no kinds of data; here are the gains of Gaussian columns, and those of
families that are scored as a whole are in :mod:`arcs.kernels.family_gains`.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.asking import asked, provide
from arcs.kernels.climbing_graph import parents_of
from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve, residual_variance
from arcs.kernels.statistics import gram_entry

__all__ = ["refresh_column", "relative_score"]


@asked
def refresh_column(stats, penalty, state, j):
    """Compute the gains of all toggles among the parents of j."""


@asked
def relative_score(stats, penalty, adjacency):
    """Score of a DAG relative to the empty graph, computed from nothing."""


class _Family(NamedTuple):
    """A node and its parents, what a parent costs it, and room for their regression.

    Attributes
    ----------
    node : int
    parents : int64 (k + 1,), of which the first k count
    rows : float, the rows that tell about the node
    cost : float, of one parent
    factor, work : float64 (k + 1, k + 1), (k + 1,), scratch
    """

    node: int
    parents: np.ndarray
    rows: float
    cost: float
    factor: np.ndarray
    work: np.ndarray


@allocating
def _residual(stats, family, parents, k):
    """Residual share of the node given ``parents[:k]``."""
    return residual_variance(stats, family.node, parents, k, family.factor, family.work)


@allocating
def _gains_of_deletion(stats, state, family, k):
    """Gains from taking each of the k parents away; returns the present residual share.

    To take a required parent away (or to turn its edge, which gains a sum) is never worth it.
    """
    j, parents = family.node, family.parents
    others = np.empty(k + 1, np.int64)
    now = _residual(stats, family, parents, k)
    for t in range(k):
        if state.required[parents[t], j]:
            continue
        at = 0
        for s in range(k):
            if s != t:
                others[at] = parents[s]
                at += 1
        share = _residual(stats, family, others, k - 1)
        state.gain[parents[t], j] = family.rows * np.log(now / share) + family.cost
    return now


@allocating
def _gains_of_addition(stats, state, family, k, now):
    """Gains from every further parent: one forward substitution for each."""
    j, parents, factor, work = family.node, family.parents, family.factor, family.work
    partner = np.empty(k + 1)
    factorise(stats, j, parents, k, factor)
    forward_solve(stats, j, parents, k, factor, j, work)
    for i in range(state.adjacency.shape[0]):
        if i == j or state.adjacency[i, j] or not state.allowed[i, j]:
            continue
        left = 1.0 - forward_solve(stats, j, parents, k, factor, i, partner)
        if left <= COLLINEAR:
            continue
        covariance = gram_entry(stats, j, i, j)
        for t in range(k):
            covariance -= work[t] * partner[t]
        share = max(now - covariance * covariance / left, COLLINEAR)
        state.gain[i, j] = family.rows * np.log(now / share) - family.cost


@provide("Stats", refresh_column)
@allocating
def _refresh_regressions(stats, penalty, state, j):
    n = stats.n[stats.pattern[j]]
    state.gain[:, j] = -np.inf
    if n <= 0:
        return
    k = state.n_parents[j]
    parents = np.empty(k + 1, np.int64)
    parents_of(state.adjacency, j, parents)
    scratch = np.empty((k + 1, k + 1)), np.empty(k + 1)
    family = _Family(j, parents, n, penalty * np.log(n), scratch[0], scratch[1])
    now = _gains_of_deletion(stats, state, family, k)
    if k < state.limit[j]:
        _gains_of_addition(stats, state, family, k, now)


@provide("Stats", relative_score)
@allocating
def _score_of_regressions(stats, penalty, adjacency):
    p = adjacency.shape[0]
    total = 0.0
    parents = np.empty(p + 1, np.int64)
    for j in range(p):
        n = stats.n[stats.pattern[j]]
        k = parents_of(adjacency, j, parents)
        if n > 0 and k > 0:
            factor = np.empty((k + 1, k + 1))
            share = residual_variance(stats, j, parents, k, factor, np.empty(k + 1))
            total -= n * np.log(share) + penalty * k * np.log(n)
    return total
