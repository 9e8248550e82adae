"""Engines that score whole families: parent sets are grown and shrunk by looking things up.

Serves every kind of problem whose nodes are scored as (node, parent set) from the data: categorical
nodes from counts (:mod:`arcs.kernels.order.discrete`), blocks of columns. Such a problem says how
a family scores, which candidates are worth adding, and what a parent costs; all else is here, and
what was asked once is known from then on (:mod:`arcs.kernels.order.memo`).

Sets are grown strictly, then at a lenient price, since parents may help only together, and shrunk
again; the outcome is never worse than that of plain growth. Required parents come first in a set,
and stay.
"""

import numpy as np

from arcs.kernels.jit import kernel
from arcs.kernels.order.columns import count_required, is_candidate, required_parents
from arcs.kernels.order.engine import list_candidates, price_of_parent, score_family
from arcs.kernels.order.memo import find, forget_if_full, insert
from arcs.kernels.order.records import SOLVES, ZERO, before, copy_nodes

__all__ = [
    "firm_members",
    "is_worth_adding",
    "known_score",
    "solve_from_nothing",
    "walk",
    "warm",
]

#: Differences below this many nats are ties.
_TIE = 1e-9
#: Rounds of shrinking and growing; two or three are the rule.
_MOST_ROUNDS = 20


@kernel
def _record(problem, u, chosen, k, scratch):
    """The record of a family, made if it is new."""
    record = find(scratch.memo, u, chosen, k)
    if record < 0:
        score = score_family(problem, u, chosen, k, scratch)
        record = insert(scratch.memo, u, chosen, k, score)
    return record


@kernel
def known_score(problem, u, chosen, k, scratch):
    """The score of u with the parents ``chosen[:k]``, looked up or from the data."""
    forget_if_full(scratch.memo, problem.max_parents.shape[0])
    return scratch.memo.score[_record(problem, u, chosen, k, scratch)]


@kernel
def _joined(u, k, best, scratch):
    """The record of ``scratch.chosen[:k]``, whose last member is that entry of a list."""
    memo = scratch.memo
    record = np.int64(memo.joined[best])
    if record < 0:
        record = find(memo, u, scratch.chosen, k)
        if record < 0:
            record = insert(memo, u, scratch.chosen, k, memo.with_them[best])
        memo.joined[best] = record
    return record


@kernel
def _grow(problem, position, u, candidates, k, record, strict, scratch):
    """Add the best candidate of a list until none pays (leniently, unless `strict`); returns ``(k,
    record)``."""
    memo = scratch.memo
    while k < problem.max_parents[u]:
        if memo.length[record] < 0:
            list_candidates(problem, u, k, record, scratch)
        start = memo.start[record]
        best = np.int64(-1)
        for at in range(start, start + memo.length[record]):
            if strict and memo.with_them[at] >= memo.score[record] - _TIE:
                break
            if is_candidate(problem, position, memo.who[at], u, candidates):
                best = at
                break
        if best < 0:
            break
        scratch.chosen[k] = memo.who[best]
        k += 1
        record = _joined(u, k, best, scratch)
    return k, record


@kernel
def _least_missed(problem, u, fixed, k, record, chosen, scratch, firm):
    """The parent that is missed least (with `firm`, beyond its price), as ``(its place, the record
    without it, how much it is missed)``; of several the one with the lowest number, so that the
    order of `chosen` does not show."""
    memo = scratch.memo
    best, best_at, least = np.int64(-1), fixed, np.inf
    for t in range(fixed, k):
        chosen[t], chosen[k - 1] = chosen[k - 1], chosen[t]
        without = _record(problem, u, chosen, k - 1, scratch)
        missed = memo.score[without] - memo.score[record]
        if firm:
            missed -= price_of_parent(problem, u, chosen, k - 1)
        chosen[t], chosen[k - 1] = chosen[k - 1], chosen[t]
        if missed < least or (missed == least and chosen[t] < chosen[best_at]):
            best, best_at, least = without, t, missed
    return best_at, best, least


@kernel
def _drop(chosen, at, k):
    """Take a member out of ``chosen[:k]``."""
    for t in range(at, k - 1):
        chosen[t] = chosen[t + 1]


