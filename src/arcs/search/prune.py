"""Backward elimination at another price: search leniently, keep strictly.

While searching, an edge too many does little harm and a missing one may hide the way; in the answer
it is the other way round. The order found at the search's price is kept, and each node's weakest
parents are dropped while they do not pay the final price.
"""

from __future__ import annotations

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.kernels.l0 import l0_shrink
from arcs.kernels.problem import State

__all__ = ["prune"]


def prune(
    state: State,
    statistics: GramStatistics,
    costs: np.ndarray,
    required: np.ndarray | None = None,
) -> np.ndarray:
    """Adjacency of an l0 state after dropping parents that do not pay ``costs[v]`` nats."""
    p = state.order.size
    adjacency = np.zeros((p, p), dtype=bool)
    for v in range(p):
        k = int(state.columns.count[v])
        n = float(statistics.n[v])
        if k == 0 or n == 0:
            continue
        parents = state.columns.parents[v, :k].copy()
        fixed = 0 if required is None else int(np.asarray(required)[parents, v].sum())
        factor = np.zeros((k, k))
        factor[np.tril_indices(k)] = state.factor[v, : k * (k + 1) // 2]
        threshold = 1.0 - np.exp(-2.0 * float(costs[v]) / n)
        scratch = np.zeros((k, k))
        solved = state.solved[v, :k].copy()
        kept, _ = l0_shrink(threshold, fixed, parents, k, factor, solved, scratch, 1.0)
        adjacency[parents[:kept], v] = True
    return adjacency
