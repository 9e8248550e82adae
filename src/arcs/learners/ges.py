"""GES: greedy equivalence search (Chickering, 2002).

From the empty graph, edges are inserted into the equivalence class as long as the BIC improves,
the best insertion first; then deleted in the same way. In the limit of large samples the result is
the class of the true DAG, although only a tiny part of all classes is looked at. With finite
samples a third phase of turned edges helps (Hauser and Buehlmann, 2012), as does repeating all of
them until nothing changes: that is what the widely used implementation of pcalg does.

What helps most is not to wait, and it is the default here: the *eager* search deletes an edge as
soon as that improves the score, else turns one, and inserts only when neither is to be had (the
heuristic XGES-0 of Nazaret and Blei, 2024, "Extremely greedy equivalence search"). The operators
and the score are the same, and so is the guarantee. Chickering's argument for the limit of large
samples asks for two things of the class in which the search ends: that no insertion improves it,
then it contains the true distribution; and that no deletion does, then it contains nothing
superfluous. How the search came there does not matter. The forward phase, however, has to go on
inserting until its own end. An insertion made early, when most parents are missing yet, often
stands in for them and is superfluous once they are there; but by the end of the phase others have
been built upon it, and deletions of single edges no longer lead back. The eager search takes it
back before that happens. It also ends in a class that no operator of any kind improves, so that
there is nothing to repeat.

The penalty factor matters more than anything else. With c = 1, the plain BIC, an edge between two
unrelated variables is taken when a chi-square variable exceeds log n: with n = 200 in 2 of 100
pairs, and p variables have p (p - 1) / 2 pairs. The BIC is consistent as n grows with p fixed, but
where p is comparable to n it drowns the graph in false edges. The default is therefore the
extended BIC (Chen and Chen, 2008; Foygel and Drton, 2010) with its parameter at 1/2, which adds
2 log p to the price of an edge and so accounts for the number of edges to choose from:
c = 1 + 2 log p / log n. It comes close to the BIC when n is large.

*Categories.* The operators ask for nothing but what a parent is worth to a node, so that tables of
categories, alone or beside numbers, are searched in the same way with their own scores, as long as
these are the same for all members of a class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arcs.data import GramStatistics
from arcs.learners.base import Learned, Learner
from arcs.learners.equivalence_search import (
    BACKWARD,
    FORWARD,
    TURNING,
    EquivalenceSearch,
    Phase,
)
from arcs.learners.evidence import CategoryPrices, Evidence, rules_of, scored
from arcs.progress import Watch
from arcs.scores import GaussianBic
from arcs.settings import FLAG, NONE, choice, number, setting, whole

__all__ = ["GES", "extended_penalty"]


@dataclass(frozen=True, kw_only=True)
class GES(CategoryPrices, Learner):
    """Greedy equivalence search with the Gaussian BIC, or a score of categories.

    Parameters
    ----------
    penalty : float, optional
        The factor c in 2 log L - c k log n, with k the number of edges, or of free parameters where
        there are categories. By default that of the extended BIC, 1 + 2 log p / log n (categories:
        2 log p per edge beside c = 1); 1 is the plain BIC.
    eager : bool
        At every step the best deletion, else the best turn (if `turning`), else the best
        insertion. Otherwise in phases: all insertions, then all deletions, then all turns.
    turning : bool
        Turn edges as well.
    iterate : bool
        Repeat the phases until none changes anything. The eager search has nothing to repeat.
    max_parents : int, optional
        Parent sets larger than this are not tried. Never more than half of the rows.
    discrete_score : {"ebic", "bic", "bdeu"}
        Tables of categories: the score; beside numbers "ebic" or "bic".
    equivalent_sample_size : float
        Rows that the prior of "bdeu" is worth.

    Notes
    -----
    ``GES(eager=False)`` runs pcalg's three phases, repeated;
    ``GES(eager=False, turning=False, iterate=False)`` is the search as Chickering published it.

    The number of operators at a node grows with that of the cliques among its undirected
    neighbours. Where there are more than 8192 of these, the larger ones are left out.

    Examples
    --------
    >>> from arcs.simulate import random_dag, random_weights, sample
    >>> truth = random_weights(random_dag(10, 12, 4), 4)
    >>> result = GES().fit(sample(truth, 1000, 4).data)
    >>> result.n_edges
    12
    """

    name: ClassVar[str] = "ges"
    uses_interventions: ClassVar[bool] = False
    uses_knowledge: ClassVar[bool] = True
    tables: ClassVar[tuple[str, ...]] = ("categories", "mixed")

    # K2 and BDs differ within a class, and so have no place here.
    discrete_score: str = setting("ebic", choice("ebic", "bic", "bdeu"))
    penalty: float | None = setting(None, number(0) | NONE)
    eager: bool = setting(True, FLAG)
    turning: bool = setting(True, FLAG)
    iterate: bool = setting(True, FLAG)
    max_parents: int | None = setting(None, whole(0) | NONE)

    def learn(self, statistics: Evidence, watch: Watch) -> Learned:
        """Search over equivalence classes, from that of the empty graph."""
        factor, most = self.penalty, self.max_parents
        if factor is None and isinstance(statistics, GramStatistics):
            factor = extended_penalty(statistics)
        rules = rules_of(statistics, self.restrictions(statistics))
        score = scored(statistics, factor, self, rules)
        limits: Any = most
        if not isinstance(score, GaussianBic):
            limits = score.max_parents if most is None else np.minimum(score.max_parents, most)
        search = EquivalenceSearch(
            statistics, score.penalty, limits, **rules, stage=self.name, scored=score
        )
        plan = _search_plan(turning=self.turning, eager=self.eager)
        return _learned_by(search, plan, watch, iterate=self.iterate)


def _search_plan(*, turning: bool, eager: bool) -> tuple[tuple[Phase, ...], ...]:
    """The parts of a search one after the other, each with its kinds of operators by rank."""
    if eager:
        return ((BACKWARD, TURNING, FORWARD) if turning else (BACKWARD, FORWARD),)
    return ((FORWARD,), (BACKWARD,), (TURNING,)) if turning else ((FORWARD,), (BACKWARD,))


def extended_penalty(statistics: GramStatistics) -> float:
    """The factor c that makes the BIC the extended BIC with parameter 1/2."""
    return 1.0 + 2.0 * math.log(statistics.p) / math.log(max(statistics.n_rows, 3))


def _learned_by(
    search: EquivalenceSearch,
    plan: tuple[tuple[Phase, ...], ...],
    watch: Watch,
    *,
    iterate: bool,
) -> Learned:
    """Run a search and wrap up what it found."""
    finished = search.run(plan, watch, iterate=iterate)
    kinds, scores, edges = zip(*search.history, strict=True) if search.history else ((), (), ())
    return Learned(
        graph=search.pdag(),
        score=search.score,
        penalty=_description(search),
        trace={
            "iteration": np.arange(1, len(scores) + 1),
            "score": np.array(scores, dtype=float),
            "edges": np.array(edges, dtype=np.int64),
            "phase": np.array(kinds, dtype=np.int64),
        },
        timings=search.timings,
        converged=finished,
    )


def _description(search: EquivalenceSearch) -> dict[str, Any]:
    """What the score is, for the record."""
    if search.scored is None or isinstance(search.scored, GaussianBic):
        return {"kind": "bic", "factor": search.penalty}
    return search.scored.describe()
