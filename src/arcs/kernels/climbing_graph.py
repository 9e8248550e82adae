"""The graph of a hill climb: edges, descendants and a hash, as arrays that are changed in place.

Acyclicity is read off the descendants of every node, kept as bit sets. They cost (edges x p / 64)
word operations to form again, far less than the scan of the gains that follows.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating

__all__ = [
    "ClimbState",
    "edge_key",
    "initial_state",
    "parents_of",
    "reaches",
    "refresh_descendants",
]


class ClimbState(NamedTuple):
    """Where the search stands, as arrays that the kernels change in place.

    Attributes
    ----------
    adjacency : bool (p, p), ``[i, j]`` is i -> j
    n_parents : int64 (p,)
    gain : float64 (p, p), the gain from toggling i among the parents of j; -inf if not allowed
    descendants : uint64 (p, words), bit j of row i: there is a path from i to j
    allowed : bool (p, p), the edges that may be added
    required : bool (p, p), the edges that must stay
    limit : int64 (p,), the largest number of parents of each node
    hash : uint64 (1,), exclusive-or of the keys of the edges
    total : float64 (1,), the score relative to the empty graph
    landmark : uint64 (3,), hash of an earlier graph, moves since, and moves until the next one
    """

    adjacency: np.ndarray
    n_parents: np.ndarray
    gain: np.ndarray
    descendants: np.ndarray
    allowed: np.ndarray
    required: np.ndarray
    limit: np.ndarray
    hash: np.ndarray
    total: np.ndarray
    landmark: np.ndarray


def initial_state(
    allowed: np.ndarray, limit: np.ndarray, required: np.ndarray | None = None
) -> ClimbState:
    """A state with the empty graph; :func:`load_graph` must be called before the search."""
    p = allowed.shape[0]
    if required is None:
        required = np.zeros((p, p), np.bool_)
    return ClimbState(
        adjacency=np.zeros((p, p), np.bool_),
        n_parents=np.zeros(p, np.int64),
        gain=np.full((p, p), -np.inf),
        descendants=np.zeros((p, (p + 63) // 64), np.uint64),
        allowed=np.ascontiguousarray(allowed, dtype=np.bool_),
        required=np.ascontiguousarray(required, dtype=np.bool_),
        limit=np.asarray(limit, dtype=np.int64),
        hash=np.zeros(1, np.uint64),
        total=np.zeros(1),
        landmark=np.zeros(3, np.uint64),
    )


@allocating
def edge_key(i, j, p):
    """A pseudo-random 64-bit key of the edge i -> j (the finaliser of splitmix64)."""
    x = np.uint64(i * p + j + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@allocating
def reaches(descendants, i, j):
    return (descendants[i, j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != 0


@allocating
def refresh_descendants(adjacency, n_parents, descendants):
    """Form all sets of descendants anew, from the last node of a topological order backwards."""
    p, words = descendants.shape
    waiting = n_parents.copy()
    order = np.empty(p, np.int64)
    stop = 0
    for i in range(p):
        if waiting[i] == 0:
            order[stop] = i
            stop += 1
    at = 0
    while at < stop:
        for j in range(p):
            if adjacency[order[at], j]:
                waiting[j] -= 1
                if waiting[j] == 0:
                    order[stop] = j
                    stop += 1
        at += 1
    descendants[:] = np.uint64(0)
    for at in range(p - 1, -1, -1):
        i = order[at]
        for j in range(p):
            if adjacency[i, j]:
                descendants[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
                for w in range(words):
                    descendants[i, w] |= descendants[j, w]


@allocating
def parents_of(adjacency, j, out):
    k = 0
    for i in range(adjacency.shape[0]):
        if adjacency[i, j]:
            out[k] = i
            k += 1
    return k
