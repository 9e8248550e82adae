"""Algorithm 3: deleting edges that a conditional-independence test cannot confirm.

For every node j, its parents k are tested in turn, the last in the order first, given the parents
that remain; k is removed if Fisher's z of the partial correlation, over the rows in which j was not
set, is not significant at the given level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.scores.fisher_z import fisher_z
from arcs.settings import LEVEL

__all__ = ["Refined", "refine"]


@dataclass(frozen=True, eq=False)
class Refined:
    """Adjacency after the deletions, and the p-value of each tested edge (NaN: not tested)."""

    adjacency: np.ndarray
    p_values: np.ndarray


def refine(
    adjacency: np.ndarray,
    order: np.ndarray,
    statistics: GramStatistics,
    level: float,
    *,
    required: np.ndarray | None = None,
) -> Refined:
    """Delete edges whose p-value is above `level`; required edges stay.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (p, p)
    order : ndarray of int
        A topological order, parents first.
    statistics : GramStatistics
    level : float
    required : ndarray of bool, shape (p, p), optional
    """
    LEVEL.check("refine", level)
    kept = np.array(adjacency, dtype=bool)
    p_values = np.full(kept.shape, np.nan)
    position = np.argsort(order)
    for j in range(kept.shape[0]):
        parents = np.flatnonzero(kept[:, j])
        for k in parents[np.argsort(-position[parents])]:
            given = np.flatnonzero(kept[:, j] & (np.arange(kept.shape[0]) != k))
            _, p_values[k, j] = fisher_z(statistics, j, j, int(k), given)
            fixed = required is not None and required[k, j]
            if p_values[k, j] > level and not fixed:
                kept[k, j] = False
    return Refined(kept, p_values)
