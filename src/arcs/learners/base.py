"""The protocol behind which every method of the package stands.

A learner is a frozen dataclass of settings with one verb, :meth:`Learner.fit`. Subclasses write
:meth:`Learner.learn`: Gram statistics in, a :class:`Learned` structure out. Data conversion,
checks, time limit, progress, coefficients, equivalence class and provenance are the same for all.
"""

from __future__ import annotations

import dataclasses
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.dataset import check_reading
from arcs.errors import DataWarning, SettingsError
from arcs.graphs import Order, Pdag
from arcs.knowledge import Knowledge, Restrictions, restricted_class
from arcs.progress import Listener, Watch, check_time_limit, interruptible
from arcs.regimes.changes import Change
from arcs.results import FitResult

__all__ = ["Learned", "Learner"]


@dataclass(frozen=True, eq=False)
class Learned:
    """What :meth:`Learner.learn` returns.

    Attributes
    ----------
    graph : ndarray of bool, or Pdag
        A DAG's adjacency matrix (``[i, j]`` is i -> j), or a CPDAG.
    order : Order, optional
        A topological order, if the method has one of its own.
    score : float, optional
        The method's objective; BIC if left out.
    changes : tuple of Change
        Mechanisms that differ between regimes, if the method looked for them.
    statistics : GramStatistics, optional
        What the coefficients are fitted to, if not the statistics that the method was given.
    """

    graph: np.ndarray | Pdag
    order: Order | None = None
    score: float | None = None
    penalty: Mapping[str, Any] = field(default_factory=dict)
    trace: Mapping[str, np.ndarray] = field(default_factory=dict)
    tuning: Mapping[str, np.ndarray] = field(default_factory=dict)
    edge_values: Mapping[str, np.ndarray] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    converged: bool = True
    changes: tuple[Change, ...] = ()
    statistics: GramStatistics | None = None


@dataclass(frozen=True, kw_only=True)
class Learner(ABC):
    """Base of all learners.

    Parameters
    ----------
    random_state : int, optional
        Seed, for methods that draw random numbers.
    time_limit : float, optional
        Seconds after which the best result so far is returned.
    knowledge : Knowledge, optional
        Background knowledge, which the search obeys. Methods that cannot use it refuse it.
    """

    name: ClassVar[str]
    #: Whether the method uses interventions; otherwise all rows count alike, with a warning.
    uses_interventions: ClassVar[bool] = True
    #: Whether the method can make use of background knowledge.
    uses_knowledge: ClassVar[bool] = False

    random_state: int | None = None
    time_limit: float | None = None
    knowledge: Knowledge | None = None

    def __post_init__(self) -> None:
        check_time_limit(self.time_limit)
        _check_seed(self.random_state)
        _check_knowledge(self)

    @abstractmethod
    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Find a structure. Stop with the best so far when ``watch.expired()``."""

    def learn_from(self, dataset: Dataset, statistics: GramStatistics, watch: Watch) -> Learned:
        """What :meth:`fit` calls; methods that need the rows themselves override it."""
        return self.learn(statistics, watch)

    def fit(
        self,
        data: Any,
        *,
        interventions: Any = None,
        control: str | None = None,
        listener: Listener | None = None,
        **reading: Any,
    ) -> FitResult:
        """Learn a structure from `data` (anything that :meth:`Dataset.of` takes).

        `reading` is passed on to it: ``exclude``, ``missing``, ``constant``, ``unmeasured``.
        """
        check_reading(data, reading)
        design = {"interventions": interventions, "control": control}
        dataset = Dataset.of(data, **design, known_targets=self.knows_targets, **reading)
        watch = Watch(self.time_limit, listener)
        statistics = self.statistics(dataset)
        audit = dataset.audit()
        audit.warn(interventions=self.uses_interventions and self.excludes_rows)
        with interruptible(watch):
            learned = self.learn_from(dataset, statistics, watch)
        if learned.statistics is not None:
            statistics = learned.statistics
        stopped = "interrupted" if watch.interrupted else "finished"
        result = FitResult.from_structure(
            self.name,
            learned.graph,
            statistics,
            order=learned.order,
            score=learned.score,
            penalty=learned.penalty,
            settings=self.settings(),
            seed=self.random_state,
            trace=learned.trace,
            tuning=learned.tuning,
            edge_values=learned.edge_values,
            audit=audit.to_dict(),
            timings={**learned.timings, "total": watch.elapsed},
            converged=learned.converged,
            changes=learned.changes,
            stopped="time limit" if watch.timed_out else stopped,
            source=dataset.source,
        )
        if self.knowledge is None or isinstance(learned.graph, Pdag):
            return result
        return result.with_(cpdag=self.equivalence_class(result.dag.adjacency, statistics))

    def restrictions(self, statistics: GramStatistics) -> Restrictions | None:
        """The background knowledge about the variables at hand, if there is any."""
        return self.knowledge.resolve(statistics.names) if self.knowledge else None

    def equivalence_class(self, adjacency: np.ndarray, statistics: GramStatistics) -> Pdag:
        """What the experiments and the background knowledge tell of a DAG's directions."""
        known = self.restrictions(statistics)
        allowed = np.ones_like(adjacency) if known is None else known.allowed
        return restricted_class(adjacency, allowed, statistics.targets, statistics.names)

    def statistics(self, dataset: Dataset) -> GramStatistics:
        """The statistics this method works on."""
        design = dataset.interventions
        if design is None or (self.uses_interventions and design.labels is None):
            return dataset.statistics()
        warnings.warn(
            f"{self.name} makes no use of interventions: all {dataset.n} rows are treated as "
            "observational",
            DataWarning,
            stacklevel=3,
        )
        return dataset.pooled_statistics()

    @property
    def excludes_rows(self) -> bool:
        """Whether rows in which a variable was set are left out of its own regression."""
        return True

    @property
    def knows_targets(self) -> bool:
        """Whether labels of rows name targets, rather than conditions."""
        return True

    def settings(self) -> dict[str, Any]:
        """The settings as plain values, for the record."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.repr}
        if self.knowledge is not None:
            values["knowledge"] = self.knowledge.to_dict()
        return values


def _check_seed(seed: object) -> None:
    if seed is not None and not isinstance(seed, int | np.integer):
        raise SettingsError(
            f"random_state must be a whole number or None, got {seed!r:.80}: a learner's settings "
            "are written down with its result, and a number can be"
        )


def _check_knowledge(learner: Learner) -> None:
    if learner.knowledge is None:
        return
    if not isinstance(learner.knowledge, Knowledge):
        raise SettingsError(
            f"knowledge must be an arcs.knowledge.Knowledge, got {learner.knowledge!r:.80}; "
            "read_knowledge reads it from a file"
        )
    if not learner.uses_knowledge:
        raise SettingsError(f"{learner.name} cannot make use of background knowledge")
