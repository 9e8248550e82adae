"""Topological sorts and the cycles that prevent them."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError

__all__ = ["as_adjacency", "connected_groups", "find_cycle", "topological_order"]


def as_adjacency(matrix: ArrayLike, what: str = "adjacency") -> NDArray[np.bool_]:
    """A square, contiguous boolean matrix without self-loops, or a `GraphError`."""
    array = np.asarray(matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"{what} must be a square matrix, not an array of shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise GraphError(f"{what} must hold booleans or numbers, not {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise GraphError(f"{what} holds {np.sum(~np.isfinite(array))} entries that are not finite")
    adjacency = np.ascontiguousarray(array != 0)
    loops = np.flatnonzero(np.diagonal(adjacency))
    if loops.size:
        raise GraphError(f"{what} has {loops.size} self-loops, the first at node {loops[0]}")
    return adjacency


def topological_order(
    adjacency: ArrayLike, names: Sequence[str] | None = None
) -> NDArray[np.int64]:
    """Nodes with parents before children; among free choices the smallest index comes first.

    Parameters
    ----------
    adjacency : array-like of shape (p, p)
        ``adjacency[i, j]`` is the edge i -> j.
    names : sequence of str, optional
        Used to print the cycle when there is one.

    Raises
    ------
    GraphError
        If the graph has a directed cycle; the message spells one out.

    Examples
    --------
    >>> from arcs.graphs import topological_order
    >>> topological_order([[0, 0, 0], [1, 0, 0], [0, 1, 0]]).tolist()
    [2, 1, 0]
    """
    matrix = as_adjacency(adjacency)
    order = _sorted_part(matrix)
    if len(order) < len(matrix):
        cycle = _cycle_among(matrix, order)
        raise GraphError(f"the graph has a directed cycle: {format_cycle(cycle, names)}")
    return order


def connected_groups(edges: NDArray[np.bool_]) -> list[list[int]]:
    """The nodes of each connected component, sorted; edges count in both directions.

    Components come by their smallest node, which may be the only one.
    """
    neighbours = _targets(edges | edges.T)
    seen = [False] * len(neighbours)
    groups = []
    for start in range(len(neighbours)):
        if seen[start]:
            continue
        seen[start], group = True, [start]
        for node in group:  # grows while it is walked through
            for other in neighbours[node]:
                if not seen[other]:
                    seen[other] = True
                    group.append(other)
        groups.append(sorted(group))
    return groups


def find_cycle(adjacency: ArrayLike) -> list[int] | None:
    """The nodes of one directed cycle in the order of its arrows, or None if there is none.

    The last node points to the first; the smallest index of the cycle comes first.

    Examples
    --------
    >>> from arcs.graphs import find_cycle
    >>> find_cycle([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    [0, 1, 2]
    """
    matrix = as_adjacency(adjacency)
    order = _sorted_part(matrix)
    return None if len(order) == len(matrix) else _cycle_among(matrix, order)


def format_cycle(cycle: Sequence[int], names: Sequence[str] | None) -> str:
    """A cycle as ``a -> b -> a``; very long ones are cut in the middle."""
    labels = [str(node) if names is None else names[node] for node in [*cycle, cycle[0]]]
    if len(labels) > 24:
        labels = [*labels[:12], f"... ({len(labels) - 24} more) ...", *labels[-12:]]
    return " -> ".join(labels)


def _targets(adjacency: NDArray[np.bool_]) -> list[list[int]]:
    """For each node those that it points to."""
    sources, targets = np.nonzero(adjacency)
    ends = np.searchsorted(sources, np.arange(1, len(adjacency))).tolist()
    listed = targets.tolist()
    return [listed[a:b] for a, b in zip([0, *ends], [*ends, len(listed)], strict=True)][
        : len(adjacency)
    ]


def _sorted_part(adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Kahn's sort, the smallest free index first; nodes on or behind a cycle are left out."""
    children = _targets(adjacency)
    waiting_for = np.count_nonzero(adjacency, axis=0).tolist()
    free = [node for node, count in enumerate(waiting_for) if not count]
    order = []
    while free:
        node = heapq.heappop(free)
        order.append(node)
        for child in children[node]:
            waiting_for[child] -= 1
            if not waiting_for[child]:
                heapq.heappush(free, child)
    return np.array(order, dtype=np.int64)


def _cycle_among(adjacency: NDArray[np.bool_], sorted_nodes: NDArray[np.int64]) -> list[int]:
    """Walk backwards: every node that Kahn's sort could not place has a parent of the same kind."""
    unsorted = np.ones(len(adjacency), dtype=bool)
    unsorted[sorted_nodes] = False
    walk = [int(np.flatnonzero(unsorted)[0])]
    seen = {walk[0]: 0}
    while True:
        parent = int(np.flatnonzero(adjacency[:, walk[-1]] & unsorted)[0])
        if parent in seen:
            cycle = walk[seen[parent] :][::-1]
            first = cycle.index(min(cycle))
            return cycle[first:] + cycle[:first]
        seen[parent] = len(walk)
        walk.append(parent)
