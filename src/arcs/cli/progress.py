"""The live line: what a running learner is doing, on a terminal only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from arcs.cli.console import messages
from arcs.progress import COMPILING, STOPPING, compiling

if TYPE_CHECKING:
    from arcs.progress import Listener, Progress

__all__ = ["LiveLine", "clock", "live_line"]

_SPINNER = "|/-\\"
_BAR = 8
#: Stages of the learners, and what happens there.
_WORDS = {
    "search": "looking for a better order of the variables",
    "anneal": "looking for a better order of the variables",
    "pulls": "looking for a better order of the variables",
    "tune": "choosing the penalty",
    "path": "trying penalties, from strong to weak",
    "regimes": "finding out what the conditions changed",
    "climb": "adding, removing and turning edges",
    "forward": "adding edges",
    "backward": "removing edges",
    "turning": "turning edges",
    "candidates": "looking for neighbours of each variable",
    "terminal nodes": "finding the last variable, one by one",
    "bootstrap": "fitting resampled data",
}


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
        self.stopping = False
        self.started = time.perf_counter()
        self.stage_started = self.started
        #: Seconds of an earlier run that this one goes on from.
        self.earlier = 0.0

    def __call__(self, event: Progress) -> None:
        if self.event is None or event.stage != self.event.stage:
            self.stage_started = time.perf_counter()
        self.earlier = max(event.elapsed - (time.perf_counter() - self.started), 0.0)
        self.event = event
        self.stopping |= event.stage == STOPPING

    def render(self) -> Text:
        """The line as it is now."""
        now = time.perf_counter()
        elapsed = self.earlier + now - self.started
        head = f"{_SPINNER[int(elapsed * 8) % 4]} {self.label}"
        if self.event is None:
            return Text(f"{head}  starting (the first run compiles, once)  {clock(elapsed)}")
        if self.stopping:
            what = "stopping, to keep the best so far (Ctrl-C again stops at once and loses it)"
            return Text(f"{head}: {what}  {clock(elapsed)}", no_wrap=True, overflow="ellipsis")
        if self.event.stage == COMPILING:
            parts = [f"{head}: {compiling(self.event)}", *_figures(self.event)[:1]]
        else:
            parts = [f"{head}: {in_words(self.event.stage)}", *_figures(self.event)]
        parts.append(", ".join([clock(elapsed), *self.time_left(now)]))
        return Text("  ".join(parts), no_wrap=True, overflow="ellipsis")

    def time_left(self, now: float) -> list[str]:
        """What is known about the time to the end: of this step by its pace, or at most."""
        event, limit = self.event, self.time_limit
        rest = float("inf") if limit is None else max(limit - (now - self.started), 0.0)
        # The first steps tell little about the others.
        steady = event is not None and event.stage != COMPILING
        if event is not None and steady and event.total and event.iteration > 0.05 * event.total:
            pace = (now - self.stage_started) / event.iteration
            step = pace * max(event.total - event.iteration, 0)
            if step < rest:
                return [f"about {clock(step)} left of this step"]
        return [] if limit is None else [f"at most {clock(rest)} left"]


def in_words(stage: str) -> str:
    """What a stage of a learner does, for people."""
    if stage.startswith("level "):
        return f"testing edges given {stage.removeprefix('level ')} other variables"
    return _WORDS.get(stage, _WORDS.get(stage.split(" ")[-1], stage))


def _figures(event: Progress) -> list[str]:
    parts = []
    if event.total:
        share = min(event.iteration / event.total, 1.0)
        filled = round(share * _BAR)
        parts.append(f"[{'#' * filled}{'.' * (_BAR - filled)}] {share:.0%}")
    elif event.iteration:
        parts.append(f"{event.iteration:,} steps")
    if event.edges is not None:
        parts.append(f"{event.edges} edges")
    return parts


def clock(seconds: float) -> str:
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
