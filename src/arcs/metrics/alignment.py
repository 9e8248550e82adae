"""Two graphs over the same nodes, in the same order.

Structure metrics compare matrices entry by entry, so a silent mismatch of columns is the worst
thing that can happen to them. Graphs with names are matched by name. Graphs without names
(arrays) are matched by position, and so are graphs whose names only number the nodes of one graph
in order ("x0", "x1", ...) while the other graph has names of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcs.errors import DataError, GraphError
from arcs.graphs import Dag, Pdag
from arcs.graphs.equivalence import cpdag_of
from arcs.graphs.names import default_names

__all__ = ["GraphLike", "Marks", "aligned", "marks_of"]

GraphLike = Dag | Pdag | np.ndarray


@dataclass(frozen=True, eq=False)
class Marks:
    """The edges of a graph as two boolean matrices, with names if there are any."""

    directed: np.ndarray
    undirected: np.ndarray
    names: tuple[str, ...] | None
    is_dag: bool

    @property
    def p(self) -> int:
        """Number of nodes."""
        return int(self.directed.shape[0])

    @property
    def skeleton(self) -> np.ndarray:
        """Symmetric matrix of adjacent pairs."""
        skeleton: np.ndarray = self.directed | self.directed.T | self.undirected
        return skeleton

    @property
    def n_edges(self) -> int:
        """Number of edges of both kinds."""
        return int(self.directed.sum() + np.triu(self.undirected).sum())

    def cpdag(self) -> Marks:
        """The CPDAG of a DAG; a graph with undirected edges (or cycles) as it is."""
        if not self.is_dag:
            return self
        completed = cpdag_of(self.directed)
        return Marks(completed.directed, completed.undirected, self.names, is_dag=False)

    def reordered(self, position: np.ndarray) -> Marks:
        """The same graph with node `position[k]` in place k."""
        at = np.ix_(position, position)
        names = None if self.names is None else tuple(self.names[k] for k in position)
        return Marks(self.directed[at], self.undirected[at], names, self.is_dag)


def marks_of(graph: GraphLike, role: str) -> Marks:
    """Read a graph; `role` names it in error messages."""
    if isinstance(graph, Dag):
        adjacency = np.asarray(graph.adjacency, dtype=bool)
        return Marks(adjacency, np.zeros_like(adjacency), graph.names, is_dag=True)
    if isinstance(graph, Pdag):
        return Marks(graph.directed, graph.undirected, graph.names, is_dag=graph.is_dag())
    if isinstance(graph, np.ndarray):
        return _marks_of_array(graph, role)
    raise DataError(
        f"the {role} must be a GaussianDag, a Pdag or a boolean adjacency matrix, "
        f"got {type(graph).__name__}"
    )


def aligned(estimate: GraphLike, truth: GraphLike) -> tuple[Marks, Marks]:
    """Both graphs with the nodes in the truth's order; the truth must be a DAG."""
    found, true = marks_of(estimate, "estimate"), marks_of(truth, "truth")
    if not true.is_dag:
        raise GraphError("the truth must be a DAG, but it has undirected edges or a cycle")
    if found.p != true.p:
        raise DataError(
            f"the estimate has {found.p} nodes, the truth has {true.p}{_absent(found, true)}"
        )
    if found.names is None or true.names is None or found.names == true.names:
        return found, true
    position = _matching(found.names, true.names)
    return (found if position is None else found.reordered(position)), true


def _absent(found: Marks, true: Marks) -> str:
    """Which nodes only one graph has, and why that may be."""
    if found.names is None or true.names is None:
        return ""
    fewer, more = sorted((("estimate", found), ("truth", true)), key=lambda pair: pair[1].p)
    lacking = [name for name in more[1].names or () if name not in set(fewer[1].names or ())]
    return (
        f"; not in the {fewer[0]}: {', '.join(map(repr, lacking[:5]))}. An edge list does not hold "
        "nodes without edges: read it with the names of all (names=..., or --nodes)"
    )


def _matching(found: tuple[str, ...], true: tuple[str, ...]) -> np.ndarray | None:
    """For each node of the truth its position in the estimate; None if nodes are just numbered."""
    if set(found) == set(true):
        position = {name: k for k, name in enumerate(found)}
        return np.array([position[name] for name in true])
    if _only_numbers(found) or _only_numbers(true):
        return None
    missing = sorted(set(true) - set(found))
    raise DataError(
        f"estimate and truth name different nodes: {len(missing)} of the truth's {len(true)} are "
        f"not in the estimate, such as {', '.join(map(repr, missing[:3]))}; rename the nodes, or "
        f"compare adjacency matrices whose columns are known to agree"
    )


def _only_numbers(names: tuple[str, ...]) -> bool:
    """Whether the names are the default numbering, in order."""
    return names == default_names(len(names))


def _marks_of_array(matrix: np.ndarray, role: str) -> Marks:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"the {role} must be a square adjacency matrix, got shape {matrix.shape}")
    if matrix.dtype != bool and not ((matrix == 0) | (matrix == 1)).all():
        raise DataError(
            f"the {role} must be an adjacency matrix of 0 and 1; for weights pass `weights != 0`"
        )
    adjacency = matrix.astype(bool)
    if (adjacency & adjacency.T).any():
        i, j = np.argwhere(adjacency & adjacency.T)[0]
        raise GraphError(
            f"the {role} has edges {i} → {j} and {j} → {i}; write an undirected edge with a Pdag"
        )
    as_graph = Pdag(adjacency, np.zeros_like(adjacency))
    if not as_graph.is_dag():
        raise GraphError(f"the {role} is an adjacency matrix with a directed cycle")
    return Marks(adjacency, np.zeros_like(adjacency), None, is_dag=True)
