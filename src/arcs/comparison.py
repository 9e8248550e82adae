"""Several methods on the same data, side by side.

Scores are comparable only if they are computed alike: the BIC shown here is that of each method's
DAG refitted to the same statistics, also for methods that ignore interventions. Where no truth is
known, the methods are compared with each other: an edge that all of them find deserves more trust.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data import Dataset
from arcs.errors import ArcsError, WorkerError
from arcs.jobs import run_anywhere
from arcs.learners import LEARNERS, Learner, learner
from arcs.metrics import Evaluation, evaluate
from arcs.results import FitResult
from arcs.tables import Table

if TYPE_CHECKING:
    from arcs.metrics.alignment import GraphLike
    from arcs.progress import Listener

__all__ = ["Comparison", "MethodRun", "Work", "compare", "configured", "run_methods"]


@dataclass(frozen=True, eq=False)
class MethodRun:
    """One method's result, or why there is none.

    Attributes
    ----------
    method : str
    result : FitResult or None
    bic : float
        Of the method's DAG, computed in the same way for all methods; larger is better.
    evaluation : Evaluation or None
        Against the truth, if there is one.
    failure : str
        What went wrong; empty if nothing did.
    """

    method: str
    result: FitResult | None = None
    bic: float = float("nan")
    evaluation: Evaluation | None = None
    failure: str = ""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What several methods found in the same data."""

    runs: tuple[MethodRun, ...]
    #: Whether somebody stopped it before all methods had been run.
    interrupted: bool = False

    @property
    def results(self) -> dict[str, FitResult]:
        """The results by method, without those that failed."""
        return {run.method: run.result for run in self.runs if run.result is not None}

    @property
    def failures(self) -> dict[str, str]:
        """Why methods have no result."""
        return {run.method: run.failure for run in self.runs if run.failure}

    def __getitem__(self, method: str) -> FitResult:
        return self.results[method]

    def table(self) -> Table:
        """One row per method: edges, identified directions, BIC, seconds, distance from the truth.

        BIC is larger for better graphs, SHD (the structural Hamming distance, where the truth is
        known) smaller.
        """
        done = [(run, run.result) for run in self.runs if run.result is not None]
        columns: dict[str, list[Any]] = {
            "method": [run.method for run, _ in done],
            "edges": [result.n_edges for _, result in done],
            "identified": [int(result.cpdag.directed.sum()) for _, result in done],
            "BIC": [run.bic for run, _ in done],
            "seconds": [result.timings.get("total", float("nan")) for _, result in done],
            "stopped": [result.stopped for _, result in done],
        }
        for name in ("SHD", "JI") if any(run.evaluation for run in self.runs) else ():
            columns[name] = [getattr(run.evaluation, name, float("nan")) for run, _ in done]
        return Table(columns)

    def to_frame(self) -> Any:
        """:meth:`table` as a data frame, where pandas is installed."""
        return self.table().to_frame()

    def agreement(self) -> Table:
        """For each two methods the edges they share, and the pairs on which they differ."""
        pairs = list(combinations(self.results.items(), 2))
        found = [shared_and_differing(one, two) for (_, one), (_, two) in pairs]
        return Table(
            {
                "method": [one for (one, _), _ in pairs],
                "other": [two for _, (two, _) in pairs],
                "shared": [shared for shared, _ in found],
                "differing": [differing for _, differing in found],
            }
        )

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
        """Write an HTML report, one file that needs no network, to `path`."""
        from arcs.report import write_comparison

        return write_comparison(self, path, title=title)

    def __repr__(self) -> str:
        failed = [f"{method} failed: {why}" for method, why in self.failures.items()]
        return "\n".join([repr(self.table()), *failed])

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def compare(
    data: Any,
    methods: Iterable[str | Learner] = ("arcs", "ges", "pc"),
    *,
    truth: GraphLike | None = None,
    random_state: int | None = 0,
    time_limit: float | None = None,
    n_jobs: int = 1,
    listener: Listener | None = None,
    **reading: Any,
) -> Comparison:
    """Run several methods on the same data.

    Parameters
    ----------
    data : array, data frame, path, Dataset
        Anything that :meth:`arcs.data.Dataset.of` takes.
    methods : names of learners, or learners
        Settings below are for names only: a learner has its own.
    truth : GaussianDag, Pdag or ndarray of bool, optional
        The true DAG, to measure the distance from.
    random_state, time_limit
        Handed to those methods that know them.
    n_jobs : int
        Methods at a time, in processes of their own; -1 for one per core.
    listener : callable, optional
        Called with every :class:`arcs.progress.Progress`.
    **reading
        ``interventions``, ``control``, ``exclude``, ``missing``, ... as for ``fit``.

    Returns
    -------
    Comparison
        A method that fails does not stop the others.

    Examples
    --------
    >>> from arcs.simulate import random_dag, random_weights, sample
    >>> drawn = sample(random_weights(random_dag(6, 6, 0), 0), 300, 0)
    >>> found = compare(drawn.data, ["hc", "ges"], truth=drawn.truth)
    >>> found.table()["method"]
    ['hc', 'ges']
    """
    settings = {"random_state": random_state, "time_limit": time_limit}
    chosen = [configured(m, settings) if isinstance(m, str) else m for m in methods]
    work = Work(Dataset.of(data, **reading), truth, partial(_told, listener))
    return run_methods(chosen, work, n_jobs)


