"""Compiled functions that call each other by name instead of being compiled into each other.

Numba copies the code of all that a function calls, directly or not, into the function's own
module, and optimises and translates the whole again: what lies ten calls deep is compiled ten
times. Here a function is compiled once, by itself. Its address is made known under a name, the
*symbol*, and who calls it holds nothing but the name, which is looked up when the caller is made
ready to run. (The calls are those that Numba would have made, with the same arguments, results and
errors; they only cannot be optimised away. Small functions should rather be linked or inlined.)

A symbol tells the function, the sources it was compiled from and the types of its arguments, and
so is the same in every process. Code on disk comes with the list of the functions it calls: they
are loaded first, or compiled if they are not there. If one of them goes by another symbol than it
did, the code is not used. So no code is ever made ready to run before what it calls is.
"""

import contextlib
import copy
import gc
import hashlib
import importlib
import sys
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from arcs.kernels.compiled_files import CompiledFiles

__all__ = ["LinkedFunction", "SeparateFunction"]

_PREFIX = "arcs.separate."
#: Who is known by which symbol: its module, its name there, and the types of its arguments.
_KNOWN: dict[str, tuple[str, str, tuple[Any, ...]]] = {}


#: Python looks for garbage after so many new objects while code is compiled.
_OBJECTS = 100_000


@contextlib.contextmanager
def _looking_less_for_garbage() -> Iterator[None]:
    """Compiling makes millions of objects that live as long as it takes: to look through them again
    and again is a tenth of the time."""
    with global_compiler_lock:
        usual = gc.get_threshold()
        gc.set_threshold(_OBJECTS, *usual[1:])
        try:
            yield
        finally:
            gc.set_threshold(*usual)


class SeparateFunction(CPUDispatcher):
    """A function that Python calls, and compiled code calls by its symbol.

    What Python calls is compiled apart from what compiled code calls (`inner`): a doorway that
    takes Python's objects apart costs as much as many a small function, and few are ever called
    from Python.
    """

    def __init__(self, function: Any, options: dict[str, Any], stamp: bytes) -> None:
        options = {"nopython": True, **options}
        super().__init__(function, targetoptions=options)
        self.inner = _Inner(function, targetoptions={**options, "no_cpython_wrapper": True})
        self.inner.stamp = stamp

    def keep_on_disk(self, stamp: bytes) -> None:
        """Keep compiled code in files that are bound to these sources."""
        for compiled, suffix in ((self, ""), (self.inner, "-inner")):
            kept = _Cache(self.py_func)
            # Numba offers no public way to say what else a cached function depends on.
            kept._cache_file = CompiledFiles.instead_of(kept._cache_file, suffix, stamp)
            compiled._cache = kept

    def compile(self, sig: Any) -> Any:
        with _looking_less_for_garbage():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # No version of its own for every constant that somebody passes.
        args = tuple(types.unliteral(kind) for kind in args)
        kws = {name: types.unliteral(kind) for name, kind in kws.items()}
        return self.inner.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.inner.get_overload(sig)


class _Inner(CPUDispatcher):
    """What compiled code calls."""

    stamp: bytes

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        if self._can_be_found():
            self._make_known(cres)

    def symbol(self, kinds: tuple[Any, ...]) -> str:
        """What the function is called by for arguments of these types."""
        digest = hashlib.sha256(self.stamp + str(kinds).encode()).hexdigest()[:24]
        return f"{_PREFIX}{self.__module__}.{self.__name__}.{digest}"

    def _can_be_found(self) -> bool:
        """Whether another process would find the function by its name."""
        named = getattr(sys.modules.get(self.__module__), self.__name__, None)
        return isinstance(named, SeparateFunction) and named.inner is self

    def _make_known(self, cres: Any) -> None:
        """From here on, callers are compiled to call the symbol."""
        kinds = tuple(cres.signature.args)
        symbol = self.symbol(kinds)
        address = cres.library.get_pointer_to_function(cres.fndesc.llvm_func_name)
        llvm.add_symbol(symbol, address)
        _KNOWN[symbol] = (self.__module__, self.__name__, kinds)
        named = copy.copy(cres.fndesc)
        named.mangled_name = symbol
        named.typemap = named.calltypes = None
        self.targetctx.remove_user_function(cres.entry_point)
        self.targetctx.insert_user_function(cres.entry_point, named, libs=())


class LinkedFunction(CPUDispatcher):
    """A function whose code becomes a part of its callers', as is Numba's custom; none but compiled
    code calls it."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        options = {"nopython": True, "no_cpython_wrapper": True, **options}
        super().__init__(function, targetoptions=options)


class _CodeAndCallees(CompileResultCacheImpl):
    """Compiled code on disk, and whom it calls by name."""

    def reduce(self, cres: Any) -> Any:
        declared = (f.name for f in cres.library._final_module.functions if f.is_declaration)
        callees = {name: _KNOWN[name] for name in declared if name.startswith(_PREFIX)}
        return callees, super().reduce(cres)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        callees, code = payload
        if not all(_is_ready(symbol, *callee) for symbol, callee in callees.items()):
            return None
        return super().rebuild(target_context, code)


class _Cache(FunctionCache):
    _impl_class = _CodeAndCallees


def _is_ready(symbol: str, module: str, name: str, kinds: tuple[Any, ...]) -> bool:
    """Load or compile a function that is called by that symbol; whether it goes by it."""
    if symbol not in _KNOWN:
        function = getattr(importlib.import_module(module), name, None)
        if isinstance(function, SeparateFunction):
            function.inner.compile(kinds)
    return symbol in _KNOWN
