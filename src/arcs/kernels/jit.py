"""How kernels are compiled.

Reference counting is switched off: kernels allocate nothing and keep nothing, and counting the
references of a few dozen arrays on every call would cost more than the arithmetic in between.
Division follows NumPy (no exceptions), and compiled code is cached on disk.

A kernel is compiled by itself, and kernels call each other by name (:mod:`arcs.kernels.separate`):
each is compiled once, however many call it. What is too small for a call in a hot loop is inlined.

Numba compares a cached function with the source of its own module only, although small functions of
other modules are compiled into it. Here the cache is also bound to every kernel module that the
function's module imports, so that no change, no upgrade and no other checkout ever runs yesterday's
code. Who asks (:mod:`arcs.kernels.asking`) does not import who answers, and is bound to all who
might. How many processes share the files is told in :mod:`arcs.kernels.compiled_files`. Where
nothing can be written, code is compiled anew in each process.
"""

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from arcs.kernels.separate import LinkedFunction, SeparateFunction

__all__ = ["allocating", "inlined", "kernel", "linked", "source_stamp"]

_PLAIN = {"nogil": True, "no_cfunc_wrapper": True}
_OPTIONS = {**_PLAIN, "error_model": "numpy", "_nrt": False}
_PACKAGE = "arcs.kernels."
_ROOT = Path(__file__).parent
_IMPORT = re.compile(rb"^(?:from|import) arcs\.kernels\.([\w.]+)", re.MULTILINE)
_ASKS, _PROVIDES = b"\n@asked\n", b"\n@provide("


@cache
def _source(module: str) -> bytes:
    return _ROOT.joinpath(*module.split(".")).with_suffix(".py").read_bytes()


@cache
def _answering(asking: str) -> tuple[str, ...]:
    """Modules that provide what a module asks for: its questions are imported there."""
    paths = (path.relative_to(_ROOT).with_suffix("") for path in sorted(_ROOT.rglob("*.py")))
    names = (".".join(path.parts) for path in paths)
    return tuple(
        name
        for name in names
        if _PROVIDES in _source(name) and asking in _looked_at(_source(name))[0]
    )


@cache
def _looked_at(source: bytes) -> tuple[tuple[str, ...], bytes]:
    """The kernel modules that a source imports, and its digest."""
    imported = tuple(match.decode() for match in _IMPORT.findall(source))
    return imported, hashlib.sha256(source).digest()


@cache
def source_stamp(module: str) -> bytes:
    """Digest of the sources of a kernel module and of all kernel modules behind it."""
    waiting, found = [module], dict[str, bytes]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            imported, found[name] = _looked_at(_source(name))
            waiting += imported
            if _ASKS in _source(name):
                waiting += _answering(name)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(found[name])
    return digest.digest()


def _compiled(**options: Any) -> Callable[[Any], Any]:
    """A decorator that compiles on first use and keeps the code on disk."""

    def decorate(function: Any) -> Any:
        stamp = source_stamp(function.__module__.removeprefix(_PACKAGE))
        compiled = SeparateFunction(function, options, stamp)
        compiled.keep_on_disk()
        return compiled

    return decorate


kernel = _compiled(**_OPTIONS)
#: For tiny functions in hot loops, for which a call would cost more than the body.
inlined = _compiled(**_OPTIONS, inline="always")
#: For functions that make arrays of their own, and so need references counted; division by zero is
#: an error there, as in Python.
allocating = _compiled(**_PLAIN)


def linked(function: Any) -> LinkedFunction:
    """For functions of a few lines that an engine provides: LLVM may inline them."""
    return LinkedFunction(function, _OPTIONS)
