"""What the nested parts of a saved result look like: a file is not believed beyond that.

A shape is a type (or several), ``[shape]`` for a list, ``{...: shape}`` for a mapping with any
names, or a mapping of names to shapes. Names that a shape does not know are of later versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["CHANGE", "SHAPES", "check_columns", "check_shape"]

_NUMBER = (int, float)
_OR_NONE = (int, float, type(None))
_TEXTS = [str]
_FIGURES = {...: _NUMBER}

#: One of the changes of regimes.
CHANGE = {
    "regime": str,
    "target": str,
    "kind": str,
    "evidence": _NUMBER,
    "rows": int,
    "variance_ratio": _NUMBER,
    "shift": _NUMBER,
}
#: Parts of the header that are more than one value.
SHAPES: dict[str, Any] = {
    "timings": _FIGURES,
    "versions": {...: str},
    "penalty": {
        "kind": str,
        "lam": _OR_NONE,
        "min_r2": _NUMBER,
        "final_ebic": (int, float, str),
        "final_level": _OR_NONE,
    },
    "audit": {
        "rows_dropped": int,
        "effective_n": int,
        "intervened": {...: int},
    },
    "preparation": {
        "sentences": _TEXTS,
        "adjust": {
            "terms": _TEXTS,
            "columns": _TEXTS,
            "partial_r2": {...: _FIGURES},
            "r2": _FIGURES,
            "degrees": int,
        },
        "transform": {"kinds": {...: _TEXTS}, "reason": str},
        "conditions": {
            "labels": _TEXTS,
            "policy": str,
            "asked": str,
            "implied": bool,
            "mechanisms": bool,
            "totals": _FIGURES,
            "shifts": {...: _TEXTS},
        },
        "latent": {
            "factors": int,
            "evidence": _NUMBER,
            "prices": _FIGURES,
            "loadings": {...: [_NUMBER]},
            "scores": [[_NUMBER]],
        },
        "discretize": {"cuts": {...: [_NUMBER]}},
        "min_r2": _NUMBER,
    },
    "n_per_node": [int],
    "settings": {"intervention_kind": str, "knowledge": (dict, type(None))},
}


def check_shape(name: str, value: Any, shape: Any) -> None:
    """Refuse `value`, called `name`, if it has not the shape."""
    if isinstance(shape, list):
        _refuse_other_type(name, value, list)
        for k, entry in enumerate(value):
            check_shape(f"{name}[{k}]", entry, shape[0])
    elif isinstance(shape, dict):
        _refuse_other_type(name, value, dict)
        for key, entry in value.items():
            own = shape.get(key, shape.get(...))
            if own is not None:
                check_shape(f"{name}.{key}", entry, own)
    else:
        _refuse_other_type(name, value, shape)


def _refuse_other_type(name: str, value: Any, kind: Any) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name:.80} is {value!r:.80}")


def check_columns(group: str, columns: Mapping[str, np.ndarray]) -> None:
    """Refuse a table whose columns are not numbers, or not of one length."""
    for name, column in columns.items():
        if column.ndim != 1 or column.dtype.kind not in "fiub":
            raise TypeError(f"{group}/{name:.80} is not a column of numbers")
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError(f"the columns of {group} are not of one length")
