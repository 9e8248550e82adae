"""Runs in a process that can be killed: the time limit holds whatever a method does.

Learners stop by themselves when their time is up, if they get the chance to look at the clock. A
cell is an interpreter of its own that runs one task after another; when a fit overruns its limit by
more than a grace, the process is killed, the run becomes a row with the status "timeout", and the
next task gets a fresh process. A crash (or the kernel, out of memory) likewise costs one run.

Tasks and rows cross the border as lines of JSON. The cell works with one thread per numerical
library: results then do not depend on the number of cores, and times can be compared.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO, Any

from arcs.experiments.rows import Row
from arcs.experiments.tasks import Task, empty_row, run_task

__all__ = ["Cell", "CellPool", "run_in_cell", "serve"]

_COMMAND = (sys.executable, "-m", "arcs.experiments.cells")
#: Seconds for imports, compilation and simulation before the fit starts.
_PATIENCE = 900.0
_ONE_THREAD = {
    name: "1"
    for name in (
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
        *("NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    )
}


class CellClosed(RuntimeError):
    """The cell was closed by somebody else while a task was running."""


class Cell:
    """A process that runs tasks.

    Parameters
    ----------
    grace : float
        Seconds beyond the time limit in which a method may come to an end by itself.
    command : sequence of str
        What to start; it must call :func:`serve`.
    """

    def __init__(self, grace: float = 10.0, command: Sequence[str] = _COMMAND) -> None:
        self.grace = grace
        self._command = list(command)
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.Queue[str | None] = queue.Queue()
        self._errors: IO[str] | None = None
        self._closed = False

    def run(self, task: Task) -> Row:
        """Run `task`; return its row, also if the time is up or the process dies."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(task.to_dict()) + "\n")
            self._process.stdin.flush()
            reply = self._reply(_PATIENCE)
            if reply == {"started": True}:
                reply = self._reply(task.time_limit + self.grace)
            return Row(**reply["row"])
        except queue.Empty:
            self.kill()
            return empty_row(task, "timeout", seconds=task.time_limit + self.grace)
        except (EOFError, BrokenPipeError):
            return empty_row(task, f"error: {self._last_words()}")

    def kill(self) -> None:
        """End the process, and whatever it has started, at once."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            _kill_group(process)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                _close_quietly(stream)

    def close(self) -> None:
        """End the process for good; a task in progress raises :class:`CellClosed`."""
        self._closed = True
        process = self._process
        if process is not None and process.poll() is None:
            _kill_group(process)
            process.wait()

    def _start(self) -> None:
        self.kill()
        if self._closed:
            raise CellClosed
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._replies = queue.Queue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, **_ONE_THREAD},
            # Ctrl-C is for the parent to deal with, and one signal must reach all descendants.
            start_new_session=True,
        )
        threading.Thread(target=_listen, args=(self._process, self._replies), daemon=True).start()

    def _reply(self, seconds: float) -> dict[str, Any]:
        line = self._replies.get(timeout=seconds)
        if self._closed:
            raise CellClosed
        if line is None:
            raise EOFError
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _last_words(self) -> str:
        if self._closed:
            raise CellClosed
        process, errors = self._process, self._errors
        code = None if process is None else process.wait()
        text = ""
        if errors is not None:
            errors.seek(0)
            text = errors.read().strip()
        self.kill()
        last = text.splitlines()[-1] if text else "no message"
        return f"the process ended with code {code}: {last}"


def _listen(process: subprocess.Popen[str], replies: queue.Queue[str | None]) -> None:
    """Pass lines on; None when there will be no more."""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            replies.put(line)
    finally:
        replies.put(None)


def _kill_group(process: subprocess.Popen[str]) -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        process.kill()


def _close_quietly(stream: IO[str]) -> None:
    """Close a pipe whose other end is gone, with whatever was still to be written."""
    try:
        stream.close()
    except BrokenPipeError:
        return


class CellPool:
    """Cells for the threads of one process: each task takes a free one, or a new one."""

    def __init__(self, grace: float = 10.0) -> None:
        self.grace = grace
        self._lock = threading.Lock()
        self._free: list[Cell] = []
        self._all: list[Cell] = []

    def run(self, task: Task) -> Row:
        """Run `task` in a free cell."""
        with self._lock:
            cell = self._free.pop() if self._free else Cell(self.grace)
            if cell not in self._all:
                self._all.append(cell)
        try:
            return cell.run(task)
        finally:
            with self._lock:
                self._free.append(cell)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            cells, self._all, self._free = self._all, [], []
        for cell in cells:
            cell.close()


#: The cells of this process, for workers of a cluster: they live as long as the worker does.
_SHARED = CellPool()


def run_in_cell(task: Task) -> Row:
    """Run `task` in one of this process's cells."""
    return _SHARED.run(task)


# ---------------------------------------------------------------------------- the cell's own side
def serve() -> None:
    """Run the tasks that come in on standard input until it is closed."""
    # Methods may print: what they say goes to standard error, replies have a channel of their own.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()

    def send(reply: dict[str, Any]) -> None:
        replies.write(json.dumps(reply) + "\n")
        replies.flush()

    for line in sys.stdin:
        row = run_task(Task(**json.loads(line)), lambda: send({"started": True}))
        send({"row": row.to_dict()})


def _leave_with_parent(parent: int) -> None:
    """A worker that is killed cannot tell its cell; the cell notices and leaves the machine."""
    while os.getppid() == parent:
        time.sleep(0.5)
    if hasattr(os, "killpg"):
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    serve()
