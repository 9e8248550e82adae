"""What an edge costs: penalties on the off-diagonal entries of L, and prices of edges.

The minimax concave penalty (MCP; the paper's eq. 10) joins l1 (gamma to infinity) and l0 (gamma to
zero at fixed ``gamma lam^2 / 2``). Continuous penalties charge the size of an entry. l0 counts
edges: at a price in nats (:class:`L0`), or at that of the extended BIC (:class:`Ebic`), which
depends on the number of rows and of variables,

    cost = 0.5 log n + gamma log p.

``gamma = 0`` is the BIC; ``gamma = 1`` also pays for the choice among p candidates and is
consistent for any p growing polynomially in n (Chen and Chen, 2008; Foygel and Drton, 2010). Where
rows are few the price is higher (:mod:`arcs.few_rows`).

All classes are small frozen settings; the arithmetic is in :mod:`arcs.kernels.penalties`, where the
search uses it too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from arcs.errors import SettingsError, nearest_name
from arcs.few_rows import with_few_rows
from arcs.kernels import penalties as kinds
from arcs.kernels.penalties import penalty_prox, penalty_value
from arcs.settings import number

__all__ = ["L0", "L1", "MCP", "PENALTIES", "SCAD", "Ebic", "Penalty", "penalty"]


class Penalty:
    """What edges cost: the root of the family.

    Attributes
    ----------
    name : str
        What users call it.
    kind : int
        What the kernels call it.
    counts_edges : bool
        Whether an edge has a price of its own, whatever its size.
    has_gamma : bool
        Whether :meth:`at` makes a difference.
    flattest : float
        Concavities have to be larger than this.

    Examples
    --------
    >>> from arcs.penalties import PENALTIES
    >>> sorted(PENALTIES)
    ['l0', 'l1', 'mcp', 'scad']
    """

    name: ClassVar[str]
    kind: ClassVar[int]
    counts_edges: ClassVar[bool] = False
    has_gamma: ClassVar[bool] = False
    flattest: ClassVar[float] = 0.0

    lam: float

    @property
    def gamma(self) -> float:
        """Concavity, or the parameter of the extended BIC; penalties without one return 1."""
        return 1.0

    def costs(self, n: Any, p: int) -> np.ndarray:
        """What an edge costs each node, in nats, for its number of rows `n` and `p` variables.

        Continuous penalties have no such price: what they charge an entry of size one at most.
        """
        return np.full(np.shape(n), float(self.lam))

    def at(self, gamma: float) -> Self:
        """The same penalty with another gamma; those that have none stay as they are."""
        return self

    def describe(self) -> dict[str, Any]:
        """Kind and parameters, for the record of a result."""
        return {"kind": self.name, "lam": self.lam, "gamma": self.gamma}


@dataclass(frozen=True)
class Scalar(Penalty):
    """A penalty rho(x) of one entry, with rho(0) = 0.

    Parameters
    ----------
    lam : float
        Strength, at least 0.
    """

    lam: float

    def __post_init__(self) -> None:
        number(0).check("lam", self.lam)

    def value(self, x: Any) -> np.ndarray:
        """The penalty at each entry of `x`."""
        flat = np.asarray(x, dtype=float)
        out = [penalty_value(self.kind, self.lam, self.gamma, v) for v in flat.ravel()]
        return np.array(out).reshape(flat.shape)

    def prox(self, x: Any, step: float = 1.0) -> np.ndarray:
        """``argmin_u rho(u) + (u - x)^2 / (2 step)``; of several minimisers the one nearest 0."""
        if not step > 0:
            raise SettingsError(f"step must be positive, got {step!r}")
        flat = np.asarray(x, dtype=float)
        out = [penalty_prox(self.kind, self.lam, self.gamma, step, v) for v in flat.ravel()]
        return np.array(out).reshape(flat.shape)

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero."""
        return self.lam * step


@dataclass(frozen=True)
class Concave(Scalar):
    """A penalty that rises ever more slowly and ends flat."""

    has_gamma: ClassVar[bool] = True

    concavity: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        number(above=self.flattest).check(f"gamma of {self.name.upper()}", self.concavity)

    @property
    def gamma(self) -> float:
        """Concavity."""
        return float(self.concavity)

    def at(self, gamma: float) -> Self:
        """The same penalty with another concavity."""
        return replace(self, concavity=gamma)


@dataclass(frozen=True)
class L1(Scalar):
    """``rho(x) = lam |x|``.

    Examples
    --------
    >>> L1(2.0).prox([1.0, 3.0]).tolist()
    [0.0, 1.0]
    """

    name: ClassVar[str] = "l1"
    kind: ClassVar[int] = kinds.L1


