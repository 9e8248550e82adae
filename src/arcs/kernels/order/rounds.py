"""Rounds: several large steps are tried from the same state, and those that fit together are kept.

Most steps end in vain, and what the others change is small and far apart. So the steps of a round
need not wait for each other: each is tried from the state that the round began with (by whoever has
time), told as an :class:`~arcs.kernels.order.records.Outcome`, and undone. Then, in the order of
their numbers, outcomes are *merged*: scores are sums over columns, so that two steps which change
different columns add up, unless their edges form a cycle together; what does not fit is dropped.

A step must not depend on who tries it. So nothing is remembered while a round lasts but what
follows from the columns alone (``memory.frozen``): which pulls are futile, and who turned out to be
of no use, is told with the outcome, and remembered by all between rounds.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.order.columns import adopt_column, put_column
from arcs.kernels.order.futile import was_in_vain
from arcs.kernels.order.journal import (
    is_as_saved,
    journal_close,
    journal_open,
    undo_with_order,
)
from arcs.kernels.order.records import ZERO
from arcs.kernels.order.search import try_step

__all__ = ["FUTILE", "KEPT", "SIGNATURE", "SIZE", "attempt", "follow", "learn", "merge", "unlearn"]

#: Entries of ``Outcome.facts``: whether the step is to be kept, how many nodes would change their
#: parents, whether it was a pull in vain, the signature of that, and how many pairs
#: were noted.
KEPT, SIZE, FUTILE, SIGNATURE, NOTED = range(5)


@kernel
def attempt(problem, state, rng, x, most, temperature, work, outcome):
    """Try a large step from x, write what it changes to `outcome`, and undo it."""
    keep, score, new, pulled = try_step(problem, state, rng, x, most, temperature, work)
    journal, facts = work.journal, outcome.facts
    size = ZERO
    for i in range(journal.size[0]):
        u = journal.nodes[i]
        if keep and not is_as_saved(state, u, journal):
            put_column(problem, state.columns, outcome.columns, u)
            outcome.nodes[size] = u
            size += 1
    for i in range(state.order.shape[0]):
        outcome.order[i] = state.order[i]
    facts[KEPT], facts[SIZE] = keep, size
    facts[FUTILE] = pulled and was_in_vain(score, new, temperature)
    facts[SIGNATURE] = work.memory.signature[0]
    outcome.change[0] = new - score
    undo_with_order(problem, state, work)
    facts[NOTED] = _forget_noted(work.memory, outcome)


@kernel
def _forget_noted(memory, outcome):
    """Tell what was noted in this step, and forget it; returns how many pairs that are."""
    told = memory.n_noted[0]
    for i in range(told):
        v, u = memory.noted[i, 0], memory.noted[i, 1]
        outcome.noted[i, 0], outcome.noted[i, 1] = v, u
        memory.failed[u, v] = 0
    memory.n_noted[0] = 0
    return told


@kernel
def learn(outcome, changed, memory):
    """Remember who was of no use, as far as columns are what they were."""
    for i in range(outcome.facts[NOTED]):
        v, u = outcome.noted[i, 0], outcome.noted[i, 1]
        if changed[u] == 0:
            memory.failed[u, v] = 1


@kernel
def unlearn(changed, memory):
    """Forget who was of no use to columns that have changed."""
    for u in range(changed.shape[0]):
        if changed[u] != 0:
            memory.failed[u, :] = 0


@kernel
def _sort_again(state, jump):
    """Sort the order anew so that parents come first, everybody else as they stood; returns whether
    that is possible."""
    p = state.order.shape[0]
    mark, stack, sorted_ = jump.mark, jump.path, jump.front
    mark[:] = 0  # 1: waits for its parents, 2: placed
    placed = 0
    for i in range(p):
        depth = 0
        if mark[state.order[i]] == 0:
            stack[0] = state.order[i]
            mark[stack[0]] = 1
            depth = 1
        while depth > 0:
            u = stack[depth - 1]
            first = np.int64(-1)
            for t in range(state.columns.count[u]):
                parent = state.columns.parents[u, t]
                if mark[parent] == 1:
                    return False
                if mark[parent] == 0 and first < 0:
                    first = parent
            if first >= 0:
                stack[depth] = first
                mark[first] = 1
                depth += 1
            else:
                mark[u] = 2
                sorted_[placed] = u
                placed += 1
                depth -= 1
    _put_order(state, sorted_)
    return True


@kernel
def _put_order(state, order):
    for i in range(state.order.shape[0]):
        state.order[i] = order[i]
        state.position[order[i]] = i


@kernel
def merge(problem, state, outcome, changed, work):
    """Do what `outcome` tells unless it does not fit what was done in this round (`changed`: whose
    columns); returns whether it was done."""
    size = outcome.facts[SIZE]
    first = True
    for u in range(changed.shape[0]):
        first = first and changed[u] == 0
    for i in range(size):
        if changed[outcome.nodes[i]] != 0:
            return False
    journal_open(state, work.journal, True)
    for i in range(size):
        adopt_column(problem, outcome.columns, state, outcome.nodes[i], work)
    if first:
        _put_order(state, outcome.order)
    elif not _sort_again(state, work.jump):
        undo_with_order(problem, state, work)
        return False
    journal_close(state, work)
    for i in range(size):
        changed[outcome.nodes[i]] = 1
    return True


@kernel
def follow(problem, source, state, changed, work):
    """Bring `state` to where `source` is, given whose columns differ."""
    for u in range(changed.shape[0]):
        if changed[u] != 0:
            adopt_column(problem, source.columns, state, u, work)
    _put_order(state, source.order)
