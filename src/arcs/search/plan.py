"""What a search over orders is done with, whatever the statistics: price, moves, knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcs.data.checks import describe_columns
from arcs.data.gram import GramStatistics
from arcs.errors import DataError
from arcs.penalties import Ebic, Penalty
from arcs.scores.cholesky import CholeskyScore
from arcs.search.chain import Chain
from arcs.search.start import Start
from arcs.search.strategies import Pulls, Strategy

__all__ = ["Plan", "refuse_without_minimum"]

#: In units of sqrt(n), where all entries are zero at 1: a strength that hardly charges anything.
_WEAKEST = 0.01
#: A smaller eigenvalue of the correlation matrix: some column is a combination of others.
_DETERMINED = 1e-6


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything about a search but the statistics and the start.

    Parameters
    ----------
    penalty : Penalty
    strategy : Strategy
    ebic : float
        Where mechanisms differ between regimes: the parameter of the extended BIC at which changes
        are priced, and edges where the penalty does not count them.
    max_parents : int, optional
    allowed, required : ndarray of bool (p, p), optional
        Background knowledge.
    workers : int
        Threads.
    """

    penalty: Penalty
    strategy: Strategy
    ebic: float = 1.0
    max_parents: int | None = None
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None
    workers: int = 1

    @property
    def brief(self) -> Strategy:
        """What is enough where a search is followed by others: the last one is done in full."""
        strategy = self.strategy
        return replace(strategy, patience=1) if isinstance(strategy, Pulls) else strategy

    @property
    def edge_price(self) -> Penalty:
        """The price of an edge, also where the penalty charges the size of entries."""
        return self.penalty if self.penalty.counts_edges else Ebic(self.ebic)

    def score(self, statistics: GramStatistics) -> CholeskyScore:
        """The score of orders."""
        return CholeskyScore(
            statistics, self.penalty, self.max_parents, self.allowed, self.required
        )

    def chains(self, statistics: GramStatistics, starts: Sequence[Start]) -> list[Chain]:
        """One chain per start, all with the same score."""
        score = self.score(statistics)
        return [Chain(score, start.order, start.rng) for start in starts]


def refuse_without_minimum(statistics: GramStatistics, penalty: Penalty) -> None:
    """Refuse a continuous penalty that is next to nothing if columns determine each other.

    A column that others determine has no residual: its likelihood grows without bound, and with
    almost no charge for the way there, every step of the search finds something better, for ever.
    """
    if penalty.counts_edges or penalty.lam >= _WEAKEST * np.sqrt(statistics.n_rows):
        return
    values, vectors = np.linalg.eigh(statistics.gram(int(np.argmax(statistics.n))))
    if values[0] >= _DETERMINED:
        return
    involved = np.abs(vectors[:, 0]) > 0.1 * np.abs(vectors[:, 0]).max()
    listed = describe_columns([statistics.names[j] for j in np.flatnonzero(involved)])
    raise DataError(
        f"the columns {listed} determine each other, and lam={penalty.lam:g} charges next to "
        "nothing for using that: the score has no minimum. Leave one of them out, choose a lam of "
        f"at least {_WEAKEST * np.sqrt(statistics.n_rows):.2g}, or penalty='l0'."
    )
