"""ARCS: annealing on the regularised Cholesky score, and what became of it.

The learner searches over orders for the smallest regularised Cholesky score
(:mod:`arcs.scores.cholesky`). Two configurations matter:

- the default: the l0 limit of the score at the price of the extended BIC, iterated local search
  with pulls from a random order, and a final backward elimination;
- :func:`~arcs.learners.arcs_settings.paper_settings`: the published method. MCP tuned by BIC for
  the initial order (Algorithm 4), annealing over interval flips (Algorithm 1), deletion of
  coefficients up to 0.1 and of edges that Fisher's z does not confirm (Algorithm 3).

Every penalty works with every search.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arcs.answer import Finish
from arcs.answer.finish import ADAPTIVE
from arcs.data import Dataset, GramStatistics
from arcs.errors import warn_caller
from arcs.graphs import Order
from arcs.jobs import workers
from arcs.learners.arcs_settings import ArcsSettings
from arcs.learners.base import Learned
from arcs.learners.initial import initial_order, is_random
from arcs.penalties import Ebic, Penalty
from arcs.progress import Laps, Watch
from arcs.regimes.kinds import Ground
from arcs.search import Annealing, Chain, Fixed, Plan, Pulls, Start, Strategy, run_chains
from arcs.search.checkpoint import Checkpoint, fingerprint
from arcs.search.plan import refuse_without_minimum
from arcs.search.start import make_starts
from arcs.search.strategies import shortened
from arcs.tuning import Tuned, chosen

__all__ = ["Arcs"]


@dataclass(frozen=True, kw_only=True)
class Arcs(ArcsSettings):
    """Order search on the regularised Cholesky score; for the settings see `ArcsSettings`.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.learners.arcs import Arcs
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.normal(size=200)
    >>> rows = np.column_stack([cause, cause + rng.normal(size=200)])
    >>> Arcs(random_state=0).fit(rows).n_edges
    1
    """

    name: ClassVar[str] = "arcs"
    uses_knowledge: ClassVar[bool] = True
    tables: ClassVar[tuple[str, ...]] = ("categories", "mixed")
    better_score: ClassVar[str] = "smaller"

    @property
    def needs_seed(self) -> bool:
        """A checkpoint holds the state of its random numbers: a seed drawn anew is not theirs."""
        return self.checkpoint is None

    def statistics(self, dataset: Dataset) -> GramStatistics:
        """The statistics the search starts with."""
        return self.regimes.statistics(dataset)

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Find a structure from statistics alone."""
        return self._learn(None, statistics, watch)

    def learn_from(self, dataset: Dataset, statistics: GramStatistics, watch: Watch) -> Learned:
        """Find a structure; the rows are there for a learner that provides the start."""
        if self.latent is None:
            return self._learn(dataset, statistics, watch)
        from arcs.learners.latent import learn_latent

        return learn_latent(self, dataset, statistics, watch)

    # ------------------------------------------------------------------ the method
    def _learn(self, dataset: Dataset | None, statistics: GramStatistics, watch: Watch) -> Learned:
        """Start, price, regimes, search, answer."""
        timings = Laps(watch)
        strategy = self.strategy(statistics.p)
        starts = self._starts(dataset, statistics, watch)
        timings.end("init")
        plan, tuning = self._plan(strategy, statistics, starts[0].order, watch)
        timings.end("tune")
        ground = self.regimes.settle(dataset, statistics, plan, starts, watch)
        if self.regimes.alternates:
            timings.end("regimes")
        best = self._search(ground, plan, watch)
        timings.end("search")
        finish = self._finish(plan.penalty)
        answer = finish.answer(best, watch.expired)
        changes, fitted_to = ground.explain(answer.adjacency, self.final_gamma)
        timings.end("finish")
        return Learned(
            answer.adjacency,
            Order(answer.order, statistics.names),
            best.best_energy + best.score.offset,
            {**plan.penalty.describe(), **finish.describe(answer)},
            trace=ground.trace(best),
            tuning=tuning,
            timings=timings.seconds,
            converged=best.converged,
            changes=changes,
            statistics=fitted_to,
        )

    # ------------------------------------------------------------------ start
    def _starts(
        self, dataset: Dataset | None, statistics: GramStatistics, watch: Watch
    ) -> list[Start]:
        """Orders with required edges forward, and the random numbers of each chain."""
        given = initial_order(self, self.init, dataset, statistics, watch)
        known = self.restrictions(statistics)
        count = max(self.n_chains, self.regimes.starts)
        required = None if known is None else known.required
        return make_starts(count, self.random_state, given, statistics.p, required)

    # ------------------------------------------------------------------ price
    def _plan(
        self, strategy: Strategy, statistics: GramStatistics, order: np.ndarray, watch: Watch
    ) -> tuple[Plan, dict[str, np.ndarray]]:
        """The search, its penalty tuned by BIC where it is not given, and the table of that."""
        known = self.restrictions(statistics)
        matrices = {} if known is None else known._asdict()
        if self.priced_by_ebic:
            tuned = Tuned(Ebic(self.ebic, self.min_r2), {})
        else:
            tuned = chosen(
                statistics, order, self.penalty, self.lam, self.gamma, watch=watch, **matrices
            )
        if self.search != "none":
            refuse_without_minimum(statistics, tuned.penalty)
        common: dict[str, Any] = {"max_parents": self.max_parents, "workers": workers(self.n_jobs)}
        return Plan(tuned.penalty, strategy, self.ebic, **common, **matrices), tuned.table

    # ------------------------------------------------------------------ search
    def strategy(self, p: int) -> Strategy:
        """How a chain of `p` variables is driven."""
        if self.search == "none":
            return Fixed()
        if self.search == "pulls":
            temperature = 1.0 if self.temperature is None else self.temperature
            return Pulls(
                self.passes, self.n_iter, temperature=temperature, agreement=self.agreement
            )
        usual = 100.0 if is_random(self.init) else 1.0
        start = usual if self.temperature is None else self.temperature
        n_iter = 10_000 if self.n_iter is None else self.n_iter
        return Annealing(n_iter, start, shortened(self.interval, p))

    def _search(self, ground: Ground, plan: Plan, watch: Watch) -> Chain:
        """Drive all chains to their end; the best one."""
        chains = plan.chains(ground.statistics, ground.starts)
        # Out of time already: start and penalty are not those that a resumed run would find.
        checkpoint = None if watch.expired() else self._checkpoint(ground.statistics, plan.penalty)
        if checkpoint is not None and self.resume and os.path.exists(checkpoint.path):
            watch.before = checkpoint.load(chains)
        best = run_chains(
            chains, ground.strategy, watch, workers=plan.workers, checkpoint=checkpoint
        )
        if not best.converged:
            from sklearn.exceptions import ConvergenceWarning  # a heavy import, seldom needed

            warn_caller("some columns did not converge", ConvergenceWarning)
        return best

    def _checkpoint(self, statistics: GramStatistics, penalty: Penalty) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        settings = {k: v for k, v in self.settings().items() if k not in ("n_jobs", "time_limit")}
        settings["in force"] = penalty
        return Checkpoint(self.checkpoint, fingerprint(statistics, settings))

    # ------------------------------------------------------------------ answer
    def _finish(self, penalty: Penalty) -> Finish:
        """How the best state becomes a graph."""
        return Finish(
            price=penalty.at(self.final_gamma) if penalty.counts_edges else penalty,
            # A least share of the variance is a fixed price, which leaves nothing to be chosen.
            adaptive=self.final_ebic == ADAPTIVE and self.priced_by_ebic and not self.min_r2,
            # Mechanisms of regimes were fitted to the order that was found: there it has to stay.
            # An order that was not searched for is not changed either.
            relax=not self.regimes.alternates and self.search != "none",
            threshold=self.threshold,
            refine=self.refine,
        )
