"""Slices of a search: the compiled loops between two looks at the clock.

Each function runs a bounded piece of work on a consistent state and leaves it consistent, so that
Python can report progress, keep the best, write a checkpoint, or stop in between.
"""

import numpy as np
from numba import njit

from arcs.kernels.columns import (
    journal_close,
    journal_open,
    journal_undo,
    solve_fresh,
    store_solved,
)
from arcs.kernels.moves import (
    EPSILON,
    flip,
    flip_is_legal,
    pull,
    reinsert,
    relocate,
    total_score,
)

__all__ = ["anneal", "copy_state", "iterate", "solve_all", "sweep"]


@njit(cache=True, nogil=True)
def solve_all(problem, state, work):
    """Solve every column from nothing for the current order; return the total score."""
    for v in range(state.order.shape[0]):
        k, d, score = solve_fresh(problem, state, v, state.position[v], work)
        store_solved(problem, state, v, k, d, score, work)
    return total_score(state)


@njit(cache=True, nogil=True)
def sweep(problem, state, nodes, work):
    """Reinsert each of `nodes` once; return how many improved the score."""
    improved = 0
    for i in range(nodes.shape[0]):
        better, _ = reinsert(problem, state, nodes[i], -1, work)
        if better:
            improved += 1
    return improved


@njit(cache=True, nogil=True)
def iterate(problem, state, rng, nodes, most, temperature, work):
    """One large step (pull, or relocation of a childless node's surroundings) per node.

    A step is kept if the score did not rise (ties are kept: they walk along plateaus), or, at a
    positive temperature, with the Metropolis probability. Returns ``(kept with improvement, total
    score)``.
    """
    better = 0
    score = total_score(state)
    for i in range(nodes.shape[0]):
        x = nodes[i]
        work.counters[2] += 1
        journal_open(state, work, True)
        done = pull(problem, state, rng, x, most, work)
        if not done:
            journal_undo(problem, state, work, True)
            journal_open(state, work, True)
            done = relocate(problem, state, rng, x, most, work)
        new = total_score(state)
        keep = done and new <= score + EPSILON
        if done and not keep and temperature > 0.0:
            keep = rng.random() < np.exp((score - new) / temperature)
        if keep:
            journal_close(work)
            work.counters[3] += 1
            if new < score - EPSILON:
                better += 1
            score = new
        else:
            journal_undo(problem, state, work, True)
    return better, score


@njit(cache=True, nogil=True)
def anneal(problem, state, rng, temperatures, length, best, work, scores):
    """Algorithm 1 for ``temperatures.size`` iterations of interval flips.

    Parameters
    ----------
    temperatures : float64 (iterations,)
    length : int
        The flipped interval's length m.
    best : State
        Overwritten whenever a better state is seen.
    scores : float64 (iterations,)
        Receives the score after each iteration.

    Returns
    -------
    score, best_score : float
    """
    p = state.order.shape[0]
    score = total_score(state)
    best_score = total_score(best)
    for i in range(temperatures.shape[0]):
        start = rng.integers(0, p - length + 1)
        work.counters[4] += 1
        if flip_is_legal(problem, state, start, length):
            journal_open(state, work, False)
            flip(problem, state, start, length, work)
            change = 0.0
            for j in range(work.saved_size[0]):
                u = work.saved_nodes[j]
                change += state.score[u] - work.saved_score[u]
            accept = change <= 0.0
            if not accept and temperatures[i] > 0.0:
                accept = rng.random() < np.exp(-change / temperatures[i])
            if accept:
                journal_close(work)
                work.counters[5] += 1
                score += change
                if score < best_score - EPSILON:
                    best_score = score
                    copy_state(state, best)
            else:
                undo_flip(problem, state, start, length, work)
        scores[i] = score
    return score, best_score


@njit(cache=True, nogil=True)
def undo_flip(problem, state, start, length, work):
    """Reverse the interval again and put the changed columns back."""
    stop = start + length
    for i in range(length // 2):
        a, b = start + i, stop - 1 - i
        state.order[a], state.order[b] = state.order[b], state.order[a]
    for i in range(start, stop):
        state.position[state.order[i]] = i
    journal_undo(problem, state, work, False)


@njit(cache=True, nogil=True)
def copy_state(source, target):
    """Copy everything of one state into another."""
    target.order[:] = source.order
    target.position[:] = source.position
    target.diagonal[:] = source.diagonal
    target.score[:] = source.score
    for v in range(source.order.shape[0]):
        k = source.count[v]
        target.count[v] = k
        target.parents[v, :k] = source.parents[v, :k]
        if source.weight.shape[1] > 0:
            target.weight[v, :k] = source.weight[v, :k]
        if source.solved.shape[1] > 0:
            target.solved[v, :k] = source.solved[v, :k]
            target.factor[v, : k * (k + 1) // 2] = source.factor[v, : k * (k + 1) // 2]
