"""How a node's mechanism may differ between regimes, as values.

============  =====================================================================================
:class:`Hard`     rows in which a node was set say nothing of its parents and are left out
:class:`Soft`     it keeps its parents, but its noise (or its coefficients) differ there
:class:`Unknown`  rows carry labels of conditions only, and what they changed is found out
============  =====================================================================================

A value answers what a search has to know: whether labels name targets (`knows_targets`), which
statistics it starts with, how many `starts` it needs, and what has to be settled about the
mechanisms before the last search (:meth:`RegimeKind.settle`). Users write the word; this is the
only place where it is looked up. A further kind is a further class in :data:`KINDS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcs.data import Dataset, GramStatistics, Interventions
from arcs.data.counting import count_rows
from arcs.errors import DataError, SettingsError
from arcs.progress import Watch
from arcs.regimes.alternation import Alternation, Settled
from arcs.regimes.changes import Change
from arcs.regimes.moments import RegimeMoments
from arcs.regimes.targets import TargetFinder
from arcs.search import Chain, Fixed, Plan, Start, Strategy

__all__ = ["KINDS", "Ground", "Hard", "RegimeKind", "Soft", "Unknown", "regime_kind"]


@dataclass(frozen=True, eq=False)
class Ground:
    """What the last search stands on, and what can be said about the regimes afterwards.

    Attributes
    ----------
    statistics : GramStatistics
        What orders are scored with.
    starts : sequence of Start
    strategy : Strategy
        What is left to be searched.
    """

    statistics: GramStatistics
    starts: Sequence[Start]
    strategy: Strategy

    def trace(self, best: Chain) -> dict[str, np.ndarray]:
        """The search, step by step."""
        return best.trace()

    def explain(
        self, adjacency: np.ndarray, gamma: float
    ) -> tuple[tuple[Change, ...], GramStatistics | None]:
        """The changed mechanisms of a graph, unknown targets at ``gamma log p``.

        And the statistics that its coefficients are fitted to, if not those of the data.
        """
        return (), None


@dataclass(frozen=True, eq=False)
class SettledGround(Ground):
    """Mechanisms have been found by alternation; the order is scored once more, and stays."""

    settled: Settled
    alternation: Alternation

    def trace(self, best: Chain) -> dict[str, np.ndarray]:
        """The search that the mechanisms came from."""
        return self.settled.chain.trace()

    def explain(
        self, adjacency: np.ndarray, gamma: float
    ) -> tuple[tuple[Change, ...], GramStatistics]:
        """The mechanisms of the graph, chosen anew."""
        alternation = self.alternation.at_price(gamma)
        nodes = alternation.finder.graph(adjacency)
        statistics = alternation.statistics(adjacency, nodes, translate=False)
        return alternation.changes(adjacency, nodes), statistics


class RegimeKind(ABC):
    """How mechanisms may differ between regimes."""

    #: What users write.
    word: ClassVar[str]
    #: Whether labels of rows name targets, rather than conditions.
    knows_targets: ClassVar[bool] = True
    #: Whether rows in which a variable was set are left out of its own regression.
    excludes_rows: ClassVar[bool] = False
    #: Whether searches alternate with the estimation of mechanisms.
    alternates: ClassVar[bool] = True
    #: Fewest starts.
    starts: ClassVar[int] = 1

    @abstractmethod
    def statistics(self, dataset: Dataset) -> GramStatistics:
        """The statistics that a search starts with; data that cannot tell are refused."""

    @abstractmethod
    def settle(
        self,
        dataset: Dataset | None,
        statistics: GramStatistics,
        plan: Plan,
        starts: Sequence[Start],
        watch: Watch,
    ) -> Ground:
        """What has to be found out about the mechanisms before the last search."""


class Hard(RegimeKind):
    """Interventions cut a variable off from its parents."""

    word: ClassVar[str] = "hard"
    excludes_rows: ClassVar[bool] = True
    alternates: ClassVar[bool] = False

    def statistics(self, dataset: Dataset) -> GramStatistics:
        """Statistics of the rows in which each variable was not set."""
        if dataset.interventions is not None and dataset.interventions.labels is not None:
            raise DataError(
                "the regimes of the data have labels, but their targets are not known: choose "
                "intervention_kind='unknown' to find them"
            )
        return dataset.statistics()

    def settle(
        self,
        dataset: Dataset | None,
        statistics: GramStatistics,
        plan: Plan,
        starts: Sequence[Start],
        watch: Watch,
    ) -> Ground:
        """Nothing: the rows that count are known."""
        return Ground(statistics, starts, plan.strategy)


class _Alternating(RegimeKind):
    """Kinds whose mechanisms are estimated, in turn with the structure."""

    #: Rows without which a regime tells nothing about a variance, or about its targets.
    fewest_rows: ClassVar[int]
    #: What the data have to come with.
    needed: ClassVar[str]

    def statistics(self, dataset: Dataset) -> GramStatistics:
        """Statistics of all rows alike."""
        self.design(dataset)
        return dataset.pooled_statistics()

    def settle(
        self,
        dataset: Dataset | None,
        statistics: GramStatistics,
        plan: Plan,
        starts: Sequence[Start],
        watch: Watch,
    ) -> SettledGround:
        """Mechanisms and structure in turn, until both are settled."""
        if dataset is None:
            raise DataError(
                f"intervention_kind={self.word!r} needs the rows of each regime, not statistics "
                "of all of them"
            )
        price = plan.edge_price
        finder = self.finder(dataset, lambda n: float(price.costs(n, statistics.p)), plan.ebic)
        alternation = Alternation(dataset, finder, plan)
        settled = alternation.run(statistics, starts, watch)
        translated = alternation.statistics(settled.adjacency, settled.nodes, translate=True)
        last = [Start(settled.order, settled.chain.rng)]
        return SettledGround(translated, last, Fixed(), settled, alternation)

    def design(self, dataset: Dataset) -> Interventions:
        """The design of the data, refused if it cannot answer what this kind asks.

        Raises
        ------
        DataError
            If the data have no regimes, only a covariance, unknown targets where known ones are
            needed, or a regime with too few rows.
        """
        design = dataset.interventions
        if design is None:
            raise DataError(
                f"intervention_kind={self.word!r} needs interventions=... with {self.needed}; the "
                "data are observational"
            )
        if not dataset.has_rows:
            raise DataError(f"intervention_kind={self.word!r} needs rows, not a covariance")
        if self.knows_targets and design.labels is not None:
            raise DataError(
                f"intervention_kind={self.word!r} needs to know the targets; the regimes have "
                "labels only (intervention_kind='unknown' finds the targets)"
            )
        self._refuse_few_rows(dataset, design)
        return design

    def _refuse_few_rows(self, dataset: Dataset, design: Interventions) -> None:
        if not dataset.n:
            raise DataError(f"intervention_kind={self.word!r} compares regimes, but no row is left")
        n = dataset.sums().table().n
        if len(n) < 2:
            raise DataError(
                f"intervention_kind={self.word!r} compares regimes, but all {int(n.sum())} rows "
                f"belong to one ({design.label(0)!r})"
            )
        small = np.flatnonzero((n < self.fewest_rows) & ~design.observational)
        if small.size:
            r = int(small[0])
            more = f" ({small.size} regimes are as small)" if small.size > 1 else ""
            raise DataError(
                f"regime {design.label(r)!r} has {int(n[r])} rows{more}; "
                f"intervention_kind={self.word!r} needs at least {self.fewest_rows} to see what "
                "changed. Leave it out, join it with another, or use intervention_kind='hard' if "
                "the targets are known."
            )

    def finder(
        self, dataset: Dataset, edge_price: Callable[[float], float], gamma: float = 1.0
    ) -> TargetFinder:
        """What finds the mechanisms of the regimes, unknown targets at ``gamma log p``."""
        design, sums = self.design(dataset), dataset.sums()
        counted = count_rows(sums, design.targets, pooled=True)
        return TargetFinder(
            RegimeMoments(sums),
            edge_price,
            self.candidates(design, sums.table().n),
            known=self.knows_targets,
            learnable=np.asarray(counted.weights.any(axis=1)),
            gamma=gamma,
            center=dataset.center,
        )

    @abstractmethod
    def candidates(self, design: Interventions, n: np.ndarray) -> np.ndarray:
        """Where a node's mechanism may differ, (p, regimes), for `n` rows per regime."""


