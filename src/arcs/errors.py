"""The exceptions and warnings that ARCS raises on purpose.

Every message names what is wrong (column, row, file), how often, and what to do about it.
All of them derive from :class:`ArcsError`, so ``except ArcsError`` catches everything that a
caller can mend; anything else that escapes is a defect of the package.
"""

from __future__ import annotations

import difflib
import importlib
import sys
import warnings
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

__all__ = [
    "ArcsError",
    "DataError",
    "DataWarning",
    "FileFormatError",
    "FileWarning",
    "GraphError",
    "KnowledgeError",
    "MissingDependencyError",
    "PeerError",
    "SettingsError",
    "WorkerError",
    "nearest_name",
    "require",
    "warn_caller",
]


class ArcsError(Exception):
    """Base of all errors that ARCS raises on purpose.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs import ARCS
    >>> try:
    ...     ARCS().fit(np.ones((10, 2)))
    ... except ArcsError as error:
    ...     print(str(error)[:23])
    2 columns are constant:
    """


class DataError(ArcsError, ValueError):
    """The data (values, names or interventions) cannot be used as they are.

    Examples
    --------
    >>> from arcs.data import Dataset
    >>> try:
    ...     Dataset.of([[1.0, 2.0], [1.0, 3.0]], names=["a", "a"])
    ... except DataError as error:
    ...     print(error)
    columns 0 and 1 have the same name 'a'; names must be unique: rename one of them
    """


class SettingsError(ArcsError, ValueError):
    """A setting is outside its allowed range, or names something that does not exist.

    Examples
    --------
    >>> from arcs import PC
    >>> try:
    ...     PC(alpha=2)
    ... except SettingsError as error:
    ...     print(str(error)[:5])
    alpha
    """


class GraphError(ArcsError, ValueError):
    """A graph is not what it claims to be: cyclic, or without a consistent extension.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> try:
    ...     GaussianDag([[0, 1], [1, 0]], [1, 1], ["a", "b"])
    ... except GraphError as error:
    ...     print(error)
    the graph has a directed cycle: a -> b -> a
    """


class KnowledgeError(ArcsError, ValueError):
    """Background knowledge contradicts itself or the data.

    Examples
    --------
    >>> from arcs import Knowledge
    >>> try:
    ...     Knowledge(required=[("a", "b"), ("b", "a")])
    ... except KnowledgeError:
    ...     print("contradiction")
    contradiction
    """


class FileFormatError(ArcsError, ValueError):
    """A file is damaged, of another format, or written by a newer version.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs import FitResult
    >>> _ = Path(folder.name, "result.json").write_text("{}")
    >>> try:
    ...     FitResult.load(Path(folder.name, "result.json"))
    ... except FileFormatError:
    ...     print("not a result")
    not a result
    >>> folder.cleanup()
    """


class MissingDependencyError(ArcsError, ImportError):
    """An optional package is needed and not installed.

    Examples
    --------
    >>> from arcs.errors import MissingDependencyError, require
    >>> try:
    ...     require("no_such_package", "viz", "drawing")
    ... except MissingDependencyError as error:
    ...     print(error)
    drawing needs the package 'no_such_package': pip install 'arcs-bn[viz]'
    """


class PeerError(ArcsError, RuntimeError):
    """Somebody else's implementation failed or ran out of time.

    Examples
    --------
    >>> issubclass(PeerError, ArcsError)
    True
    """


class WorkerError(ArcsError, RuntimeError):
    """Worker processes died, and the tasks they were at are lost.

    Attributes
    ----------
    lost : tuple of str
        Names of the lost tasks.
    partial
        What the other tasks came to, in the form that all of them would have had; None if there is
        nothing to be said without the lost ones.

    Examples
    --------
    >>> issubclass(WorkerError, ArcsError)
    True
    """

    def __init__(self, message: str, lost: Sequence[str] = (), partial: Any = None) -> None:
        super().__init__(message)
        self.lost = tuple(lost)
        self.partial = partial


class DataWarning(UserWarning):
    """The data can be used, but something about them deserves a look.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", DataWarning)  # nothing is said about the data in here
    """


class FileWarning(UserWarning):
    """A file could not be written, or holds something unknown; the work goes on without.

    Examples
    --------
    >>> issubclass(FileWarning, UserWarning)
    True
    """


def nearest_name(name: str, names: Iterable[str]) -> str:
    """A phrase offering the nearest of `names`, or nothing.

    Examples
    --------
    >>> nearest_name("arks", ["arcs", "ges"])
    "; did you mean 'arcs'?"
    >>> nearest_name("PKC", ["pkc", "pka"])
    "; did you mean 'pkc'?"
    """
    folded = {known.casefold(): known for known in names}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.5)
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional `module`, or say in one line what to install.

    Examples
    --------
    >>> require("json", "viz", "reading").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"{purpose} needs the package '{module.split('.')[0]}': pip install 'arcs-bn[{extra}]'"
        ) from error


def warn_caller(text: str, category: type[Warning] = DataWarning) -> None:
    """Warn at the line outside the package that led here, however many of our calls are between.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_caller("few rows")
    >>> print(told[0].message)
    few rows
    """
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
