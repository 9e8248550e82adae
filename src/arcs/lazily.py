"""Modules that are imported when something of them is first used.

To import Numba, scipy.special, networkx and the like takes longer than most commands take to do
their work, and most commands need few of them: ``arcs show`` needs none. A module-level
``special = Lazily("scipy.special")`` stands where ``from scipy import special`` would.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Lazily"]


class Lazily:
    """Stands for a module, and imports it on first use.

    Parameters
    ----------
    name : str
        The module's full name.

    Examples
    --------
    >>> from arcs.lazily import Lazily
    >>> math = Lazily("math")
    >>> math.sqrt(4.0)
    2.0
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        value = getattr(importlib.import_module(self._name), attribute)
        self.__dict__[attribute] = value  # the next use costs no more than that of a module
        return value
