"""Max-min parents and children of one node (Tsamardinos, Brown and Aliferis, 2006).

A variable's association with the target is the smallest dependence (``|z|``, of numbers) over all
conditioning sets tried.
Forward, the variable of largest association joins the candidates as long as it is significant; each
time, only conditioning sets with the newcomer are new. Backward, candidates that some set of other
candidates separates from the target leave again.
"""

import numpy as np

from arcs.kernels.fisher_z import condition_room, dependence, prepare_condition
from arcs.kernels.jit import allocating
from arcs.kernels.subsets import first_subset, next_subset

__all__ = ["max_min_candidates"]


@allocating
def _update_associations(stats, target, given, critical, alive, weakest):
    """Test all living variables against the target given one set; the separated ones die."""
    room = condition_room(stats, given.shape[0])
    condition = prepare_condition(stats, target, target, given, room)
    for x in range(alive.shape[0]):
        if alive[x]:
            found = dependence(stats, condition, x)
            weakest[x] = min(weakest[x], found)
            alive[x] = found > critical


@allocating
def _strongest(alive, weakest):
    best = -1
    for x in range(alive.shape[0]):
        if alive[x] and (best < 0 or weakest[x] > weakest[best]):
            best = x
    return best


@allocating
def _forward(stats, target, critical, max_size, chosen):
    """Fill `chosen` with candidates in the order in which they join; return their number."""
    p = chosen.shape[0]
    alive = np.ones(p, np.bool_)
    alive[target] = False
    weakest = np.full(p, np.inf)
    _update_associations(stats, target, np.empty(0, np.int64), critical, alive, weakest)
    count = 0
    newcomer = _strongest(alive, weakest)
    while newcomer >= 0:
        alive[newcomer] = False
        for size in range(min(max_size, count + 1)):
            given = np.empty(size + 1, np.int64)
            given[size] = newcomer
            positions = first_subset(size)
            more = True
            while more:
                for t in range(size):
                    given[t] = chosen[positions[t]]
                _update_associations(stats, target, given, critical, alive, weakest)
                more = next_subset(positions, count)
        chosen[count] = newcomer
        count += 1
        newcomer = _strongest(alive, weakest)
    return count


@allocating
def _separable(stats, target, x, others, critical, max_size):
    """Whether some subset of `others` separates x from the target."""
    m = others.shape[0]
    alive = np.zeros(stats.pattern.shape[0], np.bool_)
    weakest = np.full(alive.shape[0], np.inf)
    alive[x] = True
    for size in range(min(max_size, m) + 1):
        given = np.empty(size, np.int64)
        positions = first_subset(size)
        more = True
        while more:
            for t in range(size):
                given[t] = others[positions[t]]
            _update_associations(stats, target, given, critical, alive, weakest)
            if not alive[x]:
                return True
            more = next_subset(positions, m)
    return False


@allocating
def max_min_candidates(stats, target, critical, max_size):
    """Candidate parents and children of `target`, on the rows that count for it.

    Parameters
    ----------
    stats : Stats, or other rows that tests can be made of
    target : int
    critical : float
        Dependence (``|z|``) up to which independence is accepted.
    max_size : int
        Largest conditioning set.

    Returns
    -------
    Boolean array of length p.
    """
    p = stats.pattern.shape[0]
    chosen = np.empty(p, np.int64)
    count = _forward(stats, target, critical, max_size, chosen)
    member = np.zeros(p, np.bool_)
    member[chosen[:count]] = True
    for at in range(count):
        x = chosen[at]
        member[x] = False
        others = np.flatnonzero(member)
        member[x] = not _separable(stats, target, x, others, critical, max_size)
    return member
