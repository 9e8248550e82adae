"""The protocol behind which every method of the package stands.

A learner is a frozen dataclass of settings with one verb, :meth:`Learner.fit`. Subclasses write
:meth:`Learner.learn`: Gram statistics in, a :class:`Learned` structure out. Data conversion,
checks, time limit, progress, coefficients, equivalence class and provenance are the same for all.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.dataset import check_reading
from arcs.data.symptoms import dense_sentence, factor_sentence
from arcs.errors import SettingsError, warn_caller
from arcs.graphs import Order, Pdag
from arcs.kernels.compilation import Compilation
from arcs.knowledge import Knowledge, Restrictions, restricted_class
from arcs.learners.conditions import Found
from arcs.learners.preparation import preparation_of
from arcs.learners.transforms import learn_prepared
from arcs.progress import (
    CompileNotice,
    Listener,
    Watch,
    interruptible,
    somebody_watches,
)
from arcs.regimes.changes import Change
from arcs.results import FitResult
from arcs.settings import NONE, SECONDS, SEED, check_settings, instance, setting

if TYPE_CHECKING:
    from arcs.data.audit import Audit

__all__ = ["Learned", "Learner"]

_KNOWLEDGE = instance(
    Knowledge, "an arcs.knowledge.Knowledge (read_knowledge reads it from a file)"
)


class NamedRows(Protocol):
    """What classes and background knowledge are about: variables, and who was set together."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    @property
    def targets(self) -> tuple[tuple[int, ...], ...]:
        """Target sets of the regimes."""


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
    hidden : arcs.learners.latent.Hidden, optional
        Hidden factors, if the method looked for them.
    statistics : GramStatistics, optional
        What the coefficients are fitted to, if not the statistics that the method was given.

    Examples
    --------
    >>> import numpy as np
    >>> Learned(np.zeros((3, 3), dtype=bool)).converged
    True
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
    hidden: Any = None


