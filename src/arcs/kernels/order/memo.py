"""What is known of (node, parent set) pairs: the score, and who would be worth adding.

A search asks for the same families again and again. Each one that was visited has a *record*: its
score and, once somebody wants to add a parent, the list of all candidates that would (leniently)
pay, best first; once somebody wants to drop one, which is missed least. A step of growth is then
the first open candidate of a list, whatever the order of the nodes is; data are read only for a
record that is new.

Records are found through a hash table and recognised by node and members, not by the hash alone.
The scores in it depend on nothing but node and set, so that a memo changes the time that a search
takes and never its answer. A memo that is full is emptied: its memory does not grow.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.jit import inlined, kernel

__all__ = ["Memo", "find", "forget_if_full", "insert", "new_memo", "sort_in"]

#: Entries of `Memo.sizes`.
RECORDS, LISTED, COUNTED, EMPTIED = range(4)
#: More than a solve visits (20 rounds of growing and shrinking sets of at most MOST_PARENTS), so
#: that no record is forgotten while somebody holds it.
_RECORDS_PER_SOLVE, _LISTS_PER_SOLVE = 4096, 400
#: Largest set of parents.
MOST_PARENTS = 16


class Memo(NamedTuple):
    """Records and lists.

    Attributes
    ----------
    slots : int32, a power of two; record + 1, or 0
    family : int32 (records, 2 + most parents), the node, the number of its parents, and those, in
        any order
    score : float64 (records,)
    least : int32 (records,), the parent that is missed least
    without : int32 (records,), the record without that one; -1: not known yet
    start : int64 (records,), where its list begins
    length : int32 (records,), of its list; -1: not listed yet
    who : int32 (entries,), candidates of all lists
    with_them : float64 (entries,), the score with that candidate
    joined : int32 (entries,), the record with that candidate; -1: not known yet
    sizes : int64 (4,), records, entries, families counted, times emptied
    """

    slots: np.ndarray
    family: np.ndarray
    score: np.ndarray
    least: np.ndarray
    without: np.ndarray
    start: np.ndarray
    length: np.ndarray
    who: np.ndarray
    with_them: np.ndarray
    joined: np.ndarray
    sizes: np.ndarray


def new_memo(p: int, most_parents: int, records: int = 1 << 18) -> Memo:
    """An empty memo. It takes ``records x (4 most_parents + 172)`` bytes (p up to 1,310)."""
    entries = max(8 * records, 4 * _LISTS_PER_SOLVE * p)
    return Memo(
        slots=np.zeros(2 * records, np.int32),
        family=np.zeros((records, 2 + max(most_parents, 1)), np.int32),
        score=np.zeros(records),
        least=np.zeros(records, np.int32),
        without=np.zeros(records, np.int32),
        start=np.zeros(records, np.int64),
        length=np.zeros(records, np.int32),
        who=np.zeros(entries, np.int32),
        with_them=np.zeros(entries),
        joined=np.zeros(entries, np.int32),
        sizes=np.zeros(4, np.int64),
    )


@inlined
def _scrambled(x):
    """Mix the bits of a number (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def _slot(memo, u, chosen, k):
    """Where the search for a record begins: the same for any order of the members."""
    code = np.uint64(0)
    for t in range(k):
        code += _scrambled(np.uint64(chosen[t] + 1) * np.uint64(0x9E3779B97F4A7C15))
    code = _scrambled(code + np.uint64(u))
    return np.int64(code & np.uint64(memo.slots.shape[0] - 1))


@inlined
def _is_it(memo, record, u, chosen, k):
    """Whether a record is that of u with ``chosen[:k]``."""
    same = memo.family[record, 0] == u and memo.family[record, 1] == k
    for t in range(k):
        if same:
            found = False
            for s in range(k):
                found = found or memo.family[record, 2 + s] == chosen[t]
            same = found
    return same


@kernel
def find(memo, u, chosen, k):
    """The record of u with ``chosen[:k]``, or -1."""
    at = _slot(memo, u, chosen, k)
    while memo.slots[at] != 0:
        record = np.int64(memo.slots[at]) - 1
        if _is_it(memo, record, u, chosen, k):
            return record
        at = (at + 1) & (memo.slots.shape[0] - 1)
    return np.int64(-1)


@kernel
def insert(memo, u, chosen, k, score):
    """A new record; returns it."""
    record = memo.sizes[RECORDS]
    memo.sizes[RECORDS] += 1
    memo.family[record, 0] = u
    memo.family[record, 1] = k
    for t in range(k):
        memo.family[record, 2 + t] = chosen[t]
    memo.score[record] = score
    memo.without[record] = -1
    memo.length[record] = -1
    at = _slot(memo, u, chosen, k)
    while memo.slots[at] != 0:
        at = (at + 1) & (memo.slots.shape[0] - 1)
    memo.slots[at] = record + 1
    return record


@kernel
def forget_if_full(memo, p):
    """Empty the memo unless the next solve surely fits into it. To be called between solves."""
    records = memo.sizes[RECORDS] + _RECORDS_PER_SOLVE
    entries = memo.sizes[LISTED] + _LISTS_PER_SOLVE * p
    if records > memo.score.shape[0] or entries > memo.who.shape[0]:
        for at in range(memo.slots.shape[0]):
            memo.slots[at] = 0
        memo.sizes[RECORDS] = 0
        memo.sizes[LISTED] = 0
        memo.sizes[EMPTIED] += 1


@inlined
def sort_in(memo, start, count, c, score):
    """Put a candidate into the list that begins at `start` and has `count` entries."""
    at = start + count
    memo.joined[at] = -1
    while at > start and memo.with_them[at - 1] > score:
        memo.with_them[at] = memo.with_them[at - 1]
        memo.who[at] = memo.who[at - 1]
        at -= 1
    memo.with_them[at] = score
    memo.who[at] = c
