"""Penalties on the off-diagonal entries of L: value, proximal operator, threshold.

The minimax concave penalty (MCP; the paper's eq. 10) joins l1 (gamma to infinity) and l0 (gamma to
zero at fixed ``gamma lam^2 / 2``). All classes are small frozen settings; the arithmetic is in
:mod:`arcs.kernels.penalties`, where the search uses it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arcs.data.interventions import nearest_name
from arcs.errors import SettingsError
from arcs.kernels import problem as kinds
from arcs.kernels.penalties import penalty_prox, penalty_value

__all__ = ["L0", "L1", "MCP", "PENALTIES", "SCAD", "Penalty", "ebic_cost", "penalty"]


@dataclass(frozen=True)
class Penalty:
    """A scalar penalty rho with rho(0) = 0.

    Parameters
    ----------
    lam : float
        Strength, at least 0.
    """

    name: ClassVar[str]
    kind: ClassVar[int]

    lam: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.lam) and self.lam >= 0):
            raise SettingsError(f"lam must be a number of at least 0, got {self.lam!r}")

    @property
    def gamma(self) -> float:
        """Concavity; penalties without one return 1."""
        return 1.0

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
class L1(Penalty):
    """``rho(x) = lam |x|``."""

    name: ClassVar[str] = "l1"
    kind: ClassVar[int] = kinds.L1


@dataclass(frozen=True)
class L0(Penalty):
    """``rho(x) = lam`` for x != 0: the price of an edge."""

    name: ClassVar[str] = "l0"
    kind: ClassVar[int] = kinds.L0

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero."""
        return float(np.sqrt(2.0 * step * self.lam))


@dataclass(frozen=True)
class MCP(Penalty):
    """Minimax concave penalty, ``gamma > 1``."""

    name: ClassVar[str] = "mcp"
    kind: ClassVar[int] = kinds.MCP

    concavity: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.concavity > 1:
            raise SettingsError(f"gamma of MCP must be greater than 1, got {self.concavity!r}")

    @property
    def gamma(self) -> float:
        """Concavity."""
        return float(self.concavity)

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero (Lemma 6)."""
        ratio = step / self.gamma
        return self.lam * (step if ratio <= 1.0 else self.gamma * float(np.sqrt(ratio)))


@dataclass(frozen=True)
class SCAD(Penalty):
    """Smoothly clipped absolute deviation, ``gamma > 2``."""

    name: ClassVar[str] = "scad"
    kind: ClassVar[int] = kinds.SCAD

    concavity: float = 3.7

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.concavity > 2:
            raise SettingsError(f"gamma of SCAD must be greater than 2, got {self.concavity!r}")

    @property
    def gamma(self) -> float:
        """Concavity."""
        return float(self.concavity)

    def threshold(self, step: float = 1.0) -> float:
        """Largest ``|x|`` that the proximal operator sends to zero."""
        if step <= self.gamma + 1.0:
            return self.lam * step
        return self.lam * float(np.sqrt(step * (self.gamma + 1.0)))


PENALTIES: dict[str, type[Penalty]] = {"mcp": MCP, "l1": L1, "scad": SCAD, "l0": L0}


def penalty(name: str, lam: float, gamma: float | None = None) -> Penalty:
    """The penalty of that name."""
    if name not in PENALTIES:
        raise SettingsError(
            f"there is no penalty {name!r}{nearest_name(name, PENALTIES)} Known: "
            f"{', '.join(PENALTIES)}"
        )
    kind = PENALTIES[name]
    if gamma is None or kind in (L0, L1):
        return kind(lam)
    return kind(lam, gamma)  # type: ignore[call-arg]


def ebic_cost(n: np.ndarray, p: int, gamma: float) -> np.ndarray:
    """Price of an edge, in nats, under the extended BIC: ``0.5 log n + gamma log p``.

    ``gamma = 0`` is the BIC; ``gamma = 1`` also pays for the choice among p candidates and is
    consistent for any p growing polynomially in n (Chen and Chen, 2008; Foygel and Drton, 2010).
    """
    return np.asarray(0.5 * np.log(np.maximum(n, 1.0)) + gamma * np.log(max(p, 1)))
