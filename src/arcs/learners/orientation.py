"""From a skeleton and statements about colliders to a graph that stands for a class of DAGs.

On finite samples the statements of constraint-based methods contradict each other: an edge is to
point both ways, arrows form cycles, or no DAG has the oriented graph as its class. What is returned
here always has a consistent extension.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from arcs.graphs import Pdag
from arcs.kernels.equivalence import (
    consistent_extension_kernel,
    meek_closure_inplace,
    oriented_cpdag_kernel,
)
from arcs.kernels.orientation import nearest_extension_kernel, orient_colliders_inplace

__all__ = ["extendable", "oriented_by_colliders"]


def oriented_by_colliders(
    skeleton: np.ndarray, triples: np.ndarray, allowed: np.ndarray | None = None
) -> tuple[Pdag, int]:
    """Orient a skeleton by colliders, close it under Meek's rules, and make it extendable.

    Parameters
    ----------
    skeleton : ndarray of bool, shape (p, p)
        Symmetric.
    triples : ndarray of int, shape (m, 3)
        Rows (a, c, b) for a -> c <- b, the most trustworthy first: in a conflict (an edge already
        directed the other way, or a directed cycle) the earlier triple stands and the later one is
        passed over.
    allowed : ndarray of bool, shape (p, p), optional
        Background knowledge: which directions may occur. Edges with one allowed direction, which
        must form no cycle, are directed before all others.

    Returns
    -------
    graph : Pdag
    conflicts : int
        Number of triples passed over.
    """
    known = np.zeros_like(skeleton) if allowed is None else skeleton & allowed & ~allowed.T
    directed, undirected = known.copy(), skeleton & ~known & ~known.T
    conflicts = orient_colliders_inplace(directed, undirected, triples)
    closed, lines = directed.copy(), undirected.copy()
    meek_closure_inplace(closed, lines, bool(known.any()))
    return extendable(closed, lines, known), int(conflicts)


def extendable(
    directed: np.ndarray, undirected: np.ndarray, known: np.ndarray | None = None
) -> Pdag:
    """The graph itself if a DAG extends it consistently, otherwise the CPDAG of a DAG near it.

    That DAG has the same skeleton and the same arrows, except that arrows on directed cycles are
    taken as undirected first (but for the `known` ones); its other edges are directed by Dor and
    Tarsi's (1992) algorithm, accepting as few additional colliders as possible at each step where
    it is stuck.
    """
    arrows, lines = directed.copy(), undirected.copy()
    if consistent_extension_kernel(arrows, lines)[1]:
        return Pdag(arrows, lines)
    _, component = connected_components(arrows, directed=True, connection="strong")
    cyclic = arrows & (component[:, None] == component[None, :])
    if known is None:
        known = np.zeros_like(arrows)
    cyclic &= ~known
    arrows &= ~cyclic
    lines |= cyclic | cyclic.T
    member = nearest_extension_kernel(arrows, lines)
    return Pdag(*oriented_cpdag_kernel(member, known | known.T))
