"""How kernels are compiled.

Reference counting is switched off: kernels allocate nothing and keep nothing, and counting the
references of a few dozen arrays on every call would cost more than the arithmetic in between.
Division follows NumPy (no exceptions), and compiled code is cached on disk.
"""

from numba import njit

__all__ = ["inlined", "kernel"]

_OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

kernel = njit(**_OPTIONS)
#: For tiny functions in hot loops: passing a bundle of arrays would cost more than the body.
inlined = njit(**_OPTIONS, inline="always")
