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
did, the code is not used. So no code is ever made ready to run before what it calls is. Of a
function that is called by loaded code only, nothing but its address is known: what Numba wants to
know of it is read when a new caller is compiled.

Most processes find everything on disk, and compile nothing. They are spared what only compiling
needs (:mod:`arcs.kernels.loaded_code`), and what belongs to a function is made when it is first
used: of two hundred kernels a fit uses half.
"""

import contextlib
import copy
import gc
import hashlib
import importlib
import logging
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from arcs.kernels.compiled_files import CompiledFiles, read_code, unpickled
from arcs.kernels.loaded_code import LoadedCode, MachineCode

__all__ = ["LOADING", "LinkedFunction", "SeparateFunction"]

_LOG = logging.getLogger(__name__)
#: The kind of event (:mod:`numba.core.event`) that tells when code is read from disk.
LOADING = "arcs:load"

_PREFIX = "arcs.separate."
#: Who is known by which symbol: its module, its name there, and the types of its arguments.
_KNOWN: dict[str, tuple[str, str, tuple[Any, ...]]] = {}
#: What only loaded code calls, by symbol.
_LOADED: dict[str, LoadedCode] = {}


#: Python looks for garbage after so many new objects while code is compiled.
_OBJECTS = 100_000


@contextlib.contextmanager
def _looking_less_for_garbage() -> Iterator[None]:
    """Compiling makes millions of objects that live as long as it takes: to look through them again
    and again is a tenth of the time."""
    with global_compiler_lock:
        usual = gc.get_threshold()
        gc.set_threshold(max(_OBJECTS, usual[0]), *usual[1:])
        try:
            yield
        finally:
            gc.set_threshold(*usual)


class _KeptFunction(CPUDispatcher):
    """A function whose code is kept on disk, bound to the sources of that stamp."""

    def __init__(self, function: Any, options: dict[str, Any], stamp: bytes, suffix: str) -> None:
        self.stamp, self._suffix = stamp, suffix
        self._kept: Any = None
        self._is_kept = False
        super().__init__(function, targetoptions=options)

    @property
    def _cache(self) -> Any:
        """Where Numba looks for code, found out when it does: that takes longer than to ask."""
        if self._kept is None:
            self._kept = self._found_cache() if self._is_kept else NullCache()
        return self._kept

    @_cache.setter
    def _cache(self, cache: Any) -> None:
        self._kept = None if isinstance(cache, NullCache) else cache

    def symbol(self, kinds: tuple[Any, ...] | str) -> str:
        """What the function is called by for arguments of these types (or of what they read)."""
        digest = hashlib.sha256(self.stamp + str(kinds).encode()).hexdigest()[:24]
        return f"{_PREFIX}{self.__module__}.{self.__name__}.{digest}"

    def keep_on_disk(self) -> None:
        """Keep compiled code in files."""
        self._is_kept = True

    def _found_cache(self) -> Any:
        try:
            return _Cache(self, self._suffix)
        except RuntimeError as error:  # there is no folder that could be written to
            _LOG.warning("compiled code is not kept: %s", error)
            return NullCache()


class SeparateFunction(_KeptFunction):
    """A function that Python calls, and compiled code calls by its symbol.

    What Python calls is compiled apart from what compiled code calls (`inner`): a doorway that
    takes Python's objects apart costs as much as many a small function, and few are ever called
    from Python.
    """

    def __init__(self, function: Any, options: dict[str, Any], stamp: bytes) -> None:
        super().__init__(function, {"nopython": True, **options}, stamp, "")
        self._inner: _Inner | None = None

    @property
    def inner(self) -> "_Inner":
        """What compiled code calls."""
        with global_compiler_lock:
            if self._inner is None:
                options = {**self.targetoptions, "no_cpython_wrapper": True}
                self._inner = _Inner(self.py_func, options, self.stamp, "-inner")
                if self._is_kept:
                    self._inner.keep_on_disk()
            return self._inner

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


class _Inner(_KeptFunction):
    """What compiled code calls."""

    def load(self, kinds: tuple[Any, ...]) -> None:
        """Make it known for arguments of these types: from disk, or else by compiling it.

        (To compile what is on disk loads it too, but tells every caller's stopwatch so.)
        """
        if kinds not in self.overloads:
            found = self._cache.load_overload(kinds, self.targetctx)
            if found is None:
                self.compile(kinds)
            else:
                self._cache_hits[kinds] += 1
                self.targetctx.insert_user_function(
                    found.entry_point, found.fndesc, [found.library]
                )
                self.add_overload(found)

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        if self.can_be_found():
            self._make_known(cres)

    def can_be_found(self) -> bool:
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


class _Callee(NamedTuple):
    """Whom code on disk calls: its symbol, module and name, the types of its arguments in words,
    and where its own code is, seen from there."""

    symbol: str
    module: str
    name: str
    kinds: str
    file: str


class _CodeAndCallees(CompileResultCacheImpl):
    """Compiled code on disk, and whom it calls by name.

    Where nobody will ever copy the code, it is only the machine code. What takes long to read is
    read when it is asked for.
    """

    owner: _KeptFunction
    folder: str

    def reduce(self, cres: Any) -> Any:
        declared = [f.name for f in cres.library._final_module.functions if f.is_declaration]
        known = {name: _KNOWN[name] for name in declared if name.startswith(_PREFIX)}
        callees = [self._callee(symbol, *place) for symbol, place in known.items()]
        kinds = {symbol: place[2] for symbol, place in known.items()}
        if not self._is_only_called():
            return callees, None, dumps((kinds, super().reduce(cres)))
        # What Numba keeps besides its library, but for the types of everything, in words.
        cres.fndesc.typemap = cres.fndesc.calltypes = None
        environments = tuple(cres._find_referenced_environments())
        about = (cres.fndesc, cres.environment, cres.signature, cres.reload_init, environments)
        return callees, MachineCode.of(cres, environments), dumps((kinds, about))

    def _callee(self, symbol: str, module: str, name: str, kinds: tuple[Any, ...]) -> _Callee:
        cache = getattr(sys.modules[module], name).inner._cache
        file = os.path.relpath(cache.path(kinds), self.folder) if cache.cache_path else ""
        return _Callee(symbol, module, name, str(kinds), file)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        callees, code, described = payload
        about = unpickled(self.folder, described)
        if about is None or not _are_ready(callees, self.folder, about[0]):
            return None
        if code is None:
            return super().rebuild(target_context, about[1])
        return self._loaded(target_context, code, *about[1]) if self._is_only_called() else None

    def _is_only_called(self) -> bool:
        """Whether no compiled code ever takes this as a part of its own."""
        return not isinstance(self.owner, _Inner) or self.owner.can_be_found()

    def _loaded(
        self, target_context: Any, code: MachineCode, fndesc: Any, env: Any, *rest: Any
    ) -> Any:
        signature, reload_init, environments = rest
        for function in reload_init:
            function()
        library = None
        if isinstance(self.owner, _Inner):
            library = _LOADED.get(self.owner.symbol(tuple(signature.args)))
        library = library or LoadedCode(target_context.codegen(), code)
        entry = target_context.get_executable(library, fndesc, env)
        for environment in environments:
            library.codegen.set_env(environment.env_name, environment)
        known = dict.fromkeys(CompileResult._fields) | {
            "typing_context": target_context.typing_context,
            "target_context": target_context,
            "entry_point": entry,
            "library": library,
            "fndesc": fndesc,
            "environment": env,
            "signature": signature,
            "reload_init": reload_init,
            "referenced_envs": environments,
            "objectmode": False,
            "lifted": (),
        }
        return CompileResult(**known)


class _Cache(FunctionCache):
    """Where the code of a function is on disk."""

    _impl_class = _CodeAndCallees

    def __init__(self, owner: _KeptFunction, suffix: str) -> None:
        super().__init__(owner.py_func)
        # Numba offers no public way to say what else a cached function depends on.
        self._cache_file = CompiledFiles.instead_of(self._cache_file, suffix, owner.stamp)
        self._impl.owner, self._impl.folder = owner, self._cache_path

    def path(self, sig: Any) -> str:
        """Where the code for arguments of these types is."""
        codegen = self._impl.owner.targetctx.codegen()
        return self._cache_file.path(self._index_key(sig, codegen))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with event.trigger_event(LOADING), self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _are_ready(callees: list[_Callee], folder: str, kinds: dict[str, Any] | None) -> bool:
    """Load, or compile if their types are given, functions that are called; whether all go by
    their symbols."""
    return all(_is_ready(callee, folder, kinds) for callee in callees)


def _is_ready(callee: _Callee, folder: str, kinds: dict[str, Any] | None) -> bool:
    symbol = callee.symbol
    if symbol in _KNOWN or symbol in _LOADED:
        return True
    function = getattr(importlib.import_module(callee.module), callee.name, None)
    if not isinstance(function, SeparateFunction) or function.symbol(callee.kinds) != symbol:
        return False
    if _is_called_only(function, callee, folder):
        return True
    if kinds is None:
        return False
    function.inner.load(kinds[symbol])
    return symbol in _KNOWN


def _is_called_only(function: SeparateFunction, callee: _Callee, folder: str) -> bool:
    """Make a function's code ready from its file, knowing no more of it than its address."""
    file = os.path.normpath(os.path.join(folder, callee.file))
    found = read_code(file, numba.__version__, function.stamp) if callee.file else None
    if found is None:
        return False
    callees, code, _ = found[1]
    if code is None or not code.alone or not _are_ready(callees, os.path.dirname(file), None):
        return False
    library = LoadedCode(function.targetctx.codegen(), code)
    llvm.add_symbol(callee.symbol, library.get_pointer_to_function(code.function))
    _LOADED[callee.symbol] = library
    return True
