"""What is compiled while something else is meant to run: how much, how long, and telling so.

Kernels are compiled when they are first needed, and kept on disk. On a fresh machine that is the
first minute of the first fit, which should not look like a search that hangs, nor count as one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numba.core import event
from numba.core.registry import cpu_target

__all__ = ["FUNCTIONS", "Compilation"]

#: About how many functions a default fit compiles; ``tools/compile_times.py`` prints it.
FUNCTIONS = 100


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
        Time that Numba took to get ready, which it does once in a process.
    functions : dict
        Seconds of CPU time by function, without those compiled on its behalf.
    """

    def __init__(self, tell: Callable[[int, int], Any] | None = None) -> None:
        self.count = 0
        self.seconds = 0.0
        self.loading = 0.0
        self.functions: dict[str, float] = {}
        self._tell = tell
        self._open: list[list[float]] = []

    def __enter__(self) -> Compilation:
        began = time.perf_counter()
        # What the first call of any compiled function would do.
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
        self.loading = time.perf_counter() - began
        event.register("numba:compile", self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        event.unregister("numba:compile", self)

    def timings(self) -> dict[str, float]:
        """Seconds that did not go into the work itself."""
        return {"load": self.loading, "compile": self.seconds}

    def on_start(self, event: Any) -> None:
        """A function is about to be compiled."""
        if self._tell is not None:
            self._tell(self.count, max(FUNCTIONS, self.count + len(self._open) + 1))
        self._open.append([time.perf_counter(), time.process_time(), 0.0])

    def on_end(self, event: Any) -> None:
        """It was compiled, and so was what it calls."""
        began, cpu, inner = self._open.pop()
        spent = time.process_time() - cpu
        name = event.data["dispatcher"].py_func.__qualname__
        self.functions[name] = self.functions.get(name, 0.0) + spent - inner
        self.count += 1
        if self._open:
            self._open[-1][2] += spent
        else:
            self.seconds += time.perf_counter() - began
