"""Slices of a search: the compiled loops between two looks at the clock.

Each function runs a bounded piece of work on a consistent state and leaves it consistent, so that
Python can report progress, keep the best, write a checkpoint, or stop in between.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.order.columns import (
    commit_trial,
    put_column,
    refresh_column,
    solve_trial,
    store_solved,
    total_score,
)
from arcs.kernels.order.engine import refresh, solve_fresh
from arcs.kernels.order.flips import flip, flip_is_legal, reverse_interval
from arcs.kernels.order.futile import remember_as_futile
from arcs.kernels.order.journal import (
    journal_close,
    journal_open,
    journal_undo,
    undo_with_order,
)
from arcs.kernels.order.pulls import IMPOSSIBLE, TRIED, pull
from arcs.kernels.order.records import (
    EPSILON,
    FLIPS,
    KEPT_FLIPS,
    KEPT_STEPS,
    STEPS,
    UNCONVERGED,
    before,
)
from arcs.kernels.order.relocations import relocate

__all__ = [
    "anneal",
    "copy_state",
    "iterate",
    "polish_all",
    "refresh_all",
    "resolve_all",
    "solve_all",
    "solve_one",
    "try_step",
]


@kernel
def solve_one(problem, state, v, work):
    """Solve v's column from nothing for the current order."""
    k, score = solve_fresh(problem, state.position, v, state.position[v], work)
    store_solved(problem, state, v, k, score, work)


@kernel
def solve_all(problem, state, work):
    """Solve every column from nothing for the current order; return the total score."""
    for v in range(state.order.shape[0]):
        solve_one(problem, state, v, work)
    return total_score(state)


@kernel
def polish_all(problem, state, work):
    """Solve every column from where it is and from nothing, and keep what is better.

    Returns how many of the columns that were kept did not converge.
    """
    unsolved = 0
    counters = work.counters
    so_far = counters[UNCONVERGED]
    for v in range(state.order.shape[0]):
        limit = state.position[v]
        counters[UNCONVERGED] = 0
        score = solve_trial(problem, state, v, before(limit), work)
        failed = counters[UNCONVERGED]
        if score < state.columns.score[v] - EPSILON:
            commit_trial(problem, state, v, work)
        work.tried[v] = 0
        counters[UNCONVERGED] = 0
        k, score = solve_fresh(problem, state.position, v, limit, work)
        if score < state.columns.score[v] - EPSILON:
            failed = counters[UNCONVERGED]
            store_solved(problem, state, v, k, score, work)
        unsolved += failed
    counters[UNCONVERGED] = so_far
    return unsolved


@kernel
def refresh_all(problem, state):
    """What is derived from the columns, after a state was read back from somewhere."""
    for v in range(state.order.shape[0]):
        refresh(problem, state, v)


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
def try_step(problem, state, rng, x, most, temperature, work):
    """A large step from x: a pull, or the relocation of its surroundings if it cannot be pulled.

    Returns ``(whether to keep it, the score before, the score after, whether it was a pull)``, and
    leaves the journal open. It is to be kept if the score did not rise (ties are kept: they walk
    along plateaus), or, at a positive temperature, with the Metropolis probability.
    """
    score = total_score(state)
    work.counters[STEPS] += 1
    journal_open(state, work.journal, True)
    outcome = pull(problem, state, rng, x, most, work)
    done = outcome == TRIED
    if outcome == IMPOSSIBLE:
        undo_with_order(problem, state, work)
        journal_open(state, work.journal, True)
        done = relocate(problem, state, rng, x, most, work)
    new = total_score(state)
    keep = done and new <= score + EPSILON
    if done and not keep and temperature > 0.0:
        keep = rng.random() < np.exp((score - new) / temperature)
    work.counters[KEPT_STEPS] += keep
    return keep, score, new, outcome == TRIED


@kernel
def iterate(problem, state, rng, nodes, most, temperature, work):
    """One large step per node, unless it is known not to pay, each kept or undone.

    Returns ``(kept with improvement, total score)``.
    """
    better = 0
    for i in range(nodes.shape[0]):
        keep, score, new, pulled = try_step(problem, state, rng, nodes[i], most, temperature, work)
        if pulled:
            remember_as_futile(score, new, temperature, work.memory)
        if keep:
            journal_close(state, work)
            better += new < score - EPSILON
        else:
            undo_with_order(problem, state, work)
    return better, total_score(state)


@kernel
def anneal(problem, state, best, rng, walk, length, work):
    """Algorithm 1: an interval of that length is flipped for every temperature of the walk.

    Scores after each flip are written to the walk, `best` is overwritten whenever a better state is
    seen, and the energies of both are brought up to date.
    """
    p = state.order.shape[0]
    journal, energies = work.journal, walk.energies
    for i in range(walk.temperatures.shape[0]):
        temperature = walk.temperatures[i]
        start = int(rng.random() * (p - length + 1))
        work.counters[FLIPS] += 1
        if flip_is_legal(problem, state, start, length):
            journal_open(state, journal, False)
            flip(problem, state, start, length, work)
            change = 0.0
            for j in range(journal.size[0]):
                u = journal.nodes[j]
                change += state.columns.score[u] - journal.columns.score[u]
            accept = change <= 0.0
            if not accept and temperature > 0.0:
                accept = rng.random() < np.exp(-change / temperature)
            if accept:
                journal_close(state, work)
                work.counters[KEPT_FLIPS] += 1
                energies[0] += change
                if energies[0] < energies[1] - EPSILON:
                    energies[1] = energies[0]
                    copy_state(problem, state, best)
            else:
                reverse_interval(state, start, length)
                journal_undo(problem, state, work)
        walk.scores[i] = energies[0]


@kernel
def copy_state(problem, source, target):
    """Copy everything of one state into another."""
    for v in range(source.order.shape[0]):
        target.order[v] = source.order[v]
        target.position[v] = source.position[v]
        put_column(problem, source.columns, target.columns, v)
        refresh(problem, target, v)
