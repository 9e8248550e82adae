"""What an edge needs to be in an answer: a price that it has to pay, or the level of a test.

An edge x -> y is kept if leaving x out of the k parents of y raises the residual sum of squares
by a factor of more than exp(2 c / n), c being its price in nats. As a statistic of the coefficient
that is T^2 > df (exp(2 c / n) - 1), df = n - k - 1. The price is that of the extended BIC,
c = 1/2 log n + g log p (more where rows are few, :mod:`arcs.few_rows`), or a number; where edges
must also explain a share r of the variance that is left, at least -n/2 log(1 - r). Where the data
chose a level a instead, |T| has to exceed the quantile of Student's distribution.

The rule that was in force is kept with a result, in the record of its penalty: here it is written
and read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.errors import SettingsError
from arcs.few_rows import with_few_rows
from arcs.lazily import Lazily

__all__ = ["EdgeRule"]

special = Lazily("scipy.special")

#: What a record says in place of a price if the data chose a level.
_CHOSEN = "adaptive"


@dataclass(frozen=True)
class EdgeRule:
    """When an edge is kept.

    Attributes
    ----------
    ebic : float
        g of the price 1/2 log n + g log p.
    level : float, optional
        Level of the test that decides instead of a price.
    price : float, optional
        A price in nats, in place of that of the extended BIC.
    least_share : float
        Share of its head's remaining variance that an edge must explain, whatever its price.

    Examples
    --------
    >>> from arcs.edge_rule import EdgeRule
    >>> round(EdgeRule(ebic=1.0).limit(100, p=20, n_parents=1), 2)
    3.31
    >>> EdgeRule.from_record({"final_ebic": "adaptive", "final_level": 0.001}).level
    0.001
    """

    ebic: float = 1.5
    level: float | None = None
    price: float | None = None
    least_share: float = 0.0

    def __post_init__(self) -> None:
        if self.level is not None and not 0 < self.level < 1:
            raise SettingsError(f"level must lie between 0 and 1, got {self.level!r}")

    def limit(self, n: float, p: int, n_parents: int) -> float:
        """What the statistic |T| of an edge has to exceed, with `n` rows and `p` variables."""
        degrees = n - n_parents - 1
        if self.level is not None:
            return float(special.stdtrit(degrees, 1 - self.level / 2))
        price = self.price
        if price is None:
            usual = np.asarray(0.5 * np.log(n) + self.ebic * np.log(max(p, 2)))
            price = float(with_few_rows(usual, np.asarray(n, dtype=np.float64), p))
        price = max(price, -0.5 * n * np.log1p(-self.least_share))
        return float(np.sqrt(degrees * np.expm1(2 * price / n)))

    def record(self) -> dict[str, Any]:
        """What a result notes about a level or a price of the extended BIC in its answer."""
        if self.level is not None:
            return {"final_ebic": _CHOSEN, "final_level": self.level}
        return {"final_ebic": self.ebic}

    @classmethod
    def from_record(cls, penalty: Mapping[str, Any]) -> EdgeRule:
        """The rule that a result's record of its penalty speaks of, or the usual one."""
        final = penalty.get("final_ebic")
        share = float(penalty.get("min_r2", 0.0))
        if final is None:
            counted = penalty.get("kind") == "l0" and penalty.get("lam") is not None
            return cls(price=float(penalty["lam"])) if counted else cls()
        if final == _CHOSEN:
            return cls(level=penalty.get("final_level"))
        return cls(ebic=float(final), least_share=share)
