"""How kernels are compiled.

Reference counting is switched off: kernels allocate nothing and keep nothing, and counting the
references of a few dozen arrays on every call would cost more than the arithmetic in between.
Division follows NumPy (no exceptions), and compiled code is cached on disk.

Numba compares a cached function with the source of its own module only, although the functions it
calls are compiled into it. Here the cache is also bound to every kernel module that the function's
module imports, so that no change, no upgrade and no other checkout ever runs yesterday's code.
"""

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

__all__ = ["allocating", "inlined", "kernel", "source_stamp"]

_OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
_IMPORT = re.compile(rb"^(?:from|import) arcs\.kernels\.(\w+)", re.MULTILINE)


@cache
def _source(module: str) -> bytes:
    return (Path(__file__).parent / f"{module}.py").read_bytes()


@cache
def source_stamp(module: str) -> bytes:
    """Digest of the sources of a kernel module and of all kernel modules behind it."""
    waiting, found = [module], set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [match.decode() for match in _IMPORT.findall(_source(name))]
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(hashlib.sha256(_source(name)).digest())
    return digest.digest()


def _compiled(**options: Any) -> Callable[[Any], Any]:
    """A decorator that compiles on first use and keeps the code on disk."""

    def decorate(function: Any) -> Any:
        dispatcher = njit(**options)(function)
        # Numba offers no public way to say what else a cached function depends on.
        dispatcher._cache._cache_file._source_stamp = source_stamp(
            function.__module__.rpartition(".")[2]
        )
        return dispatcher

    return decorate


kernel = _compiled(**_OPTIONS)
#: For tiny functions in hot loops: passing a bundle of arrays would cost more than the body.
inlined = _compiled(**_OPTIONS, inline="always")
#: For functions that make arrays of their own, and so need references counted; division by zero is
#: an error there, as in Python.
allocating = _compiled(cache=True, nogil=True)
