"""Greedy search over DAGs: add, delete or reverse one edge at a time.

The score is a sum over nodes, so all that a move needs is what *toggling* one parent does:
``gain[i, j]`` is the change of the score when i joins the parents of j, or leaves them. Adding or
deleting i -> j gains ``gain[i, j]``; reversing it gains ``gain[i, j] + gain[j, i]``. A move changes
the parents of one or two nodes, and only those columns are computed again: the matrix is the cache
of the search.

Acyclicity is read off the descendants of every node, kept as bit sets. They cost (edges x p / 64)
word operations to form again, far less than the scan of the gains that follows.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import allocating
from arcs.kernels.regression import COLLINEAR, factorise, forward_solve, residual_variance
from arcs.kernels.statistics import gram_entry

__all__ = [
    "ADD",
    "DELETE",
    "REVERSE",
    "ClimbState",
    "climb",
    "climb_with_tabu",
    "initial_state",
    "load_graph",
    "perturb",
    "relative_score",
]

NONE, ADD, DELETE, REVERSE = 0, 1, 2, 3

#: Improvements below this are rounding noise.
TOLERANCE = 1e-8


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
def _edge_key(i, j, p):
    """A pseudo-random 64-bit key of the edge i -> j (the finaliser of splitmix64)."""
    x = np.uint64(i * p + j + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@allocating
def _reaches(descendants, i, j):
    return (descendants[i, j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != 0


@allocating
def _refresh_descendants(adjacency, n_parents, descendants):
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
def _parents_of(adjacency, j, out):
    k = 0
    for i in range(adjacency.shape[0]):
        if adjacency[i, j]:
            out[k] = i
            k += 1
    return k


@allocating
def _gains_of_deletion(stats, state, j, parents, k, n, cost, factor, work):
    """Gains from taking each of ``parents[:k]`` away from j; returns the present residual share.

    To take a required parent away (or to turn its edge, which gains a sum) is never worth it.
    """
    others = np.empty(k + 1, np.int64)
    now = residual_variance(stats, j, parents, k, factor, work)
    for t in range(k):
        if state.required[parents[t], j]:
            continue
        at = 0
        for s in range(k):
            if s != t:
                others[at] = parents[s]
                at += 1
        share = residual_variance(stats, j, others, k - 1, factor, work)
        state.gain[parents[t], j] = n * np.log(now / share) + cost
    return now


@allocating
def _gains_of_addition(stats, state, j, parents, k, n, cost, now, factor, work):
    """Gains from every further parent of j: one forward substitution for each."""
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
        state.gain[i, j] = n * np.log(now / share) - cost


@allocating
def _refresh_column(stats, penalty, state, j):
    """Compute the gains of all toggles among the parents of j."""
    n = stats.n[stats.pattern[j]]
    state.gain[:, j] = -np.inf
    if n <= 0:
        return
    cost = penalty * np.log(n)
    k = state.n_parents[j]
    parents = np.empty(k + 1, np.int64)
    _parents_of(state.adjacency, j, parents)
    factor = np.empty((k + 1, k + 1))
    work = np.empty(k + 1)
    now = _gains_of_deletion(stats, state, j, parents, k, n, cost, factor, work)
    if k < state.limit[j]:
        _gains_of_addition(stats, state, j, parents, k, n, cost, now, factor, work)


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
                state.hash[0] ^= _edge_key(i, j, p)
        state.n_parents[j] = count
    for j in range(p):
        _refresh_column(stats, penalty, state, j)
    _refresh_descendants(state.adjacency, state.n_parents, state.descendants)
    state.total[0] = relative_score(stats, penalty, state.adjacency)
    state.landmark[:] = (state.hash[0], np.uint64(0), np.uint64(1))


@allocating
def relative_score(stats, penalty, adjacency):
    """Score of a DAG relative to the empty graph, computed from nothing."""
    p = adjacency.shape[0]
    total = 0.0
    parents = np.empty(p + 1, np.int64)
    for j in range(p):
        n = stats.n[stats.pattern[j]]
        k = _parents_of(adjacency, j, parents)
        if n > 0 and k > 0:
            factor = np.empty((k + 1, k + 1))
            share = residual_variance(stats, j, parents, k, factor, np.empty(k + 1))
            total -= n * np.log(share) + penalty * k * np.log(n)
    return total


@allocating
def _reversible(state, i, j):
    """Whether i -> j may be turned round: no other path from i to j."""
    for c in range(state.adjacency.shape[0]):
        if c != j and state.adjacency[i, c] and _reaches(state.descendants, c, j):
            return False
    return True


@allocating
def _hash_after(state, kind, i, j):
    p = state.adjacency.shape[0]
    value = state.hash[0] ^ _edge_key(i, j, p)
    if kind == REVERSE:
        value ^= _edge_key(j, i, p)
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
                    and not _reaches(state.descendants, j, i)
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
        _refresh_column(stats, penalty, state, i)
    _refresh_column(stats, penalty, state, j)
    _refresh_descendants(state.adjacency, state.n_parents, state.descendants)


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
def climb_with_tabu(stats, penalty, state, tabu, filled, best, best_total, stale, patience, moves):
    """Make the best move that does not lead back to one of the last graphs, be it downhill.

    Parameters
    ----------
    tabu : uint64 array, the hashes of the last graphs, used as a ring
    filled : int64 array (1,), how many hashes have been written so far
    best : bool (p, p), the best graph seen, updated
    best_total : float64 array (1,), its score, updated
    stale : int64 array (1,), moves since the last improvement of the best, updated
    patience : int, the search ends after this many such moves
    moves : int, how many moves to make at most in this call

    Returns
    -------
    The number of moves made and whether the search has ended.
    """
    for done in range(moves):
        if stale[0] >= patience:
            return done, True
        tabu[filled[0] % tabu.shape[0]] = state.hash[0]
        filled[0] += 1
        kind, i, j, gain = _best_move(state, tabu[: min(filled[0], tabu.shape[0])], -np.inf)
        if kind == NONE:
            return done, True
        _apply(stats, penalty, state, kind, i, j, gain)
        if state.total[0] > best_total[0] + TOLERANCE:
            best_total[0] = state.total[0]
            best[:] = state.adjacency
            stale[0] = 0
        else:
            stale[0] += 1
    return moves, stale[0] >= patience


@allocating
def _random_move(state, rng):
    """A legal move drawn at random, of an existing edge half of the time."""
    p = state.adjacency.shape[0]
    change = rng.random() < 0.5
    for _ in range(p * p):
        i, j = rng.integers(0, p), rng.integers(0, p)
        if i == j or state.adjacency[i, j] != change:
            continue
        if not change:
            if state.gain[i, j] > -np.inf and not _reaches(state.descendants, j, i):
                return ADD, i, j
        elif state.gain[i, j] == -np.inf:
            continue
        elif rng.random() < 0.5:
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
