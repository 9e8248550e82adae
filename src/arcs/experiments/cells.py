"""Runs in a process that can be killed: the time limit holds whatever a method does.

Learners stop by themselves when their time is up, if they get the chance to look at the clock. A
cell is an interpreter of its own that runs one task after another; when a fit overruns its limit by
more than a grace, the process is killed, the run becomes a row with the status "timeout", and the
next task gets a fresh process. A crash (or the kernel, out of memory) likewise costs one run.

Tasks and rows cross the border as lines of JSON. The cell works with one thread per numerical
library: results then do not depend on the number of cores, and times can be compared.
"""

from __future__ import annotations

import contextlib
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
from arcs.experiments.tasks import DIED, Task, empty_row, run_task

__all__ = ["Cell", "CellPool", "run_in_cell", "serve"]

_COMMAND = (sys.executable, "-m", "arcs.experiments.cells")
#: Seconds for imports, compilation and simulation before the fit starts.
_PATIENCE = 900.0
_ONE_THREAD = dict.fromkeys(
    (
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
        *("NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    ),
    "1",
)


class CellClosed(RuntimeError):
    """The cell was closed by somebody else while a task was running."""


class Cell:
    """Runs tasks in a process, one at a time.

    Parameters
    ----------
    grace : float
        Seconds beyond the time limit in which a method may come to an end by itself.
    command : sequence of str
        What to start; it must call :func:`serve`.
    """

    def __init__(self, grace: float = 10.0, command: Sequence[str] = _COMMAND) -> None:
        self.grace = grace
        self._command = tuple(command)
        self._child: _Child | None = None
        self._closed = False

    def run(self, task: Task) -> Row:
        """Run `task`; return its row, also if the time is up or the process dies."""
        if self._closed:
            raise CellClosed
        if self._child is None:
            self._child = _Child(self._command)
        child = self._child
        try:
            child.ask(task.to_dict())
            reply = child.reply(_PATIENCE)
            if "row" not in reply:
                reply = child.reply(task.time_limit + self.grace)
            return Row(**reply["row"])
        except queue.Empty:
            self._replace(child)
            return empty_row(task, "timeout", seconds=task.time_limit + self.grace)
        except (EOFError, OSError, ValueError):
            if self._closed:
                raise CellClosed from None
            words = child.last_words()
            self._replace(child)
            return empty_row(task, f"{DIED}{words}")

    def _replace(self, child: _Child) -> None:
        """End the process; the next task gets another one."""
        child.end()
        self._child = None

    def close(self) -> None:
        """End the process for good; a task in progress raises :class:`CellClosed`."""
        self._closed = True
        if self._child is not None:
            self._child.end()


class _Child:
    """A process, the lines it writes, and what it says on standard error."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **_ONE_THREAD},
            # Ctrl-C is for the parent to deal with, and one signal must reach all descendants.
            start_new_session=True,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Pass lines on; None when there will be no more."""
        for line in _pipe(self._process.stdout):
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, question: dict[str, Any]) -> None:
        """Send one line."""
        stream = _pipe(self._process.stdin)
        stream.write(json.dumps(question).encode() + b"\n")
        stream.flush()

    def reply(self, seconds: float) -> dict[str, Any]:
        """The next line; `queue.Empty` when it takes longer, `EOFError` when there is none."""
        line = self._lines.get(timeout=seconds)
        if line is None:
            raise EOFError
        reply: dict[str, Any] = json.loads(line)
        return reply

    def last_words(self) -> str:
        """How the process ended, and why as far as it said so."""
        try:
            code: int | str = self._process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            code = "unknown"
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace").strip()
        last = text.splitlines()[-1] if text else "no message"
        if isinstance(code, int) and code < 0:
            return f"was killed by signal {-code}: {last}"
        return f"ended with code {code}: {last}"

    def end(self) -> None:
        """End the process, and whatever it has started, at once."""
        _kill_group(self._process)
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            # What is still to be written finds no reader any more.
            with contextlib.suppress(BrokenPipeError):
                _pipe(stream).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise EOFError
    return stream


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


class CellPool:
    """Cells for the threads of one process: each task takes a free one, or a new one.

    The parameters are those of a :class:`Cell`.
    """

    def __init__(self, grace: float = 10.0, command: Sequence[str] = _COMMAND) -> None:
        self.grace = grace
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._free: list[Cell] = []
        self._all: list[Cell] = []
        self._closed = False

    def run(self, task: Task) -> Row:
        """Run `task` in a free cell."""
        with self._lock:
            if self._closed:
                raise CellClosed
            cell = self._free.pop() if self._free else Cell(self.grace, self._command)
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
            self._closed = True
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
