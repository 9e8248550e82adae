"""Running one thing at a time for a window: a fit, or a bootstrap behind it.

Work runs in a thread of its own; compiled kernels leave the interpreter to the server meanwhile. It
reports through a callback, stops when asked, and then keeps the best that it has.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.errors import ArcsError
from arcs.learners import learner
from arcs.progress import Progress
from arcs.results import FitResult

__all__ = ["Cancelled", "Job", "bootstrap_in_steps", "failure_text", "run_fit"]

#: Seconds between two reports, and between two pictures of the graph so far.
_EVERY, _PICTURE_EVERY = 0.08, 0.35
#: Resamples after which confidences are shown; growing, since later ones change little.
_STEPS = (5, 10, 20, 35, 50, 75, 100)

Tell = Callable[[str, dict[str, Any]], None]


class Cancelled(Exception):
    """Nobody wants the answer any more."""


class Job:
    """Something that runs in a thread and can be stopped.

    Parameters
    ----------
    kind : {"fit", "bootstrap"}
    work : callable
        Called with this job; what it returns is handed to `done`.
    done : callable
        Called with the answer, or with the exception.
    """

    def __init__(
        self, kind: str, work: Callable[[Job], Any], done: Callable[[Any | Exception], None]
    ) -> None:
        self.kind = kind
        self.started = time.time()
        self.curve: list[tuple[float, float, int]] = []
        self.last: dict[str, Any] = {}
        self._stop = threading.Event()
        self._cancelled = threading.Event()
        self._work, self._done = work, done
        self._thread = threading.Thread(target=self._run, name=f"arcs-{kind}", daemon=True)

    def start(self) -> Job:
        """Begin."""
        self._thread.start()
        return self

    @property
    def running(self) -> bool:
        """Whether the work goes on."""
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether somebody asked it to end with what it has."""
        return self._stop.is_set()

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the answer any more."""
        return self._cancelled.is_set()

    def stop(self) -> None:
        """End soon, with the best so far."""
        self._stop.set()

    def cancel(self, wait: float = 0.0) -> None:
        """End soon; the answer is thrown away."""
        self._cancelled.set()
        self._stop.set()
        if wait:
            self._thread.join(wait)

    def _run(self) -> None:
        try:
            answer = self._work(self)
        except Cancelled:
            return
        except Exception as error:
            answer = error
        if not self.cancelled:
            self._done(answer)


def run_fit(job: Job, method: str, settings: dict[str, Any], data: Dataset, tell: Tell) -> Any:
    """Fit, telling about progress; the result, also of a search that was stopped."""
    model = learner(method, **settings)
    seen = {"report": 0.0, "picture": 0.0}

    def listen(event: Progress) -> bool:
        now = time.monotonic()
        if now - seen["report"] >= _EVERY:
            seen["report"] = now
            _report(job, event, tell)
        if event.graph is not None and now - seen["picture"] >= _PICTURE_EVERY:
            seen["picture"] = now
            tell("picture", {"edges": np.argwhere(event.graph()).tolist()})
        return not job.stopping

    with warnings.catch_warnings():
        # What the audit has to say is on the data page already.
        warnings.simplefilter("ignore")
        return model.fit(data, listener=listen)


def _report(job: Job, event: Progress, tell: Tell) -> None:
    best = event.best if event.best is not None else event.score
    job.last = {
        "stage": event.stage,
        "iteration": event.iteration,
        "total": event.total,
        "best": best,
        "edges": event.edges,
        "elapsed": event.elapsed,
    }
    if best is not None and np.isfinite(best):
        job.curve.append((event.elapsed, float(best), event.edges or 0))
    tell("progress", job.last)


def bootstrap_in_steps(
    job: Job,
    result: FitResult,
    settings: dict[str, Any],
    data: Dataset,
    n_resamples: int,
    tell: Callable[[FitResult, int], None],
    store: Path,
) -> FitResult:
    """Confidences from more and more resamples, each time told; the last answer.

    A resample is the same however many follow it, so that every step goes on from the last one.
    """
    model = learner(result.method, **settings)
    data = data.decided(result.preparation)

    def listen(event: Progress) -> None:
        if job.stopping:
            raise Cancelled

    steps = [n for n in _STEPS if n < n_resamples] + [n_resamples]
    best = result
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in steps:
            found = bootstrap(
                data,
                model,
                n,
                random_state=result.seed,
                checkpoint=store,
                resume=True,
                listener=listen,
            )
            best = found.attach(result)
            tell(best, n)
    return best


def failure_text(error: Exception, hide: Path | None = None) -> str:
    """An error in the words of the command line; the folder of uploads is nobody's business."""
    from arcs.cli.failures import in_terms_of_options

    if isinstance(error, ArcsError):
        text = in_terms_of_options(str(error))
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror or error}"
    else:
        text = f"internal error: {type(error).__name__}: {error}"
    return text if hide is None else text.replace(f"{hide}/", "")
