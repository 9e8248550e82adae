"""Machine code from disk runs without what only compiling needs."""

import ctypes
import os
import subprocess
import sys

from numba import types
from numba.core.registry import cpu_target

from arcs.kernels.loaded_code import LoadedCode, MachineCode
from arcs.kernels.separate import SeparateFunction


def tripled(x):
    return 3 * x


def test_code_is_found_by_name_and_nothing_else_is():

    compiled = SeparateFunction(tripled, {}, b"sources")
    compiled.inner.compile((types.int64,))
    (cres,) = compiled.inner.overloads.values()
    code = MachineCode.of(cres, ())
    assert code.alone
    loaded = LoadedCode(cpu_target.target_context.codegen(), code)
    assert loaded.get_pointer_to_function("no such function") == 0
    # Numba's convention: the result and an error go by pointers.
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    result, error = ctypes.c_int64(), ctypes.c_void_p()
    call = kind(loaded.get_pointer_to_function(code.function))
    assert call(ctypes.byref(result), ctypes.byref(error), 14) == 0
    assert result.value == 42


WITHOUT_COMPILER = """
import sys
import numpy as np
from arcs.kernels.equivalence import topological_order_kernel as kernel
print(kernel(np.triu(np.ones((5, 5), bool), 1))[0].tolist(), "numba.np.linalg" in sys.modules)
"""


def test_a_process_that_compiles_nothing_imports_no_compiler(tmp_path):

    def run():
        room = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", WITHOUT_COMPILER]
        done = subprocess.run(command, env=room, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert run() == "[0, 1, 2, 3, 4] True"
    assert run() == "[0, 1, 2, 3, 4] False"
