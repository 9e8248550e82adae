"""The exceptions and warnings that ARCS raises on purpose.

Every message names what is wrong (column, row, file), how often, and what to do about it.
All of them derive from :class:`ArcsError`, so ``except ArcsError`` catches everything that a
caller can mend; anything else that escapes is a defect of the package.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

__all__ = [
    "ArcsError",
    "DataError",
    "DataWarning",
    "FileFormatError",
    "GraphError",
    "KnowledgeError",
    "MissingDependencyError",
    "PeerError",
    "SettingsError",
    "WorkerError",
    "require",
]


class ArcsError(Exception):
    """Base of all errors that ARCS raises on purpose."""


class DataError(ArcsError, ValueError):
    """The data (values, names or interventions) cannot be used as they are."""


class SettingsError(ArcsError, ValueError):
    """A setting is outside its allowed range, or names something that does not exist."""


class GraphError(ArcsError, ValueError):
    """A graph is not what it claims to be: cyclic, or without a consistent extension."""


class KnowledgeError(ArcsError, ValueError):
    """Background knowledge contradicts itself or the data."""


class FileFormatError(ArcsError, ValueError):
    """A file is damaged, of another format, or written by a newer version."""


class MissingDependencyError(ArcsError, ImportError):
    """An optional package is needed and not installed."""


class PeerError(ArcsError, RuntimeError):
    """Somebody else's implementation failed or ran out of time."""


class WorkerError(ArcsError, RuntimeError):
    """Worker processes died, and the tasks they were at are lost.

    Attributes
    ----------
    lost : tuple of str
        Names of the lost tasks.
    partial
        What the other tasks came to, in the form that all of them would have had; None if there is
        nothing to be said without the lost ones.
    """

    def __init__(self, message: str, lost: Sequence[str] = (), partial: Any = None) -> None:
        super().__init__(message)
        self.lost = tuple(lost)
        self.partial = partial


class DataWarning(UserWarning):
    """The data can be used, but something about them deserves a look."""


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional `module`, or say in one line what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"{purpose} needs the package '{module.split('.')[0]}': pip install 'arcs-bn[{extra}]'"
        ) from error
