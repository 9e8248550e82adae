"""What a long computation tells the outside world, and how it is told to stop.

A learner works in slices. Between two slices it hands a frozen :class:`Progress` to its
:class:`Watch`, which forwards it to whoever listens (a progress bar, a checkpoint, a live plot)
and says whether to go on: a time limit or Ctrl-C turns ``watch.tick(...)`` to ``False``, and the
learner returns the best it has.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType

from arcs.errors import SettingsError

__all__ = ["Listener", "Progress", "Watch", "check_time_limit", "interruptible"]


@dataclass(frozen=True, slots=True)
class Progress:
    """One report from a running learner. Unknown figures are ``None``."""

    stage: str
    iteration: int = 0
    total: int | None = None
    score: float | None = None
    best: float | None = None
    temperature: float | None = None
    edges: int | None = None
    elapsed: float = 0.0


Listener = Callable[[Progress], None]


class Watch:
    """Time limit, interruption and progress of one fit.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now; ``None`` for no limit.
    listener : callable or None
        Called with every :class:`Progress`.
    """

    def __init__(self, time_limit: float | None = None, listener: Listener | None = None) -> None:
        self.time_limit = check_time_limit(time_limit)
        self.listener = listener
        self.interrupted = False
        self.timed_out = False
        self._start = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since the watch was started."""
        return time.perf_counter() - self._start

    @property
    def remaining(self) -> float:
        """Seconds left, ``inf`` without a limit."""
        return float("inf") if self.time_limit is None else self.time_limit - self.elapsed

    def expired(self) -> bool:
        """Whether the work should stop now (time is up, or somebody interrupted it)."""
        if self.remaining <= 0:
            self.timed_out = True
        return self.timed_out or self.interrupted

    def tick(self, stage: str, iteration: int = 0, **figures: object) -> bool:
        """Report progress; return whether to go on."""
        if self.listener is not None:
            event = Progress(stage, iteration, elapsed=self.elapsed, **figures)  # type: ignore[arg-type]
            self.listener(event)
        return not self.expired()


@contextlib.contextmanager
def interruptible(watch: Watch) -> Iterator[None]:
    """Within the block, the first Ctrl-C asks the work to stop with the best it has.

    A second Ctrl-C raises :class:`KeyboardInterrupt` as usual. Only the main thread can listen for
    signals; elsewhere nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: FrameType | None) -> None:
        if watch.interrupted:
            raise KeyboardInterrupt
        watch.interrupted = True

    previous = signal.getsignal(signal.SIGINT)
    if previous is not signal.default_int_handler:  # somebody else looks after Ctrl-C
        yield
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def check_time_limit(time_limit: float | None) -> float | None:
    """Return the limit as a float, refusing what is not a positive number of seconds."""
    if time_limit is None:
        return None
    limit = float(time_limit)
    if not limit > 0:
        raise SettingsError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
    return limit
