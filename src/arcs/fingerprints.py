"""What binds a checkpoint to its work: a digest of the data and of every setting, nothing left out.

The texts of long arrays and of graphs are abridged, and two different ones can look the same; so
everything is taken apart into plain values first.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from arcs.errors import SettingsError
from arcs.graphs import Dag, GaussianDag, Order, Pdag

__all__ = ["digest_of", "refuse_other_key"]


def digest_of(arrays: Iterable[np.ndarray], settings: Any, *, sort_keys: bool = False) -> str:
    """A digest of arrays and settings; with `sort_keys` the order of mappings does not matter."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(json.dumps(settings, sort_keys=sort_keys, default=_in_full).encode())
    return digest.hexdigest()


def refuse_other_key(path: str | os.PathLike[str], header: Mapping[str, Any], key: str) -> None:
    """Refuse a checkpoint that was made of something else."""
    if header.get("key") != key:
        raise SettingsError(
            f"{os.fspath(path)}: the checkpoint belongs to other data or settings; delete it to "
            "start anew, or go on with the same data and settings"
        )


def _in_full(value: Any) -> Any:
    """A setting as plain values."""
    if isinstance(value, np.ndarray | np.generic):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, Order):
        return ["order", value.names, value.nodes.tolist()]
    if isinstance(value, GaussianDag):
        return ["dag", value.names, value.coefficients.tolist()]
    if isinstance(value, Dag):
        return ["structure", value.names, value.adjacency.tolist()]
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
