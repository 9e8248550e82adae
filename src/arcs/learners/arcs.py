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
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.errors import DataError, SettingsError
from arcs.graphs import GaussianDag, Order, Pdag
from arcs.graphs.equivalence import consistent_extension, topological_order
from arcs.learners.base import Learned, Learner
from arcs.penalties import L0, PENALTIES, Penalty, ebic_cost, penalty
from arcs.progress import Watch
from arcs.refine import refine
from arcs.regimes.alternation import Alternation
from arcs.regimes.setup import INTERVENTION_KINDS, check_regimes, target_finder
from arcs.scores.cholesky import CholeskyScore, state_adjacency
from arcs.search import (
    Annealing,
    Chain,
    Checkpoint,
    Fixed,
    Pulls,
    Strategy,
    fingerprint,
    run_chains,
)
from arcs.search.prune import Adapted, prune, prune_adaptively
from arcs.tuning import tune

__all__ = ["Arcs", "paper_settings"]

SEARCHES = ("pulls", "anneal", "none")

#: Price of an edge, as the gamma of the extended BIC: while searching, and in the answer.
SEARCH_EBIC = 1.0
FINAL_EBIC = 1.5
#: The word for a price of the answer that the data choose.
ADAPTIVE = "adaptive"
#: Starts with unknown targets: the total price has many local minima there.
UNKNOWN_STARTS = 6


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
    gamma, lam : float, optional
        Parameters of a continuous penalty; what is not given is chosen by BIC over the grid of
        Algorithm 4. For l0, `lam` is the price of an edge in nats instead of `ebic`.
    ebic : float
        l0: price of an edge while searching, ``0.5 log n + ebic log p`` nats.
    final_ebic : float or "adaptive"
        l0: the same for the answer, where it is at least that of the search; or chosen by the
        data, which keeps more edges where many are weak (:mod:`arcs.search.prune`).
    search : {"pulls", "anneal", "none"}
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

    init: Any = "random"
    penalty: str = "l0"
    gamma: float | None = None
    lam: float | None = None
    ebic: float = SEARCH_EBIC
    final_ebic: float | str = ADAPTIVE
    search: str = "pulls"
    n_iter: int | None = None
    temperature: Any = None
    interval: int = 4
    patience: int = 4
    threshold: float = 0.0
    refine: float | None = None
    max_parents: int | None = None
    intervention_kind: str = "hard"
    n_chains: int = 1
    n_jobs: int = 1
    checkpoint: Any = field(default=None, repr=False)
    resume: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        _choice("penalty", self.penalty, tuple(PENALTIES))
        _choice("search", self.search, SEARCHES)
        _choice("intervention_kind", self.intervention_kind, INTERVENTION_KINDS)
        for name in ("ebic", "threshold"):
            _at_least(name, getattr(self, name), 0)
        _price_or_adaptive("final_ebic", self.final_ebic)
        for name in ("n_chains", "n_jobs"):
            if name != "n_jobs" or self.n_jobs != -1:
                _at_least(name, getattr(self, name), 1)
        if self.refine is not None and not 0 < self.refine < 1:
            raise SettingsError(f"refine must be a level between 0 and 1, got {self.refine!r}")
        if self.lam is not None and self.penalty != "l0":
            penalty(self.penalty, self.lam, self.gamma)  # checks both
        self._strategy()
        if self.resume and self.checkpoint is None:
            raise SettingsError("resume needs a checkpoint to resume from")
        if self.checkpoint is not None and self.intervention_kind != "hard":
            raise SettingsError(
                f"checkpoint: with intervention_kind={self.intervention_kind!r} searches alternate "
                "with the estimation of mechanisms and cannot be resumed; leave it out"
            )

    # ------------------------------------------------------------------ the fit
    @property
    def excludes_rows(self) -> bool:
        """Whether rows in which a variable was set are left out of its own regression."""
        return self.intervention_kind == "hard"

    @property
    def knows_targets(self) -> bool:
        """Whether labels of rows name targets, rather than conditions."""
        return self.intervention_kind != "unknown"

    def statistics(self, dataset: Dataset) -> GramStatistics:
        """The statistics the search starts with: of all rows alike, unless rows are excluded."""
        if self.intervention_kind != "hard":
            check_regimes(dataset, self.intervention_kind)
            return dataset.pooled_statistics()
        if dataset.interventions is not None and dataset.interventions.labels is not None:
            raise DataError(
                "the regimes of the data have labels, but their targets are not known: choose "
                "intervention_kind='unknown' to find them"
            )
        return super().statistics(dataset)

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Find a structure from statistics alone."""
        return self._learn(None, statistics, watch)

    def learn_from(self, dataset: Dataset, statistics: GramStatistics, watch: Watch) -> Learned:
        """Find a structure; the rows are there for a learner that provides the start."""
        return self._learn(dataset, statistics, watch)

    def _learn(self, dataset: Dataset | None, statistics: GramStatistics, watch: Watch) -> Learned:
        self._check_interval(statistics.p)
        fewest = UNKNOWN_STARTS if self.intervention_kind == "unknown" else 1
        starts = max(self.n_chains, fewest)
        streams = np.random.SeedSequence(self.random_state).spawn(starts)
        generators = [np.random.default_rng(stream) for stream in streams]
        start = self._start(dataset, statistics, watch)
        timings = {"init": watch.elapsed}
        orders = [rng.permutation(statistics.p) if start is None else start for rng in generators]
        orders = [self._obedient(order, statistics) for order in orders]
        chosen, tuning = self._penalty(statistics, orders[0], watch)
        timings["tune"] = watch.elapsed - sum(timings.values())
        alternation = None
        if self.intervention_kind != "hard":
            alternation = self._alternation(dataset, statistics, chosen)
            workers = self._workers()
            settled = alternation.run(statistics, orders, generators, watch, workers)
            last = (settled.adjacency, settled.nodes)
            statistics = alternation.statistics(*last, translate=True)
            orders, generators = [settled.order], [settled.chain.rng]
            timings["regimes"] = watch.elapsed - sum(timings.values())
        score = self._score(statistics, chosen)
        chains = [Chain(score, o, rng) for o, rng in zip(orders, generators, strict=True)]
        # Out of time already: start and penalty are not those that a resumed run would find.
        checkpoint = None if watch.expired() else self._checkpoint(statistics, chosen)
        if checkpoint is not None and self.resume and checkpoint.path.exists():
            checkpoint.load(chains)
        strategy = self._strategy() if alternation is None else Fixed()
        best = run_chains(chains, strategy, watch, workers=self._workers(), checkpoint=checkpoint)
        timings["search"] = watch.elapsed - sum(timings.values())
        learned = self._finish(best, statistics, chosen, watch)
        if alternation is not None:
            learned |= _changes(alternation, learned["graph"], self._final_price())
        timings["finish"] = watch.elapsed - sum(timings.values())
        if not best.converged:
            from sklearn.exceptions import ConvergenceWarning  # a heavy import, seldom needed

            warnings.warn("some columns did not converge", ConvergenceWarning, stacklevel=4)
        return Learned(
            **learned,
            score=best.best_energy + score.offset,
            trace=best.trace() if alternation is None else settled.chain.trace(),
            tuning=tuning,
            timings=timings,
            converged=best.converged,
        )

    def _finish(
        self, best: Chain, statistics: GramStatistics, chosen: Penalty | float, watch: Watch
    ) -> dict[str, Any]:
        """From the best state to the graph: pruning, thresholding, refinement."""
        order, description = best.best_order(statistics.names), self._describe(chosen)
        if not best.score.is_l0:
            adjacency = _above(best, self.threshold)
        elif self.final_ebic == ADAPTIVE and not isinstance(chosen, Penalty):
            adapted = self._adapted(best, statistics, watch)
            adjacency, order = adapted.adjacency, Order(adapted.order, statistics.names)
            if adapted.level is not None:
                description |= {"final_ebic": ADAPTIVE, "final_level": adapted.level}
        else:
            costs = best.score.edge_costs
            if not isinstance(chosen, Penalty):
                costs = ebic_cost(statistics.n, statistics.p, self._final_price())
            adjacency = prune(best.best, statistics, costs, best.score.required)
        if best.score.required is not None:
            adjacency |= best.score.required
        if self.refine is not None:
            kept = refine(adjacency, order, statistics, self.refine, required=best.score.required)
            adjacency = kept.adjacency
        return {"graph": adjacency, "order": order, "penalty": description}

    def _adapted(self, best: Chain, statistics: GramStatistics, watch: Watch) -> Adapted:
        """The state pruned at a level that the data choose."""
        costs = ebic_cost(statistics.n, statistics.p, self._final_price())
        # Mechanisms of regimes were fitted to the order that was found: there it has to stay. An
        # order that was not searched for is not changed either.
        relax = self.intervention_kind == "hard" and self.search != "none"
        return prune_adaptively(best, costs, relax=relax, expired=watch.expired)

    def _final_price(self) -> float:
        """The fixed price of an edge in the answer, which an adaptive one has to surpass."""
        final = FINAL_EBIC if isinstance(self.final_ebic, str) else self.final_ebic
        return max(final, self.ebic)

    # ------------------------------------------------------------------ its parts
    def _start(
        self, dataset: Dataset | None, statistics: GramStatistics, watch: Watch
    ) -> np.ndarray | None:
        """The starting order, or None for a random one."""
        init = self.init
        if isinstance(init, str):
            if init == "random":
                return None
            from arcs.learners import learner

            init = learner(init, random_state=self.random_state)
        if isinstance(init, Learner):
            if init.uses_knowledge and init.knowledge is None:
                init = replace(init, knowledge=self.knowledge)
            if dataset is None:
                found = init.learn(statistics, watch)
            elif self.intervention_kind == "hard":
                found = init.learn_from(dataset, init.statistics(dataset), watch)
            else:
                found = init.learn_from(dataset, statistics, watch)
            init = found.graph
        return _as_order(init, statistics)

    def _penalty(
        self, statistics: GramStatistics, order: np.ndarray, watch: Watch
    ) -> tuple[Penalty | float, dict[str, np.ndarray]]:
        """The penalty in force, tuned by BIC where it is not given."""
        if self.penalty == "l0":
            return (self.ebic, {}) if self.lam is None else (penalty("l0", self.lam), {})
        if self.lam is not None and (self.gamma is not None or self.penalty == "l1"):
            return penalty(self.penalty, self.lam, self.gamma), {}
        grid: dict[str, Any] = {"kind": self.penalty}
        if self.gamma is not None:
            grid["gammas"] = (self.gamma,)
        if self.lam is not None:
            grid["lambdas"] = (self.lam,)
        tuned = tune(statistics, order, watch=watch, **grid, **self._known(statistics))
        return tuned.penalty, tuned.table

    def _score(self, statistics: GramStatistics, chosen: Penalty | float) -> CholeskyScore:
        known = self._known(statistics)
        return CholeskyScore(statistics, chosen, max_parents=self.max_parents, **known)

    def _alternation(
        self, dataset: Dataset | None, statistics: GramStatistics, chosen: Penalty | float
    ) -> Alternation:
        """What finds the mechanisms of the regimes, with this learner's search inside."""
        if dataset is None:
            raise DataError(
                f"intervention_kind={self.intervention_kind!r} needs the rows of each regime, not "
                "statistics of all of them"
            )
        gamma = self.ebic if isinstance(chosen, Penalty) else chosen

        def edge_price(n: float) -> float:
            if isinstance(chosen, L0):
                return chosen.lam
            return float(ebic_cost(np.asarray(n), statistics.p, gamma))

        return Alternation(
            dataset,
            target_finder(dataset, self.intervention_kind, edge_price, self.ebic),
            lambda weighted: self._score(weighted, chosen),
            self._brief_strategy(),
            self._strategy(),
            **self._known(statistics),
        )

    def _known(self, statistics: GramStatistics) -> dict[str, Any]:
        """Background knowledge, as the score takes it."""
        known = self.restrictions(statistics)
        return {} if known is None else known._asdict()

    def _obedient(self, order: np.ndarray, statistics: GramStatistics) -> np.ndarray:
        """The order changed as little as makes required edges point forward."""
        known = self.restrictions(statistics)
        if known is None:
            return order
        return np.asarray(order[topological_order(known.required[np.ix_(order, order)])])

    def _check_interval(self, p: int) -> None:
        # The default fits every number of variables: it is shortened where there are fewer.
        if self.search == "anneal" and self.interval > max(p, 4):
            raise SettingsError(
                f"interval must be from 2 to the number of variables ({p}), got {self.interval}"
            )

    def _strategy(self) -> Strategy:
        if self.search == "none":
            return Fixed()
        if self.search == "anneal":
            start = self.temperature
            if start is None:
                start = 100.0 if isinstance(self.init, str) and self.init == "random" else 1.0
            n_iter = 10_000 if self.n_iter is None else self.n_iter
            return Annealing(n_iter, start, self.interval)
        temperature = 1.0 if self.temperature is None else float(self.temperature)
        return Pulls(self.patience, self.n_iter, temperature=temperature)

    def _brief_strategy(self) -> Strategy:
        """What is enough where a search is followed by others: the last one is done in full."""
        strategy = self._strategy()
        return replace(strategy, patience=1) if isinstance(strategy, Pulls) else strategy

    def _checkpoint(self, statistics: GramStatistics, chosen: Penalty | float) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        settings = {k: v for k, v in self.settings().items() if k not in ("n_jobs", "time_limit")}
        settings["in force"] = chosen
        return Checkpoint(self.checkpoint, fingerprint(statistics, settings))

    def _workers(self) -> int:
        if self.n_jobs == -1:
            from joblib import cpu_count

            return int(cpu_count())
        return self.n_jobs

    def _describe(self, chosen: Penalty | float) -> dict[str, Any]:
        if isinstance(chosen, Penalty):
            return {"kind": chosen.name, "lam": chosen.lam, "gamma": chosen.gamma}
        return {"kind": "l0", "ebic": chosen, "final_ebic": self._final_price()}


