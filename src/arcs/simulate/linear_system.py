"""Linear structural equations, solved node by node along a topological order.

The model is ``X_j = a_j + sum_i B[i, j] X_i + e_j`` (Section 2.1 of the paper, with an intercept).
Parents come first in a topological order, so one pass computes any quantity that a node inherits
linearly from its parents: samples (:meth:`LinearSystem.propagate`), and the effects of all noise
terms on it, whose squares add up to its variance (:meth:`LinearSystem.variances`). Each pass costs
one axpy per edge; nothing of size p x p is inverted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from arcs.graphs.equivalence import topological_order

__all__ = ["LinearSystem"]


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Coefficients of a DAG, stored by child, with an order of the nodes.

    Attributes
    ----------
    order : ndarray of int
        A topological order, parents first.
    parents : tuple of ndarray of int
        Parents of each node.
    weights : tuple of ndarray of float
        Coefficients, parallel to `parents`.
    """

    order: np.ndarray
    parents: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]

    @classmethod
    def from_coefficients(cls, coefficients: np.ndarray) -> LinearSystem:
        """From a matrix with `coefficients[i, j]` on the edge i → j."""
        by_child = sparse.csc_array(coefficients)
        ends = by_child.indptr[1:-1]
        return cls(
            order=np.asarray(topological_order(coefficients != 0)),
            parents=tuple(np.split(by_child.indices, ends)),
            weights=tuple(np.split(by_child.data, ends)),
        )

    @property
    def p(self) -> int:
        """Number of nodes."""
        return len(self.parents)

    def propagate(
        self, state: np.ndarray, damping: Mapping[int, tuple[np.ndarray, float]] | None = None
    ) -> None:
        """Turn exogenous terms into values of the nodes, in place.

        Parameters
        ----------
        state : ndarray, shape (p, n)
            On entry intercept plus noise of each node, on exit its values.
        damping : mapping of node to (columns of `state`, factor), optional
            In these columns what the node inherits from its parents is multiplied by the factor:
            0 for a hard intervention.
        """
        damping = damping or {}
        for node in self.order:
            if not self.parents[node].size:
                continue
            inherited = self.weights[node] @ state[self.parents[node]]
            if node in damping:
                columns, factor = damping[node]
                inherited[columns] *= factor
            state[node] += inherited

    def variances(self, noise_variances: np.ndarray) -> np.ndarray:
        """Marginal variances: the diagonal of ``(I - B)^-T diag(noise_variances) (I - B)^-1``.

        Row k of `effects` holds the effects of the noise terms on the k-th node of the order;
        only earlier noise terms can matter, so the rows form a triangle.
        """
        place = np.empty(self.p, dtype=np.int64)
        place[self.order] = np.arange(self.p)
        effects = np.zeros((self.p, self.p))
        for k, node in enumerate(self.order):
            if self.parents[node].size:
                effects[k, :k] = self.weights[node] @ effects[place[self.parents[node]], :k]
            effects[k, k] = 1.0
        ordered = np.einsum("kl,kl,l->k", effects, effects, noise_variances[self.order])
        variances: np.ndarray = ordered[place]
        return variances
