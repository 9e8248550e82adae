"""The numbers of a linear Gaussian model, checked before they become part of a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError

__all__ = ["checked_standard_errors", "finite", "floats", "refuse_variances", "without_loops"]


def floats(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """A copy of the values as numbers."""
    try:
        return np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise GraphError(f"{what} must be numbers: {error}") from error


def finite(values: NDArray[np.float64], shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    """Check shape and finiteness; the array becomes read-only."""
    if values.shape != shape:
        raise GraphError(f"{what} must have shape {shape}, not {values.shape}")
    usable = np.isfinite(values)
    if not usable.all():
        bad = np.argwhere(~usable)
        where = ", ".join(map(str, bad[0]))
        raise GraphError(f"{what} has {len(bad)} entries that are not finite; first at [{where}]")
    values.flags.writeable = False
    return values


def without_loops(adjacency: NDArray[np.bool_], names: tuple[str, ...]) -> NDArray[np.bool_]:
    """The adjacency, refused where a node is its own parent."""
    loops = np.flatnonzero(np.diagonal(adjacency))
    if loops.size:
        name = names[loops[0]]
        raise GraphError(f"the graph has a directed cycle: {name} -> {name}")
    return adjacency


def refuse_variances(variances: NDArray[np.float64], names: tuple[str, ...]) -> None:
    """Refuse noise variances that are not positive."""
    bad = np.flatnonzero(variances <= 0)
    if bad.size:
        raise GraphError(
            f"noise variances must be positive; {bad.size} are not, "
            f"the first is {variances[bad[0]]:g} of {names[bad[0]]!r}"
        )


def arrows_of(coefficients: NDArray[np.float64], adjacency: ArrayLike | None) -> NDArray[np.bool_]:
    """The edges of a model: those given, or those whose coefficient is not zero."""
    if adjacency is None:
        return np.asarray(coefficients != 0)
    arrows = np.array(adjacency, dtype=bool)
    if arrows.shape != coefficients.shape or ((coefficients != 0) & ~arrows).any():
        raise GraphError(
            f"adjacency must be a matrix of shape {coefficients.shape} with an edge wherever a "
            "coefficient is not zero"
        )
    return arrows


def checked_standard_errors(
    given: ArrayLike | None, adjacency: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Standard errors of the edges, zero elsewhere; read-only."""
    if given is None:
        return None
    errors = floats(given, "standard_errors")
    if errors.shape != adjacency.shape:
        raise GraphError(f"standard_errors must have shape {adjacency.shape}, not {errors.shape}")
    errors[~adjacency] = 0.0
    if (errors < 0).any() or np.isinf(errors).any():
        raise GraphError("standard errors must be finite and not negative (NaN where unknown)")
    errors.flags.writeable = False
    return errors
