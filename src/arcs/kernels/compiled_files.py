"""Compiled code on disk, for many processes at once.

Numba keeps an index of numbered files for each function. Processes that compile different versions
of one function at the same time can give both the same number: the index then leads to code that
was compiled for other types, and running it corrupts memory. The index is also written before the
code is, so that a reader in between finds what an older source left there.

Here every version has a file of its own, named after a digest of the sources and of the types, and
the file says itself what it is. There is no index, a file appears at once (by renaming) or not at
all, and whatever is damaged counts as absent.

Processes that start together need the same code at the same time. The first one takes a lock and
compiles; the others wait for its file instead of compiling the same once more. The system takes
the lock back when its owner dies, and nobody waits longer than some minutes. Locks are taken along
calls, which go round in no circle, so that nobody waits for anybody who waits for him.
"""

import contextlib
import glob
import hashlib
import logging
import os
import pickle
import time
from typing import Any

from numba.core.caching import IndexDataCacheFile

__all__ = ["CompiledFiles", "read_code", "unpickled"]

_LOG = logging.getLogger(__name__)
#: Seconds that a process waits for another one that compiles the same.
PATIENCE = 300.0
_PAUSE = 0.05


def read_code(path: str, version: str, stamp: bytes) -> tuple[bytes, Any] | None:
    """What is in a file if it is of that version of Numba and of those sources: key and code."""
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        _LOG.warning("%s: cannot be read (%s)", path, error.strerror)
        return None
    try:
        made_by, sources, key, data = unpickled(path, content)
    except (TypeError, ValueError):
        return None
    return (key, data) if (made_by, sources) == (version, stamp) else None


def unpickled(path: str, content: Any) -> Any:
    """What was written; None if the file is damaged."""
    try:
        # Not by way of others: the folder is as trustworthy as the sources beside it.
        return pickle.loads(content)  # noqa: S301
    except Exception as error:  # whatever a garbled file causes: it is compiled again
        _LOG.warning("%s: damaged, and ignored (%r)", path, error)
        return None


class CompiledFiles(IndexDataCacheFile):
    """What Numba asks for compiled code: one file per version of a function."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: bytes) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._base = os.path.join(cache_path, filename_base)
        self._locks: dict[str, int] = {}

    @classmethod
    def instead_of(
        cls, other: IndexDataCacheFile, suffix: str, source_stamp: bytes
    ) -> "CompiledFiles":
        """For the same function, under a longer name and bound to more sources."""
        base = other._index_name.removesuffix(".nbi")
        return cls(other._cache_path, base + suffix, source_stamp)

    def load(self, key: Any) -> Any:
        """The code for `key`, or None: then the caller is to compile and to save it."""
        path = self.path(key)
        found = self._read(path, key)
        if found is None and self._waited(path):
            found = self._read(path, key)
            if found is not None:
                self._unlock(path)
        return found

    def save(self, key: Any, data: Any) -> None:
        """Write the code; a full disk costs nothing but the time to compile again."""
        path = self.path(key)
        try:
            content = self._dump((self._version, self._source_stamp, self._dump(key), data))
            with self._open_for_write(path) as stream:
                stream.write(content)
            self._remove_older()
        except OSError as error:
            _LOG.warning("%s: compiled code cannot be kept (%s)", path, error.strerror)
        finally:
            self._unlock(path)

    def flush(self) -> None:
        """Forget all versions of the function."""
        self._remove(glob.glob(f"{glob.escape(self._base)}.*.nbc"))

    # ------------------------------------------------------------------ files
    def _stamp(self) -> str:
        return hashlib.sha256(f"{self._version}{self._source_stamp!r}".encode()).hexdigest()[:12]

    def path(self, key: Any) -> str:
        """Where the code for `key` is."""
        version = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return f"{self._base}.{self._stamp()}-{version}.nbc"

    def _read(self, path: str, key: Any) -> Any:
        found = read_code(path, self._version, self._source_stamp)
        if found is None:
            return None
        written, data = found
        return data if unpickled(path, written) == key else None

    def _remove_older(self) -> None:
        every = glob.glob(f"{glob.escape(self._base)}.*.nbc")
        self._remove([path for path in every if f".{self._stamp()}-" not in path])

    def _remove(self, paths: list[str]) -> None:
        for path in paths:
            with contextlib.suppress(OSError):
                os.unlink(path)

    # ------------------------------------------------------------------ locks
    def _waited(self, path: str) -> bool:
        """Take the lock; whether somebody else had it, and may have compiled meanwhile."""
        deadline = time.monotonic() + PATIENCE
        if path in self._locks or self._lock(path):
            return False
        while not self._lock(path) and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        return True

    def _lock(self, path: str) -> bool:
        """Whether the lock is ours now, or cannot be had at all and so is not worth waiting for."""
        try:
            import fcntl

            descriptor = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR, 0o666)
        except (ImportError, OSError):
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # a file system without locks
            os.close(descriptor)
            return True
        self._locks[path] = descriptor
        return True

    def _unlock(self, path: str) -> None:
        descriptor = self._locks.pop(path, None)
        if descriptor is not None:
            self._remove([f"{path}.lock"])
            os.close(descriptor)
