"""Machine code from disk, made ready to run without anything that only a compiler needs.

Numba reads with each function the intermediate code that it was compiled from, in case another
function wants to copy it, and before the first of them imports and installs all that it knows of
compiling. A process that finds everything compiled needs neither: kernels call each other by name
(:mod:`arcs.kernels.separate`) and are not copied. With nothing but the machine code, a hundred
functions are ready in a twentieth of the time.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core.runtime import _nrt_python

__all__ = ["LoadedCode", "make_runtime_known"]

_MADE_KNOWN: list[bool] = []


class LoadedCode:
    """What Numba asks a library of a function that is called, and never copied.

    Parameters
    ----------
    codegen : numba.core.codegen.CPUCodegen
        Who has the engine that all code of this process is linked by.
    name : str
        Of the library.
    defined : tuple of str
        The functions in the machine code that can be asked for.
    object_code : bytes
        The machine code, as an object file.
    """

    has_dynamic_globals = False

    def __init__(
        self, codegen: Any, name: str, defined: tuple[str, ...], object_code: bytes
    ) -> None:
        self.codegen, self.name, self._defined = codegen, name, frozenset(defined)
        self._engine = codegen._engine._ee
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()

    def get_pointer_to_function(self, name: str) -> int:
        """The function's address, and 0 for one that is not there."""
        # To ask LLVM for what it does not know would end the process.
        return int(self._engine.get_function_address(name)) if name in self._defined else 0

    @staticmethod
    def reduced(library: Any) -> tuple[str, tuple[str, ...], bytes]:
        """What is to be kept of a library that was just compiled."""
        library._ensure_finalized()
        defined = (f.name for f in library._final_module.functions if not f.is_declaration)
        return library.name, tuple(defined), library._get_compiled_object()


def make_runtime_known() -> None:
    """Tell LLVM where Numba's runtime is, as Numba does before it compiles anything."""
    if not _MADE_KNOWN:
        for name, address in _nrt_python.c_helpers.items():
            llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
        _MADE_KNOWN.append(True)
