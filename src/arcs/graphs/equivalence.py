"""Equivalence classes of DAGs: completed PDAGs, experiments, Meek's rules, extensions.

Two DAGs are Markov equivalent when they have the same skeleton and the same v-structures
(Verma and Pearl, 1990). A class is drawn as its completed PDAG: an arrow where all members agree,
a line where they do not. It is found by directing the v-structures and closing under Meek's (1995)
rules, which are sound and complete; each arrow is looked at once, so the cost is that of a few
scans of the matrix plus a sum of degrees over the arrows.

Experiments split classes. With targets I_1, ..., I_K (the empty set stands for observation), two
equivalent DAGs remain indistinguishable exactly if they also agree on every edge of which some I_k
holds one end only (Hauser and Buehlmann, 2012, Theorem 10). That is background knowledge on
directions, for which Meek's four rules are complete as well: so the interventional essential graph
is the closure of the v-structures and those edges.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.graphs.enumeration import count_members, iterate_members, members
from arcs.graphs.names import Node, check_names, node_indices
from arcs.graphs.pdag import Pdag
from arcs.graphs.topology import as_adjacency, find_cycle, topological_order
from arcs.lazily import Lazily

__all__ = [
    "consistent_extension",
    "count_members",
    "cpdag_of",
    "find_cycle",
    "interventional_cpdag_of",
    "iterate_members",
    "meek_closure",
    "members",
    "separating",
    "topological_order",
]

_compiled = Lazily("arcs.kernels.equivalence")


def cpdag_of(adjacency: ArrayLike, names: Sequence[str] | None = None) -> Pdag:
    """The completed PDAG of the Markov equivalence class of a DAG.

    Parameters
    ----------
    adjacency : array-like of shape (p, p)
        ``adjacency[i, j]`` (non-zero) is the edge i -> j.
    names : sequence of str, optional

    Raises
    ------
    GraphError
        If the graph has a directed cycle.

    Examples
    --------
    >>> from arcs.graphs import cpdag_of
    >>> collider = cpdag_of([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    >>> collider.directed_edges()
    [(0, 2), (1, 2)]
    >>> cpdag_of([[0, 1], [0, 0]]).undirected_edges()
    [(0, 1)]
    """
    matrix = _checked_dag(adjacency, names)
    directed, undirected = _compiled.cpdag_kernel(matrix)
    return Pdag(directed, undirected, names)


def separating(targets: Sequence[Collection[int]], p: int) -> np.ndarray:
    """Pairs of nodes of which some target set holds exactly one: their edges have a direction."""
    known = np.zeros((p, p), dtype=bool)
    for group in targets:
        inside = np.zeros(p, dtype=bool)
        inside[list(group)] = True
        known |= inside[:, None] != inside[None, :]
    return known


def interventional_cpdag_of(
    adjacency: ArrayLike,
    targets: Sequence[Collection[Node]],
    names: Sequence[str] | None = None,
) -> Pdag:
    """The interventional essential graph of a DAG under the given experiments.

    Parameters
    ----------
    adjacency : array-like of shape (p, p)
        ``adjacency[i, j]`` (non-zero) is the edge i -> j.
    targets : sequence of collections of nodes
        The targets of every regime, with the empty collection for observational rows.
    names : sequence of str, optional

    Notes
    -----
    Every node should be left alone in at least one regime (a conservative family); otherwise edges
    into it leave no trace in the data, and the class is the one among DAGs of the same skeleton.

    Examples
    --------
    >>> from arcs.graphs import interventional_cpdag_of
    >>> interventional_cpdag_of([[0, 1], [0, 0]], [(), (1,)]).directed_edges()
    [(0, 1)]
    """
    matrix = _checked_dag(adjacency, names)
    labels = check_names(names, len(matrix))
    known = separating([node_indices(target, labels) for target in targets], len(matrix))
    directed, undirected = _compiled.oriented_cpdag_kernel(matrix, known)
    return Pdag(directed, undirected, names)


def meek_closure(pdag: Pdag) -> Pdag:
    """Direct every edge of `pdag` that Meek's rules 1 to 4 determine.

    For the pattern of a class, with or without background knowledge, the result is maximally
    oriented: both directions of each remaining undirected edge occur in the class.

    Examples
    --------
    >>> from arcs.graphs import Pdag, meek_closure
    >>> arrow = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    >>> line = [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    >>> meek_closure(Pdag(arrow, line)).directed_edges()
    [(0, 1), (1, 2)]
    """
    directed, undirected = pdag.directed.copy(), pdag.undirected.copy()
    _compiled.meek_closure_inplace(directed, undirected, True)
    return Pdag(directed, undirected, pdag.names)


def consistent_extension(pdag: Pdag) -> NDArray[np.bool_]:
    """The adjacency of a DAG in the class of `pdag`; see :meth:`Pdag.consistent_dag`.

    Examples
    --------
    >>> from arcs.graphs import consistent_extension, cpdag_of
    >>> int(consistent_extension(cpdag_of([[0, 1], [0, 0]])).sum())
    1
    """
    return pdag.consistent_dag()


def _checked_dag(adjacency: ArrayLike, names: Sequence[str] | None) -> NDArray[np.bool_]:
    matrix = as_adjacency(adjacency)
    topological_order(matrix, names)
    return matrix
