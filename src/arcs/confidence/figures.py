"""Figures about edges, put beside the edges of a result."""

from __future__ import annotations

import numpy as np

from arcs.errors import DataError
from arcs.results import FitResult

__all__ = ["refuse_other_variables", "with_figures"]


def refuse_other_variables(what: str, names: tuple[str, ...], others: tuple[str, ...]) -> None:
    """Refuse to relate `what`, which is about `names`, to something about other variables."""
    if names != others:
        raise DataError(
            f"{what} is about other variables: {len(names)} of them, first {names[:1]}, against "
            f"{len(others)}, first {others[:1]}"
        )


def with_figures(
    result: FitResult, what: str, names: tuple[str, ...], **figures: np.ndarray
) -> FitResult:
    """A copy of `result` with `figures` (matrices over `names`, from `what`) beside its edges."""
    refuse_other_variables(what, names, result.names)
    return result.with_(edge_values={**result.edge_values, **figures})
