"""How precisely the coefficients of a graph are known: what the delta method needs.

Given the structure, the regressions of different nodes on their parents are independent
asymptotically (the likelihood is a product over nodes), so that the covariance of all coefficients
is block diagonal: for node v with parents P and n_v rows in which its mechanism acts,

    C_v = s_v^2 (X_P' X_P)^{-1},    s_v^2 = residual sum of squares / (n_v - |P| - 1),

X_P centred over those rows. Where these matrices were not kept, or for another member of the class,
they are taken from the fitted model instead: with the implied covariance Sigma of the variables,
``C_v = omega_v Sigma_PP^{-1} / (n_v - |P| - 1)``. Both estimate the same (the inverse Fisher
information) where nothing was set; rows in which parents were set spread them differently from what
the model implies for undisturbed ones, which only the first takes into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcs.errors import GraphError
from arcs.graphs import GaussianDag

__all__ = ["CoefficientPrecision", "implied_precision"]


@dataclass(frozen=True, eq=False)
class CoefficientPrecision:
    """Covariances of the estimated coefficients, node by node.

    Attributes
    ----------
    covariances : tuple of ndarray
        For each node the k x k covariance of the coefficients of its k parents, these in the order
        of their indices. NaN where nothing is known.
    degrees : ndarray of shape (p,)
        Degrees of freedom of each node's residual variance.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import implied_precision
    >>> implied_precision(dag, [100] * 3).degrees.tolist()
    [99.0, 98.0, 98.0]
    """

    covariances: tuple[np.ndarray, ...]
    degrees: np.ndarray

    def packed(self) -> np.ndarray:
        """The lower triangles of all covariances in one array, for files."""
        parts = [matrix[np.tril_indices(len(matrix))] for matrix in self.covariances]
        return np.concatenate(parts) if parts else np.zeros(0)

    @classmethod
    def unpacked(
        cls, triangles: np.ndarray, degrees: np.ndarray, adjacency: np.ndarray
    ) -> CoefficientPrecision:
        """The inverse of :meth:`packed`, given the graph."""
        counts = np.count_nonzero(adjacency, axis=0)
        needed = int((counts * (counts + 1) // 2).sum())
        if needed != len(triangles):
            raise GraphError(
                f"the graph needs {needed} entries of covariances of coefficients, not "
                f"{len(triangles)}"
            )
        covariances, at = [], 0
        for k in counts.tolist():
            lower = np.tril_indices(k)
            matrix = np.zeros((k, k))
            matrix[lower] = triangles[at : at + len(lower[0])]
            covariances.append(matrix + np.tril(matrix, -1).T)
            at += len(lower[0])
        return cls(tuple(covariances), np.asarray(degrees, dtype=float))


def implied_precision(dag: GaussianDag, rows: np.ndarray | Sequence[float]) -> CoefficientPrecision:
    """The precision that a model itself implies, if node v was fitted to ``rows[v]`` rows.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import implied_precision
    >>> implied_precision(dag, [100] * 3).covariances[1].round(4).tolist()
    [[0.0102]]
    """
    sigma, counts = dag.covariance(), np.broadcast_to(np.asarray(rows, dtype=float), (dag.p,))
    covariances, degrees = [], np.empty(dag.p)
    for v in range(dag.p):
        parents = dag.parents(v)
        degrees[v] = max(counts[v] - len(parents) - 1, 1.0)
        inverse = np.linalg.pinv(sigma[np.ix_(parents, parents)], hermitian=True)
        covariances.append(dag.noise_variances[v] / degrees[v] * inverse)
    return CoefficientPrecision(tuple(covariances), degrees)
