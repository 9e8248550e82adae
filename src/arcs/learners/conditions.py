"""Learning when means may differ between conditions.

A policy settles which means are free (:mod:`arcs.data.conditions`); the free ones are regressed out
of the statistics that a method works on. For ``sparse`` the indicators of the conditions are nodes
of the search, roots whose edges are paid for, so that graph and shifts are found together; what
method can use background knowledge can do that. ``auto`` takes the smallest total price of
:mod:`arcs.regimes.shifts`, and learns no more graphs than it takes to know it:

1. no mean pays marginally: ``common``; its graph confirms that;
2. otherwise the graph with all means free. If no mean pays there: ``common`` again;
3. otherwise the graph with sparse shifts, and one in which conditions are free whose shifts would
   cost more one by one. The common graph, on data with batches a thicket that takes long to find,
   is left out if what the shifts gain is beyond doubt.

Where mechanisms differ between regimes (soft interventions, unknown targets), the policy is settled
as for hard interventions, and the mechanisms are found beside the means that it frees.

Where nothing differs the result is that of a fit without conditions, to the last bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.elimination import eliminate
from arcs.errors import DataError, DataWarning
from arcs.graphs import Order, Pdag
from arcs.graphs.equivalence import consistent_extension, topological_order
from arcs.knowledge import Knowledge
from arcs.progress import Watch
from arcs.regimes.shifts import ShiftPrices

if TYPE_CHECKING:
    from arcs.learners.base import Learned, Learner

__all__ = ["BEYOND_DOUBT", "CONVINCING", "Found", "learn_with_conditions", "without_checkpoint"]

#: Nats by which others must beat the common policy: odds of 20 to 1, so that one mean among
#: thousands that stands out by chance changes nothing.
CONVINCING = 3.0
#: Shifts that gain more nats than this leave the common graph out of question.
BEYOND_DOUBT = 50.0
#: How often conditions are made free one after the other.
_ROUNDS = 2


@dataclass(frozen=True, eq=False)
class Found:
    """What was learned, and how conditions were treated.

    Attributes
    ----------
    learned : Learned
    statistics : GramStatistics
        What coefficients are fitted to.
    dataset : Dataset
        The data with free means settled.
    policy : str
        "common", "free", "sparse" or "mixed"; empty without conditions.
    totals : mapping of str to float
        The price in nats of each policy that was tried.
    cpdag : Pdag, optional
        The equivalence class, if shifts tell more of it than the graph does.
    transform_note : str
        Why the transform was chosen, if the data did it.
    """

    learned: Learned
    statistics: GramStatistics
    dataset: Dataset
    policy: str = ""
    totals: Mapping[str, float] = field(default_factory=dict)
    cpdag: Pdag | None = None
    transform_note: str = ""


def learn_with_conditions(
    learner: Learner, dataset: Dataset, statistics: GramStatistics, watch: Watch
) -> Found:
    """Learn from a data set by the policy of its conditions; `statistics` are those without."""
    if getattr(learner, "latent", None) is not None and dataset.conditions is not None:
        return _with_latent(learner, dataset, statistics, watch)
    conditions = dataset.conditions
    if conditions is None or conditions.shifts is not None:
        return Found(learner.learn_from(dataset, statistics, watch), statistics, dataset)
    policy = conditions.policy
    if not learner.excludes_rows:
        policy, dataset = _beside_mechanisms(learner, dataset, watch)
    task = _Task(learner, dataset, statistics, watch)
    if policy == "auto":
        return task.cheapest()
    ways = {"common": task.common, "free": task.free, "sparse": task.sparse, "mixed": task.mixed}
    return ways[policy]()


def _beside_mechanisms(learner: Learner, dataset: Dataset, watch: Watch) -> tuple[str, Dataset]:
    """The policy where mechanisms differ between regimes, and the data that know what is free.

    Of unknown targets, shifted means are among the changes that are looked for in each regime: as
    conditions, the regimes have nothing to add. Otherwise (targets are known, or conditions are
    not the regimes) what is to be chosen is settled as for hard interventions, or for none where
    targets are unknown.
    """
    conditions = dataset.conditions
    assert conditions is not None
    unknown = not learner.knows_targets
    if unknown and conditions.implied and conditions.policy != "free":
        return "common", dataset
    if conditions.policy in ("common", "free", "sparse"):
        return conditions.policy, dataset
    plain = replace(learner, intervention_kind="hard")  # type: ignore[call-arg]
    data = dataset.without_interventions() if unknown else dataset
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = learn_with_conditions(plain, data, plain.statistics(data), watch)
    if found.policy == "mixed":
        free = tuple(ShiftPrices(data).full_rows(_shifts_of(found)).tolist())
        if sum(free) >= len(free) - 1:  # the last one is what the others are compared to
            return "free", dataset
        dataset = dataset.with_conditions(replace(conditions, free=free))
    return found.policy, dataset


def _with_latent(
    learner: Learner, dataset: Dataset, statistics: GramStatistics, watch: Watch
) -> Found:
    """Conditions are settled without hidden factors; single shifts become means of their own."""
    plain = replace(learner, latent=None)  # type: ignore[call-arg]
    found = learn_with_conditions(plain, dataset, statistics, watch)
    if found.policy in ("sparse", "mixed"):
        every = np.ones((len(_shifts_of(found)), dataset.p), dtype=bool)
        task = _Task(learner, dataset, statistics, watch)
        settled, own = task._settled(every)
        found = replace(found, dataset=settled, statistics=own, policy="free", cpdag=None)
    learned = learner.learn_from(found.dataset, found.statistics, watch)
    return replace(found, learned=learned)


@dataclass(frozen=True, eq=False)
class _Task:
    """One data set, one method, several policies."""

    learner: Learner
    dataset: Dataset
    statistics: GramStatistics
    watch: Watch

    # ------------------------------------------------------------------ single policies
    def common(self) -> Found:
        learned = self.learner.learn_from(self.dataset, self.statistics, self.watch)
        return Found(learned, self.statistics, self.dataset, "common")

    def free(self) -> Found:
        shifts = np.ones((len(self._labels), self.dataset.p), dtype=bool)
        dataset, statistics = self._settled(shifts)
        learned = without_checkpoint(self.learner).learn_from(dataset, statistics, self.watch)
        return Found(learned, statistics, dataset, "free")

    def sparse(self) -> Found:
        return self._with_roots(np.zeros(len(self._labels), dtype=bool), "sparse")

    def mixed(self) -> Found:
        assert self.dataset.conditions is not None
        if self.dataset.conditions.free is not None:
            return self._with_roots(np.array(self.dataset.conditions.free), "mixed")
        nothing_free = np.zeros(len(self._labels), dtype=bool)
        sparse = self._with_roots(nothing_free, "sparse")
        return replace(([sparse, *self._mixtures(sparse)])[-1], policy="mixed")

    # ------------------------------------------------------------------ the choice
    def cheapest(self) -> Found:
        """The policy with the smallest total."""
        empty = np.zeros((self.dataset.p, self.dataset.p), dtype=bool)
        candidates: list[Found] = []
        if not self._pays(empty):
            candidates.append(self.common())
            if not self._pays(_dag_of(candidates[0].learned)):
                return self._priced(candidates)
        if not self.prices.leaves_rows():
            return self._without_free(candidates)
        candidates.append(self.free())
        if not self._pays(_dag_of(candidates[-1].learned)):
            return self._priced(candidates if len(candidates) > 1 else [self.common()])
        return self._without_free(candidates)

    def _without_free(self, candidates: list[Found]) -> Found:
        if self.learner.uses_knowledge:
            nothing_free = np.zeros(len(self._labels), dtype=bool)
            sparse = self._with_roots(nothing_free, "sparse")
            candidates.append(sparse)
            candidates += self._mixtures(sparse)
        if all(found.policy != "common" for found in candidates) and self._in_doubt(candidates):
            candidates.append(self.common())
        return self._priced(candidates)

    def _mixtures(self, found: Found) -> list[Found]:
        """Conditions free whose shifts cost more one by one, until that is so no more."""
        mixtures: list[Found] = []
        free = np.zeros(len(self._labels), dtype=bool)
        for _ in range(_ROUNDS):
            grown = free | self.prices.cheaper_free(_shifts_of(found))
            if grown.all() or np.array_equal(grown, free):
                break
            free = grown
            found = self._with_roots(free, "mixed")
            mixtures.append(found)
        return mixtures

    def _pays(self, adjacency: np.ndarray) -> bool:
        """Whether any means pay at this graph, one by one or all together."""
        prices = self.prices
        limit = prices.total(adjacency, ~prices.everything()) - CONVINCING
        single = prices.choose(adjacency)
        if single.any() and prices.total(adjacency, single) < limit:
            return True
        return self.prices.leaves_rows() and prices.total(adjacency, prices.everything()) < limit

    def _in_doubt(self, candidates: list[Found]) -> bool:
        """Whether the common graph could be the cheapest."""
        best = self._priced(candidates)
        alike = self.prices.total(_dag_of(best.learned), ~self.prices.everything())
        return alike - best.totals[best.policy] < BEYOND_DOUBT

    def _priced(self, candidates: list[Found]) -> Found:
        """The cheapest candidate, with the totals of all."""
        total = self.prices.total
        totals = {f.policy: total(_dag_of(f.learned), _shifts_of(f)) for f in candidates}
        start = {"common": CONVINCING}
        best = min(candidates, key=lambda f: totals[f.policy] - start.get(f.policy, 0.0))
        return replace(best, totals=totals)

    # ------------------------------------------------------------------ parts
    @cached_property
    def prices(self) -> ShiftPrices:
        return ShiftPrices(self.dataset)

    @property
    def _labels(self) -> tuple[str, ...]:
        assert self.dataset.conditions is not None
        return self.dataset.conditions.labels

    def _settled(self, shifts: np.ndarray) -> tuple[Dataset, GramStatistics]:
        assert self.dataset.conditions is not None
        dataset = self.dataset.with_conditions(self.dataset.conditions.settled(shifts))
        return dataset, self._statistics(self.learner, dataset)

    def _statistics(self, learner: Learner, dataset: Dataset) -> GramStatistics:
        with warnings.catch_warnings():
            # What is to be said of the method was said when the data were first looked at.
            warnings.simplefilter("ignore", DataWarning)
            return learner.statistics(dataset)

    def _with_roots(self, free: np.ndarray, policy: str) -> Found:
        """Indicators as roots, but of the conditions that are free anyway."""
        if not self.learner.uses_knowledge:
            raise DataError(
                f"{self.learner.name} cannot keep conditions as roots of the graph, which "
                f"condition_policy={policy!r} needs; use 'free', 'common' or 'auto'"
            )
        p = self.dataset.p
        wide = self.dataset.with_condition_columns(free)
        known = _with_root_names(self.learner.knowledge, wide.names[p:])
        learner = _widened(without_checkpoint(self.learner), p, len(wide.names) - p)
        learner = replace(learner, knowledge=known)
        found = learner.learn_from(wide, self._statistics(learner, wide), self.watch)
        learned = _narrowed(found, p, self.dataset.names)
        if found.statistics is None:
            shifts = self.prices.choose(_dag_of(learned))
        else:
            # Beside mechanisms that differ only the search itself knows which means are shifted.
            shifts = np.zeros((len(free), p), dtype=bool)
            shifts[~free] = _dag_of(found)[p:, :p]
            own = eliminate(found.statistics, self.dataset.names, shifts[~free].T, refuse=False)
            learned = replace(learned, statistics=own)
        shifts[free] = True
        dataset, statistics = self._settled(shifts)
        if isinstance(learned.graph, Pdag):
            return Found(learned, statistics, dataset, policy)
        told = statistics if learned.statistics is None else learned.statistics
        cpdag = self._class(_dag_of(learned), shifts, free, told)
        return Found(learned, statistics, dataset, policy, cpdag=cpdag)

    def _class(
        self, adjacency: np.ndarray, shifts: np.ndarray, free: np.ndarray, plain: GramStatistics
    ) -> Pdag:
        """The equivalence class given that conditions point to what they shift."""
        from arcs.knowledge import restricted_class

        p, single = len(adjacency), shifts[~free]
        k = len(single)
        graph = np.zeros((p + k, p + k), dtype=bool)
        graph[:p, :p], graph[p:, :p] = adjacency, single
        allowed = np.ones_like(graph)
        known = self.learner.restrictions(plain)
        if known is not None:
            allowed[:p, :p] = known.allowed
        allowed[:, p:] = False
        found = restricted_class(graph, allowed, plain.targets)
        return Pdag(found.directed[:p, :p], found.undirected[:p, :p], plain.names)


def without_checkpoint(learner: Learner) -> Learner:
    """The same method without a file to resume from: several searches cannot share one."""
    if getattr(learner, "checkpoint", None) is None:
        return learner
    return replace(learner, checkpoint=None, resume=False)  # type: ignore[call-arg]


def _widened(learner: Learner, p: int, k: int) -> Learner:
    """The same method for `k` more nodes that come first: starts and allowed edges grow."""
    changes: dict[str, Any] = {}
    allowed = getattr(learner, "allowed", None)
    if allowed is not None:
        grown = np.ones((p + k, p + k), dtype=bool)
        grown[:p, :p] = np.asarray(allowed, dtype=bool)
        changes["allowed"] = grown
    init = getattr(learner, "init", None)
    if isinstance(init, Pdag):
        init = consistent_extension(init)
    init = getattr(init, "nodes", getattr(init, "adjacency", init))
    if isinstance(init, np.ndarray | list | tuple):
        start = np.asarray(init)
        order = topological_order(start.astype(bool)) if start.ndim == 2 else start
        changes["init"] = [*range(p, p + k), *(int(v) for v in order)]
    return replace(learner, **changes)


def _with_root_names(knowledge: Knowledge | None, roots: tuple[str, ...]) -> Knowledge:
    if knowledge is None:
        return Knowledge(roots=roots)
    return Knowledge(
        required=knowledge.required,
        forbidden=knowledge.forbidden,
        tiers=knowledge.tiers,
        edges_within_tiers=knowledge.edges_within_tiers,
        roots=(*knowledge.roots, *roots),
        leaves=knowledge.leaves,
    )


def _narrowed(learned: Learned, p: int, names: tuple[str, ...]) -> Learned:
    """Of what was learned with further nodes, the part about the first `p`."""
    graph: Any = learned.graph
    if isinstance(graph, Pdag):
        graph = Pdag(graph.directed[:p, :p], graph.undirected[:p, :p], names)
    else:
        graph = np.asarray(graph, dtype=bool)[:p, :p]
    order = learned.order
    if order is not None:
        order = Order(order.nodes[order.nodes < p], names)
    values = {name: matrix[:p, :p] for name, matrix in learned.edge_values.items()}
    changes = tuple(change for change in learned.changes if change.target in names)
    return replace(learned, graph=graph, order=order, edge_values=values, changes=changes)


def _dag_of(learned: Learned) -> np.ndarray:
    graph = learned.graph
    return consistent_extension(graph) if isinstance(graph, Pdag) else np.asarray(graph, dtype=bool)


def _shifts_of(found: Found) -> np.ndarray:
    conditions = found.dataset.conditions
    assert conditions is not None
    if conditions.shifts is None:
        return np.zeros((len(conditions.labels), found.dataset.p), dtype=bool)
    return conditions.shifts
