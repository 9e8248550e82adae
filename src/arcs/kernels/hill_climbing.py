"""Greedy search over DAGs: add, delete or reverse one edge at a time.

The score is a sum over nodes, so all that a move needs is what *toggling* one parent does
(:mod:`arcs.kernels.climbing_gains`). Adding or deleting i -> j gains ``gain[i, j]``; reversing it
gains ``gain[i, j] + gain[j, i]``. A move changes the parents of one or two nodes, and only those
columns are computed again: the matrix is the cache of the search.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.climbing_gains import refresh_column, relative_score
from arcs.kernels.climbing_graph import edge_key, reaches, refresh_descendants
from arcs.kernels.jit import allocating

__all__ = [
    "ADD",
    "DELETE",
    "REVERSE",
    "TabuSearch",
    "climb",
    "climb_with_tabu",
    "load_graph",
    "new_tabu_search",
    "perturb",
]

NONE, ADD, DELETE, REVERSE = 0, 1, 2, 3

#: Improvements below this are rounding noise.
TOLERANCE = 1e-8
#: Chances, among random moves, that an edge is changed and not added, and then that it is deleted
#: and not turned.
_CHANGE_AN_EDGE = 0.5
_DELETE_IT = 0.5


class TabuSearch(NamedTuple):
    """The last graphs, and the best so far, as arrays that the kernels change in place.

    Attributes
    ----------
    last : uint64 array, the hashes of the last graphs, used as a ring
    written : int64 (1,), how many hashes have been written so far
    stale : int64 (1,), moves since the last improvement of the best
    best : bool (p, p), the best graph seen
    best_total : float64 (1,), its score
    """

    last: np.ndarray
    written: np.ndarray
    stale: np.ndarray
    best: np.ndarray
    best_total: np.ndarray


def new_tabu_search(size: int, best: np.ndarray, best_total: np.ndarray) -> TabuSearch:
    """A record of the last `size` graphs, none of them known yet; the best is updated in place."""
    counts = np.zeros(1, np.int64), np.zeros(1, np.int64)
    return TabuSearch(np.zeros(size, np.uint64), *counts, best, best_total)


@allocating
def load_graph(stats, penalty, state, adjacency):
    """Make `adjacency` (a DAG) the current graph."""
    p = adjacency.shape[0]
    state.adjacency[:] = adjacency
    state.hash[0] = np.uint64(0)
    for j in range(p):
        count = 0
        for i in range(p):
            if adjacency[i, j]:
                count += 1
                state.hash[0] ^= edge_key(i, j, p)
        state.n_parents[j] = count
    for j in range(p):
        refresh_column(stats, penalty, state, j)
    refresh_descendants(state.adjacency, state.n_parents, state.descendants)
    state.total[0] = relative_score(stats, penalty, state.adjacency)
    state.landmark[:] = (state.hash[0], np.uint64(0), np.uint64(1))


@allocating
def _reversible(state, i, j):
    """Whether i -> j may be turned round: no other path from i to j."""
    for c in range(state.adjacency.shape[0]):
        if c != j and state.adjacency[i, c] and reaches(state.descendants, c, j):
            return False
    return True


@allocating
def _hash_after(state, kind, i, j):
    p = state.adjacency.shape[0]
    value = state.hash[0] ^ edge_key(i, j, p)
    if kind == REVERSE:
        value ^= edge_key(j, i, p)
    return value


@allocating
def _is_tabu(state, kind, i, j, tabu):
    if tabu.shape[0] == 0:
        return False
    value = _hash_after(state, kind, i, j)
    for t in range(tabu.shape[0]):
        if tabu[t] == value:
            return True
    return False


@allocating
def _best_move(state, tabu, least):
    """The best legal move that gains more than `least`: its kind, edge and gain."""
    p = state.adjacency.shape[0]
    best, kind, tail, head = least, NONE, 0, 0
    for i in range(p):
        for j in range(p):
            gain = state.gain[i, j]
            if not state.adjacency[i, j]:
                if (
                    gain > best
                    and not reaches(state.descendants, j, i)
                    and not _is_tabu(state, ADD, i, j, tabu)
                ):
                    best, kind, tail, head = gain, ADD, i, j
                continue
            if gain > best and not _is_tabu(state, DELETE, i, j, tabu):
                best, kind, tail, head = gain, DELETE, i, j
            gain += state.gain[j, i]
            if (
                gain > best
                and _reversible(state, i, j)
                and not _is_tabu(state, REVERSE, i, j, tabu)
            ):
                best, kind, tail, head = gain, REVERSE, i, j
    return kind, tail, head, best


@allocating
def _apply(stats, penalty, state, kind, i, j, gain):
    """Carry out a move on i -> j and bring the state up to date."""
    state.hash[0] = _hash_after(state, kind, i, j)
    state.total[0] += gain
    if kind == ADD:
        state.adjacency[i, j] = True
        state.n_parents[j] += 1
    else:
        state.adjacency[i, j] = False
        state.n_parents[j] -= 1
    if kind == REVERSE:
        state.adjacency[j, i] = True
        state.n_parents[i] += 1
        refresh_column(stats, penalty, state, i)
    refresh_column(stats, penalty, state, j)
    refresh_descendants(state.adjacency, state.n_parents, state.descendants)


@allocating
def _went_round(state):
    """Whether the search is back at an earlier graph (Brent's cycle detection).

    Scores are known up to rounding (large for many rows or nearly collinear columns), so moves
    between equivalent graphs may all seem to improve. The next move depends on the graph alone:
    to come back once is to come back for ever.
    """
    if state.hash[0] == state.landmark[0]:
        return True
    state.landmark[1] += np.uint64(1)
    if state.landmark[1] == state.landmark[2]:
        state.landmark[0] = state.hash[0]
        state.landmark[1] = np.uint64(0)
        state.landmark[2] *= np.uint64(2)
    return False


@allocating
def climb(stats, penalty, state, max_moves):
    """Make the best move while it improves the score; at most `max_moves` of them.

    Returns the number of moves made and whether a local optimum was reached.
    """
    tabu = np.empty(0, np.uint64)
    for done in range(max_moves):
        kind, i, j, gain = _best_move(state, tabu, TOLERANCE)
        if kind == NONE:
            return done, True
        _apply(stats, penalty, state, kind, i, j, gain)
        if _went_round(state):
            return done + 1, True
    return max_moves, False


@allocating
def climb_with_tabu(stats, penalty, state, search, patience, moves):
    """Make the best move that does not lead back to one of the last graphs, be it downhill.

    The search ends after `patience` moves without a new best; at most `moves` are made in this
    call. Returns the number of moves made and whether the search has ended.
    """
    last, written, stale = search.last, search.written, search.stale
    for done in range(moves):
        if stale[0] >= patience:
            return done, True
        last[written[0] % last.shape[0]] = state.hash[0]
        written[0] += 1
        kind, i, j, gain = _best_move(state, last[: min(written[0], last.shape[0])], -np.inf)
        if kind == NONE:
            return done, True
        _apply(stats, penalty, state, kind, i, j, gain)
        if state.total[0] > search.best_total[0] + TOLERANCE:
            search.best_total[0] = state.total[0]
            search.best[:] = state.adjacency
            stale[0] = 0
        else:
            stale[0] += 1
    return moves, stale[0] >= patience


@allocating
def _random_move(state, rng):
    """A legal move drawn at random, of an existing edge half of the time."""
    p = state.adjacency.shape[0]
    change = rng.random() < _CHANGE_AN_EDGE
    for _ in range(p * p):
        i, j = rng.integers(0, p), rng.integers(0, p)
        if i == j or state.adjacency[i, j] != change:
            continue
        if not change:
            if state.gain[i, j] > -np.inf and not reaches(state.descendants, j, i):
                return ADD, i, j
        elif state.gain[i, j] == -np.inf:
            continue
        elif rng.random() < _DELETE_IT:
            return DELETE, i, j
        elif state.gain[j, i] > -np.inf and _reversible(state, i, j):
            return REVERSE, i, j
    return NONE, 0, 0


@allocating
def perturb(stats, penalty, state, n_moves, rng):
    """Make `n_moves` random legal moves: the start of another climb."""
    for _ in range(n_moves):
        kind, i, j = _random_move(state, rng)
        if kind == NONE:
            continue
        gain = state.gain[i, j]
        if kind == REVERSE:
            gain += state.gain[j, i]
        _apply(stats, penalty, state, kind, i, j, gain)
    state.landmark[:] = (state.hash[0], np.uint64(0), np.uint64(1))
