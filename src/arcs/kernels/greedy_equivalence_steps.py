"""One step of greedy equivalence search: the path test, and the class that an operator leads to.

An operator says which member D of the present class to take: the neighbours of y in the clique C
become its parents, the others its children (and likewise around x where a turn demands it). These
arrows extend to a DAG in the class without new v-structures (Dor and Tarsi's algorithm finds it);
one edge of it is then inserted, deleted or turned, and the result completed. With experiments the
same holds within interventional classes, whose arrows include all edges of known direction.

The graph carries lists of its edges along with its matrices, so that a step costs a few passes over
the edges rather than over all pairs of nodes.
"""

import numpy as np

from arcs.kernels.equivalence import (
    Arrows,
    extension_along_lists,
    propagate_arrows_inplace,
    push_arrow,
)
from arcs.kernels.greedy_equivalence_records import ClassGraph
from arcs.kernels.jit import allocating

__all__ = ["DELETE", "INSERT", "TURN", "after_operator", "changes", "path_exists"]

INSERT = 0
DELETE = 1
TURN = 2


@allocating
def path_exists(graph, kind, x, y, clique, on_path):
    """Whether a semi-directed path from y to x makes the operator invalid.

    The nodes of the path found are marked in `on_path`: as long as it stays open, so does the
    verdict.
    """
    if kind == DELETE or (kind == TURN and graph.undirected[x, y]):
        return False
    p = graph.adjacent.shape[0]
    before = np.full(p, -1, np.int64)
    queue = np.empty(p, np.int64)
    for c in clique:
        before[c] = c
    if kind == TURN:
        for at in range(graph.start[x], graph.start[x + 1]):
            if graph.undirected[x, graph.near[at]]:
                before[graph.near[at]] = x
    before[y] = y
    queue[0] = y
    head, tail = 0, 1
    while head < tail:
        a = queue[head]
        head += 1
        for at in range(graph.start[a], graph.start[a + 1]):
            b = graph.near[at]
            if before[b] >= 0 or graph.directed[b, a] or (kind == TURN and a == y and b == x):
                continue
            before[b] = a
            if b == x:
                on_path[x] = True
                while b != y:
                    b = before[b]
                    on_path[b] = True
                return True
            queue[tail] = b
            tail += 1
    return False


# ---------------------------------------------------------------------- the member DAG


@allocating
def _orient(directed, undirected, a, b):
    undirected[a, b] = False
    undirected[b, a] = False
    directed[a, b] = True


@allocating
def _orient_around(graph, kind, x, y, clique, directed, undirected):
    """Direct the edges of which the operator fixes the direction."""
    for c in clique:
        _orient(directed, undirected, c, y)
    if kind == DELETE and undirected[x, y]:
        _orient(directed, undirected, x, y)
    for at in range(graph.start[y], graph.start[y + 1]):
        if undirected[y, graph.near[at]]:
            _orient(directed, undirected, y, graph.near[at])
    if kind != TURN:
        return
    for c in clique:
        if undirected[c, x]:
            _orient(directed, undirected, c, x)
    for at in range(graph.start[x], graph.start[x + 1]):
        if undirected[x, graph.near[at]]:
            _orient(directed, undirected, x, graph.near[at])


# ---------------------------------------------------------------------- the class of a DAG


@allocating
def _changed_lists(graph, x, y, kind):
    """The lists of adjacent nodes after x and y became adjacent, or ceased to be."""
    if kind == TURN:
        return graph.start, graph.near
    change = 1 if kind == INSERT else -1
    p = graph.start.shape[0] - 1
    start = np.zeros(p + 1, np.int64)
    near = np.empty(graph.near.shape[0] + 2 * change, np.int64)
    filled = 0
    for a in range(p):
        other = y if a == x else (x if a == y else -1)
        for at in range(graph.start[a], graph.start[a + 1]):
            if graph.near[at] != other:
                near[filled] = graph.near[at]
                filled += 1
        if kind == INSERT and other >= 0:
            near[filled] = other
            filled += 1
        start[a + 1] = filled
    return start, near


@allocating
def _is_fixed(dag, known, adjacent, start, near, a, b):
    """Whether a -> b is part of a v-structure, or of known direction."""
    if known[a, b]:
        return True
    for at in range(start[b], start[b + 1]):
        c = near[at]
        if c != a and dag[c, b] and not adjacent[a, c]:
            return True
    return False


@allocating
def _completed(dag, known, adjacent, start, near):
    """The class of a DAG, the direction of its edges in `known` being known beforehand."""
    p = dag.shape[0]
    directed = np.zeros((p, p), np.bool_)
    undirected = np.zeros((p, p), np.bool_)
    stack = np.empty(near.shape[0] // 2, np.int64), np.empty(near.shape[0] // 2, np.int64)
    graph = Arrows(directed, undirected, start, near, stack[0], stack[1])
    top = 0
    any_known = False
    for b in range(p):
        for at in range(start[b], start[b + 1]):
            a = near[at]
            if not dag[a, b]:
                continue
            any_known |= known[a, b]
            if _is_fixed(dag, known, adjacent, start, near, a, b):
                directed[a, b] = True
                top = push_arrow(graph, a, b, top)
            else:
                undirected[a, b] = True
                undirected[b, a] = True
    propagate_arrows_inplace(graph, top, any_known)
    return ClassGraph(directed, undirected, adjacent, start, near)


@allocating
def after_operator(graph, known, kind, x, y, clique):
    """The class after the operator, and whether the operator was valid."""
    directed, undirected = graph.directed.copy(), graph.undirected.copy()
    _orient_around(graph, kind, x, y, clique, directed, undirected)
    dag, exists = extension_along_lists(directed, undirected, graph.start, graph.near)
    if not exists:
        return graph, False
    dag[y, x] = False
    dag[x, y] = kind != DELETE
    start, near = _changed_lists(graph, x, y, kind)
    adjacent = graph.adjacent.copy()
    adjacent[x, y] = adjacent[y, x] = kind != DELETE
    return _completed(dag, known, adjacent, start, near), True


@allocating
def changes(old, new):
    """What a step did: the nodes with other parents or neighbours than before, and the pairs
    (a, b) such that semi-directed paths could go from a to b and no longer can."""
    p = old.adjacent.shape[0]
    changed = np.zeros(p, np.bool_)
    closed = [(np.int64(0), np.int64(0))]
    closed.pop()
    for graph in (old, new):
        for b in range(p):
            for at in range(graph.start[b], graph.start[b + 1]):
                a = graph.near[at]
                was_open = old.directed[a, b] or old.undirected[a, b]
                is_open = new.directed[a, b] or new.undirected[a, b]
                if was_open != is_open or old.undirected[a, b] != new.undirected[a, b]:
                    changed[b] = True
                    if was_open and not is_open:
                        closed.append((np.int64(a), np.int64(b)))
    pairs = np.empty((len(closed), 2), np.int64)
    for k in range(len(closed)):
        pairs[k, 0], pairs[k, 1] = closed[k]
    return changed, pairs
