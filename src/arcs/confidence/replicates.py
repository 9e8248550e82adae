"""Many fits of one data set: drawn, run anywhere, kept, and resumed.

A replicate is a learner with its own seed and a way to draw rows. Replicate i draws from the i-th
child of one :class:`numpy.random.SeedSequence`, whoever runs it and whenever: the collection is the
same for any number of workers, after an interruption, and its beginning stays the same when more
replicates are asked for later.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from arcs.confidence.workers import run_anywhere
from arcs.data import Dataset
from arcs.errors import DataError, DataWarning, FileFormatError, SettingsError
from arcs.files import write_atomically
from arcs.graphs import Pdag
from arcs.learners import Learner
from arcs.learners import learner as learner_of_name
from arcs.progress import Listener, Watch

__all__ = [
    "Draw",
    "Outcome",
    "Replicate",
    "Replicates",
    "as_learner",
    "check_replicates",
    "drawn_rows",
    "run_replicates",
    "spawned",
]

Draw = Literal["resample", "half", "all"]
_MAGIC = "arcs-replicates-1"
_GRAPHS = ("dag", "directed", "undirected")


@dataclass(frozen=True, eq=False)
class Replicate:
    """One fit to be done: a learner (without seed), how to draw its rows, and its random stream."""

    index: int
    learner: Learner
    draw: Draw
    stream: np.random.SeedSequence

    def run(self, dataset: Dataset) -> Outcome:
        """Draw rows and learn; what cannot be learned from is reported, not raised."""
        rng = np.random.default_rng(self.stream)
        rows = drawn_rows(dataset, self.draw, rng)
        model = replace(self.learner, random_state=int(rng.integers(2**31 - 1)))
        try:
            return _learn(self.index, model, dataset if rows is None else _taken(dataset, rows))
        except DataError as error:
            return Outcome(self.index, failure=str(error))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a replicate found: bits of the DAG and of its class, packed; or why it failed."""

    index: int
    dag: np.ndarray | None = None
    directed: np.ndarray | None = None
    undirected: np.ndarray | None = None
    score: float = float("nan")
    failure: str = ""


@dataclass(frozen=True, eq=False)
class Replicates:
    """All outcomes, by index."""

    p: int
    outcomes: dict[int, Outcome]

    def good(self, indices: Sequence[int]) -> list[Outcome]:
        """Those that did not fail, among `indices`."""
        return [self.outcomes[i] for i in indices if not self.outcomes[i].failure]

    def frequencies(self, indices: Sequence[int]) -> dict[str, np.ndarray]:
        """How often each edge is in the DAGs, and an arrow or a line in their classes."""
        good = self.good(indices)
        counts = {name: np.zeros((self.p, self.p)) for name in _GRAPHS}
        for outcome in good:
            for name in _GRAPHS:
                counts[name] += self.matrix(outcome, name)
        return {name: count / max(len(good), 1) for name, count in counts.items()}

    def matrix(self, outcome: Outcome, name: str) -> np.ndarray:
        """One of the boolean matrices of an outcome."""
        bits = np.unpackbits(getattr(outcome, name), count=self.p * self.p)
        return np.asarray(bits.reshape(self.p, self.p).astype(bool))

    def refuse_failures(self, indices: Sequence[int], what: str) -> int:
        """How many failed; a warning if some did, an error if all."""
        failed = [self.outcomes[i] for i in indices if self.outcomes[i].failure]
        if len(failed) == len(indices):
            raise DataError(f"none of the {len(indices)} {what} could be used: {failed[0].failure}")
        if failed:
            text = f"{len(failed)} of {len(indices)} {what} could not be used: {failed[0].failure}"
            warnings.warn(text, DataWarning, stacklevel=3)
        return len(failed)


def as_learner(learner: str | Learner) -> Learner:
    """A learner for replicates: sequential, and without a checkpoint of its own."""
    model = learner_of_name(learner) if isinstance(learner, str) else learner
    if not isinstance(model, Learner):
        raise SettingsError(f"learner must be a learner or its name, got {learner!r:.80}")
    plain: dict[str, Any] = {"n_jobs": 1, "checkpoint": None, "resume": False}
    known = {field.name for field in fields(model)}
    return replace(model, **{name: value for name, value in plain.items() if name in known})