@dataclass(frozen=True, kw_only=True)
class Learner(ABC):
    """Base of all learners.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        Seed, for methods that draw random numbers. A generator is asked for a number, once: a
        learner's settings are written down with its result. With None every fit draws a seed of its
        own, which its result holds.
    time_limit : float, optional
        Seconds after which the best result so far is returned.
    knowledge : Knowledge, optional
        Background knowledge, which the search obeys. Methods that cannot use it refuse it.

    Examples
    --------
    >>> from arcs.learners import LEARNERS
    >>> sorted(name for name, kind in LEARNERS.items() if kind.uses_knowledge)
    ['arcs', 'cd', 'ges', 'gies', 'hc', 'mmhc', 'pc']
    """

    name: ClassVar[str]
    #: Whether the method uses interventions; otherwise all rows count alike, with a warning.
    uses_interventions: ClassVar[bool] = True
    #: Whether the method can make use of background knowledge.
    uses_knowledge: ClassVar[bool] = False
    #: Whether the method looks at the rows themselves, and not at their sums only.
    uses_rows: ClassVar[bool] = False
    #: Tables with categories that the method takes: "categories" alone, "mixed" with numbers.
    tables: ClassVar[tuple[str, ...]] = ()
    #: Which way the method's own score is better: "larger" or "smaller".
    better_score: ClassVar[str] = "larger"

    random_state: int | None = setting(None, SEED)
    time_limit: float | None = setting(None, SECONDS | NONE)
    knowledge: Knowledge | None = setting(None, _KNOWLEDGE | NONE)

    def __post_init__(self) -> None:
        check_settings(self)
        if self.knowledge is not None and not self.uses_knowledge:
            raise SettingsError(f"{self.name} cannot make use of background knowledge")

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

        `reading` is passed on to it: ``exclude``, ``missing``, ``constant``, ``unmeasured``,
        ``discrete`` and others (:class:`arcs.data.reading.Reading`).
        """
        check_reading(data, reading)
        design = {"interventions": interventions, "control": control}
        if self.random_state is None and self.needs_seed:
            seed = int(np.random.default_rng().integers(2**31 - 1))
            seeded = dataclasses.replace(self, random_state=seed)
            return seeded.fit(data, **design, listener=listener, **reading)
        if listener is None and somebody_watches():
            with CompileNotice() as notice:
                return self.fit(data, **design, listener=notice, **reading)
        dataset = Dataset.of(data, **design, known_targets=self.knows_targets, **reading)
        if dataset.discrete:
            from arcs.learners.categories import fit_categories

            return fit_categories(self, dataset, listener)
        watch = Watch(self.time_limit, listener)
        statistics = self.statistics(dataset)
        audit = dataset.audit()
        spoken = self.knowledge.labels() if self.knowledge else ()
        known = [name for j, name in enumerate(dataset.names) if name in spoken or j in spoken]
        audit.warn(interventions=self.uses_interventions and self.excludes_rows, known=known)
        with interruptible(watch), Compilation(watch.compiles) as compiled:
            found = learn_prepared(self, dataset, statistics, watch)
        return self._result(found, audit, watch, compiled)

    def _result(
        self, found: Found, audit: Audit, watch: Watch, compiling: Compilation
    ) -> FitResult:
        """What was found, with coefficients, equivalence class and provenance."""
        learned = found.learned
        statistics = learned.statistics if learned.statistics is not None else found.statistics
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
            timings={**learned.timings, **compiling.timings(), "total": watch.elapsed},
            converged=learned.converged,
            changes=learned.changes,
            changes_sought=not self.excludes_rows,
            stopped="time limit" if watch.timed_out else stopped,
            source=found.dataset.source,
            preparation=preparation_of(
                found,
                targets_known=self.knows_targets,
                min_r2=float(getattr(self, "min_r2", 0.0) or 0.0),
            ),
        )
        result = _with_remarks(result, found.dataset, watch.remaining)
        result = result.with_(timings={**result.timings, "total": watch.elapsed})  # all of it
        if found.cpdag is not None:
            return result.with_(cpdag=found.cpdag)
        if self.knowledge is None or isinstance(learned.graph, Pdag):
            return result
        return result.with_(cpdag=self.equivalence_class(result.dag.adjacency, statistics))

    def restrictions(self, statistics: NamedRows) -> Restrictions | None:
        """The background knowledge about the variables at hand, if there is any."""
        return self.knowledge.resolve(statistics.names) if self.knowledge else None

    def equivalence_class(self, adjacency: np.ndarray, statistics: NamedRows) -> Pdag:
        """What the experiments and the background knowledge tell of a DAG's directions."""
        known = self.restrictions(statistics)
        allowed = np.ones_like(adjacency) if known is None else known.allowed
        return restricted_class(adjacency, allowed, statistics.targets, statistics.names)

    def statistics(self, dataset: Dataset) -> GramStatistics:
        """The statistics this method works on."""
        design = dataset.interventions
        if design is None or (self.uses_interventions and design.labels is None):
            return dataset.statistics()
        warn_caller(
            f"{self.name} makes no use of interventions: all {dataset.n} rows are treated as "
            "observational"
        )
        return dataset.pooled_statistics()

    @property
    def needs_seed(self) -> bool:
        """Whether the answer depends on random numbers: a result must say which, to be repeated."""
        return False

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


def _with_remarks(result: FitResult, dataset: Dataset, seconds: float) -> FitResult:
    """The result with a word about its density and about a hidden factor, if there is any.

    A search that was stopped has a graph that says little of the data; `seconds` are left.
    """
    if result.stopped != "finished":
        return result
    done, p = result.preparation, len(result.names)
    treated = done.get("conditions", {}).get("policy", "common") != "common"
    facts = {
        "adjusted": "adjust" in done or treated,
        "transformed": "transform" in done,
        "latent": "latent" in done,
    }
    remarks = {"dense": dense_sentence(result.n_edges, p, facts)}
    looks = dataset.has_rows and not dataset.incomplete and "latent" not in done
    if looks and 1.25 * p < result.n_edges and 8 <= p <= 200:
        from arcs.learners.latent import factor_evidence

        evidence = factor_evidence(
            dataset, result.dag.adjacency, min_r2=done.get("min_r2", 0.0), seconds=seconds
        )
        remarks["factor"] = factor_sentence(evidence)
    said = {name: text for name, text in remarks.items() if text is not None}
    for text in said.values():
        warn_caller(text)
    return result.with_(audit={**result.audit, **said}) if said else result
