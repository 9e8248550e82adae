"""Hill climbing: greedy search over DAGs with the Gaussian BIC, or a score of categories.

From the empty graph, the best of all single-edge changes (add, delete, reverse) is made until none
improves the score. Two classical remedies for local optima are options: a *tabu list* (Glover,
1986), with which the search goes on downhill as long as it does not return to one of the last
graphs, and *random restarts* from perturbations of the best graph. The best graph seen is returned.

Experimental data need nothing of their own: each node is scored on the rows in which it was not set
(Lemma 3 of the paper), and so the score tells DAGs apart that observations cannot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from arcs.errors import SettingsError
from arcs.kernels.climbing_graph import ClimbState, initial_state
from arcs.kernels.hill_climbing import (
    climb,
    climb_with_tabu,
    load_graph,
    new_tabu_search,
    perturb,
)
from arcs.learners.base import Learned, Learner
from arcs.learners.evidence import CategoryPrices, Evidence, rules_of, scored
from arcs.progress import Watch
from arcs.scores import GaussianBic
from arcs.settings import NONE, anything, number, setting, whole

if TYPE_CHECKING:
    from arcs.scores.families import FamilyScore

__all__ = ["HC", "HillClimbing", "check_allowed"]

#: Moves per call of the compiled loop: some 10 ms at p = 441.
_SLICE = 25


@dataclass(frozen=True, kw_only=True)
class HC(CategoryPrices, Learner):
    """Hill climbing.

    Parameters
    ----------
    penalty : float
        The factor c of the score ``2 log L - c k log n``, with k the number of edges, or of free
        parameters where there are categories.
    max_parents : int, optional
        Largest number of parents of a node. It is never more than n - 2: beyond that a node is
        fitted exactly, and the score means nothing. With more variables than rows a small bound
        is advisable.
    tabu : int
        How many of the last graphs must not be visited again; 0 for plain hill climbing.
    patience : int
        With a tabu list: how many moves in a row may fail to improve on the best graph.
    restarts : int
        Number of further climbs, each from a perturbation of the best graph.
    perturbations : int
        Random moves made at a restart.
    allowed : array-like of bool, shape (p, p), optional
        ``allowed[i, j]`` says whether the edge i -> j may occur.
    discrete_score, equivalent_sample_size
        See :class:`~arcs.learners.evidence.CategoryPrices`.
    random_state, time_limit
        See :class:`~arcs.learners.Learner`. Numbers are drawn at restarts only.

    Notes
    -----
    `score` of the result is the total BIC (larger is better; of categories twice the score in nats,
    turned round).

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> HC(max_parents=3).fit(drawn.data).n_edges
    9
    """

    name: ClassVar[str] = "hc"
    uses_knowledge: ClassVar[bool] = True
    tables: ClassVar[tuple[str, ...]] = ("categories", "mixed")

    penalty: float = setting(1.0, number(0))
    max_parents: int | None = setting(None, whole(0) | NONE)
    tabu: int = setting(0, whole(0))
    patience: int = setting(15, whole(1))
    restarts: int = setting(0, whole(0))
    perturbations: int = setting(10, whole(1))
    allowed: Any = setting(None, anything("a p x p matrix, or None"), repr=False, compare=False)

    @property
    def needs_seed(self) -> bool:
        """Numbers are drawn at restarts only."""
        return self.restarts > 0

    def settings(self) -> dict[str, Any]:
        """The settings as plain values, for the record; also which edges may occur, if told."""
        told = {} if self.allowed is None else {"allowed": np.asarray(self.allowed).tolist()}
        return super().settings() | told

    def learn(self, statistics: Evidence, watch: Watch) -> Learned:
        """Climb from the empty graph, or that of the required edges."""
        return self._climb(self._search_among(np.True_, statistics, watch))

    def _search_among(
        self, candidates: np.ndarray | np.bool_, statistics: Evidence, watch: Watch
    ) -> HillClimbing:
        """A search among the candidate edges that the settings and the knowledge allow."""
        allowed = check_allowed(self.allowed, statistics.p) & candidates
        rules = rules_of(statistics, self.restrictions(statistics))
        factor = None if self.discrete_score == "ebic" and self.penalty == 1.0 else self.penalty
        return HillClimbing(
            scored(statistics, factor, self, rules),
            watch,
            max_parents=self.max_parents,
            allowed=allowed if rules["allowed"] is None else allowed & rules["allowed"],
            required=rules["required"],
        )

    def _climb(self, search: HillClimbing) -> Learned:
        return search.run(
            tabu=self.tabu,
            patience=self.patience,
            restarts=self.restarts,
            perturbations=self.perturbations,
            random_state=self.random_state,
        )


class HillClimbing:
    """One search, as :class:`HC` and :class:`~arcs.learners.mmhc.MMHC` run it.

    Parameters
    ----------
    score : GaussianBic or FamilyScore
    watch : Watch
    max_parents : int, optional
    allowed : ndarray of bool, shape (p, p)
        The edges that may be added.
    required : ndarray of bool, shape (p, p), optional
        The edges that are there from the beginning and stay.
    """

    def __init__(
        self,
        score: GaussianBic | FamilyScore,
        watch: Watch,
        *,
        max_parents: int | None,
        allowed: np.ndarray,
        required: np.ndarray | None = None,
    ) -> None:
        self.score = score
        self.watch = watch
        self.penalty = score.penalty
        limit = score.max_parents
        if max_parents is not None:
            limit = np.minimum(limit, max_parents)
        self.state: ClimbState = initial_state(allowed, limit, required)
        self.best = self.state.required.copy()
        self.moves = 0
        self._trace: list[tuple[int, float]] = []
        self._load(self.best)
        self.best_total = self.state.total.copy()

    def run(
        self,
        *,
        tabu: int = 0,
        patience: int = 15,
        restarts: int = 0,
        perturbations: int = 10,
        random_state: int | None = None,
    ) -> Learned:
        """Search, and wrap up the best graph."""
        rng = np.random.default_rng(random_state)
        converged = self._search(tabu, patience)
        for _ in range(restarts):
            if self.watch.expired():
                break
            self._load(self.best)
            perturb(self.score.kernel, self.penalty, self.state, perturbations, rng)
            converged = self._search(tabu, patience)
        score = self.score.total(self.best)
        iteration, best = np.array(self._trace or [(0, 0.0)]).T
        return Learned(
            self.best.copy(),
            score=score,
            penalty=self.score.describe(),
            trace={"iteration": iteration.astype(np.int64), "score": best + score - best[-1]},
            converged=converged,
        )

    def _load(self, adjacency: np.ndarray) -> None:
        load_graph(self.score.kernel, self.penalty, self.state, adjacency)

    def _search(self, tabu: int, patience: int) -> bool:
        """Climb to a local optimum (and on, with a tabu list); whether that was finished."""
        finished = self._climb()
        self._keep_best()
        if tabu and finished:
            finished = self._walk(tabu, patience)
        return finished

    def _climb(self) -> bool:
        done = False
        while not done:
            made, done = climb(self.score.kernel, self.penalty, self.state, _SLICE)
            if not self._report(made, float(self.state.total[0])):
                break
        return bool(done)

    def _walk(self, tabu: int, patience: int) -> bool:
        search, done = new_tabu_search(tabu, self.best, self.best_total), False
        while not done:
            made, done = climb_with_tabu(
                self.score.kernel, self.penalty, self.state, search, patience, _SLICE
            )
            if not self._report(made, float(self.best_total[0])):
                break
        return bool(done)

    def _keep_best(self) -> None:
        if self.state.total[0] > self.best_total[0]:
            self.best[:] = self.state.adjacency
            self.best_total[:] = self.state.total

    def _report(self, made: int, score: float) -> bool:
        self.moves += made
        best = max(score, float(self.best_total[0]))
        self._trace.append((self.moves, best))
        edges = int(self.state.n_parents.sum())
        return self.watch.tick("climb", self.moves, score=score, best=best, edges=edges)


def check_allowed(allowed: Any, p: int) -> np.ndarray:
    """The matrix of allowed edges; all of them if None."""
    if allowed is None:
        return np.ones((p, p), dtype=bool)
    matrix = np.asarray(allowed, dtype=bool)
    if matrix.shape != (p, p):
        raise SettingsError(f"allowed must be a {p} x {p} matrix, got shape {matrix.shape}")
    return matrix
