"""Temperature schedules of the annealing: the temperature of iteration i of N."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arcs.errors import SettingsError

__all__ = ["Schedule", "geometric", "temperatures"]

#: A start temperature, a sequence of temperatures, or a function of (iteration, iterations).
Schedule = float | Sequence[float] | np.ndarray | Callable[[int, int], float]


def geometric(start: float, stop: float, n_iter: int) -> np.ndarray:
    """From `start` down to `stop` by a constant factor."""
    if not (start > 0 and stop > 0):
        raise SettingsError(f"temperatures must be positive, got {start!r} and {stop!r}")
    return np.geomspace(start, min(stop, start), max(n_iter, 1))[:n_iter]


def temperatures(schedule: Schedule, n_iter: int, final: float = 0.1) -> np.ndarray:
    """The `n_iter` temperatures of a schedule.

    A number is the start of a geometric schedule down to `final` (the authors' choice); zero is a
    greedy search; a sequence must have `n_iter` entries; a function is called as
    ``f(i, n_iter)``.
    """
    if callable(schedule):
        values: Any = [schedule(i, n_iter) for i in range(n_iter)]
    elif np.ndim(schedule) == 0:
        start = float(schedule)  # type: ignore[arg-type]
        if start == 0.0:
            return np.zeros(n_iter)
        return geometric(start, final, n_iter)
    else:
        values = schedule
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n_iter,):
        raise SettingsError(f"the schedule has {array.size} temperatures for {n_iter} iterations")
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise SettingsError("temperatures must be finite and not negative")
    return array
