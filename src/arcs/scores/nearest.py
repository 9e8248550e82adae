"""The nodes most correlated with each node, in which columns look for parents first.

Who is no relative of v is seldom worth a place: columns are grown from these lists, and everybody
else is asked only when a list has nobody left to offer (:mod:`arcs.kernels.order.beyond`). Lists
change how fast columns are solved, not what they may hold.
"""

from __future__ import annotations

import numpy as np

from arcs.kernels.statistics import Stats

__all__ = ["nearest"]

#: The share of the lenient threshold that is enough for a place, and how many places there are.
_SHARE = 0.5
_MOST = 96
#: With fewer variables it is faster to look at everybody.
_MANY = 500


def nearest(stats: Stats, least: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lists of nodes, one after the other, and where each begins; with few variables none, which
    stands for everybody.

    Parameters
    ----------
    stats : Stats
        Correction rows are not looked at: those who were near before rows were left out are near.
    least : ndarray (p,)
        The squared correlation that is needed for a place.
    """
    p = stats.pattern.size
    if p < _MANY:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    lists = []
    for v in range(p):
        row = stats.grams[stats.base[stats.pattern[v]], v]
        squared = row * row
        squared[v] = 0.0
        near = np.flatnonzero(squared > _SHARE * least[v])
        if near.size > _MOST:
            near = near[np.argpartition(-squared[near], _MOST)[:_MOST]]
        lists.append(near[np.argsort(-squared[near], kind="stable")])
    starts = np.zeros(p + 1, dtype=np.int64)
    starts[1:] = np.cumsum([near.size for near in lists])
    return np.concatenate(lists).astype(np.int64), starts
