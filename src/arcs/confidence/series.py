"""Running one learner many times on one data set: anywhere, kept as it comes, and resumed."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, TypeVar

import numpy as np

from arcs.confidence.replicates import Outcome, Replicate, Replicates
from arcs.confidence.store import OutcomeStore, fingerprint
from arcs.data import Dataset
from arcs.data.transforms import AUTO
from arcs.errors import DataError, SettingsError, WorkerError, warn_caller
from arcs.files import refuse_no_folder
from arcs.jobs import run_anywhere
from arcs.learners import Learner
from arcs.learners import learner as learner_of_name
from arcs.learners.preparation import preparation_of
from arcs.learners.transforms import learn_prepared
from arcs.progress import Listener, Watch
from arcs.settings import PATH

__all__ = ["How", "Running", "Series", "as_learner", "begin", "decided_once"]

#: Seconds between two writings of a checkpoint.
_SAVE_EVERY = 5.0
S = TypeVar("S")


class How(TypedDict, total=False):
    """How data are read and replicates are run, as keywords; what they mean is in `bootstrap`."""

    n_jobs: int
    backend: Any
    checkpoint: str | os.PathLike[str] | None
    resume: bool
    interventions: Any
    control: str | None
    listener: Listener | None


@dataclass(frozen=True, eq=False)
class Running:
    """Where and how replicates are run; the parameters are those of `bootstrap`."""

    n_jobs: int = 1
    backend: Any = "joblib"
    checkpoint: str | os.PathLike[str] | None = None
    resume: bool = False
    listener: Listener | None = None

    def __post_init__(self) -> None:
        if self.resume and self.checkpoint is None:
            raise SettingsError("resume needs a checkpoint to resume from")
        if self.checkpoint is not None:
            refuse_no_folder("checkpoint", PATH.check("checkpoint", self.checkpoint))


def begin(data: Any, how: How) -> tuple[Dataset, Running]:
    """The data as they are to be read, and how replicates are to be run."""
    design: dict[str, Any] = {name: how.get(name) for name in ("interventions", "control")}
    rest: dict[str, Any] = {name: value for name, value in how.items() if name not in design}
    running = Running(**rest)  # first: a wrong word is refused before any row is read
    return Dataset.of(data, **design), running


@dataclass(frozen=True, eq=False)
class Series:
    """A learner, the data that it is to be run on many times, and the seed of everything.

    Attributes
    ----------
    kind : str
        What the work is called: in progress events, and in the key of checkpoints.
    noun : str
        What its replicates are called, in the plural.
    clusters : ndarray of int, optional
        The cluster of each row, if rows are drawn in clusters.
    """

    kind: str
    noun: str
    dataset: Dataset
    model: Learner
    random_state: int | None
    clusters: np.ndarray | None = None

    def streams(self, name: str, n: int) -> list[np.random.SeedSequence]:
        """The random streams of `n` replicates; `name` is the parameter that `n` comes from."""
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
            raise SettingsError(f"{name} must be a whole number of at least 1, got {n!r}")
        try:
            return np.random.SeedSequence(self.random_state).spawn(int(n))
        except (TypeError, ValueError) as error:
            raise SettingsError(
                f"random_state must be a whole number of at least 0, got {self.random_state!r}"
            ) from error

    def record(self, **more: Any) -> dict[str, Any]:
        """What was run, as plain values."""
        settings = {"learner": self.model.name, **self.model.settings()}
        return {**settings, **more, "random_state": self.random_state}

    def run(
        self,
        replicates: Sequence[Replicate],
        summarise: Callable[[Replicates], S],
        running: Running,
        *,
        varied: Sequence[Any] = (),
    ) -> S:
        """Run what has not been run yet, and summarise it all.

        Parameters
        ----------
        replicates : sequence of Replicate
        summarise : callable
            Makes the answer of the outcomes.
        running : Running
        varied
            What, beside data, learner and seed, determines the outcomes: a checkpoint of something
            else is refused.

        Raises
        ------
        WorkerError
            If replicates were lost with their processes. `partial` is the summary of the others.
        """
        store = self._store(running, varied)
        outcomes = store.load() if store is not None and running.resume else {}
        try:
            self._fill(outcomes, replicates, running, store)
        except WorkerError as error:
            raise self._loss(error, outcomes, replicates, summarise, running) from error
        found = self._collected(outcomes, replicates)
        self._refuse_failures(found)
        return summarise(found)

    def _store(self, running: Running, varied: Sequence[Any]) -> OutcomeStore | None:
        if running.checkpoint is None:
            return None
        key = [self.kind, self.model.name, self.model.settings(), *varied, self.random_state]
        if self.clusters is not None:
            key.append(self.clusters)
        return OutcomeStore(running.checkpoint, fingerprint(self.dataset, key))

    def _fill(
        self,
        outcomes: dict[int, Outcome],
        replicates: Sequence[Replicate],
        running: Running,
        store: OutcomeStore | None,
    ) -> None:
        """Run the replicates that have no outcome; save every few seconds and at the end."""
        todo = [replicate for replicate in replicates if replicate.index not in outcomes]
        where: dict[str, Any] = {"n_jobs": running.n_jobs, "backend": running.backend}
        watch = Watch(None, running.listener)
        saved = time.monotonic()
        try:
            for outcome in run_anywhere(_run_one, (self._sent(todo), self.clusters), todo, **where):
                outcomes[outcome.index] = outcome
                watch.tick(self.kind, len(outcomes), total=len(replicates))
                if store is not None and time.monotonic() - saved > _SAVE_EVERY:
                    store.save(outcomes)
                    saved = time.monotonic()
        finally:
            if store is not None:
                store.save(outcomes)

    def _sent(self, replicates: Sequence[Replicate]) -> Dataset:
        """What replicates need of the data: who draws no rows can do with their sums."""
        if all(replicate.draw == "all" for replicate in replicates):
            return self.dataset.without_rows()
        return self.dataset

    def _collected(
        self, outcomes: dict[int, Outcome], replicates: Sequence[Replicate]
    ) -> Replicates:
        """The outcomes of just these replicates; those that were lost have failed."""
        return Replicates(
            self.dataset.p,
            {
                r.index: outcomes.get(r.index) or Outcome(r.index, failure="its worker died")
                for r in replicates
            },
        )

    def _loss(
        self,
        error: WorkerError,
        outcomes: dict[int, Outcome],
        replicates: Sequence[Replicate],
        summarise: Callable[[Replicates], S],
        running: Running,
    ) -> WorkerError:
        """The error with what is left, and where it is."""
        found = self._collected(outcomes, replicates)
        kept = f"The other {self.noun} ({len(replicates) - len(error.lost)})"
        if running.checkpoint is not None:
            kept += f" are in {os.fspath(running.checkpoint)}: resume=True runs what is missing"
        else:
            kept += " are in the error's `partial`; with a checkpoint they could be resumed"
        text = f"{error}. {kept}. Fewer processes (n_jobs) need less memory."
        return WorkerError(text, error.lost, summarise(found) if found.good() else None)

    def _refuse_failures(self, found: Replicates) -> None:
        """A warning if some replicates failed, an error if all."""
        failures, n = found.failures(), len(found.outcomes)
        if len(failures) == n:
            raise DataError(f"none of the {n} {self.noun} could be used: {failures[0]}")
        if failures:
            text = f"{len(failures)} of {n} {self.noun} could not be used: {failures[0]}"
            warn_caller(text)


def as_learner(learner: str | Learner, *, brief: bool = False) -> Learner:
    """A learner for replicates: sequential, and without a checkpoint of its own.

    A `brief` one runs a single chain and stops after one pass without improvement.
    """
    model = learner_of_name(learner) if isinstance(learner, str) else learner
    if not isinstance(model, Learner):
        raise SettingsError(f"learner must be a learner or its name, got {learner!r:.80}")
    plain: dict[str, Any] = {"n_jobs": 1, "checkpoint": None, "resume": False}
    if brief:
        plain |= {"patience": 1, "n_chains": 1}
    known = {field.name for field in fields(model)}
    return replace(model, **{name: value for name, value in plain.items() if name in known})


def decided_once(dataset: Dataset, model: Learner, seed: int | None) -> Dataset:
    """The data with transform and policy of conditions as all rows choose them.

    To choose them again and again from drawn rows takes several searches each time.
    """
    conditions = dataset.conditions
    by_policy = conditions is not None and conditions.shifts is None and conditions.policy == "auto"
    settled = dataset.transform != AUTO and not by_policy
    if settled or dataset.values is None or len(dataset.discrete) == dataset.p:
        return dataset
    with warnings.catch_warnings():
        # What is to be said about the data is said when they are fitted.
        warnings.simplefilter("ignore")
        chooser = replace(model, random_state=seed)
        if dataset.discrete:
            return dataset.decided(chooser.fit(dataset).preparation)
        found = learn_prepared(chooser, dataset, chooser.statistics(dataset), Watch(None))
    return dataset.decided(preparation_of(found))


def _run_one(source: tuple[Dataset, np.ndarray | None], replicate: Replicate) -> Outcome:
    return replicate.run(*source)
