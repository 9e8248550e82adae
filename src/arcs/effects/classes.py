"""Total effects over an equivalence class: what the directions that nobody can tell leave open.

The members of a (possibly interventional) equivalence class fit the data equally well, and each has
a total effect of x on y, which depends on its parents of x only (IDA; Maathuis, Kalisch and
Bühlmann, 2009, "Estimating high-dimensional intervention effects from observational data"). Members
imply the same covariance when fitted by maximum likelihood, so that the effects can be computed
from the one that was fitted. Here every set of parents comes with the *number* of members that have
it, and every effect with its standard error in such a member.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcs.effects.precision import CoefficientPrecision, implied_precision
from arcs.effects.total import effect_table
from arcs.graphs import GaussianDag, Pdag, count_members, fit_to_covariance
from arcs.graphs.effects import oriented_at, possible_parent_sets

__all__ = ["ClassEffects", "class_effects", "is_amenable"]

#: Effects closer than this, relative to their size, are one value.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class ClassEffects:
    """The effects of one variable on another in the members of a class.

    Attributes
    ----------
    values, standard_errors, lower, upper : ndarray
        Distinct effects, sorted, each with its standard error and interval given such a graph.
    counts : tuple of int
        How many members have the effect.
    parent_sets : tuple of tuple of int
        A set of parents of the source with which it has the effect.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> result.effect("smoke", "bronc").over_class.size
    14
    """

    values: np.ndarray
    standard_errors: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    counts: tuple[int, ...]
    parent_sets: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Members of the class."""
        return sum(self.counts)

    @property
    def shares(self) -> np.ndarray:
        """Share of the members that have each effect."""
        return np.array([count / self.size for count in self.counts])

    @property
    def identified(self) -> bool:
        """Whether all members agree."""
        return len(self.values) == 1


def class_effects(
    dag: GaussianDag,
    pdag: Pdag,
    precision: CoefficientPrecision,
    pair: tuple[int, int],
    level: float = 0.95,
) -> ClassEffects:
    """Effects of ``pair[0]`` on ``pair[1]`` over all members of the class `pdag` of `dag`.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import class_effects, implied_precision
    >>> found = class_effects(dag, dag.cpdag(), implied_precision(dag, [100] * 3), (0, 1))
    >>> found.values.round(2).tolist(), found.counts
    ([0.0, 2.0], (2, 1))
    """
    source, target = pair
    sigma, rows = dag.covariance(), precision.degrees + dag.adjacency.sum(axis=0) + 1
    found = []
    for parents in possible_parent_sets(pdag, source):
        part = oriented_at(pdag, source, parents)
        member = fit_to_covariance(part.consistent_dag(), sigma, dag.names)
        errors = _member_precision(member, dag, precision, rows)
        table = effect_table(member, errors, level)
        figures = [table.effects, table.standard_errors, table.lower, table.upper]
        row = [float(figure[source, target]) for figure in figures]
        found.append((row, count_members(part), parents))
    return _distinct(found)


def _member_precision(
    member: GaussianDag, dag: GaussianDag, precision: CoefficientPrecision, rows: np.ndarray
) -> CoefficientPrecision:
    """As implied by the model; nodes that have the same parents as in `dag` keep what is known."""
    implied = implied_precision(member, rows)
    same = (member.adjacency == dag.adjacency).all(axis=0)
    chosen = [precision.covariances[v] if same[v] else implied.covariances[v] for v in range(dag.p)]
    return CoefficientPrecision(tuple(chosen), np.where(same, precision.degrees, implied.degrees))


def _distinct(found: list[tuple[list[float], int, tuple[int, ...]]]) -> ClassEffects:
    """Join sets of parents that come to the same effect."""
    found.sort(key=lambda entry: entry[0][0])
    joined: list[tuple[list[float], int, tuple[int, ...]]] = []
    for row, count, parents in found:
        if joined and abs(row[0] - joined[-1][0][0]) <= _SAME * max(abs(row[0]), 1e-3):
            before = joined[-1]
            joined[-1] = (before[0], before[1] + count, before[2])
        else:
            joined.append((row, count, parents))
    values, errors, lower, upper = np.array([row for row, _, _ in joined]).T
    return ClassEffects(
        values,
        errors,
        lower,
        upper,
        counts=tuple(count for _, count, _ in joined),
        parent_sets=tuple(parents for _, _, parents in joined),
    )


def is_amenable(pdag: Pdag, source: int, target: int) -> bool:
    """Whether one adjustment set serves for all members of a class.

    That is so unless a path that may be directed leads from `source` to `target` and begins with an
    undirected edge (Perković, Textor, Kalisch and Maathuis, 2018, "Complete graphical
    characterization and construction of adjustment sets in Markov equivalence classes").

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import is_amenable
    >>> is_amenable(dag.cpdag(), 0, 2)  # a - b - c: the first edge may point either way
    False
    """
    forward = pdag.directed | pdag.undirected
    reached = pdag.undirected[source].copy()
    frontier = reached.copy()
    while frontier.any():
        frontier = forward[frontier].any(axis=0) & ~reached
        frontier[source] = False
        reached |= frontier
    return not reached[target]
