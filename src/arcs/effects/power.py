"""How many rows it takes to see an edge.

An edge x -> y is kept if the statistic T of its coefficient exceeds the limit t that a price or a
level sets (:mod:`arcs.edge_rule`). T has the noncentral Student distribution with noncentrality

    delta = sqrt(n) |b| s / sigma,

b the coefficient, s the standard deviation of x given the other parents of y, sigma that of the
noise of y. So the power at n rows is P(|T_df(delta)| > t). The other parents are taken as found,
and whether the direction can be told is another question (:mod:`arcs.effects.design`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcs.edge_rule import EdgeRule
from arcs.errors import GraphError, SettingsError
from arcs.graphs import GaussianDag
from arcs.graphs.names import Node, node_index
from arcs.lazily import Lazily

__all__ = ["EdgePower", "edge_power"]

special = Lazily("scipy.special")

#: Beyond so many rows an edge counts as invisible.
_MOST_ROWS = 10**9
#: With such a noncentrality nothing is left on the other side of zero.
_FAR = 8.0


@dataclass(frozen=True, eq=False)
class EdgePower:
    """What it takes to see one edge.

    Attributes
    ----------
    source, target : str
    size : float
        Coefficient on the scale of the data.
    partial_r2 : float
        Share of what the other parents leave of the target's variance that the source explains.
    wanted : float
        Probability of seeing the edge that `rows_needed` is for.
    rows_needed : int or None
        Rows in which the target is not set itself; None if a billion is not enough.
    n : tuple of int
        Numbers of rows that were asked about.
    power : ndarray
        Probability of seeing the edge with so many rows.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import edge_power
    >>> edge_power(dag, "b", "c").rows_needed
    9
    """

    source: str
    target: str
    size: float
    partial_r2: float
    wanted: float
    rows_needed: int | None
    n: tuple[int, ...]
    power: np.ndarray

    def __str__(self) -> str:
        needed = "more than a billion" if self.rows_needed is None else f"{self.rows_needed:,}"
        text = (
            f"{self.source} -> {self.target} of size {self.size:.4g} (partial R² "
            f"{self.partial_r2:.3g}): {needed} rows to see it with probability {self.wanted:g}"
        )
        pairs = zip(self.n, self.power, strict=True)
        return "\n".join([text, *(f"  {rows:,} rows: {chance:.2f}" for rows, chance in pairs)])


@dataclass(frozen=True)
class _Test:
    """When an edge is kept, among so many variables and parents."""

    rule: EdgeRule
    p: int
    n_parents: int

    def power(self, n: float, effect: float) -> float:
        """Probability of keeping an edge with noncentrality `effect` * sqrt(n)."""
        degrees = n - self.n_parents - 1
        if degrees < 1:
            return 0.0
        limit = self.rule.limit(n, self.p, self.n_parents)
        shift = effect * np.sqrt(n)
        below = _noncentral(degrees, shift, -limit) if shift < _FAR else 0.0
        return float(np.clip(1 - _noncentral(degrees, shift, limit) + below, 0.0, 1.0))


def _noncentral(degrees: float, shift: float, limit: float) -> float:
    """Distribution function of the noncentral Student distribution.

    Far out, where the series of `nctdtr` fails, by Johnson and Welch's normal approximation.
    """
    exact = float(special.nctdtr(degrees, shift, limit))
    if not np.isnan(exact):
        return exact
    spread = np.sqrt(1 + limit**2 / (2 * degrees))
    return float(special.ndtr((limit * (1 - 1 / (4 * degrees)) - shift) / spread))


def edge_power(
    dag: GaussianDag,
    source: Node,
    target: Node,
    *,
    size: float | None = None,
    n: int | tuple[int, ...] = (),
    wanted: float = 0.8,
    rule: EdgeRule | None = None,
) -> EdgePower:
    """Rows needed to see an edge, and the probability of seeing it with `n` rows.

    Parameters
    ----------
    dag : GaussianDag
        Tells the noise of the target and how its parents vary together.
    source, target : int or str
    size : float, optional
        The coefficient to be seen; by default that of the edge in `dag`. (Edges that were found
        are a little smaller than they look: the large ones were selected.)
    n : int or sequence of int
        Numbers of rows to give the power of.
    wanted : float
        Probability of seeing the edge that `rows_needed` is for.
    rule : EdgeRule, optional
        What decides: the price of the extended BIC, another price, or the level of a test.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import edge_power
    >>> edge_power(dag, "b", "c", n=(20, 50)).power.round(1).tolist()
    [1.0, 1.0]
    """
    if not 0 < wanted < 1:
        raise SettingsError(f"wanted must be a probability between 0 and 1, got {wanted!r}")
    x, y = node_index(source, dag.names), node_index(target, dag.names)
    value = _size_of_edge(dag, x, y) if size is None else float(size)
    others = dag.parents(y)[dag.parents(y) != x]
    spread = _conditional_sd(dag.covariance(), x, others)
    effect = abs(value) * spread / float(np.sqrt(dag.noise_variances[y]))
    test = _Test(rule or EdgeRule(), dag.p, len(others) + 1)
    asked = tuple(int(rows) for rows in np.atleast_1d(np.asarray(n, dtype=np.int64)))
    return EdgePower(
        source=dag.names[x],
        target=dag.names[y],
        size=value,
        partial_r2=effect**2 / (1 + effect**2),
        wanted=wanted,
        rows_needed=_rows_needed(test, effect, wanted),
        n=asked,
        power=np.array([test.power(rows, effect) for rows in asked]),
    )


def _size_of_edge(dag: GaussianDag, x: int, y: int) -> float:
    if not dag.adjacency[x, y]:
        raise GraphError(
            f"{dag.names[x]!r} is no parent of {dag.names[y]!r}; say with size=... which "
            "coefficient is to be seen"
        )
    return float(dag.coefficients[x, y])


def _rows_needed(test: _Test, effect: float, wanted: float) -> int | None:
    """The smallest number of rows with the power wanted, by doubling and bisection."""
    low, high = test.n_parents + 1, test.n_parents + 2
    while test.power(high, effect) < wanted:
        low, high = high, 2 * high
        if high > _MOST_ROWS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if test.power(middle, effect) < wanted:
            low = middle
        else:
            high = middle
    return high


def _conditional_sd(sigma: np.ndarray, node: int, given: np.ndarray) -> float:
    """Standard deviation of a variable given others."""
    cross = sigma[given, node]
    explained = cross @ np.linalg.pinv(sigma[np.ix_(given, given)], hermitian=True) @ cross
    return float(np.sqrt(max(sigma[node, node] - explained, 0.0)))