@dataclass(frozen=True)
class L0(Scalar):
    """``rho(x) = lam`` for x != 0: the price of an edge.

    Examples
    --------
    >>> L0(2.0).value([0.0, 0.1, 5.0]).tolist()
    [0.0, 2.0, 2.0]
    """

    name: ClassVar[str] = "l0"
    kind: ClassVar[int] = kinds.L0
    counts_edges: ClassVar[bool] = True

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero."""
        return float(np.sqrt(2.0 * step * self.lam))


@dataclass(frozen=True)
class MCP(Concave):
    """Minimax concave penalty, ``gamma > 1``.

    Examples
    --------
    >>> MCP(1.0, concavity=2.0).value([0.5, 3.0]).tolist()
    [0.4375, 1.0]
    """

    name: ClassVar[str] = "mcp"
    kind: ClassVar[int] = kinds.MCP

    flattest: ClassVar[float] = 1.0

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero (Lemma 6)."""
        ratio = step / self.gamma
        return self.lam * (step if ratio <= 1.0 else self.gamma * float(np.sqrt(ratio)))


@dataclass(frozen=True)
class SCAD(Concave):
    """Smoothly clipped absolute deviation, ``gamma > 2``.

    Examples
    --------
    >>> SCAD(1.0).prox([0.5, 5.0]).tolist()
    [0.0, 5.0]
    """

    name: ClassVar[str] = "scad"
    kind: ClassVar[int] = kinds.SCAD

    flattest: ClassVar[float] = 2.0

    concavity: float = 3.7

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero."""
        if step <= self.gamma + 1.0:
            return self.lam * step
        return self.lam * float(np.sqrt(step * (self.gamma + 1.0)))


@dataclass(frozen=True)
class Ebic(Penalty):
    """The price of an edge under the extended BIC: ``0.5 log n + gamma log p`` nats.

    Parameters
    ----------
    parameter : float
        gamma, at least 0.
    least_share : float
        An edge must also explain this share r of its head's remaining variance, which is worth
        ``-n/2 log(1 - r)`` nats: with many rows even effects count that nobody cares about.

    Examples
    --------
    >>> Ebic(1.0).costs([100], 20).round(2).tolist()
    [5.3]
    """

    name: ClassVar[str] = "l0"
    kind: ClassVar[int] = kinds.L0
    counts_edges: ClassVar[bool] = True
    has_gamma: ClassVar[bool] = True

    parameter: float = 1.0
    least_share: float = 0.0
    lam: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        number(0).check("gamma of the extended BIC", self.parameter)
        number(0, below=1).check("least share of the variance", self.least_share)

    @property
    def gamma(self) -> float:
        """The parameter of the extended BIC."""
        return float(self.parameter)

    def costs(self, n: Any, p: int) -> np.ndarray:
        """What an edge costs each node, in nats."""
        rows = np.maximum(n, 1.0)
        costs = np.asarray(0.5 * np.log(rows) + self.parameter * np.log(max(p, 1)))
        costs = with_few_rows(costs, np.asarray(n, dtype=np.float64), p)
        if not self.least_share:
            return costs
        return np.asarray(np.maximum(costs, -0.5 * rows * np.log1p(-self.least_share)))

    def at(self, gamma: float) -> Self:
        """The extended BIC with another parameter."""
        return replace(self, parameter=gamma)

    def describe(self) -> dict[str, Any]:
        """Kind and parameter, for the record of a result."""
        least = {"min_r2": self.least_share} if self.least_share else {}
        return {"kind": self.name, "ebic": self.parameter, **least}


#: Penalties with a strength of their own, by name.
PENALTIES: dict[str, type[Scalar]] = {"mcp": MCP, "l1": L1, "scad": SCAD, "l0": L0}


def penalty(name: str, lam: float, gamma: float | None = None) -> Scalar:
    """The penalty of that name; `gamma` only where it has one.

    Examples
    --------
    >>> from arcs.penalties import penalty
    >>> penalty("mcp", 1.0, 3.0)
    MCP(lam=1.0, concavity=3.0)
    """
    if name not in PENALTIES:
        raise SettingsError(
            f"there is no penalty {name!r}{nearest_name(name, PENALTIES) or '.'} Known: "
            f"{', '.join(PENALTIES)}"
        )
    kind = PENALTIES[name]
    if gamma is None:
        return kind(lam)
    if not kind.has_gamma:
        raise SettingsError(f"gamma={gamma!r}: the penalty {name} has no gamma; leave it out")
    return kind(lam, gamma)  # type: ignore[call-arg]