def drawn_rows(dataset: Dataset, draw: Draw, rng: np.random.Generator) -> np.ndarray | None:
    """Row numbers drawn within each regime; None stands for all rows.

    "resample" draws as many as there are, with replacement; "half" every second one, without.
    """
    if draw == "all":
        return None
    if dataset.values is None:
        raise DataError(
            "rows are needed to draw from; this data set holds only sums or a covariance "
            "(read files with in_memory=True)"
        )
    design = dataset.interventions
    regime = np.zeros(dataset.n, np.int64) if design is None else design.regime
    parts = []
    for r in range(int(regime.max()) + 1):
        rows = np.flatnonzero(regime == r)
        if draw == "resample":
            parts.append(rows[rng.integers(rows.size, size=rows.size)])
        else:
            parts.append(rng.permutation(rows)[: (rows.size + 1) // 2])
    return np.sort(np.concatenate(parts))


def run_replicates(
    dataset: Dataset,
    replicates: Sequence[Replicate],
    *,
    key: Any,
    n_jobs: int = 1,
    backend: Any = "joblib",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    listener: Listener | None = None,
    stage: str = "replicates",
) -> Replicates:
    """Run what has not been run yet.

    Parameters
    ----------
    dataset : Dataset
    replicates : sequence of Replicate
    key
        What, beside the data, determines the outcomes: a checkpoint with another key is refused.
    n_jobs, backend
        See :func:`~arcs.confidence.workers.run_anywhere`.
    checkpoint : path, optional
        Where outcomes are saved every few seconds, at the end, and when something goes wrong.
    resume : bool
        Take over the outcomes in the checkpoint, if there is one.
    listener : callable, optional
        Called with a :class:`~arcs.progress.Progress` after each replicate.
    stage : str
        What to call the work.
    """
    if resume and checkpoint is None:
        raise SettingsError("resume needs a checkpoint to resume from")
    store = None if checkpoint is None else _Store(Path(checkpoint), _fingerprint(dataset, key))
    outcomes = store.load() if store is not None and resume else {}
    todo = [replicate for replicate in replicates if replicate.index not in outcomes]
    watch = Watch(None, listener)
    saved = time.monotonic()
    try:
        for outcome in run_anywhere(_run_one, dataset, todo, n_jobs=n_jobs, backend=backend):
            outcomes[outcome.index] = outcome
            watch.tick(stage, len(outcomes), total=len(replicates))
            if store is not None and time.monotonic() - saved > _Store.every:
                store.save(outcomes)
                saved = time.monotonic()
    finally:
        if store is not None:
            store.save(outcomes)
    return Replicates(dataset.p, outcomes)


def _run_one(dataset: Dataset, replicate: Replicate) -> Outcome:
    return replicate.run(dataset)


def _taken(dataset: Dataset, rows: np.ndarray) -> Dataset:
    """The drawn rows. A column that happens to be constant in them is an isolated node."""
    drawn = dataset.take(rows)
    drawn.constant = "drop"
    return drawn


def _learn(index: int, model: Learner, dataset: Dataset) -> Outcome:
    with warnings.catch_warnings():
        # What is to be said about the data was said when they were fitted as a whole.
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        statistics = model.statistics(dataset)
        learned = model.learn_from(dataset, statistics, Watch(model.time_limit))
    if isinstance(learned.graph, Pdag):
        adjacency, pdag = learned.graph.consistent_dag(), learned.graph
    else:
        adjacency = np.asarray(learned.graph, dtype=bool)
        pdag = model.equivalence_class(adjacency, statistics)
    return Outcome(
        index,
        np.packbits(adjacency),
        np.packbits(pdag.directed),
        np.packbits(pdag.undirected),
        float("nan") if learned.score is None else float(learned.score),
    )


# ---------------------------------------------------------------------- checkpoints
def _fingerprint(dataset: Dataset, key: Any) -> str:
    digest = hashlib.sha256()
    if dataset.values is not None:
        digest.update(np.ascontiguousarray(dataset.values).tobytes())
        if dataset.interventions is not None:
            digest.update(dataset.interventions.regime.tobytes())
            digest.update(repr(dataset.interventions.targets).encode())
    else:
        for array in dataset.statistics().kernel:
            digest.update(np.ascontiguousarray(array).tobytes())
    text = json.dumps([dataset.names, dataset.center, dataset.missing, key], default=str)
    digest.update(text.encode())
    return digest.hexdigest()


class _Store:
    """Outcomes in a file that is always whole."""

    every = 5.0

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key

    def save(self, outcomes: dict[int, Outcome]) -> None:
        """Write all outcomes, atomically."""
        order = sorted(outcomes)
        good = [outcomes[i] for i in order if not outcomes[i].failure]
        arrays: dict[str, np.ndarray] = {
            "magic": np.array(_MAGIC),
            "key": np.array(self.key),
            "index": np.array([outcome.index for outcome in good], dtype=np.int64),
            "score": np.array([outcome.score for outcome in good]),
            "failed": np.array([i for i in order if outcomes[i].failure], dtype=np.int64),
            "failure": np.array(
                [outcomes[i].failure for i in order if outcomes[i].failure] or [""]
            ),
        }
        for name in _GRAPHS:
            arrays[name] = np.array([getattr(outcome, name) for outcome in good], dtype=np.uint8)
        with write_atomically(self.path, "wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]

    def load(self) -> dict[int, Outcome]:
        """Read them back; nothing if there is no file."""
        if not self.path.exists():
            return {}
        try:
            with np.load(self.path, allow_pickle=False) as archive:
                content = {name: archive[name] for name in archive.files}
            magic, key = str(content["magic"]), str(content["key"])
            found = {
                int(i): Outcome(int(i), dag, directed, undirected, float(score))
                for i, dag, directed, undirected, score in zip(
                    *(content[name] for name in ("index", *_GRAPHS, "score")), strict=True
                )
            }
            for i, failure in zip(content["failed"], content["failure"], strict=False):
                found[int(i)] = Outcome(int(i), failure=str(failure))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise FileFormatError(f"{self.path}: not a usable checkpoint ({error})") from error
        if magic != _MAGIC or key != self.key:
            raise SettingsError(
                f"{self.path}: the checkpoint belongs to other data or settings; delete it to "
                "start anew, or go on with the same data and settings"
            )
        return found


def check_replicates(name: str, value: int) -> None:
    """Refuse a number of replicates that is not a positive whole number."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise SettingsError(f"{name} must be a whole number of at least 1, got {value!r}")


def spawned(random_state: int | None, n: int) -> list[np.random.SeedSequence]:
    """The random streams of `n` replicates."""
    try:
        return np.random.SeedSequence(random_state).spawn(n)
    except (TypeError, ValueError) as error:
        raise SettingsError(
            f"random_state must be a whole number of at least 0, got {random_state!r}"
        ) from error
