"""Refusals and warnings about values and names, worded once for every way in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcs.errors import DataError

__all__ = ["check_names", "check_values", "describe_columns"]


def describe_columns(
    names: Sequence[str], counts: Sequence[int] | None = None, most: int = 8
) -> str:
    """A readable list of columns, e.g. ``'a' (3), 'b' (1) and 12 more``."""
    shown = [repr(name) for name in names[:most]]
    if counts is not None:
        shown = [f"{name} ({count})" for name, count in zip(shown, counts, strict=False)]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more


def check_names(names: Sequence[object], p: int) -> tuple[str, ...]:
    """Names as strings, unique and as many as there are columns."""
    texts = tuple(str(name) for name in names)
    if len(texts) != p:
        raise DataError(f"{len(texts)} names were given for {p} columns")
    seen: dict[str, int] = {}
    for position, text in enumerate(texts):
        if text in seen:
            raise DataError(
                f"columns {seen[text]} and {position} have the same name {text!r}; "
                "names must be unique: rename one of them"
            )
        seen[text] = position
    if "" in seen:
        raise DataError(f"column {seen['']} has an empty name; give it one")
    return texts


def check_values(values: np.ndarray, names: Sequence[str]) -> None:
    """Refuse missing and infinite values, naming the columns and counts."""
    if np.isfinite(values).all():
        return
    counts = (~np.isfinite(values)).sum(axis=0)
    wrong = np.flatnonzero(counts).tolist()
    listed = describe_columns([names[j] for j in wrong], counts[wrong].tolist())
    first = int(np.argmax(~np.isfinite(values).all(axis=1)))
    raise DataError(
        f"Input contains NaN or infinity: {int(counts.sum())} values in {len(wrong)} of "
        f"{len(names)} columns: {listed} (first in row {first}). Leave those "
        "rows out, fill the values in, or choose missing='drop', 'pairwise' or 'em'."
    )
