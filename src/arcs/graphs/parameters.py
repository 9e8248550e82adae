"""The numbers of a linear Gaussian model, checked before they become part of a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError

__all__ = ["checked_standard_errors", "finite", "floats", "refuse_variances", "without_loops"]


def floats(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """A copy of the values as numbers; an array that was given up is taken as it is.

    Given up is what owns its numbers and was made read-only: of 20,000 variables a copy of the
    coefficients takes 3 GB, and an array of zeros with a few entries next to nothing.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        flags = values.flags
        if flags.owndata and flags.c_contiguous and not flags.writeable:
            return values
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
    """Standard errors of the edges, row by row, from a matrix or from such a vector; read-only."""
    if given is None:
        return None
    errors = floats(given, "standard_errors")
    n_edges = int(np.count_nonzero(adjacency))
    if errors.shape == adjacency.shape:
        errors = errors[adjacency]
    if errors.shape != (n_edges,):
        raise GraphError(
            f"standard_errors must have shape {adjacency.shape}, or ({n_edges},) for the edges "
            f"alone, not {errors.shape}"
        )
    if (errors < 0).any() or np.isinf(errors).any():
        raise GraphError("standard errors must be finite and not negative (NaN where unknown)")
    errors.flags.writeable = False
    return errors
