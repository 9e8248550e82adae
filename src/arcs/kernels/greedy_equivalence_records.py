"""Improving operators at one node, and what they depend on: records of greedy equivalence search.

The three operators change a completed PDAG by one edge into y, whose neighbours C (joined to y by
undirected edges) become its parents at the same time:

Insert(x, y, C)
    x and y not adjacent, C a clique that holds every neighbour of y adjacent to x. (Chickering's T
    is C without those.) Valid if every semi-directed path from y to x meets C.
Delete(x, y, C)
    x -> y or x - y, C a clique among the neighbours of y adjacent to x. (Chickering's H is the
    rest of them.)
Turn(x, y, C)
    y -> x becomes x -> y, C as for an insertion, valid if every semi-directed path from y to x
    other than the edge meets C or a neighbour of x; or x - y becomes x -> y, C a clique with a
    member not adjacent to x such that, among the neighbours of y, those members are separated from
    the common neighbours of x and y outside C by those within C.

A *row* is the list of all operators at y that improve the score, whatever their semi-directed
paths (which the search looks at only when an operator is about to be chosen). A row depends on the
surroundings of y alone, so a step of the search leaves most rows as they are. The set C is part of
the loop, x its inner index: the regression of y and of all candidates x on the parents and C is
shared, and one more member of C costs one more pivot of a Cholesky factorisation.

Sources: Chickering (2002), "Optimal structure identification with greedy search", Theorems 15 and
17; Hauser and Buehlmann (2012), "Characterization and greedy learning of interventional Markov
equivalence classes of directed acyclic graphs", Propositions 31 and 34.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating

__all__ = [
    "SMALLEST_GAIN",
    "ClassGraph",
    "Row",
    "Rules",
    "add_operator",
    "close_clique",
    "empty_row",
    "joined_to",
]

#: A gain below this is rounding error. Every step gains more, so the search cannot cycle.
SMALLEST_GAIN = 1e-7


class ClassGraph(NamedTuple):
    """A completed PDAG.

    Attributes
    ----------
    directed : bool (p, p), ``directed[i, j]`` is i -> j
    undirected : bool (p, p), symmetric
    adjacent : bool (p, p), edges of either kind
    start, near : int64 (p + 1,), (2 edges,), the nodes adjacent to i are
        ``near[start[i]:start[i + 1]]``
    """

    directed: np.ndarray
    undirected: np.ndarray
    adjacent: np.ndarray
    start: np.ndarray
    near: np.ndarray


class Rules(NamedTuple):
    """What the search may do, and what an edge costs.

    Attributes
    ----------
    price : float64 (p,), what an edge into the node costs: c log n
    cap : int64 (p,), the largest parent set of the node
    allowed : bool (p, p), whether i -> j may be inserted or turned into place
    """

    price: np.ndarray
    cap: np.ndarray
    allowed: np.ndarray


class Row(NamedTuple):
    """Improving operators at one node, and how much of the arrays they take up.

    Operator k has the gain ``gain[k]``, the other end ``source[k]`` and the clique
    ``member[start[c]:start[c + 1]]`` with ``c = clique[k]``. There are ``size[0]`` operators,
    ``size[1]`` cliques and ``size[2]`` members of cliques; where the arrays are too short, the
    rest is counted and not written. (``size[3]`` operators know their clique already.)
    """

    gain: np.ndarray
    source: np.ndarray
    clique: np.ndarray
    start: np.ndarray
    member: np.ndarray
    size: np.ndarray


def empty_row(operators: int, cliques: int, members: int) -> Row:
    """A `Row` with room for so many operators, cliques and members of cliques."""
    return Row(
        np.empty(operators),
        np.empty(operators, np.int64),
        np.empty(operators, np.int64),
        np.zeros(cliques + 1, np.int64),
        np.empty(members, np.int64),
        np.zeros(4, np.int64),
    )


@allocating
def add_operator(row, gain, source):
    k = row.size[0]
    if k < row.gain.shape[0]:
        row.gain[k] = gain
        row.source[k] = source
    row.size[0] = k + 1


@allocating
def close_clique(row, pool, chosen, depth):
    """Record ``pool[chosen[:depth]]`` as the clique of the operators added since the last one."""
    size = row.size
    if size[3] == size[0]:
        return
    for t in range(depth):
        if size[2] + t < row.member.shape[0]:
            row.member[size[2] + t] = pool[chosen[t]]
    for k in range(size[3], min(size[0], row.clique.shape[0])):
        row.clique[k] = size[1]
    size[1] += 1
    size[2] += depth
    size[3] = size[0]
    if size[1] < row.start.shape[0]:
        row.start[size[1]] = size[2]


@allocating
def joined_to(graph, marks, y):
    """The parents of y (if `marks` are the directed edges) or its neighbours (the undirected ones),
    and how many they are."""
    found = np.empty(graph.start[y + 1] - graph.start[y], np.int64)
    count = 0
    for at in range(graph.start[y], graph.start[y + 1]):
        if marks[graph.near[at], y]:
            found[count] = graph.near[at]
            count += 1
    return found, count
