"""Checkpoints: a search on disk, to go on with later exactly where it was.

A checkpoint carries a fingerprint of the data and settings; going on with others is refused.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.errors import FileFormatError, SettingsError
from arcs.files import write_atomically
from arcs.graphs import GaussianDag, Order, Pdag
from arcs.search.chain import Chain

__all__ = ["Checkpoint", "fingerprint"]

_MAGIC = "arcs-checkpoint-1"
#: NumPy reads the header of an array as Python source: a damaged one is a matter of syntax.
_BROKEN_ARCHIVE = (
    *(zipfile.BadZipFile, zlib.error, RuntimeError, MemoryError),
    *(SyntaxError, tokenize.TokenError),
)


def fingerprint(statistics: GramStatistics, settings: Mapping[str, Any]) -> str:
    """A digest of everything that determines a search."""
    digest = hashlib.sha256()
    for array in statistics.kernel:
        digest.update(np.ascontiguousarray(array).tobytes())
    text = json.dumps([statistics.names, settings], sort_keys=True, default=_in_full)
    digest.update(text.encode())
    return digest.hexdigest()


def _in_full(value: Any) -> Any:
    """A setting as plain values, nothing left out: texts of long arrays and graphs are abridged."""
    if isinstance(value, np.ndarray | np.generic):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, Order):
        return ["order", value.names, value.nodes.tolist()]
    if isinstance(value, GaussianDag):
        return ["dag", value.names, value.coefficients.tolist()]
    if isinstance(value, Pdag):
        return ["pdag", value.names, value.directed.tolist(), value.undirected.tolist()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        content = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return [type(value).__qualname__, content]
    if isinstance(value, FunctionType):
        # The address in a function's own text changes from one process to the next.
        return [value.__qualname__, value.__code__.co_code.hex(), str(value.__defaults__)]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


class Checkpoint:
    """Where chains are saved every few seconds.

    Parameters
    ----------
    path : path
        The file, conventionally ``.npz``.
    key : str
        Fingerprint of data and settings.
    every : float
        Seconds between two writes.
    """

    def __init__(self, path: str | os.PathLike[str], key: str, every: float = 5.0) -> None:
        self.path = Path(path)
        self.key = key
        self.every = every

    def save(self, snapshots: Sequence[Mapping[str, np.ndarray]]) -> None:
        """Write the chains' snapshots, atomically."""
        arrays = {"magic": np.array(_MAGIC), "key": np.array(self.key)}
        for i, snapshot in enumerate(snapshots):
            arrays.update({f"{i}/{name}": array for name, array in snapshot.items()})
        with write_atomically(self.path, "wb") as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type]

    def load(self, chains: Sequence[Chain]) -> None:
        """Bring all chains to where the file says they were."""
        try:
            with self.path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                content = {name: archive[name] for name in archive.files}
            magic, key = str(content["magic"]), str(content["key"])
        except (OSError, ValueError, KeyError, EOFError, *_BROKEN_ARCHIVE) as error:
            raise FileFormatError(f"{self.path}: not a usable checkpoint ({error})") from error
        if magic != _MAGIC:
            raise FileFormatError(f"{self.path}: a checkpoint of another version of ARCS")
        if key != self.key:
            raise SettingsError(
                f"{self.path}: the checkpoint belongs to other data or settings; delete it to "
                "start anew, or go on with the same data and settings"
            )
        for i, chain in enumerate(chains):
            prefix = f"{i}/"
            part = {n[len(prefix) :]: a for n, a in content.items() if n.startswith(prefix)}
            try:
                chain.restore(part)
            except (KeyError, ValueError, IndexError, TypeError) as error:
                raise FileFormatError(
                    f"{self.path}: not a usable checkpoint (chain {i}: {error!r})"
                ) from error
