"""Temperature schedules of the annealing: the temperature of iteration i of N."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arcs.errors import SettingsError
from arcs.settings import instance, number, numbers_of

__all__ = ["SCHEDULE", "Schedule", "geometric", "temperatures"]

#: A start temperature, a sequence of temperatures, or a function of (iteration, iterations).
Schedule = float | Sequence[float] | np.ndarray | Callable[[int, int], float]
#: What a setting may be that is such a sequence or function.
SCHEDULE = numbers_of(number(0)) | instance(Callable, "a function of iteration and iterations")  # type: ignore[arg-type]


def geometric(
    start: float, stop: float, n_iter: int, first: int = 0, last: int | None = None
) -> np.ndarray:
    """From `start` down to `stop` by a constant factor; entries `first` to `last` (exclusive)."""
    if not (start > 0 and stop > 0):
        raise SettingsError(f"temperatures must be positive, got {start!r} and {stop!r}")
    steps = np.arange(first, n_iter if last is None else min(last, n_iter))
    ratio = min(stop, start) / start
    return np.asarray(start * ratio ** (steps / max(n_iter - 1, 1)))


def temperatures(
    schedule: Schedule,
    n_iter: int,
    final: float = 0.1,
    *,
    first: int = 0,
    last: int | None = None,
) -> np.ndarray:
    """The `n_iter` temperatures of a schedule, or entries `first` to `last` (exclusive) of them.

    A number is the start of a geometric schedule down to `final` (the authors' choice); zero is a
    greedy search; a sequence must have `n_iter` entries; a function is called as
    ``f(i, n_iter)``. Only what is asked for is computed: a billion iterations cost no memory.
    """
    last = n_iter if last is None else min(last, n_iter)
    if callable(schedule):
        values: Any = [schedule(i, n_iter) for i in range(first, last)]
    elif np.ndim(schedule) == 0:
        start = float(schedule)  # type: ignore[arg-type]
        if start == 0.0:
            return np.zeros(last - first)
        return geometric(start, final, n_iter, first, last)
    else:
        if len(schedule) != n_iter:  # type: ignore[arg-type]
            size = len(schedule)  # type: ignore[arg-type]
            raise SettingsError(f"the schedule has {size} temperatures for {n_iter} iterations")
        values = schedule[first:last]  # type: ignore[index]
    array = np.asarray(values, dtype=np.float64)
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise SettingsError("temperatures must be finite and not negative")
    return array
