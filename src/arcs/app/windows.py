"""What a window of the browser is at: its table, its choices, the history of its fits.

Each window (a tab) has a work of its own, and one thing at a time runs for it. Reloading the page
finds everything as it was, also a fit in progress; when a window has been gone for a while, what
runs for it is cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcs.app.answers import facts_of, plain
from arcs.app.choices import Choices, Start
from arcs.app.fits import Job, bootstrap_in_steps, failure_text, run_fit
from arcs.app.tables import Table, look_at, propose_roles
from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.knowledge import Knowledge
from arcs.results import FitResult

__all__ = ["Fit", "Window", "Windows"]

#: Seconds after which a window without event stream counts as gone: reloading takes less.
GRACE = 15.0
#: Windows that are remembered; of more, the one that has been gone for longest is forgotten.
_MOST_WINDOWS = 24


@dataclass(frozen=True, eq=False)
class Fit:
    """One entry of the history: a result and what led to it."""

    number: int
    result: FitResult
    choices: Choices
    start: Start
    said: str = ""

    def summary(self) -> dict[str, Any]:
        """For the list of the history."""
        knowledge = {} if self.start.knowledge is None else self.start.knowledge.to_dict()
        return {
            "number": self.number,
            "from": self.start.number,
            "said": self.said,
            "knowledge": knowledge,
            "choices": self.choices.to_dict(),
            **facts_of(self.result),
        }


@dataclass
class Window:
    """The work of one window; every change is made under its lock."""

    name: str
    folder: Path
    first: Path | None = None
    table: Table | None = None
    choices: Choices = field(default_factory=Choices)
    reasons: dict[str, str] = field(default_factory=dict)
    fits: list[Fit] = field(default_factory=list)
    current: int | None = None
    job: Job | None = None
    gone_since: float | None = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        #: Called after every fit.
        self.keep: Callable[[Window], None] = lambda window: None
        self.listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Queue[str]]] = []
        self._data: tuple[str, Dataset] | None = None

    # ------------------------------------------------------------------ telling the page
    def tell(self, kind: str, content: Mapping[str, Any]) -> None:
        """Send an event to every open page of this window."""
        text = f"event: {kind}\ndata: {json.dumps(plain(content))}\n\n"
        for loop, queue in list(self.listeners):
            with contextlib.suppress(RuntimeError):  # the server is ending
                loop.call_soon_threadsafe(queue.put_nowait, text)

    def state(self) -> dict[str, Any]:
        """Everything that a page needs to begin, or to go on after a reload."""
        with self.lock:
            job = self.job if self.job is not None and self.job.running else None
            return {
                "window": self.name,
                "table": None if self.table is None else self._table_entry(self.table),
                "choices": self.choices.to_dict(),
                "fits": [fit.summary() for fit in self.fits],
                "current": self.current,
                "job": job and {"kind": job.kind, "last": job.last, "curve": job.curve},
            }

    def _table_entry(self, table: Table) -> dict[str, Any]:
        return plain(  # type: ignore[no-any-return]
            {
                "title": table.title,
                "path": str(table.path),
                "rows_seen": table.rows_seen,
                "columns": [
                    {**column.describe(), "why": self.reasons.get(column.name, "")}
                    for column in table.columns
                ],
            }
        )

    # ------------------------------------------------------------------ data
    def take_table(self, path: Path, title: str | None = None) -> None:
        """Another file: everything that belonged to the old one is forgotten."""
        table = look_at(path, title)
        proposed = propose_roles(table)
        with self.lock:
            self.cancel()
            self.table = table
            self.choices = Choices(roles={name: role for name, (role, _) in proposed.items()})
            self.reasons = {name: why for name, (_, why) in proposed.items() if why}
            self.fits, self.current, self._data = [], None, None

    def choose(self, given: Mapping[str, Any]) -> None:
        """Other choices; those not given stay."""
        with self.lock:
            self.choices = Choices.from_dict({**self.choices.to_dict(), **given})

    def data(self, choices: Choices | None = None) -> Dataset:
        """The data as chosen, read once."""
        table, chosen = self.needed_table(), choices or self.choices
        key = json.dumps([chosen.reading(), chosen.intervention_kind, str(table.path)])
        if self._data is None or self._data[0] != key:
            self._data = (key, chosen.read(table))
        return self._data[1]

    def needed_table(self) -> Table:
        """The table, or a sentence."""
        if self.table is None:
            raise SettingsError("there are no data yet; drop a file, or choose a bundled set")
        return self.table

    # ------------------------------------------------------------------ fitting
    def fit(self, knowledge: Mapping[str, Any], start: int | None, said: str) -> None:
        """Begin a fit; `start` is the number of an earlier one whose order it takes."""
        with self.lock:
            self.refuse_while_fitting()
            known = Knowledge(**knowledge) if any(knowledge.values()) else None
            began = Start(start, known)
            choices = self.choices
            settings = choices.learner_settings()
            if known is not None:
                settings["knowledge"] = known
            if start is not None:
                settings["init"] = self.fit_number(start).result.order
            self.cancel()

            def work(job: Job) -> FitResult:
                found: FitResult = run_fit(job, choices.method, settings, self.data(), self.tell)
                return found

            self.job = Job(
                "fit", work, lambda answer: self._fitted(answer, choices, began, said)
            ).start()
        self.tell("started", {"kind": "fit"})

    def _fitted(self, answer: Any, choices: Choices, start: Start, said: str) -> None:
        if isinstance(answer, Exception):
            self.job = None
            self.tell("failed", {"text": failure_text(answer, self.folder)})
            return
        with self.lock:
            number = len(self.fits) + 1
            self.fits.append(Fit(number, answer, choices, start, said))
            self.current = number
            self.job = None
        with contextlib.suppress(OSError):  # a full disk must not take the graph away
            self.keep(self)
        self.tell("fitted", {"number": number})

    def refuse_while_fitting(self) -> None:
        """One fit at a time."""
        if self.job is not None and self.job.running and self.job.kind == "fit":
            raise SettingsError("a fit is running in this window; stop it first, or wait")

    def fit_number(self, number: int | None = None) -> Fit:
        """An entry of the history; the current one by default."""
        wanted = self.current if number is None else number
        found = next((fit for fit in self.fits if fit.number == wanted), None)
        if found is None:
            raise SettingsError(f"there is no fit {wanted}" if wanted else "nothing is fitted yet")
        return found

    def show(self, number: int) -> None:
        """Go back (or forth) to an entry of the history."""
        with self.lock:
            self.current = self.fit_number(number).number
            self.choices = self.fit_number(number).choices

    # ------------------------------------------------------------------ confidence
    def bootstrap(self, n_resamples: int) -> None:
        """Begin to resample behind the current fit; confidences fill in as they come."""
        if not 1 <= n_resamples <= 10_000:
            raise SettingsError(f"the number of resamples is from 1 to 10,000, got {n_resamples}")
        with self.lock:
            self.refuse_while_fitting()
            self.cancel()
            fit = self.fit_number()
            settings = fit.choices.learner_settings()
            if fit.start.knowledge is not None:
                settings["knowledge"] = fit.start.knowledge

            def tell(result: FitResult, done: int) -> None:
                self._replace(fit.number, result)
                told = {"number": fit.number, "done": done, "total": n_resamples}
                self.tell("confidence", told)

            def work(job: Job) -> FitResult:
                with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
                    store, data = Path(scratch) / "bootstrap.npz", self.data(fit.choices)
                    return bootstrap_in_steps(
                        job, fit.result, settings, data, n_resamples, tell, store
                    )

            self.job = Job("bootstrap", work, self._resampled).start()
        self.tell("started", {"kind": "bootstrap"})

    def _resampled(self, answer: Any) -> None:
        self.job = None
        if isinstance(answer, Exception):
            self.tell("failed", {"text": failure_text(answer, self.folder)})
        else:
            self.tell("resampled", {})

    def _replace(self, number: int, result: FitResult) -> None:
        with self.lock:
            old = self.fit_number(number)
            new = Fit(number, result, old.choices, old.start, old.said)
            self.fits = [new if fit.number == number else fit for fit in self.fits]

    # ------------------------------------------------------------------ ending
    def stop(self) -> None:
        """End what runs; a fit keeps the best so far."""
        if self.job is not None:
            self.job.stop()
            if self.job.kind == "bootstrap":
                self.cancel()
                self.tell("resampled", {})

    def cancel(self) -> None:
        """End what runs and forget it."""
        if self.job is not None:
            self.job.cancel()
            self.job = None


class Windows:
    """All windows of a server, and the folder that uploads go to."""

    def __init__(
        self,
        folder: Path,
        first: Path | None = None,
        keep: Callable[[Window], None] = lambda window: None,
    ) -> None:
        self.folder = folder
        self.keep = keep
        #: What every new window begins with.
        self.first = first
        self._windows: dict[str, Window] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Window:
        with self._lock:
            if name not in self._windows:
                if not (8 <= len(name) <= 64 and name.isalnum()):
                    raise SettingsError("that is not the name of a window")
                self._forget_one()
                folder = self.folder / name
                folder.mkdir(parents=True, exist_ok=True)
                self._windows[name] = Window(name, folder, self.first)
                self._windows[name].keep = self.keep
            return self._windows[name]

    def _forget_one(self) -> None:
        gone = [w for w in self._windows.values() if w.gone_since is not None]
        if len(self._windows) >= _MOST_WINDOWS and gone:
            oldest = min(gone, key=lambda window: window.gone_since or 0.0)
            oldest.cancel()
            del self._windows[oldest.name]

    def cancel_gone(self, now: float) -> None:
        """Cancel what runs for windows that have been closed for a while."""
        for window in list(self._windows.values()):
            gone = window.gone_since
            if gone is not None and now - gone > GRACE and window.job is not None:
                window.cancel()

    def cancel_all(self) -> None:
        """The server ends."""
        for window in self._windows.values():
            window.cancel()
