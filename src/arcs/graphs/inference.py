"""What a discrete network says of its nodes given others: elimination, or weighted samples.

Exact answers come from variable elimination: tables of nodes that matter (ancestors of what is
asked for and of what was seen) are multiplied and summed out one node after the other, next the one
that makes the smallest table. Where tables would grow beyond a limit, rows are drawn instead with
what was seen held fixed, each weighted by the probability of that (likelihood weighting; Fung and
Chang, 1990; Shachter and Peot, 1990). Nodes that were set have no table any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcs.errors import GraphError
from arcs.graphs.discrete import DiscreteDag

__all__ = ["Marginals", "marginals", "weighted_rows"]

#: Entries of the largest table that elimination may make.
_MOST_CELLS = 1 << 22
#: Rows of a weighted sample.
_DRAWS = 100_000


class _TooLarge(Exception):
    """Elimination would make a table that is too large."""


class _Factor(NamedTuple):
    """A table over some nodes, an axis each."""

    nodes: tuple[int, ...]
    table: NDArray[np.float64]


class Marginals(NamedTuple):
    """Probabilities of the levels of each node that was asked for, and whether they are exact."""

    probabilities: dict[int, NDArray[np.float64]]
    exact: bool


def marginals(
    dag: DiscreteDag,
    wanted: list[int],
    do: Mapping[int, int],
    given: Mapping[int, int],
    random_state: int | np.random.Generator | None = 0,
) -> Marginals:
    """The distribution of each node in `wanted`, under `do` and given what was seen.

    Examples
    --------
    >>> dag = DiscreteDag([[0, 1], [0, 0]], [["no", "yes"]] * 2,
    ...                   [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]], ["rain", "wet"])
    >>> marginals(dag, [0], {}, {1: 1}).probabilities[0].round(3).tolist()
    [0.333, 0.667]
    """
    both = sorted(set(do) & set(given))
    if both:
        raise GraphError(f"{dag.names[both[0]]!r} is both set and seen; name it once")
    try:
        found = {node: _eliminated(dag, node, do, given) for node in wanted}
        return Marginals(found, True)
    except _TooLarge:
        rows, weights = weighted_rows(dag, _DRAWS, do, given, random_state)
    shares = {
        node: np.bincount(rows[:, node], weights, minlength=len(dag.levels[node])) / weights.sum()
        for node in wanted
    }
    return Marginals(shares, False)


def weighted_rows(
    dag: DiscreteDag,
    n: int,
    do: Mapping[int, int],
    given: Mapping[int, int],
    random_state: int | np.random.Generator | None = 0,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows that agree with `do` and `given`, and what each is worth."""
    uniform = np.random.default_rng(random_state).random((n, dag.p))
    rows = dag.draw(uniform, {**do, **given})
    weights = np.ones(n)
    for node in given:
        at = tuple(rows[:, k] for k in (*np.flatnonzero(dag.adjacency[:, node]), node))
        weights *= dag.tables[node][at]
    if not weights.sum() > 0:
        raise _impossible(dag, given)
    return rows, weights


def _impossible(dag: DiscreteDag, given: Mapping[int, int]) -> GraphError:
    seen = ", ".join(f"{dag.names[k]}={dag.levels[k][v]}" for k, v in given.items())
    return GraphError(f"the network gives what was seen no probability: {seen}")


def _eliminated(
    dag: DiscreteDag, node: int, do: Mapping[int, int], given: Mapping[int, int]
) -> NDArray[np.float64]:
    """The distribution of one node, by elimination."""
    size = len(dag.levels[node])
    known = {**do, **given}
    if node in known:
        return np.asarray(np.eye(size)[known[node]])
    factors = [_factor(dag, k, known) for k in _that_matter(dag, {node, *given}, do)]
    others = {k for factor in factors for k in factor.nodes} - {node}
    while others:
        chosen = min(sorted(others), key=lambda k: _cells(dag, factors, k))
        factors = _summed_out(dag, factors, chosen)
        others.remove(chosen)
    total = _product(dag, factors, (node,))
    if not total.sum() > 0:
        raise _impossible(dag, given)
    return np.asarray(total / total.sum())


def _that_matter(dag: DiscreteDag, asked: set[int], do: Mapping[int, int]) -> list[int]:
    """What was asked for and its ancestors; those who were set have none, and no table."""
    found, waiting = set(), [node for node in asked if node not in do]
    while waiting:
        node = waiting.pop()
        if node in found or node in do:
            continue
        found.add(node)
        waiting += np.flatnonzero(dag.adjacency[:, node]).tolist()
    return sorted(found)


def _factor(dag: DiscreteDag, node: int, known: Mapping[int, int]) -> _Factor:
    """A node's table, where others are known only the part that agrees with it."""
    axes = [*np.flatnonzero(dag.adjacency[:, node]).tolist(), node]
    at = tuple(known[k] if k in known else slice(None) for k in axes)
    return _Factor(tuple(k for k in axes if k not in known), dag.tables[node][at])


def _scope(factors: list[_Factor], node: int) -> set[int]:
    return {k for factor in factors if node in factor.nodes for k in factor.nodes}


def _cells(dag: DiscreteDag, factors: list[_Factor], node: int) -> float:
    return float(np.prod([float(len(dag.levels[k])) for k in _scope(factors, node)]))


def _summed_out(dag: DiscreteDag, factors: list[_Factor], node: int) -> list[_Factor]:
    """The factors with one node gone."""
    if _cells(dag, factors, node) > _MOST_CELLS:
        raise _TooLarge
    rest = tuple(sorted(_scope(factors, node) - {node}))
    mine = [factor for factor in factors if node in factor.nodes]
    others = [factor for factor in factors if node not in factor.nodes]
    return [*others, _Factor(rest, _product(dag, mine, rest))]


def _product(
    dag: DiscreteDag, factors: list[_Factor], kept: tuple[int, ...]
) -> NDArray[np.float64]:
    """The product of factors, summed over all nodes but those kept."""
    nodes = sorted({k for factor in factors for k in factor.nodes} | set(kept))
    if len(nodes) > 31:
        raise _TooLarge  # more axes than an array can have
    place = {node: k for k, node in enumerate(nodes)}
    full = np.ones([len(dag.levels[k]) for k in nodes])
    for factor in factors:
        shape = np.ones(len(nodes), dtype=int)
        for node in factor.nodes:
            shape[place[node]] = len(dag.levels[node])
        order = np.argsort([place[node] for node in factor.nodes])
        full = full * np.transpose(factor.table, order).reshape(shape)
    gone = tuple(place[node] for node in nodes if node not in kept)
    return np.asarray(full.sum(axis=gone))
