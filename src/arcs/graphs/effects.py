"""Causal effects when only the equivalence class is known: IDA.

In a linear Gaussian model the total effect of x on y is the coefficient of x in the regression of y
on x and the parents of x, and zero if y is one of those parents. An equivalence class leaves many
parent sets possible, and with each an effect. IDA (Maathuis, Kalisch and Buehlmann, 2009) lists
them; the set of distinct values is that of all DAGs in the class, though a value is listed once per
parent set and not once per DAG.

Parent sets are found locally: only the undirected component of x matters. Candidate sets add to the
known parents a clique of siblings; each is then confirmed by a consistent extension of that
component, which makes the answer right for graphs with background knowledge and for interventional
essential graphs, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.dag import GaussianDag
from arcs.graphs.enumeration import with_arrows
from arcs.graphs.equivalence import meek_closure
from arcs.graphs.gaussian import total_effect_matrix
from arcs.graphs.names import Node, node_index
from arcs.graphs.orientations import undirected_components
from arcs.graphs.pdag import Pdag
from arcs.lazily import Lazily

__all__ = [
    "fit_to_covariance",
    "ida",
    "joint_ida",
    "joint_orientations",
    "oriented_at",
    "possible_parent_sets",
]

_compiled = Lazily("arcs.kernels.equivalence")


def possible_parent_sets(pdag: Pdag, node: Node) -> list[tuple[int, ...]]:
    """All sets of parents that `node` has in some DAG of the class, each sorted.

    Raises
    ------
    GraphError
        If the class is empty.

    Examples
    --------
    >>> from arcs.graphs import cpdag_of, possible_parent_sets
    >>> chain = cpdag_of([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> sorted(tuple(int(k) for k in parents) for parents in possible_parent_sets(chain, 1))
    [(), (0,), (2,)]
    """
    pdag.consistent_dag()
    return _parent_sets(meek_closure(pdag), node_index(node, pdag.names))


def oriented_at(pdag: Pdag, node: Node, parents: Sequence[int]) -> Pdag:
    """The part of a class in which `node` has just these `parents`, as a closed graph."""
    closed, at = meek_closure(pdag), node_index(node, pdag.names)
    chosen = set(parents)
    arrows = [(s, at) if s in chosen else (at, s) for s in closed.siblings(at).tolist()]
    return Pdag(*with_arrows(closed.directed, closed.undirected, arrows), closed.names)


def ida(pdag: Pdag, covariance: ArrayLike, source: Node, target: Node) -> NDArray[np.float64]:
    """The possible total causal effects of `source` on `target`.

    Parameters
    ----------
    pdag : Pdag
        A CPDAG, an interventional essential graph, or either with background knowledge.
    covariance : array-like of shape (p, p)
        The covariance of the nodes, estimated or true.
    source, target : int or str
        Indices or names.

    Returns
    -------
    ndarray
        One effect for every possible parent set of `source`, sorted.

    Examples
    --------
    >>> pdag = Pdag(np.zeros((2, 2)), [[0, 1], [1, 0]], ["a", "b"])
    >>> ida(pdag, [[1.0, 0.5], [0.5, 1.0]], "a", "b").tolist()
    [0.0, 0.5]
    """
    sigma = _checked_covariance(covariance, pdag.p)
    x, y = node_index(source, pdag.names), node_index(target, pdag.names)
    if x == y:
        raise GraphError(f"source and target are the same node {pdag.names[x]!r}")
    effects = [_adjusted_effect(sigma, x, y, s, pdag) for s in possible_parent_sets(pdag, x)]
    return np.sort(np.asarray(effects))


def joint_ida(
    pdag: Pdag, covariance: ArrayLike, sources: Sequence[Node], target: Node
) -> NDArray[np.float64]:
    """The possible effects on `target` of intervening on all `sources` at once.

    Returns
    -------
    ndarray of shape (number of joint parent sets, number of sources)
        ``[k, i]`` is the change of the target's mean per unit of source i while the other sources
        are held fixed. Rows are sorted lexicographically.

    Notes
    -----
    Joint effects are determined by the parents of all sources (Nandy, Maathuis and Richardson,
    2017). For every joint choice of parents the effects are read off one DAG of the class that has
    them, with its coefficients fitted to `covariance`.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.graphs import joint_ida
    >>> joint_ida(dag.cpdag(), dag.covariance(), ["a", "b"], "c").round(2).shape
    (3, 2)
    """
    sigma = _checked_covariance(covariance, pdag.p)
    at = [node_index(source, pdag.names) for source in sources]
    y = node_index(target, pdag.names)
    if len(set(at)) != len(at) or not at or y in at:
        raise GraphError("joint effects need distinct sources (at least one) other than the target")
    pdag.consistent_dag()
    rows = []
    for choice in joint_orientations(meek_closure(pdag), at):
        dag = fit_to_covariance(choice.consistent_dag(), sigma, pdag.names)
        cut = dag.coefficients.copy()
        cut[:, at] = 0.0
        effects = total_effect_matrix(cut, dag.order().nodes)
        rows.append(effects[at, y])
    table = np.asarray(rows)
    return table[np.lexsort(table.T[::-1])]


def fit_to_covariance(
    adjacency: ArrayLike, covariance: ArrayLike, names: Sequence[str] | None = None
) -> GaussianDag:
    """The maximum-likelihood `GaussianDag` of a structure: every node regressed on its parents.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.graphs import fit_to_covariance
    >>> dag = fit_to_covariance([[0, 1], [0, 0]], np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> dag.coefficients.tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """
    structure = GaussianDag.from_adjacency(adjacency, names)
    sigma = _checked_covariance(covariance, structure.p)
    coefficients = np.zeros_like(sigma)
    variances = np.diagonal(sigma).copy()
    for node in range(structure.p):
        parents = np.flatnonzero(structure.adjacency[:, node])
        if parents.size:
            beta = _regression(sigma, parents, node, structure.names)
            coefficients[parents, node] = beta
            variances[node] -= beta @ sigma[parents, node]
    return GaussianDag(coefficients, variances, structure.names)


def _parent_sets(closed: Pdag, node: int) -> list[tuple[int, ...]]:
    known = np.flatnonzero(closed.directed[:, node]).tolist()
    component = next(
        (c for c in undirected_components(closed.undirected) if node in c), np.array([node])
    )
    grid = np.ix_(component, component)
    directed, undirected = closed.directed[grid].copy(), closed.undirected[grid].copy()
    at = int(np.searchsorted(component, node))
    found = []
    for chosen in _cliques(closed, np.flatnonzero(closed.undirected[node]).tolist()):
        inside = np.searchsorted(component, chosen).tolist()
        if _allows_parents(directed, undirected, at, inside):
            found.append(tuple(sorted(known + chosen)))
    return sorted(found)


def _cliques(pdag: Pdag, candidates: list[int]) -> Iterator[list[int]]:
    """All sets of candidates that are pairwise adjacent, the empty one included."""
    skeleton = pdag.skeleton
    stack: list[tuple[list[int], list[int]]] = [([], candidates)]
    while stack:
        clique, rest = stack.pop()
        yield clique
        for k, node in enumerate(rest):
            stack.append(
                ([*clique, node], [other for other in rest[k + 1 :] if skeleton[node, other]])
            )


def _allows_parents(
    directed: NDArray[np.bool_], undirected: NDArray[np.bool_], node: int, parents: list[int]
) -> bool:
    arrows, lines = directed.copy(), undirected.copy()
    siblings = np.flatnonzero(undirected[node])
    arrows[node, siblings] = True
    arrows[node, parents] = False
    arrows[parents, node] = True
    lines[node] = False
    lines[:, node] = False
    return bool(_compiled.consistent_extension_kernel(arrows, lines)[1])


def joint_orientations(closed: Pdag, nodes: list[int]) -> Iterator[Pdag]:
    """The parts of a closed class that differ in the edges at `nodes`, one after the other."""
    if not nodes:
        yield closed
        return
    for parents in _parent_sets(closed, nodes[0]):
        yield from joint_orientations(oriented_at(closed, nodes[0], parents), nodes[1:])


def _adjusted_effect(
    sigma: NDArray[np.float64], x: int, y: int, parents: tuple[int, ...], pdag: Pdag
) -> float:
    if y in parents:
        return 0.0
    return float(_regression(sigma, np.array([x, *parents]), y, pdag.names)[0])


def _regression(
    sigma: NDArray[np.float64], predictors: NDArray[np.int64], node: int, names: tuple[str, ...]
) -> NDArray[np.float64]:
    try:
        return np.linalg.solve(sigma[np.ix_(predictors, predictors)], sigma[predictors, node])
    except np.linalg.LinAlgError:
        listed = ", ".join(repr(names[i]) for i in predictors[:8])
        raise GraphError(f"the covariance of {listed} is singular; drop one of them") from None


def _checked_covariance(covariance: ArrayLike, p: int) -> NDArray[np.float64]:
    sigma = np.asarray(covariance, dtype=np.float64)
    if sigma.shape != (p, p):
        raise GraphError(f"the covariance must have shape {(p, p)}, not {sigma.shape}")
    if not np.isfinite(sigma).all():
        raise GraphError("the covariance has entries that are not finite")
    if not np.allclose(sigma, sigma.T):
        raise GraphError("the covariance is not symmetric")
    return sigma
