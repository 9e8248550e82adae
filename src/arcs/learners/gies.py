"""GIES: greedy interventional equivalence search (Hauser and Buehlmann, 2012).

GES carried over to experiments. A node's score uses only the rows in which the node was not set, so
that observational and experimental rows are pooled; and the classes are finer: an edge has a
direction as soon as some experiment sets one of its ends and not the other. Insertions, deletions
and turns repeat until none of them improves the score. The turning phase is no luxury here: an edge
that entered with the wrong direction cannot be mended by insertions and deletions alone.

Without experiments this is GES with its turning phase, repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arcs.data import GramStatistics
from arcs.learners.base import Learned, Learner
from arcs.learners.equivalence_search import EquivalenceSearch
from arcs.learners.ges import (
    check_search_settings,
    extended_penalty,
    learned_by,
    search_plan,
)
from arcs.progress import Watch

__all__ = ["GIES"]


@dataclass(frozen=True, kw_only=True)
class GIES(Learner):
    """Greedy interventional equivalence search with the Gaussian BIC.

    Parameters
    ----------
    penalty : float, optional
        The factor c: an edge into v costs c log n_v, n_v the rows in which v was not set. By
        default that of the extended BIC, 1 + 2 log p / log n; 1 is the plain BIC.
    iterate : bool
        Repeat the three phases until none changes anything.
    eager : bool
        Instead of phases: at every step the best deletion, else the best turn, else the best
        insertion; see :mod:`arcs.learners.ges`.
    max_parents : int, optional
        Parent sets larger than this are not tried. Never more than half of the rows that count.
    """

    name: ClassVar[str] = "gies"
    uses_interventions: ClassVar[bool] = True
    uses_knowledge: ClassVar[bool] = True

    penalty: float | None = None
    iterate: bool = True
    eager: bool = False
    max_parents: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_search_settings(self.penalty, self.max_parents)

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Forward, backward and turning phase in turn."""
        factor = extended_penalty(statistics) if self.penalty is None else self.penalty
        known = self.restrictions(statistics)
        search = EquivalenceSearch(
            statistics,
            factor,
            self.max_parents,
            allowed=None if known is None else known.allowed,
            required=None if known is None else known.required,
            stage=self.name,
        )
        plan = search_plan(turning=True, eager=self.eager)
        return learned_by(search, plan, watch, iterate=self.iterate)
