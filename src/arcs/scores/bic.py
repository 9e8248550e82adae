"""The Gaussian BIC, shared by every score-based learner.

For a node v with parents S and n_v rows that count,

    score(v | S) = 2 log L(v | S) - c |S| log n_v,

with c = 1 the usual BIC: larger is better. It depends on the data only through the residual
variance share of v given S, and is the same for Markov-equivalent DAGs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.errors import SettingsError
from arcs.lazily import Lazily

if TYPE_CHECKING:
    from arcs.kernels.statistics import Stats

__all__ = ["GaussianBic"]

regression = Lazily("arcs.kernels.regression")


@dataclass(frozen=True, eq=False)
class GaussianBic:
    """Gaussian BIC on Gram statistics.

    Parameters
    ----------
    statistics : GramStatistics
    penalty : float
        The factor c.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> score = GaussianBic(drawn.data.statistics())
    >>> empty = score.total(drawn.truth.adjacency & False)
    >>> score.total(drawn.truth.adjacency) > empty  # larger is better
    True
    """

    statistics: GramStatistics
    penalty: float = 1.0

    def __post_init__(self) -> None:
        if not self.penalty >= 0:
            raise SettingsError(f"penalty must be at least 0, got {self.penalty!r}")

    @property
    def kernel(self) -> Stats:
        """The statistics as kernels see them."""
        return self.statistics.kernel

    @property
    def max_parents(self) -> np.ndarray:
        """The most parents of each node: with more it is fitted exactly, and that means nothing."""
        most = np.minimum(self.statistics.p - 1, np.maximum(self.statistics.n - 2, 0))
        return np.asarray(most, dtype=np.int64)

    def describe(self) -> dict[str, Any]:
        """Kind and parameters, for the record."""
        return {"kind": "bic", "c": self.penalty}

    def node(self, v: int, parents: Sequence[int] | np.ndarray) -> float:
        """Score of one node given its parents."""
        n = float(self.statistics.n[v])
        if n == 0:
            return 0.0
        columns = np.asarray(parents, dtype=np.int64)
        k = len(columns)
        share = regression.residual_variance(
            self.statistics.kernel, v, columns, k, np.empty((k + 1, k + 1)), np.empty(k + 1)
        )
        variance = share * self.statistics.norm(v)[v] ** 2 / n
        return float(-n * (np.log(2 * np.pi * variance) + 1.0) - self.penalty * k * np.log(n))

    def total(self, adjacency: np.ndarray) -> float:
        """Score of a DAG."""
        p = self.statistics.p
        return sum((self.node(v, np.flatnonzero(adjacency[:, v])) for v in range(p)), 0.0)
