"""The live line: what a running learner is doing, on a terminal only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from arcs.cli.console import messages

if TYPE_CHECKING:
    from arcs.progress import Listener, Progress

__all__ = ["LiveLine", "live_line"]

_SPINNER = "|/-\\"
_BAR = 8


@contextlib.contextmanager
def live_line(
    label: str, *, quiet: bool = False, time_limit: float | None = None
) -> Iterator[Listener | None]:
    """A listener that shows progress while the block runs; ``None`` where nobody would see it."""
    console = messages()
    if quiet or not console.is_terminal:
        yield None
        return
    line = LiveLine(label, time_limit)
    with Live(get_renderable=line.render, console=console, refresh_per_second=8, transient=True):
        yield line


class LiveLine:
    """Remembers the last event and draws it when the display asks.

    Parameters
    ----------
    label : str
        What is running, usually the method.
    time_limit : float, optional
        Seconds given to it.
    """

    def __init__(self, label: str, time_limit: float | None = None) -> None:
        self.label = label
        self.time_limit = time_limit
        self.event: Progress | None = None
        self.started = time.perf_counter()
        self.stage_started = self.started

    def __call__(self, event: Progress) -> None:
        if self.event is None or event.stage != self.event.stage:
            self.stage_started = time.perf_counter()
        self.event = event

    def render(self) -> Text:
        """The line as it is now."""
        now = time.perf_counter()
        elapsed = now - self.started
        head = f"{_SPINNER[int(elapsed * 8) % 4]} {self.label}"
        if self.event is None:
            return Text(f"{head}  starting (the first run compiles, once)  {_clock(elapsed)}")
        left = self.seconds_left(now)
        times = _clock(elapsed) if left is None else f"{_clock(elapsed)}, {_clock(left)} left"
        parts = [f"{head}: {self.event.stage}", *_figures(self.event), times]
        return Text("  ".join(parts), no_wrap=True, overflow="ellipsis")

    def seconds_left(self, now: float) -> float | None:
        """From the pace of the stage, but never beyond the time limit."""
        guesses = []
        event = self.event
        if event is not None and event.total and event.iteration > 0:
            pace = (now - self.stage_started) / event.iteration
            guesses.append(pace * max(event.total - event.iteration, 0))
        if self.time_limit is not None:
            guesses.append(max(self.time_limit - (now - self.started), 0.0))
        return min(guesses) if guesses else None


def _figures(event: Progress) -> list[str]:
    parts = []
    if event.total:
        share = min(event.iteration / event.total, 1.0)
        filled = round(share * _BAR)
        parts.append(f"[{'#' * filled}{'.' * (_BAR - filled)}] {share:.0%}")
    elif event.iteration:
        parts.append(f"{event.iteration:,}")
    if event.temperature is not None:
        parts.append(f"T {event.temperature:.2g}")
    best = event.best if event.best is not None else event.score
    if best is not None:
        parts.append(f"best {best:,.1f}")
    if event.edges is not None:
        parts.append(f"{event.edges} edges")
    return parts


def _clock(seconds: float) -> str:
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
