"""What a long computation tells the outside world, and how it is told to stop.

A learner works in slices. Between two slices it hands a frozen :class:`Progress` to its
:class:`Watch`, which forwards it to whoever listens (a progress bar, a checkpoint, a live plot)
and says whether to go on: a time limit, Ctrl-C or a listener that answers ``False`` turns
``watch.tick(...)`` to ``False``, and the learner returns the best it has.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, TextIO

import numpy as np

from arcs.settings import NONE, SECONDS

__all__ = [
    "COMPILING",
    "STOPPING",
    "CompileNotice",
    "Laps",
    "Listener",
    "Progress",
    "Watch",
    "compiling",
    "interruptible",
    "somebody_watches",
]


#: The stage that is reported when somebody interrupts.
STOPPING = "stopping"
#: The stage before a function is compiled.
COMPILING = "compile"


@dataclass(frozen=True, slots=True)
class Progress:
    """One report from a running learner. Unknown figures are ``None``.

    Examples
    --------
    >>> Progress("search", iteration=10, total=100).iteration
    10
    """

    stage: str
    iteration: int = 0
    total: int | None = None
    score: float | None = None
    best: float | None = None
    temperature: float | None = None
    edges: int | None = None
    elapsed: float = 0.0
    #: Makes the adjacency matrix of the best graph so far; to be called by the listener, at once.
    graph: Callable[[], np.ndarray] | None = None


#: What is told about progress; one that answers False asks the work to stop with the best it has.
Listener = Callable[[Progress], bool | None]


class Watch:
    """Time limit, interruption and progress of one fit.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now; ``None`` for no limit.
    listener : callable or None
        Called with every :class:`Progress`; False as its answer asks the work to stop.

    Examples
    --------
    >>> watch = Watch(time_limit=60.0)
    >>> watch.tick("search", 1, best=-3.0)
    True
    >>> watch.expired()
    False
    """

    def __init__(self, time_limit: float | None = None, listener: Listener | None = None) -> None:
        self.time_limit = (SECONDS | NONE).check("time_limit", time_limit)
        self.listener = listener
        self.interrupted = False
        self.timed_out = False
        #: Seconds of an earlier run that this one goes on from; they count towards no limit.
        self.before = 0.0
        self._start = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since the watch was started, and those of an earlier run that it goes on from."""
        return self.before + time.perf_counter() - self._start

    @property
    def remaining(self) -> float:
        """Seconds left, ``inf`` without a limit."""
        return (
            float("inf")
            if self.time_limit is None
            else self.time_limit + self.before - self.elapsed
        )

    def expired(self) -> bool:
        """Whether the work should stop now (time is up, or somebody interrupted it)."""
        if self.remaining <= 0:
            self.timed_out = True
        return self.timed_out or self.interrupted

    def tick(self, stage: str, iteration: int = 0, **figures: object) -> bool:
        """Report progress; return whether to go on."""
        if self.listener is not None:
            event = Progress(stage, iteration, elapsed=self.elapsed, **figures)  # type: ignore[arg-type]
            if self.listener(event) is False:
                self.interrupted = True
        return not self.expired()

    def compiles(self, count: int, total: int) -> None:
        """Report that so many functions, of about so many, are compiled."""
        self.tick(COMPILING, count, total=total)


def compiling(event: Progress) -> str:
    """What is being compiled, in words.

    Examples
    --------
    >>> compiling(Progress(COMPILING, 3, total=120))
    'compiling kernels, once: 3 of about 120'
    """
    total = "" if event.total is None else f" of about {event.total}"
    return f"compiling kernels, once: {event.iteration}{total}"


def somebody_watches() -> bool:
    """Whether standard error ends before somebody's eyes: a terminal, or a notebook.

    Examples
    --------
    >>> somebody_watches() in (True, False)
    True
    """
    shell = sys.modules.get("IPython")
    if shell is not None and shell.get_ipython() is not None:
        return True
    return hasattr(sys, "ps1") and sys.stderr is not None and sys.stderr.isatty()


def _kernel_display() -> Callable[..., Any] | None:
    """How a notebook shows something, if this is one: a line written there piles up when saved."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    if getattr(running, "kernel", None) is None:
        return None  # a terminal overwrites its line
    display: Callable[..., Any] = importlib.import_module("IPython.display").display
    return display


class CompileNotice:
    """A listener that tells of compilation and of nothing else, in one line that is overwritten.

    For those who asked for no reports, and wait for the first fit of their life. In a notebook the
    line is an output that changes, and in the end says how long it took.

    Parameters
    ----------
    stream : text stream, optional
        Standard error by default.

    Examples
    --------
    >>> import io
    >>> told = io.StringIO()
    >>> CompileNotice(told)(Progress(COMPILING, 3, total=120))
    >>> told.getvalue()
    '\\rcompiling kernels, once: 3 of about 120'
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._display = None if stream is not None else _kernel_display()
        self._handle: Any = None
        self._since: float | None = None
        self._seconds = 0.0

    def __enter__(self) -> CompileNotice:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def __call__(self, event: Progress) -> None:
        if event.stage != COMPILING:
            self._close()
            return
        if self._since is None:
            self._since = time.perf_counter()
        self._say(f"\r{compiling(event)}")

    def _close(self) -> None:
        if self._since is not None:
            self._seconds += time.perf_counter() - self._since
            self._since = None
            ready = f"compiled in {self._seconds:.0f} s, once: later fits find it ready"
            self._say("\r" + " " * 60 + "\r" if self._display is None else ready)

    def _say(self, text: str) -> None:
        if self._display is None:
            stream = self._stream or sys.stderr
            stream.write(text)
            stream.flush()
            return
        shown = {"text/plain": text.strip()}
        if self._handle is None:
            self._handle = self._display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


class Laps:
    """Seconds that the parts of a fit took.

    Examples
    --------
    >>> laps = Laps(Watch())
    >>> laps.end("start")
    >>> list(laps.seconds)
    ['start']
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.seconds: dict[str, float] = {}

    def end(self, name: str) -> None:
        """The part of that name is over."""
        self.seconds[name] = self.watch.elapsed - sum(self.seconds.values())


@contextlib.contextmanager
def interruptible(watch: Watch) -> Iterator[None]:
    """Within the block, the first Ctrl-C asks the work to stop with the best it has.

    A second Ctrl-C raises :class:`KeyboardInterrupt` as usual. The same holds for SIGTERM where
    that signal is treated as Ctrl-C, as on the command line
    (``signal.signal(signal.SIGTERM, signal.default_int_handler)``); a signal that somebody else
    looks after is left to them. Only the main thread can listen for signals; elsewhere nothing
    changes.

    Examples
    --------
    >>> from arcs.progress import Watch, interruptible
    >>> watch = Watch()
    >>> with interruptible(watch):
    ...     pass  # Ctrl-C in here sets a flag, and the search ends at its next step
    >>> watch.interrupted
    False
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: FrameType | None) -> None:
        if watch.interrupted:
            raise KeyboardInterrupt
        watch.interrupted = True
        if watch.listener is not None:
            watch.listener(Progress(STOPPING, elapsed=watch.elapsed))

    ours = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is signal.default_int_handler
    ]
    for number in ours:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.default_int_handler)
