"""``python -m arcs`` is the command ``arcs``.

Most of what a command takes is its start and its end: modules are read, and in the end everything
is taken apart. Here is what can be spared of both where the process is ours.
"""

import gc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

__all__ = ["main"]

#: A start makes some 200,000 objects, almost all of which stay: to look for garbage among them
#: again and again takes a tenth of the time.
_OBJECTS = 300_000
#: What others import without having a use for it here: to look into Fortran, to write
#: tests, and to read a configuration that hardly anybody has.
_HARDLY_USED = ("numpy.f2py", "numpy.testing", "yaml")
#: Who measures tests has imported this already; Numba would do so in any case.
_UNUSED = ("coverage",)


class _Postponing:
    """Finds modules that run when something of them is first used, and not before."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What is not among those modules is for others to find."""
        if name in _UNUSED:
            raise ModuleNotFoundError(f"{name} is not imported here", name=name)
        found = PathFinder.find_spec(name, path, target) if name in _HARDLY_USED else None
        if found is not None and found.loader is not None:
            found.loader = LazyLoader(found.loader)
        return found


def main() -> None:
    """Run the command, and leave."""
    gc.set_threshold(_OBJECTS, 10, 10)
    sys.meta_path.insert(0, _Postponing())
    from arcs.cli import main as command

    try:
        command()
    finally:
        gc.freeze()  # the system takes all memory back at once; Python would look at each object


if __name__ == "__main__":
    main()
