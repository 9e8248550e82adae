"""A command in a process of its own, which can be ended at any time with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

__all__ = ["Program"]


class Program:
    """A running command, whose standard error is kept for its last words.

    Parameters
    ----------
    command : sequence of str
    pipes : bool
        Whether standard input and output are pipes to this process; otherwise there are none.
    environment : mapping, optional
        Variables beside those of this process.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        pipes: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        channel = subprocess.PIPE if pipes else subprocess.DEVNULL
        try:
            self.process = subprocess.Popen(
                list(command),
                stdin=channel,
                stdout=channel,
                stderr=self._errors,
                env={**os.environ, **(environment or {})},
                # Ctrl-C is for the parent to deal with; one signal must reach all descendants.
                start_new_session=True,
            )
        except OSError:
            self._errors.close()
            raise

    def ended(self, seconds: float = 0.0) -> bool:
        """Whether the command comes to an end within some seconds."""
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def ending(self) -> str:
        """How it ended; 9 is also how the system makes room when memory is short."""
        code = self.process.poll()
        if code is None:
            return "still running"
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "without a message"

    def kill(self) -> None:
        """End it, and whatever it has started, at once."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End it and give back all files."""
        self.kill()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            # What is still to be written finds no reader any more.
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
