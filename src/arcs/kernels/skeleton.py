"""The tests of the PC algorithm, one node and one size of conditioning sets at a time.

For a node x and a set S of its neighbours, x is tested against all its other neighbours given S;
what these tests have in common (of numbers: the factorisation of S, the regression of x on it) is
done once. Whatever is found is
only marked; neighbourhoods change when the level is complete, which makes the result independent of
the order of the variables (Colombo and Maathuis, 2014). For the same reason *all* separating sets
of a level are recorded, not the first that happens to be met.
"""

from typing import NamedTuple

import numpy as np

from arcs.kernels.fisher_z import condition_room, dependence, prepare_condition
from arcs.kernels.jit import allocating
from arcs.kernels.subsets import next_subset

__all__ = ["SeparationRecord", "collider_triples", "examine_neighbours", "new_record"]


class SeparationRecord(NamedTuple):
    """What the tests have found, as symmetric arrays that the kernels change in place.

    Attributes
    ----------
    removed : bool (p, p), pairs found independent
    weakest : float64 (p, p), smallest dependence (``|z|``) of all tests of a pair
    separators : uint64 (p, p, words), bit c of (a, b): c is in some separating set of a and b
    """

    removed: np.ndarray
    weakest: np.ndarray
    separators: np.ndarray


def new_record(p: int) -> SeparationRecord:
    """A record of no tests."""
    return SeparationRecord(
        removed=np.zeros((p, p), np.bool_),
        weakest=np.full((p, p), np.inf),
        separators=np.zeros((p, p, (p + 63) // 64), np.uint64),
    )


@allocating
def _note_test(record, x, y, found, critical, given):
    """Enter one test of x and y given `given` into the record."""
    if found < record.weakest[x, y]:
        record.weakest[x, y] = found
        record.weakest[y, x] = found
    if found > critical:
        return
    record.removed[x, y] = True
    record.removed[y, x] = True
    for c in given:
        bit = np.uint64(1) << np.uint64(c & 63)
        record.separators[x, y, c >> 6] |= bit
        record.separators[y, x, c >> 6] |= bit


@allocating
def examine_neighbours(stats, x, neighbours, positions, critical, budget, record):
    """Test x against its neighbours given sets of other neighbours, on the rows of node x.

    Parameters
    ----------
    stats : Stats, or other rows that tests can be made of
    x : int
    neighbours : int64 array
    positions : int64 array
        The next conditioning set, as positions in `neighbours`; moved on in place.
    critical : float
        Dependence (``|z|``) up to which independence is accepted.
    budget : int
        Number of tests after which to return.
    record : SeparationRecord

    Returns
    -------
    Whether all conditioning sets of this size are done.
    """
    k, m = positions.shape[0], neighbours.shape[0]
    room = condition_room(stats, k)
    given = np.empty(k, np.int64)
    inside = np.zeros(m, np.bool_)
    while budget > 0:
        inside[:] = False
        for t in range(k):
            given[t] = neighbours[positions[t]]
            inside[positions[t]] = True
        condition = prepare_condition(stats, x, x, given, room)
        for at in range(m):
            if not inside[at]:
                y = neighbours[at]
                _note_test(record, x, y, dependence(stats, condition, y), critical, given)
        budget -= m - k
        if not next_subset(positions, m):
            return True
    return False


@allocating
def collider_triples(adjacency, record):
    """All a - c - b with a < b not adjacent, separated, and c in none of their separating sets."""
    p = adjacency.shape[0]
    found = []
    for c in range(p):
        neighbours = np.flatnonzero(adjacency[c])
        for first in range(neighbours.shape[0]):
            a = neighbours[first]
            for second in range(first + 1, neighbours.shape[0]):
                b = neighbours[second]
                if adjacency[a, b] or not record.removed[a, b]:
                    continue
                if not (record.separators[a, b, c >> 6] >> np.uint64(c & 63)) & np.uint64(1):
                    found.append((a, c, b))
    triples = np.empty((len(found), 3), np.int64)
    for t in range(len(found)):
        triples[t, 0], triples[t, 1], triples[t, 2] = found[t]
    return triples
