"""A process that runs one task after another, and is replaced when it has died.

Parent and child exchange messages by pipes: first the function and what all tasks share, then tasks
one by one. The child acknowledges a task, may say when the work proper begins
(:func:`announce_start`, after which a time limit counts), and ends with a value or an error.
Functions and classes of notebooks travel by value. Whatever a task prints goes to the child's
standard error, never into a message.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from arcs.jobs.ended import Ended
from arcs.jobs.program import Program

__all__ = ["Worker", "WorkerClosed", "announce_start", "packed"]

_MAIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from arcs.jobs.worker import serve; serve()"
)
_THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
)
_LENGTH = struct.Struct(">Q")
_RECEIVED, _STARTED, _VALUE, _ERROR = "received", "started", "value", "error"


class WorkerClosed(RuntimeError):
    """The worker was closed by somebody else while a task was running."""


def packed(value: Any) -> bytes:
    """A value as it is sent; also functions and classes that nobody can import."""
    import cloudpickle

    content: bytes = cloudpickle.dumps(value)
    return content


def _unpacked(message: bytes) -> Any:
    # Not a file, and from nobody but the process that we have started, or that has started us.
    return pickle.loads(message)  # noqa: S301


class Worker:
    """Runs tasks in a process, one at a time.

    Parameters
    ----------
    function : callable
        Called with what is shared and a task.
    shared
        What all tasks need.
    threads : int
        Of the numerical libraries.
    patience : float, optional
        Seconds for imports, compilation and whatever comes before the start is announced.
    """

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        shared: Any = None,
        *,
        threads: int = 1,
        patience: float | None = None,
    ) -> None:
        self._work = packed((function, shared))
        self._environment = dict.fromkeys(_THREADS, str(threads))
        self._patience = patience
        self._child: _Child | None = None
        self._closed = False

    def run(self, task: Any, limit: float | None = None) -> Ended:
        """Run `task`; `limit` seconds after its announced start its process is ended."""
        message, lost = packed(task), ""
        for _ in range(2):
            try:
                child = self._ready_child()
                child.send(message)
                child.receive(self._patience)
            except queue.Empty:
                return self._late(task)
            except (EOFError, OSError):
                # It died before it had the task, which therefore is not lost yet.
                lost = self._obituary()
            else:
                return self._outcome(child, task, limit)
        return Ended(task, lost=lost)

    def _outcome(self, child: _Child, task: Any, limit: float | None) -> Ended:
        try:
            kind, value = child.receive(self._patience)
            if kind == _STARTED:
                kind, value = child.receive(limit)
        except queue.Empty:
            return self._late(task)
        except (EOFError, OSError):
            return Ended(task, lost=self._obituary())
        return Ended(task, error=value) if kind == _ERROR else Ended(task, value)

    def _ready_child(self) -> _Child:
        if self._closed:
            raise WorkerClosed
        if self._child is None:
            self._child = _Child(self._environment)
            self._child.send(self._work)
        return self._child

    def _late(self, task: Any) -> Ended:
        self._drop()
        return Ended(task, late=True)

    def _obituary(self) -> str:
        """How the process ended; the next task gets another one."""
        if self._closed or self._child is None:
            raise WorkerClosed from None
        words = self._child.obituary()
        self._drop()
        return words

    def _drop(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None

    @property
    def process_id(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._child is None else self._child.program.process.pid

    def close(self) -> None:
        """End the process for good; a task in progress raises :class:`WorkerClosed`."""
        self._closed = True
        if self._child is not None:
            self._child.close()


class _Child:
    """The parent's side of one process."""

    def __init__(self, environment: dict[str, str]) -> None:
        command = [sys.executable, "-c", _MAIN, json.dumps(sys.path)]
        self.program = Program(command, pipes=True, environment=environment)
        self._messages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Pass messages on; None when there will be no more."""
        message: bytes | None = b""
        while message is not None:
            message = _read(_pipe(self.program.process.stdout))
            self._messages.put(message)

    def send(self, message: bytes) -> None:
        _write(_pipe(self.program.process.stdin), message)

    def receive(self, seconds: float | None) -> tuple[str, Any]:
        """The next message; `queue.Empty` when it takes longer, `EOFError` when there is none."""
        message = self._messages.get(timeout=seconds)
        if message is None:
            raise EOFError
        reply: tuple[str, Any] = _unpacked(message)
        return reply

    def obituary(self) -> str:
        self.program.ended(5.0)
        return f"{self.program.ending()}: {self.program.last_words()}"

    def close(self) -> None:
        self.program.kill()
        self._listener.join()
        self.program.close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise EOFError
    return stream


def _write(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes | None:
    """One message; None if the other side has gone, also in the middle of it."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    message = stream.read(length)
    return message if len(message) == length else None


# ---------------------------------------------------------------------- the child's own side
#: Where replies go; nowhere in a process that is nobody's worker.
_replies: list[IO[bytes]] = []


def announce_start() -> None:
    """Within a task: imports and preparations are done, the time of the work begins."""
    _reply(_STARTED)


def _reply(kind: str, value: Any = None) -> None:
    message = packed((kind, value))
    for stream in _replies:
        _write(stream, message)


def serve() -> None:
    """Run the tasks that come in on standard input until it is closed."""
    _replies[:] = [os.fdopen(os.dup(1), "wb")]
    os.dup2(2, 1)
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    work = _read(sys.stdin.buffer)
    if work is None:
        return
    function, shared = _unpacked(work)
    while (message := _read(sys.stdin.buffer)) is not None:
        _reply(_RECEIVED)
        try:
            _reply(_VALUE, function(shared, _unpacked(message)))
        except BaseException as error:  # it is the parent who decides what to make of it
            _reply_with_error(error)


def _reply_with_error(error: BaseException) -> None:
    try:
        _unpacked(packed(error))
    except Exception:  # an error that cannot travel
        error = RuntimeError(f"{type(error).__name__}: {error}")
    # Leaving the program, or an interruption of the child, is not the parent's.
    plain = error if isinstance(error, Exception) else RuntimeError(repr(error))
    _reply(_ERROR, plain)


def _leave_with_parent(parent: int) -> None:
    """A parent that is killed cannot tell its child; the child notices and leaves the machine."""
    while os.getppid() == parent:
        time.sleep(0.5)
    if hasattr(os, "killpg"):
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os._exit(1)
