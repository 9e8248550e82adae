"""The steps from the best state of a search to a graph.

A state under a price per edge is pruned, at another price or at a level that the data choose
(:mod:`arcs.answer.prune`). Of a state under a continuous penalty small coefficients are cut. In
both cases single edges may be tested afterwards (:mod:`arcs.answer.refine`), and what background
knowledge requires is there in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.answer.prune import Answer, prune, prune_adaptively
from arcs.answer.refine import refine
from arcs.edge_rule import EdgeRule
from arcs.penalties import Penalty
from arcs.scores.cholesky import state_adjacency
from arcs.search.chain import Chain

__all__ = ["ADAPTIVE", "Finish", "above"]

#: The word for a price of the answer that the data choose.
ADAPTIVE = "adaptive"


@dataclass(frozen=True)
class Finish:
    """How a state becomes a graph.

    Parameters
    ----------
    price : Penalty
        What an edge has to be worth in the answer, if edges have a price.
    adaptive : bool
        Whether the data may choose another level than that of the price.
    relax : bool
        Whether weak edges get a second chance then, which may change the order a little.
    threshold : float
        Continuous penalties: standardised coefficients up to this size are cut.
    refine : float, optional
        Level of the tests of single edges.
    """

    price: Penalty
    adaptive: bool = False
    relax: bool = True
    threshold: float = 0.0
    refine: float | None = None

    def answer(self, best: Chain, expired: Callable[[], bool] = lambda: False) -> Answer:
        """The graph of a finished search."""
        statistics, required = best.score.statistics, best.score.required
        found = self._kept(best, expired)
        adjacency = found.adjacency
        if required is not None:
            adjacency |= required
        if self.refine is not None:
            kept = refine(adjacency, found.order, statistics, self.refine, required=required)
            adjacency = kept.adjacency
        return found._replace(adjacency=adjacency)

    def describe(self, answer: Answer) -> dict[str, Any]:
        """The price in force, for the record; a continuous penalty has no other in the answer."""
        if answer.level is not None:
            return EdgeRule(level=answer.level).record()
        if self.price.counts_edges and self.price.has_gamma:
            return EdgeRule(ebic=self.price.gamma).record()
        return {}

    def _kept(self, best: Chain, expired: Callable[[], bool]) -> Answer:
        """What pruning or thresholding leaves."""
        score = best.score
        if not score.is_l0:
            return Answer(above(best, self.threshold), best.best.order.copy())
        statistics = score.statistics
        costs = self.price.costs(statistics.n, statistics.p)
        if self.adaptive:
            return prune_adaptively(best, costs, relax=self.relax, expired=expired)
        kept = prune(best, costs)
        return Answer(kept, best.best.order.copy())


def above(best: Chain, threshold: float) -> np.ndarray:
    """Adjacency of a continuous state's coefficients above `threshold` in size."""
    adjacency = state_adjacency(best.best)
    columns = best.best.columns
    for v in range(adjacency.shape[0]):
        k = columns.count[v]
        weak = np.abs(columns.weight[v, :k]) <= threshold * columns.diagonal[v]
        adjacency[columns.parents[v, :k][weak], v] = False
    return adjacency
