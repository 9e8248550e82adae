"""Runs a peer in a process of its own, so that it can be stopped and cannot take us with it."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcs.errors import PeerError
from arcs.jobs import Program
from arcs.progress import Watch

__all__ = ["PeerOutcome", "run_peer"]

_WORKER = Path(__file__).with_name("worker.py")
_POLL_SECONDS = 0.05


@dataclass(frozen=True, eq=False)
class PeerOutcome:
    """The graph that a peer found, and the seconds that its call took."""

    directed: np.ndarray
    undirected: np.ndarray
    seconds: float


def run_peer(
    title: str,
    method: str,
    rows: np.ndarray,
    options: Mapping[str, Any],
    watch: Watch,
    *,
    seed: int | None = None,
    python: str | None = None,
) -> PeerOutcome:
    """Call `method` of the worker on `rows` in another process.

    Parameters
    ----------
    title : str
        What to call the peer in messages.
    method : str
        A key of ``worker.METHODS``.
    rows : ndarray of shape (n, p)
    options : mapping of str to JSON values
    watch : Watch
        The process is killed when the watch expires.
    seed : int, optional
    python : str, optional
        Another interpreter in which the peer is installed.

    Raises
    ------
    PeerError
        If the peer fails, crashes, or is not done in time.
    """
    with tempfile.TemporaryDirectory(prefix="arcs-peer-") as name:
        folder = Path(name)
        job = {"method": method, "options": dict(options), "seed": seed}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        np.save(folder / "rows.npy", np.ascontiguousarray(rows))
        try:
            program = Program([python or sys.executable, str(_WORKER), name])
        except OSError as error:
            raise PeerError(f"{title}: cannot start {python}: {error}") from error
        with contextlib.closing(program):
            while not program.ended(_POLL_SECONDS):
                if not watch.tick(title):
                    raise PeerError(_late(title, watch))
            return _outcome(title, folder, program)


def _late(title: str, watch: Watch) -> str:
    if watch.timed_out:
        return f"{title} did not finish within the time limit of {watch.time_limit:g} s"
    return f"{title} was interrupted after {watch.elapsed:.1f} s"


def _outcome(title: str, folder: Path, program: Program) -> PeerOutcome:
    report = folder / "outcome.json"
    if not report.exists():
        raise PeerError(f"{title} crashed ({program.ending()}): {program.last_words()}")
    outcome = json.loads(report.read_text(encoding="utf-8"))
    if "error" in outcome:
        raise PeerError(f"{title} failed: {outcome['error']}")
    directed, undirected = (
        np.load(folder / f"{name}.npy", allow_pickle=False).astype(bool)
        for name in ("directed", "undirected")
    )
    return PeerOutcome(directed, undirected, float(outcome["seconds"]))
