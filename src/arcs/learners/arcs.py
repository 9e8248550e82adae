"""ARCS: annealing on the regularised Cholesky score, and what became of it.

The learner searches over orders for the smallest regularised Cholesky score
(:mod:`arcs.scores.cholesky`). Two configurations matter:

- the default: the l0 limit of the score at the price of the extended BIC, iterated local search
  with pulls from a random order, and a final backward elimination;
- :func:`paper_settings`: the published method. MCP tuned by BIC for the initial order
  (Algorithm 4), annealing over interval flips (Algorithm 1), deletion of coefficients up to 0.1 and
  of edges that Fisher's z does not confirm (Algorithm 3).

Every penalty works with every search.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from arcs.answer import Answer, Finish
from arcs.data import Dataset, GramStatistics
from arcs.errors import SettingsError
from arcs.graphs import Order
from arcs.learners.base import Learned, Learner
from arcs.penalties import PENALTIES, Ebic, Penalty, penalty
from arcs.progress import Laps, Watch
from arcs.regimes.kinds import KINDS, Ground, RegimeKind
from arcs.search import Annealing, Chain, Fixed, Plan, Pulls, Start, Strategy, run_chains
from arcs.search.checkpoint import Checkpoint, fingerprint
from arcs.search.plan import refuse_without_minimum
from arcs.search.schedules import SCHEDULE
from arcs.search.start import as_order, make_starts
from arcs.settings import FLAG, LEVEL, NONE, PATH, anything, choice, number, setting, whole
from arcs.tuning import GAMMAS, Tuned, tune

__all__ = ["Arcs", "paper_settings"]

#: Price of an edge, as the gamma of the extended BIC: while searching, and in the answer.
SEARCH_EBIC = 1.0
FINAL_EBIC = 1.5
#: The word for a price of the answer that the data choose.
ADAPTIVE = "adaptive"
_INIT = "'random', an order, a graph, or a learner or its name"


def paper_settings(
    init: Any = "ges", *, experimental: bool = False, **changes: Any
) -> dict[str, Any]:
    """Settings of the published method (Section 5 of the paper).

    The start temperature is 1 for an informative start and 100 for a random one; the refinement
    level is 1e-5 for observational and 1e-3 for experimental data.
    """
    settings: dict[str, Any] = {
        "init": init,
        "penalty": "mcp",
        "search": "anneal",
        "n_iter": 10_000,
        "temperature": 100.0 if isinstance(init, str) and init == "random" else 1.0,
        "interval": 4,
        "threshold": 0.1,
        "refine": 1e-3 if experimental else 1e-5,
        "n_chains": 1,
    }
    return {**settings, **changes}


@dataclass(frozen=True, kw_only=True)
class Arcs(Learner):
    """Order search on the regularised Cholesky score.

    Parameters
    ----------
    init : str, Order, sequence of int, GaussianDag, Pdag, adjacency or Learner
        Where to start: "random", an order (parents first), a graph, or a learner or its name,
        whose result is sorted topologically.
    penalty : {"l0", "mcp", "l1", "scad"}
        What an edge costs; l0 is the limit of MCP.
    gamma, lam : float, optional
        Parameters of a continuous penalty; what is not given is chosen by BIC over the grid of
        Algorithm 4. l0 and l1 have no `gamma`; for l0, `lam` is the price of an edge in nats
        instead of `ebic`.
    ebic : float
        l0: price of an edge while searching, ``0.5 log n + ebic log p`` nats. Where mechanisms
        differ between regimes, changes are priced with it, too.
    final_ebic : float or "adaptive"
        l0: the same for the answer, where it is at least that of the search; or chosen by the
        data, which keeps more edges where many are weak (:mod:`arcs.answer.prune`).
    search : {"pulls", "anneal", "none"}
        Iterated local search, the paper's annealing, or none.
    n_iter : int, optional
        Flips (annealing; 10,000 by default) or large steps (pulls; until nothing improves).
    temperature : float, sequence or callable, optional
        Annealing: start of the geometric schedule (by default 1 with an informative start, 100
        with a random one), or any schedule. Pulls: a constant, by default 1, at which the walk
        visits orders with about their posterior probability; 0 is greedy.
    interval : int
        Annealing: length m of the flipped interval, 2 to p; the default is shortened if p < 4.
    patience : int
        Pulls: passes over all nodes without improvement after which the search stops.
    threshold : float
        Continuous penalties: standardised coefficients up to this size are cut.
    refine : float, optional
        Level of the Fisher-z tests of Algorithm 3.
    max_parents : int, optional
        Bound on the number of parents of a node.
    min_r2 : float
        l0: an edge must explain this share of its head's remaining variance, whatever the number
        of rows; the answer is then pruned at a fixed price.
    latent : int, "auto" or None
        Hidden factors that act on all variables: so many, or as many as describe the data best
        (:mod:`arcs.learners.latent`). With hard interventions or none.
    intervention_kind : {"hard", "soft", "unknown"}
        Hard: rows in which a node was set say nothing of its parents and are left out. Soft: it
        keeps its parents, but its noise (or its coefficients) differ there, and the regime is
        reweighted. Unknown: rows carry labels of regimes only, and the targets are found. See
        :mod:`arcs.regimes`.
    n_chains, n_jobs : int
        Independent searches, and threads to run them in. With unknown targets there are at least
        six.
    checkpoint : path, optional
        Where to save the search every few seconds.
    resume : bool
        Go on from the checkpoint.
    """

    name: ClassVar[str] = "arcs"
    uses_knowledge: ClassVar[bool] = True
    better_score: ClassVar[str] = "smaller"

    init: Any = setting("random", anything(_INIT))
    penalty: str = setting("l0", choice(*PENALTIES))
    gamma: float | None = setting(None, number(above=1) | NONE)
    lam: float | None = setting(None, number(0) | NONE)
    ebic: float = setting(SEARCH_EBIC, number(0))
    final_ebic: float | str = setting(ADAPTIVE, number(0) | choice(ADAPTIVE))
    search: str = setting("pulls", choice("pulls", "anneal", "none"))
    n_iter: int | None = setting(None, whole(0) | NONE)
    temperature: Any = setting(None, number(0) | SCHEDULE | NONE)
    interval: int = setting(4, whole(2))
    patience: int = setting(4, whole(1))
    threshold: float = setting(0.0, number(0))
    refine: float | None = setting(None, LEVEL | NONE)
    max_parents: int | None = setting(None, whole(1) | NONE)
    min_r2: float = setting(0.0, number(0, below=1))
    latent: int | str | None = setting(None, whole(1) | choice("auto") | NONE)
    intervention_kind: str = setting("hard", choice(*KINDS))
    n_chains: int = setting(1, whole(1))
    n_jobs: int = setting(1, whole(1) | whole(-1, -1))
    checkpoint: Any = setting(None, PATH | NONE, repr=False)
    resume: bool = setting(False, FLAG, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_penalty()
        if isinstance(self.init, str) and not self._random_start:
            from arcs.learners import learner

            learner(self.init)  # there is one of that name
        if self.search == "pulls" and not isinstance(self.temperature, float | None):
            raise SettingsError(
                f"temperature must be a number with search='pulls', got {self.temperature!r:.80}; "
                "schedules are for search='anneal'"
            )
        if self.latent is not None and (self.regimes.alternates or self.penalty != "l0"):
            raise SettingsError(
                "latent is for penalty='l0' and intervention_kind='hard'; leave one of them out"
            )
        if self.resume and self.checkpoint is None:
            raise SettingsError("resume needs a checkpoint to resume from")
        if self.checkpoint is not None and self.regimes.alternates:
            raise SettingsError(
                f"checkpoint: with intervention_kind={self.intervention_kind!r} searches alternate "
                "with the estimation of mechanisms and cannot be resumed; leave it out"
            )

    def _check_penalty(self) -> None:
        """Refuse parameters that the penalty does not have, or not with these values."""
        penalty(self.penalty, 1.0 if self.lam is None else self.lam, self.gamma)
        if (self.penalty == "l0" and self.lam is None) or self.regimes.alternates:
            return
        for name, default in (("ebic", SEARCH_EBIC), ("final_ebic", ADAPTIVE), ("min_r2", 0.0)):
            if getattr(self, name) != default:
                raise SettingsError(
                    f"{name}={getattr(self, name)!r} is a price for penalty='l0' without lam, and "
                    "has no meaning here; leave it out"
                )

    # ------------------------------------------------------------------ what it works on
    @property
    def regimes(self) -> RegimeKind:
        """How mechanisms may differ between regimes."""
        return KINDS[self.intervention_kind]

    @property
    def excludes_rows(self) -> bool:
        """Whether rows in which a variable was set are left out of its own regression."""
        return self.regimes.excludes_rows

    @property
    def knows_targets(self) -> bool:
        """Whether labels of rows name targets, rather than conditions."""
        return self.regimes.knows_targets

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
        starts = self._starts(dataset, statistics, watch)
        timings.end("init")
        plan, tuning = self._plan(statistics, starts[0].order, watch)
        timings.end("tune")
        ground = self.regimes.settle(dataset, statistics, plan, starts, watch)
        if self.regimes.alternates:
            timings.end("regimes")
        best = self._search(ground, plan, watch)
        timings.end("search")
        answer = self._finish(plan.penalty).answer(best, watch.expired)
        changes, fitted_to = ground.explain(answer.adjacency, self._final_gamma)
        timings.end("finish")
        return Learned(
            answer.adjacency,
            Order(answer.order, statistics.names),
            best.best_energy + best.score.offset,
            self._describe(plan.penalty, answer),
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
        if self.search == "anneal" and self.interval > max(statistics.p, 4):
            # The default fits every number of variables: it is shortened where there are fewer.
            raise SettingsError(
                f"interval must be from 2 to the number of variables ({statistics.p}), got "
                f"{self.interval}"
            )
        given = self._given_order(dataset, statistics, watch)
        known = self.restrictions(statistics)
        count = max(self.n_chains, self.regimes.starts)
        required = None if known is None else known.required
        return make_starts(count, self.random_state, given, statistics.p, required)

    @property
    def _random_start(self) -> bool:
        return isinstance(self.init, str) and self.init == "random"

    def _given_order(
        self, dataset: Dataset | None, statistics: GramStatistics, watch: Watch
    ) -> np.ndarray | None:
        """The order that `init` stands for, or None for random ones."""
        if self._random_start:
            return None
        init = self.init
        if isinstance(init, str):
            from arcs.learners import learner

            init = learner(init, random_state=self.random_state)
        if isinstance(init, Learner):
            if init.uses_knowledge and init.knowledge is None:
                init = replace(init, knowledge=self.knowledge)
            if dataset is None:
                init = init.learn(statistics, watch).graph
            else:
                own = init.statistics(dataset) if self.excludes_rows else statistics
                init = init.learn_from(dataset, own, watch).graph
        return as_order(init, statistics.p)

    # ------------------------------------------------------------------ price
    def _plan(
        self, statistics: GramStatistics, order: np.ndarray, watch: Watch
    ) -> tuple[Plan, dict[str, np.ndarray]]:
        """The search, its penalty tuned by BIC where it is not given, and the table of that."""
        restrictions = self.restrictions(statistics)
        known = {} if restrictions is None else restrictions._asdict()
        tuned = self._given_penalty()
        if tuned is None:
            grid: dict[str, Any] = {"kind": self.penalty, **known}
            grid["gammas"] = GAMMAS if self.gamma is None else (self.gamma,)
            grid["lambdas"] = None if self.lam is None else (self.lam,)
            tuned = tune(statistics, order, watch=watch, **grid)
        if self.search != "none":
            refuse_without_minimum(statistics, tuned.penalty)
        common: dict[str, Any] = {"max_parents": self.max_parents, "workers": self._workers()}
        plan = Plan(tuned.penalty, self._strategy(), self.ebic, **common, **known)
        return plan, tuned.table

    def _given_penalty(self) -> Tuned | None:
        """The penalty, if nothing is left to be tuned."""
        family = PENALTIES[self.penalty]
        if family.counts_edges and self.lam is None:
            return Tuned(Ebic(self.ebic, self.min_r2), {})
        if self.lam is None or (family.has_gamma and self.gamma is None):
            return None
        return Tuned(penalty(self.penalty, self.lam, self.gamma), {})

    @property
    def _adaptive(self) -> bool:
        """Whether the data may choose the price of the answer; a least share is a fixed one."""
        return self.final_ebic == ADAPTIVE and not self.min_r2

    @property
    def _final_gamma(self) -> float:
        """The fixed price of an edge in the answer, which an adaptive one has to surpass."""
        final = FINAL_EBIC if isinstance(self.final_ebic, str) else self.final_ebic
        return max(final, self.ebic)

    def _describe(self, penalty: Penalty, answer: Answer) -> dict[str, Any]:
        """The penalty in force, for the record."""
        described = penalty.describe()
        if penalty.counts_edges and penalty.has_gamma:
            described["final_ebic"] = self._final_gamma
        if answer.level is not None:
            described |= {"final_ebic": ADAPTIVE, "final_level": answer.level}
        return described

    # ------------------------------------------------------------------ search
    def _strategy(self) -> Strategy:
        if self.search == "none":
            return Fixed()
        if self.search == "pulls":
            temperature = 1.0 if self.temperature is None else self.temperature
            return Pulls(self.patience, self.n_iter, temperature=temperature)
        start = self.temperature
        if start is None:
            start = 100.0 if self._random_start else 1.0
        return Annealing(10_000 if self.n_iter is None else self.n_iter, start, self.interval)

    def _search(self, ground: Ground, plan: Plan, watch: Watch) -> Chain:
        """Drive all chains to their end; the best one."""
        chains = plan.chains(ground.statistics, ground.starts)
        # Out of time already: start and penalty are not those that a resumed run would find.
        checkpoint = None if watch.expired() else self._checkpoint(ground.statistics, plan.penalty)
        if checkpoint is not None and self.resume and checkpoint.path.exists():
            checkpoint.load(chains)
        best = run_chains(
            chains, ground.strategy, watch, workers=plan.workers, checkpoint=checkpoint
        )
        if not best.converged:
            from sklearn.exceptions import ConvergenceWarning  # a heavy import, seldom needed

            warnings.warn("some columns did not converge", ConvergenceWarning, stacklevel=5)
        return best

    def _checkpoint(self, statistics: GramStatistics, penalty: Penalty) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        settings = {k: v for k, v in self.settings().items() if k not in ("n_jobs", "time_limit")}
        settings["in force"] = penalty
        return Checkpoint(self.checkpoint, fingerprint(statistics, settings))

    def _workers(self) -> int:
        if self.n_jobs == -1:
            from joblib import cpu_count

            return int(cpu_count())
        return self.n_jobs

    # ------------------------------------------------------------------ answer
    def _finish(self, penalty: Penalty) -> Finish:
        """How the best state becomes a graph."""
        return Finish(
            price=penalty.at(self._final_gamma) if penalty.counts_edges else penalty,
            adaptive=self._adaptive and penalty.counts_edges and penalty.has_gamma,
            # Mechanisms of regimes were fitted to the order that was found: there it has to stay.
            # An order that was not searched for is not changed either.
            relax=not self.regimes.alternates and self.search != "none",
            threshold=self.threshold,
            refine=self.refine,
        )
