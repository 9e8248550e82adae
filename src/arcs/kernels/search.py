"""Slices of a search: the compiled loops between two looks at the clock.

Each function runs a bounded piece of work on a consistent state and leaves it consistent, so that
Python can report progress, keep the best, write a checkpoint, or stop in between.
"""

import numpy as np

from arcs.kernels.columns import (
    commit_trial,
    journal_close,
    journal_open,
    journal_undo,
    refresh_column,
    refresh_factor,
    solve_fresh,
    solve_trial,
    store_solved,
)
from arcs.kernels.jit import kernel
from arcs.kernels.moves import (
    EPSILON,
    flip,
    flip_is_legal,
    reverse_interval,
    total_score,
)
from arcs.kernels.problem import FLIPS, KEPT_FLIPS, KEPT_STEPS, L0, NOBODY, STEPS, UNCONVERGED
from arcs.kernels.pulls import IMPOSSIBLE, TRIED, pull, remember_as_futile
from arcs.kernels.relocations import relocate

__all__ = [
    "anneal",
    "copy_state",
    "iterate",
    "polish_all",
    "refresh_all",
    "resolve_all",
    "solve_all",
]


@kernel
def solve_all(problem, state, work):
    """Solve every column from nothing for the current order; return the total score."""
    for v in range(state.order.shape[0]):
        k, d, score = solve_fresh(
            problem, state.position, v, state.position[v], work.scratch, work.counters
        )
        store_solved(problem, state, v, k, d, score, work)
    return total_score(state)


@kernel
def polish_all(problem, state, work):
    """Solve every column from where it is and from nothing, and keep what is better.

    Returns how many of the columns that were kept did not converge.
    """
    unsolved = 0
    before = work.counters[UNCONVERGED]
    for v in range(state.order.shape[0]):
        limit = state.position[v]
        work.counters[UNCONVERGED] = 0
        score = solve_trial(problem, state, v, limit, NOBODY, NOBODY, work)
        failed = work.counters[UNCONVERGED]
        if score < state.columns.score[v] - EPSILON:
            commit_trial(problem, state, v, work)
        work.tried[v] = 0
        work.counters[UNCONVERGED] = 0
        k, d, score = solve_fresh(problem, state.position, v, limit, work.scratch, work.counters)
        if score < state.columns.score[v] - EPSILON:
            failed = work.counters[UNCONVERGED]
            store_solved(problem, state, v, k, d, score, work)
        unsolved += failed
    work.counters[UNCONVERGED] = before
    return unsolved


@kernel
def refresh_all(problem, state):
    """l0: factors of all columns, after a state was read back from somewhere."""
    if problem.kind == L0:
        for v in range(state.order.shape[0]):
            refresh_factor(problem, state, v)


@kernel
def resolve_all(problem, state, work):
    """Solve every column again for the current order, warm-started; return the total score.

    This is how columns follow a path of penalties. As soon as a column is full (see
    ``max_parents``) the penalty is too small to be of interest, and infinity is returned.
    """
    p = state.order.shape[0]
    for v in range(p):
        refresh_column(problem, state, v, work)
        if problem.max_parents[v] <= state.columns.count[v] < p - 1:
            return np.inf
    return total_score(state)


@kernel
def iterate(problem, state, rng, nodes, most, temperature, work):
    """One large step (pull, or relocation of a childless node's surroundings) per node, unless it
    is known not to pay.

    A step is kept if the score did not rise (ties are kept: they walk along plateaus), or, at a
    positive temperature, with the Metropolis probability. Returns ``(kept with improvement, total
    score)``.
    """
    better = 0
    score = total_score(state)
    for i in range(nodes.shape[0]):
        x = nodes[i]
        work.counters[STEPS] += 1
        journal_open(state, work, True)
        outcome = pull(problem, state, rng, x, most, work)
        done = outcome == TRIED
        if outcome == IMPOSSIBLE:
            journal_undo(problem, state, work, True)
            journal_open(state, work, True)
            done = relocate(problem, state, rng, x, most, work)
        new = total_score(state)
        if outcome == TRIED:
            remember_as_futile(score, new, temperature, work)
        keep = done and new <= score + EPSILON
        if done and not keep and temperature > 0.0:
            keep = rng.random() < np.exp((score - new) / temperature)
        if keep:
            journal_close(state, work)
            work.counters[KEPT_STEPS] += 1
            if new < score - EPSILON:
                better += 1
            score = new
        else:
            journal_undo(problem, state, work, True)
    return better, score


@kernel
def anneal(problem, state, rng, temperatures, length, best, work, scores, score, best_score):
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
    score, best_score : float
        Of `state` and `best`, as the previous slice left them.

    Returns
    -------
    score, best_score : float
    """
    p = state.order.shape[0]
    for i in range(temperatures.shape[0]):
        start = int(rng.random() * (p - length + 1))
        work.counters[FLIPS] += 1
        if flip_is_legal(problem, state, start, length):
            journal_open(state, work, False)
            flip(problem, state, start, length, work)
            change = 0.0
            for j in range(work.saved_size[0]):
                u = work.saved_nodes[j]
                change += state.columns.score[u] - work.saved.score[u]
            accept = change <= 0.0
            if not accept and temperatures[i] > 0.0:
                accept = rng.random() < np.exp(-change / temperatures[i])
            if accept:
                journal_close(state, work)
                work.counters[KEPT_FLIPS] += 1
                score += change
                if score < best_score - EPSILON:
                    best_score = score
                    copy_state(state, best)
            else:
                reverse_interval(state, start, length)
                journal_undo(problem, state, work, False)
        scores[i] = score
    return score, best_score


@kernel
def copy_state(source, target):
    """Copy everything of one state into another."""
    kept, copied = source.columns, target.columns
    for v in range(source.order.shape[0]):
        target.order[v] = source.order[v]
        target.position[v] = source.position[v]
        k = kept.count[v]
        copied.count[v] = k
        copied.diagonal[v] = kept.diagonal[v]
        copied.score[v] = kept.score[v]
        for i in range(k):
            copied.parents[v, i] = kept.parents[v, i]
            if kept.weight.shape[1] > 0:
                copied.weight[v, i] = kept.weight[v, i]
            else:
                target.solved[v, i] = source.solved[v, i]
        if kept.weight.shape[1] == 0:
            for i in range(k * (k + 1) // 2):
                target.factor[v, i] = source.factor[v, i]
