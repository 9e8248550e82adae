"""What can be read only once: pipes, sockets, the terminal.

``arcs fit <(zcat cells.csv.gz)`` hands over a pipe. A table is looked at before it is read, and its
rows may be gone through more than once, so a pipe is first poured into a temporary file that has no
name and vanishes with its last reader.
"""

from __future__ import annotations

import os
import select
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import IO

from arcs.errors import FileFormatError

__all__ = ["Poured", "once_only"]

#: Seconds in which somebody must begin to write into a named pipe.
PATIENCE = 10.0


class Poured:
    """The content of a pipe, to be read as often as needed."""

    def __init__(self, source: IO[bytes], first: bytes) -> None:
        with tempfile.TemporaryFile() as copy:
            self._descriptor = os.dup(copy.fileno())
            copy.write(first)
            shutil.copyfileobj(source, copy)

    def open(self) -> IO[bytes]:
        """From the beginning; one reader at a time."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        return os.fdopen(os.dup(self._descriptor), "rb")

    def __del__(self) -> None:
        os.close(self._descriptor)


def once_only(path: Path) -> Poured | None:
    """What is in a pipe; None for ordinary files, which need no copy."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None  # whoever opens it has the words for that
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    pipe = stat.S_ISFIFO(mode)
    with open(path, "rb", opener=_without_waiting if pipe else None) as source:
        if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not source.isatty()):
            raise FileFormatError(f"{path}: this is a device, not a file")
        return Poured(source, _first_bytes(source.fileno(), path) if pipe else b"")


def _without_waiting(path: str, flags: int) -> int:
    """Opening a pipe waits for a writer, for ever if there is none."""
    return os.open(path, flags | os.O_NONBLOCK)


def _first_bytes(descriptor: int, path: Path) -> bytes:
    """What comes first, maybe nothing yet; a pipe that nobody has opened for writing is refused."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            first: bytes | None = os.read(descriptor, 1)
        except BlockingIOError:
            first = None  # somebody may write, and has not yet
        if first != b"" or _left(descriptor):
            os.set_blocking(descriptor, True)
            return first or b""
        time.sleep(0.02)
    raise FileFormatError(f"{path}: nobody writes into this pipe (waited {PATIENCE:g} s)")


def _left(descriptor: int) -> bool:
    """Whether there were writers and all have gone."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0))
