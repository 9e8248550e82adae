"""What is compiled while something else is meant to run: how much, how long, and telling so.

Kernels are compiled when they are first needed, and kept on disk. On a fresh machine that is the
first minute of the first fit, which should not look like a search that hangs, nor count as one. Nor
should the reading of what was compiled before, in every other process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numba.core import event

from arcs.kernels.separate import LOADING

__all__ = ["FUNCTIONS", "Compilation"]

#: About how many functions a default fit compiles; ``tools/compile_times.py`` prints it.
FUNCTIONS = 100
_KINDS = ("numba:compile", LOADING)


class _Stopwatch:
    """Wall and CPU seconds since it was made, but for those of what went on inside."""

    def __init__(self) -> None:
        self._began = (time.perf_counter(), time.process_time())
        self._apart = [0.0, 0.0]

    def all(self) -> tuple[float, float]:
        """Everything."""
        wall, cpu = self._began
        return time.perf_counter() - wall, time.process_time() - cpu

    def own(self, every: tuple[float, float]) -> tuple[float, float]:
        """Without what was left out."""
        return every[0] - self._apart[0], every[1] - self._apart[1]

    def leave_out(self, every: tuple[float, float]) -> None:
        """Somebody else counts this."""
        self._apart = [apart + seconds for apart, seconds in zip(self._apart, every, strict=True)]


class Compilation(event.Listener):
    """Counts and times what Numba compiles inside of a ``with`` block.

    Parameters
    ----------
    tell : callable, optional
        Called with the number of functions compiled so far, and about how many there will be,
        before each of them.

    Attributes
    ----------
    count : int
        Functions compiled.
    seconds : float
        Time that took.
    loading : float
        Time that reading compiled code from disk took.
    functions : dict
        Seconds of CPU time by function, without those compiled on its behalf.
    """

    def __init__(self, tell: Callable[[int, int], Any] | None = None) -> None:
        self.count = 0
        self.seconds = 0.0
        self.loading = 0.0
        self.functions: dict[str, float] = {}
        self._tell = tell
        self._open: list[_Stopwatch] = []

    def __enter__(self) -> Compilation:
        for kind in _KINDS:
            event.register(kind, self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for listened in _KINDS:
            event.unregister(listened, self)

    def timings(self) -> dict[str, float]:
        """Seconds that did not go into the work itself."""
        return {"load": self.loading, "compile": self.seconds}

    def on_start(self, event: Any) -> None:
        """A function is about to be compiled, or read."""
        if self._tell is not None and event.kind != LOADING:
            self._tell(self.count, max(FUNCTIONS, self.count + len(self._open) + 1))
        self._open.append(_Stopwatch())

    def on_end(self, event: Any) -> None:
        """It was, and so was what it calls: that counts for itself."""
        watch = self._open.pop()
        every = watch.all()
        wall, cpu = watch.own(every)
        if self._open:
            self._open[-1].leave_out(every)
        if event.kind == LOADING:
            self.loading += wall
            return
        name = event.data["dispatcher"].py_func.__qualname__
        self.functions[name] = self.functions.get(name, 0.0) + cpu
        self.count += 1
        self.seconds += wall
