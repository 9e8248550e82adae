"""Runs a peer in a process of its own, so that it can be stopped and cannot take us with it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcs.errors import PeerError
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
        code = _wait(title, [python or sys.executable, str(_WORKER), name], folder, watch)
        return _outcome(title, folder, code)


def _wait(title: str, command: list[str], folder: Path, watch: Watch) -> int:
    """Start the worker, wait for its end, and return its exit code."""
    with (folder / "messages.txt").open("wb") as messages:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages
            )
        except OSError as error:
            raise PeerError(f"{title}: cannot start {command[0]}: {error}") from error
        try:
            while True:
                try:
                    return process.wait(timeout=_POLL_SECONDS)
                except subprocess.TimeoutExpired:
                    if not watch.tick(title):
                        raise PeerError(_late(title, watch)) from None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _late(title: str, watch: Watch) -> str:
    if watch.timed_out:
        return f"{title} did not finish within the time limit of {watch.time_limit:g} s"
    return f"{title} was interrupted after {watch.elapsed:.1f} s"


def _outcome(title: str, folder: Path, code: int) -> PeerOutcome:
    report = folder / "outcome.json"
    if not report.exists():
        text = (folder / "messages.txt").read_text(encoding="utf-8", errors="replace").strip()
        last = text.splitlines()[-1] if text else "without a message"
        # The system gives minus the signal: 9 is also how it makes room when memory is short.
        how = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
        raise PeerError(f"{title} crashed ({how}): {last}")
    outcome = json.loads(report.read_text(encoding="utf-8"))
    if "error" in outcome:
        raise PeerError(f"{title} failed: {outcome['error']}")
    directed, undirected = (
        np.load(folder / f"{name}.npy", allow_pickle=False).astype(bool)
        for name in ("directed", "undirected")
    )
    return PeerOutcome(directed, undirected, float(outcome["seconds"]))
