"""Listing and counting the DAGs of an equivalence class.

In a graph closed under Meek's rules both directions of every undirected edge occur in the class, so
a search that directs one edge, closes, and recurs never runs into a dead end: the cost of a list is
proportional to its length.

Counting uses that the components of the undirected part can be directed independently of each
other. A component without arrows is chordal, and counted in polynomial time
(:mod:`arcs.graphs.orientations`). A component with arrows inside, which background knowledge leaves
behind, is counted edge by edge, until what is left has no arrows inside.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arcs.errors import GraphError
from arcs.graphs.orientations import ChordalOrientations, undirected_components
from arcs.graphs.pdag import Pdag
from arcs.lazily import Lazily

__all__ = ["count_members", "iterate_members", "members", "with_arrows"]

_compiled = Lazily("arcs.kernels.equivalence")

Matrices = tuple[NDArray[np.bool_], NDArray[np.bool_]]


def members(pdag: Pdag, limit: int = 10_000) -> list[NDArray[np.bool_]]:
    """The adjacency matrices of all DAGs in the class of `pdag`.

    Parameters
    ----------
    pdag : Pdag
        Members have its skeleton, its arrows, and no v-structures but its own.
    limit : int
        The greatest number of DAGs to list.

    Raises
    ------
    GraphError
        If there is no member, or more than `limit`.

    Examples
    --------
    >>> from arcs.graphs import cpdag_of, members
    >>> len(members(cpdag_of([[0, 1, 0], [0, 0, 1], [0, 0, 0]])))
    3
    """
    found: list[NDArray[np.bool_]] = []
    for member in iterate_members(pdag):
        if len(found) == limit:
            raise GraphError(
                f"the class has more than {limit} members; raise the limit, count them with "
                "count_members, or take the first few from iterate_members"
            )
        found.append(member)
    return found


def iterate_members(pdag: Pdag) -> Iterator[NDArray[np.bool_]]:
    """Yield the members of a class one by one, in a fixed order.

    Examples
    --------
    >>> from arcs.graphs import cpdag_of, iterate_members
    >>> [member.astype(int).tolist() for member in iterate_members(cpdag_of([[0, 1], [0, 0]]))]
    [[[0, 1], [0, 0]], [[0, 0], [1, 0]]]
    """
    pdag.consistent_dag()
    directed, undirected = pdag.directed.copy(), pdag.undirected.copy()
    _compiled.meek_closure_inplace(directed, undirected, True)
    open_graphs = [(directed, undirected)]
    while open_graphs:
        directed, undirected = open_graphs.pop()
        edge = _first_edge(undirected)
        if edge is None:
            yield directed
            continue
        i, j = edge
        open_graphs.append(with_arrows(directed, undirected, [(j, i)]))
        open_graphs.append(with_arrows(directed, undirected, [(i, j)]))


def count_members(pdag: Pdag) -> int:
    """The number of DAGs in the class of `pdag`, without listing them.

    Exact for classes of any size; slow only if background knowledge leaves large undirected
    components with arrows inside.

    Raises
    ------
    GraphError
        If the class is empty.

    Examples
    --------
    >>> from arcs.graphs import count_members, cpdag_of
    >>> count_members(cpdag_of([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))  # a -> b -> c, and two more
    3
    """
    pdag.consistent_dag()
    directed, undirected = pdag.directed.copy(), pdag.undirected.copy()
    _compiled.meek_closure_inplace(directed, undirected, True)
    return _count(directed, undirected, {})


def with_arrows(
    directed: NDArray[np.bool_], undirected: NDArray[np.bool_], arrows: list[tuple[int, int]]
) -> Matrices:
    """A copy in which `arrows` (undirected so far) are directed, closed under Meek's rules."""
    arrowed, lines = directed.copy(), undirected.copy()
    for i, j in arrows:
        lines[i, j] = lines[j, i] = False
        arrowed[i, j] = True
    _compiled.meek_closure_inplace(arrowed, lines, True)
    return arrowed, lines


def _first_edge(undirected: NDArray[np.bool_]) -> tuple[int, int] | None:
    at = int(np.argmax(undirected))
    i, j = divmod(at, len(undirected)) if undirected.size else (0, 0)
    return (i, j) if undirected.size and undirected[i, j] else None


def _count(
    directed: NDArray[np.bool_], undirected: NDArray[np.bool_], known: dict[bytes, int]
) -> int:
    product = 1
    for nodes in undirected_components(undirected):
        grid = np.ix_(nodes, nodes)
        product *= _count_component(directed[grid].copy(), undirected[grid].copy(), known)
    return product


def _count_component(
    directed: NDArray[np.bool_], undirected: NDArray[np.bool_], known: dict[bytes, int]
) -> int:
    if not directed.any():
        return ChordalOrientations(undirected).count()
    key = np.packbits(directed).tobytes() + np.packbits(undirected).tobytes()
    if key not in known:
        i, j = np.argwhere(undirected)[0].tolist()
        ways = ([(i, j)], [(j, i)])
        known[key] = sum(_count(*with_arrows(directed, undirected, way), known) for way in ways)
    return known[key]
