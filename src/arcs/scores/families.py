"""Scores of whole families, as hill climbing and greedy equivalence search take them.

The scores are those of the order search (:mod:`arcs.scores.discrete`, :mod:`arcs.scores.mixed`),
in nats, smaller is better. Here they are ``2 log L - price`` as the Gaussian BIC is
(:class:`~arcs.scores.bic.GaussianBic`), larger is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.kernels.bundles import bundle
from arcs.kernels.family_gains import Families

if TYPE_CHECKING:
    from arcs.data.categorical import CategoricalTable
    from arcs.data.mixed import MixedData
    from arcs.scores.discrete import DiscreteScore
    from arcs.scores.mixed import MixedScore

__all__ = ["FamilyScore"]


@dataclass(frozen=True, eq=False)
class FamilyScore:
    """A score of the order search, for those who change one edge at a time.

    Parameters
    ----------
    score : DiscreteScore, BlockScore or ConditionalScore
    table : CategoricalTable or MixedData
        What it was made of.
    """

    score: DiscreteScore | MixedScore
    table: CategoricalTable | MixedData

    @cached_property
    def kernel(self) -> Families:
        """The score as kernels see it, with a memo of its own."""
        _, work = self.score.new_state(np.arange(self.table.p))
        nodes = np.arange(self.table.p, dtype=np.int64)
        n = self.table.n.astype(float)
        return bundle(Families(self.score.problem, work.scratch, nodes, n))

    #: What a parent costs is part of a family's score.
    penalty = 1.0

    @property
    def max_parents(self) -> np.ndarray:
        """The most parents of each node that it scores."""
        return np.asarray(self.score.problem.max_parents)

    def total(self, adjacency: np.ndarray) -> float:
        """Score of a DAG."""
        return -2.0 * self.score.total(adjacency)

    def describe(self) -> dict[str, Any]:
        """Kind and parameters, for the record."""
        return self.score.describe()
