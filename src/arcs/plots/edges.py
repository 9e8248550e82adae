"""The edges of a result as rows: what edge lists, pictures and reports have in common.

A coefficient on the user's scale says nothing about strength: it changes with the units. The
*standardised* coefficient ``B_ij * sd_i / sd_j`` does not; ``sd`` are the standard deviations that
the fitted model implies (without interventions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arcs.graphs import GaussianDag
from arcs.results import FitResult
from arcs.simulate.linear_system import LinearSystem

__all__ = ["EdgeRow", "edge_rows", "intervened_nodes", "standardised_coefficients"]


@dataclass(frozen=True)
class EdgeRow:
    """One edge of a result.

    Attributes
    ----------
    source, target : int
        Nodes: the edge is source -> target.
    coefficient, standard_error : float
        On the user's scale; the error is NaN if it is not known.
    strength : float
        The standardised coefficient.
    reversible : bool
        Whether the equivalence class has the edge undirected: the data do not tell its direction.
    values : mapping
        Further figures of the result for this edge, such as "confidence".
    """

    source: int
    target: int
    coefficient: float
    standard_error: float
    strength: float
    reversible: bool
    values: Mapping[str, float] = field(default_factory=dict)


def standardised_coefficients(dag: GaussianDag) -> np.ndarray:
    """``B_ij * sd_i / sd_j`` for all edges, zero elsewhere."""
    if not dag.n_edges:
        return np.zeros((dag.p, dag.p))
    # One pass along the edges: the whole covariance would cost p^3 for its diagonal.
    system = LinearSystem.from_coefficients(dag.coefficients)
    deviation = np.sqrt(system.variances(dag.noise_variances))
    return np.asarray(dag.coefficients * deviation[:, None] / deviation[None, :])


def edge_rows(result: FitResult) -> list[EdgeRow]:
    """All edges of the DAG, strongest first."""
    strengths = standardised_coefficients(result.dag)
    errors = result.dag.standard_errors
    rows = [
        EdgeRow(
            source=i,
            target=j,
            coefficient=float(result.dag.coefficients[i, j]),
            standard_error=float("nan") if errors is None else float(errors[i, j]),
            strength=float(strengths[i, j]),
            reversible=bool(result.cpdag.undirected[i, j]),
            values={name: float(matrix[i, j]) for name, matrix in result.edge_values.items()},
        )
        for i, j in result.dag.edges()
    ]
    return sorted(rows, key=lambda row: (-abs(row.strength), row.source, row.target))


def intervened_nodes(result: FitResult) -> tuple[int, ...]:
    """The nodes that were a target of some experiment, sorted."""
    return tuple(sorted({target for group in result.targets for target in group}))
