"""Machine code from disk, made ready to run without anything that only a compiler needs.

Numba reads with each function the intermediate code that it was compiled from, in case another
function wants to copy it, and before the first of them imports and installs all that it knows of
compiling. A process that finds everything compiled needs neither: kernels call each other by name
(:mod:`arcs.kernels.separate`) and are not copied. With nothing but the machine code, a hundred
functions are ready in a twentieth of the time.
"""

from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core.runtime import _nrt_python

__all__ = ["LoadedCode", "MachineCode", "make_runtime_known"]

_MADE_KNOWN: list[bool] = []


class MachineCode(NamedTuple):
    """What is kept on disk of a compiled function, to run it.

    Attributes
    ----------
    name : str
        Of the library.
    function : str
        What compiled code calls.
    defined : tuple of str
        This and what else there is to be called.
    content : bytes
        An object file.
    alone : bool
        Whether nothing from Python needs to be put into it before it runs.
    """

    name: str
    function: str
    defined: tuple[str, ...]
    content: bytes
    alone: bool

    @classmethod
    def of(cls, cres: Any, environments: tuple[Any, ...]) -> "MachineCode":
        """What is to be kept of a function that was just compiled."""
        library = cres.library
        library._ensure_finalized()
        defined = (f.name for f in library._final_module.functions if not f.is_declaration)
        alone = not cres.reload_init and not any(e.consts for e in environments)
        content = library._get_compiled_object()
        return cls(library.name, cres.fndesc.llvm_func_name, tuple(defined), content, alone)


class LoadedCode:
    """What Numba asks a library of a function that is called, and never copied.

    Parameters
    ----------
    codegen : numba.core.codegen.CPUCodegen
        Who has the engine that all code of this process is linked by.
    code : MachineCode
    """

    has_dynamic_globals = False

    def __init__(self, codegen: Any, code: MachineCode) -> None:
        make_runtime_known()
        self.codegen, self.name, self._defined = codegen, code.name, frozenset(code.defined)
        self._engine = codegen._engine._ee
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.content))
        self._engine.finalize_object()

    def get_pointer_to_function(self, name: str) -> int:
        """The function's address, and 0 for one that is not there."""
        # To ask LLVM for what it does not know would end the process.
        return int(self._engine.get_function_address(name)) if name in self._defined else 0


def make_runtime_known() -> None:
    """Tell LLVM where Numba's runtime is, as Numba does before it compiles anything."""
    if not _MADE_KNOWN:
        for name, address in _nrt_python.c_helpers.items():
            llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
        _MADE_KNOWN.append(True)