def _changes(alternation: Alternation, adjacency: np.ndarray, gamma: float) -> dict[str, Any]:
    """The mechanisms of the final graph, and what has to be computed anew with them."""
    alternation = replace(alternation, finder=alternation.finder.at_price(gamma))
    nodes = alternation.finder.graph(adjacency)
    statistics = alternation.statistics(adjacency, nodes, translate=False)
    return {
        "changes": alternation.changes(adjacency, nodes),
        "statistics": statistics,
    }


def _above(best: Chain, threshold: float) -> np.ndarray:
    """Adjacency of a continuous state's coefficients above `threshold` in size."""
    adjacency = state_adjacency(best.best)
    columns = best.best.columns
    for v in range(adjacency.shape[0]):
        k = columns.count[v]
        weak = np.abs(columns.weight[v, :k]) <= threshold * columns.diagonal[v]
        adjacency[columns.parents[v, :k][weak], v] = False
    return adjacency


def _as_order(init: Any, statistics: GramStatistics) -> np.ndarray:
    """Nodes in an order that `init` describes, parents first."""
    p = statistics.p
    if isinstance(init, Pdag):
        return np.asarray(topological_order(consistent_extension(init)))
    if isinstance(init, GaussianDag):
        init = init.adjacency
    if isinstance(init, Order):
        init = init.nodes
    array = np.asarray(init)
    if array.shape == (p, p):
        return np.asarray(topological_order(array.astype(bool)))
    if array.shape != (p,) or not np.array_equal(np.sort(array), np.arange(p)):
        raise DataError(
            f"init must be an order of the {p} variables, a graph over them, a learner or its "
            f"name, got {init!r:.80}"
        )
    return array.astype(np.int64)


def _choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def _at_least(name: str, value: float, low: float) -> None:
    if not value >= low:
        raise SettingsError(f"{name} must be at least {low}, got {value!r}")


def _price_or_adaptive(name: str, value: Any) -> None:
    if isinstance(value, str):
        if value != ADAPTIVE:
            raise SettingsError(f"{name} must be a number or {ADAPTIVE!r}, got {value!r}")
        return
    _at_least(name, value, 0)