class Soft(_Alternating):
    """Interventions change a variable's noise or its coefficients; targets are known."""

    word: ClassVar[str] = "soft"
    fewest_rows: ClassVar[int] = 3
    needed: ClassVar[str] = "targets"

    def candidates(self, design: Interventions, n: np.ndarray) -> np.ndarray:
        """The targets; of a node that is one everywhere, the longest regime is what others are
        compared to."""
        candidates = design.regime_mask.T.copy()
        always = np.flatnonzero(candidates.all(axis=1))
        candidates[always, int(np.argmax(n))] = False
        return np.asarray(candidates)


class Unknown(_Alternating):
    """Rows carry labels of conditions; which variables they changed, and how, is found out."""

    word: ClassVar[str] = "unknown"
    knows_targets: ClassVar[bool] = False
    #: The total price has many local minima here.
    starts: ClassVar[int] = 6
    fewest_rows: ClassVar[int] = 5
    needed: ClassVar[str] = "a label per row"

    def candidates(self, design: Interventions, n: np.ndarray) -> np.ndarray:
        """All nodes, in all regimes but the observational one."""
        return np.tile(~design.observational, (len(design.names), 1))


#: The kinds by the words that users write.
KINDS: Mapping[str, RegimeKind] = {kind.word: kind for kind in (Hard(), Soft(), Unknown())}


def regime_kind(word: str) -> RegimeKind:
    """The kind of that word."""
    if word not in KINDS:
        raise SettingsError(f"intervention_kind must be one of {', '.join(KINDS)}, got {word!r}")
    return KINDS[word]
