"""One run: draw the data, fit, compare with the truth, return a row.

Whatever goes wrong inside a method becomes the row's status: a method that fails on one data set
must not cost the results of the others.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import Any

from arcs.errors import ArcsError, DataWarning, MissingDependencyError, PeerError
from arcs.experiments.cases import Case, case
from arcs.experiments.methods import TRUTH, Method, method
from arcs.experiments.rows import METRICS, Row, RunKey
from arcs.graphs import GaussianDag
from arcs.metrics import evaluate
from arcs.results import FitResult, software_versions
from arcs.simulate import Setting, Simulated

__all__ = ["DIED", "UNAVAILABLE", "Task", "empty_row", "plan", "run_task"]

_LOG = logging.getLogger(__name__)

#: Status of a run that needs a package which is not installed; such rows are not kept.
UNAVAILABLE = "unavailable: "

#: How the status of a run begins whose process came to an end before it did.
DIED = "error: the process "

_WARM_UP = {
    experimental: Case(Setting("Asia", "asia", 1, 8, 8, 40, experimental))
    for experimental in (False, True)
}


@dataclass(frozen=True)
class Task:
    """What to run; plain values only, so that it can travel to another process.

    Attributes
    ----------
    case : str
        Key of the case.
    seed : int
        Seed of the data set and of the method.
    method : str
        Label of the method.
    time_limit : float
        Seconds for the fit.
    """

    case: str
    seed: int
    method: str
    time_limit: float = 600.0

    @property
    def key(self) -> RunKey:
        """The key of the row that the task produces."""
        found = case(self.case)
        return (self.case, self.seed, self.method, method(self.method).fingerprint(found))

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return asdict(self)


def plan(
    cases: Iterable[Case],
    methods: Iterable[Method],
    seeds: Iterable[int],
    time_limit: float = 600.0,
    *,
    spare_slow: bool = False,
) -> list[Task]:
    """The tasks of a study, seed by seed: half of them done is every setting half done.

    With `spare_slow`, slow methods get no more data sets than their `data_sets` says.
    """
    pairs = [(c, m) for c in cases for m in methods if m.applies(c)]
    return [
        Task(c.key, seed, m.label, time_limit)
        for number, seed in enumerate(seeds)
        for c, m in pairs
        if not (spare_slow and m.data_sets is not None and number >= m.data_sets)
    ]


def run_task(task: Task, on_start: Callable[[], None] = lambda: None) -> Row:
    """Run `task`; `on_start` is called right before the time of the fit begins to count."""
    found, how = case(task.case), method(task.method)
    start = time.perf_counter()
    try:
        simulated = found.draw(task.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            _warm_up(task.method, found.setting.experimental)
            on_start()
            start = time.perf_counter()
            result = _fit(how, found, simulated, task.seed, task.time_limit)
    except MissingDependencyError as error:
        return empty_row(task, f"{UNAVAILABLE}{error}")
    except Exception as error:
        spent = time.perf_counter() - start
        if isinstance(error, PeerError) and spent >= task.time_limit:
            return empty_row(task, "timeout", seconds=spent)
        return empty_row(task, f"error: {type(error).__name__}: {error}", seconds=spent)
    return _measured(task, how, simulated, result)


def _fit(
    how: Method, found: Case, simulated: Simulated, seed: int, time_limit: float | None
) -> FitResult:
    # Imported where the fits are: whoever hands out tasks has no use for compiled code.
    from arcs.learners import learner

    settings = how.settings_for(found)
    if settings.get("init") == TRUTH:
        settings["init"] = simulated.truth.order()
    elif how.grid_point is not None:
        settings["init"] = _start_of_grid(settings["init"], found, seed)
    fitted = learner(how.learner, **settings, random_state=seed, time_limit=time_limit)
    return fitted.fit(simulated.data)


@lru_cache(maxsize=2)
def _start_of_grid(start: str, found: Case, seed: int) -> GaussianDag:
    """The estimate from which all points of a data set's grid start: found once, not for each."""
    from arcs.learners import learner

    return learner(start, random_state=seed).fit(found.draw(seed).data).dag


@cache
def _warm_up(label: str, experimental: bool) -> None:
    """Have the method's kernels compiled or loaded before any time is measured."""
    tiny = _WARM_UP[experimental]
    try:
        _fit(method(label), tiny, tiny.draw(0), 0, None)
    except ArcsError as error:
        # Whether it matters is for the fit itself to say.
        _LOG.debug("%s cannot be warmed up: %s", label, error)


def _measured(task: Task, how: Method, simulated: Simulated, result: FitResult) -> Row:
    estimate = result.cpdag if how.estimate == "cpdag" else result.dag
    figures = evaluate(estimate, simulated.truth, case(task.case).setting.experimental)
    metrics = {name: getattr(figures, name) for name in METRICS}
    # The time that others' programs need to start is not theirs to answer for.
    seconds = result.timings.get("peer", result.timings["total"])
    status = "timeout" if result.stopped == "time limit" else "ok"
    return empty_row(task, status, **metrics, seconds=seconds, score=result.score, bic=result.bic)


def empty_row(task: Task, status: str, **figures: Any) -> Row:
    """A row of the task with nothing but its status and the given figures."""
    key, seed, label, fingerprint = task.key
    setting = case(key).setting
    return Row(
        case=key,
        network=setting.name,
        p=setting.p,
        s0=setting.s0,
        n=setting.n,
        experimental=setting.experimental,
        seed=seed,
        method=label,
        settings=fingerprint,
        status=status,
        versions=_versions(),
        **figures,
    )


@cache
def _versions() -> str:
    wanted: Mapping[str, str] = software_versions()
    return " ".join(f"{name}={wanted[name]}" for name in ("arcs-bn", "numpy", "numba", "python"))