@kernel
def _shrink(problem, u, fixed, k, record, scratch):
    """Drop the parent that is missed least while it is not worth its price; returns ``(k,
    record)``."""
    memo, chosen = scratch.memo, scratch.chosen
    while k > fixed:
        if memo.without[record] < 0:
            at, without, _ = _least_missed(problem, u, fixed, k, record, chosen, scratch, False)
            memo.least[record], memo.without[record] = chosen[at], without
        without = np.int64(memo.without[record])
        if memo.score[without] - memo.score[record] >= _TIE:
            break
        at = fixed
        while chosen[at] != memo.least[record]:
            at += 1
        _drop(chosen, at, k)
        k -= 1
        record = without
    return k, record


@kernel
def _settle(problem, position, u, candidates, k, record, scratch):
    """Shrink and grow strictly until nothing changes; returns ``(k, record)``."""
    fixed = count_required(problem, u, k, scratch.chosen)
    for _ in range(_MOST_ROUNDS):
        size = k
        k, record = _shrink(problem, u, fixed, k, record, scratch)
        if k == size:
            break
        size = k
        k, record = _grow(problem, position, u, candidates, k, record, True, scratch)
        if k == size:
            break
    return k, record


@kernel
def walk(problem, position, u, candidates, k, scratch):
    """Find parents for u among the candidates, starting from ``scratch.chosen[:k]``, where they are
    left; returns ``(k, score)``."""
    memo = scratch.memo
    forget_if_full(memo, problem.max_parents.shape[0])
    record = _record(problem, u, scratch.chosen, k, scratch)
    k, record = _grow(problem, position, u, candidates, k, record, True, scratch)
    plain, plain_record = k, record
    copy_nodes(scratch.chosen, scratch.plain, k)
    if problem.lenient < 1.0:
        k, record = _grow(problem, position, u, candidates, k, record, False, scratch)
    k, record = _settle(problem, position, u, candidates, k, record, scratch)
    if memo.score[record] > memo.score[plain_record] + _TIE:
        copy_nodes(scratch.plain, scratch.chosen, plain)
        k, record = _settle(problem, position, u, candidates, plain, plain_record, scratch)
    return k, memo.score[record]


@kernel
def warm(problem, state, u, candidates, work):
    """Solve u's column from its present parents and the candidate that joins; returns ``(k,
    score)``."""
    columns, scratch = state.columns, work.scratch
    k = required_parents(problem, u, scratch.chosen)
    fixed = k
    joins = candidates.plus >= 0
    for i in range(fixed, columns.count[u]):
        c = columns.parents[u, i]
        if is_candidate(problem, state.position, c, u, candidates):
            scratch.chosen[k] = c
            k += 1
            joins = joins and c != candidates.plus
    if joins and k < problem.max_parents[u]:
        if is_candidate(problem, state.position, candidates.plus, u, candidates):
            scratch.chosen[k] = candidates.plus
            k += 1
    return walk(problem, state.position, u, candidates, k, scratch)


@kernel
def solve_from_nothing(problem, position, u, limit, work):
    """Solve u's column from its required parents; returns ``(k, score)``."""
    work.counters[SOLVES] += 1
    k = required_parents(problem, u, work.scratch.chosen)
    return walk(problem, position, u, before(limit), k, work.scratch)


@kernel
def is_worth_adding(problem, state, u, v, work):
    """Whether v would (leniently) be worth adding to u's parents."""
    scratch, k = work.scratch, state.columns.count[u]
    if k >= problem.max_parents[u]:
        return False
    memo = scratch.memo
    forget_if_full(memo, problem.max_parents.shape[0])
    copy_nodes(state.columns.parents[u], scratch.chosen, k)
    record = _record(problem, u, scratch.chosen, k, scratch)
    if memo.length[record] < 0:
        list_candidates(problem, u, k, record, scratch)
    for at in range(memo.start[record], memo.start[record] + memo.length[record]):
        if memo.who[at] == v:
            return True
    return False


@kernel
def firm_members(problem, state, u, out, work):
    """Write the parents of u that are worth twice their price to `out`; returns how many."""
    scratch, k = work.scratch, state.columns.count[u]
    forget_if_full(scratch.memo, problem.max_parents.shape[0])
    copy_nodes(state.columns.parents[u], out, k)
    record = _record(problem, u, out, k, scratch)
    while k > 0:
        at, record, missed = _least_missed(problem, u, ZERO, k, record, out, scratch, True)
        if missed >= _TIE:
            break
        _drop(out, at, k)
        k -= 1
    return k
