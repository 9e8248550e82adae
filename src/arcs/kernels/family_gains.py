"""Families that are scored as a whole, as hill climbing and greedy equivalence search see them.

Answers their questions (:mod:`arcs.kernels.climbing_gains`,
:mod:`arcs.kernels.greedy_equivalence_gains`) for every kind of problem of the order search whose
nodes are scored as (node, parent set) from the data: categories from counts, blocks of columns.
Scores are looked up in the memo first (:mod:`arcs.kernels.order.memo`). They are in nats, smaller
is better; gains are differences of ``2 log L - price`` as those of Gaussian columns are, larger is
better. What a parent costs is part of a family's score, and so `penalty` and ``rules.price`` have
no meaning here.
"""

from typing import Any, NamedTuple

import numpy as np

from arcs.kernels.asking import provide
from arcs.kernels.climbing_gains import refresh_column, relative_score
from arcs.kernels.climbing_graph import parents_of
from arcs.kernels.greedy_equivalence_gains import (
    add_insertions,
    gain_of_parent,
    insertion_room,
    one_more_parent,
    parent_room,
)
from arcs.kernels.greedy_equivalence_records import SMALLEST_GAIN, add_operator
from arcs.kernels.jit import allocating
from arcs.kernels.order.families import known_score

__all__ = ["Families"]


class Families(NamedTuple):
    """A problem of the order search, and memory to solve it in.

    Attributes
    ----------
    problem, scratch : records of an engine
    pattern : int64 (p,), which rows count for a node
    n : float64 (patterns,), how many they are
    """

    problem: Any
    scratch: Any
    pattern: np.ndarray
    n: np.ndarray


@allocating
def _score(families, y, columns, k):
    """The score of y with the parents ``columns[:k]``, larger is better."""
    return -2.0 * known_score(families.problem, y, columns, k, families.scratch)


@allocating
def _gain(families, y, columns, k, x, now):
    """What y gains over `now` with x beside ``columns[:k]``."""
    columns[k] = x
    return _score(families, y, columns, k + 1) - now


# ---------------------------------------------------------------------- hill climbing


@provide("Families", refresh_column)
@allocating
def _refresh_families(families, penalty, state, j):
    state.gain[:, j] = -np.inf
    if families.n[families.pattern[j]] <= 0:
        return
    k = state.n_parents[j]
    parents = np.empty(k + 1, np.int64)
    parents_of(state.adjacency, j, parents)
    now = _score(families, j, parents, k)
    if k < state.limit[j]:
        for i in range(state.adjacency.shape[0]):
            if i != j and not state.adjacency[i, j] and state.allowed[i, j]:
                state.gain[i, j] = _gain(families, j, parents, k, i, now)
    for t in range(k):
        out = parents[t]
        if not state.required[out, j]:
            parents[t] = parents[k - 1]
            state.gain[out, j] = _score(families, j, parents, k - 1) - now
            parents[t] = out


@provide("Families", relative_score)
@allocating
def _score_of_families(families, penalty, adjacency):
    p = adjacency.shape[0]
    total = 0.0
    parents = np.empty(p + 1, np.int64)
    for j in range(p):
        k = parents_of(adjacency, j, parents)
        if families.n[families.pattern[j]] > 0 and k > 0:
            total += _score(families, j, parents, k) - _score(families, j, parents, 0)
    return total


# ---------------------------------------------------------------------- greedy equivalence search


@provide("Families", parent_room)
def _nothing(families, size):
    return size


@provide("Families", gain_of_parent)
@allocating
def _gain_of_member(families, rules, y, columns, k, x, room):
    return _gain(families, y, columns, k, x, _score(families, y, columns, k))


@provide("Families", insertion_room)
@allocating
def _list_of_parents(families, y, depths):
    return np.empty(depths + 1, np.int64)


@provide("Families", one_more_parent)
@allocating
def _note_parent(families, y, column, level, room):
    room[level] = column


@provide("Families", add_insertions)
@allocating
def _add_members(families, rules, y, level, missing, room, row):
    now = _score(families, y, room, level)
    for x in range(missing.shape[0]):
        if missing[x] == 0:
            after = room[level]
            gained = _gain(families, y, room, level, x, now)
            room[level] = after
            if gained > SMALLEST_GAIN:
                add_operator(row, gained, x)