@dataclass(frozen=True, eq=False)
class Work:
    """What all methods are given: the data, the truth, and who listens to a method of that name."""

    dataset: Dataset
    truth: GraphLike | None
    listening: Callable[[str], AbstractContextManager[Listener | None]]


def _told(listener: Listener | None, name: str) -> AbstractContextManager[Listener | None]:
    return nullcontext(listener)


def configured(name: str, settings: Mapping[str, Any]) -> Learner:
    """The learner of that name, with those settings that it knows."""
    known = LEARNERS[name].__dataclass_fields__ if name in LEARNERS else {}
    mine = {key: value for key, value in settings.items() if value is not None and key in known}
    return learner(name, **mine)


def run_methods(methods: Sequence[Learner], work: Work, n_jobs: int = 1) -> Comparison:
    """All methods, so many at a time; what was done before an interruption is kept."""
    runs: dict[str, MethodRun] = {}
    interrupted = False
    try:
        for run in run_anywhere(run_method, work, methods, n_jobs=n_jobs):
            runs[run.method] = run
            interrupted = run.result is not None and run.result.stopped == "interrupted"
            if interrupted:
                break
    except KeyboardInterrupt:
        interrupted = True
    except WorkerError as error:
        runs |= {name: MethodRun(name, failure="killed, or out of memory") for name in error.lost}
    done = tuple(runs[method.name] for method in methods if method.name in runs)
    return Comparison(done, interrupted)


def run_method(work: Work, method: Learner) -> MethodRun:
    """One method of a comparison; errors of the data or the method become its failure."""
    dataset, truth = work.dataset, work.truth
    try:
        with work.listening(method.name) as listener:
            result = method.fit(dataset, listener=listener)
        # A method that ignores interventions has computed its BIC on other rows.
        alike = _refitted(method.name, result.dag.adjacency, dataset)
        experimental = dataset.interventions is not None
        found = None if truth is None else evaluate(result.dag, truth, experimental)
    except ArcsError as error:
        return MethodRun(method.name, failure=str(error))
    return MethodRun(method.name, result, alike.bic, found)


def _refitted(name: str, adjacency: np.ndarray, dataset: Dataset) -> FitResult:
    if dataset.discrete:
        from arcs.discrete_results import fitted_to

        return fitted_to(name, adjacency, dataset)
    return FitResult.from_structure(name, adjacency, dataset.statistics())


def shared_and_differing(first: FitResult, second: FitResult) -> tuple[int, int]:
    """Shared edges (same pair, same mark) and differing pairs of two equivalence classes."""
    one, two = first.cpdag, second.cpdag
    shared = (one.directed & two.directed).sum()
    shared += np.triu(one.undirected & two.undirected).sum()
    differ = (one.directed != two.directed) | (one.undirected != two.undirected)
    return int(shared), int(np.triu(differ | differ.T).sum())
