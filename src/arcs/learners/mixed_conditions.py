"""Mixed tables whose means may differ between conditions.

Columns are numbers and indicators of levels (:mod:`arcs.scores.blocks`); the mean of an indicator
is the share of its level. As with numbers alone (:mod:`arcs.learners.conditions`) means that are
free are regressed out. There are two policies, ``common`` and ``free``, and ``auto`` takes the one
with the smaller price in nats: that of :mod:`arcs.regimes.shifts` for the columns, by the chain
rule

    log det S_uu.P = sum over the columns c of u of log S_cc.(P, columns of u before c),

and the price of the edges as the search pays it. Shifts of single means are not looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arcs.data import Dataset
from arcs.data.checks import describe_columns
from arcs.data.mixed import MixedData
from arcs.errors import DataError, SettingsError
from arcs.graphs import Pdag
from arcs.graphs.equivalence import consistent_extension
from arcs.learners.conditions import BEYOND_DOUBT, CONVINCING
from arcs.regimes.shifts import ShiftPrices

if TYPE_CHECKING:
    from arcs.learners.base import Learned
    from arcs.scores.blocks import Blocks  # not loaded by fits with the other score

__all__ = ["MixedFound", "learn_by_policy"]

#: Learns from a table; the second argument tells whether a checkpoint may be kept.
Learning = Callable[[MixedData, bool], "Learned"]


@dataclass(frozen=True, eq=False)
class MixedFound:
    """What was learned, from which rows, and how conditions were treated.

    Attributes
    ----------
    learned : Learned
    table : MixedData, with free means settled
    policy : str
        "common" or "free"; empty without conditions.
    totals : mapping of str to float
        The price in nats of each policy that was tried.
    """

    learned: Learned
    table: MixedData
    policy: str = ""
    totals: Mapping[str, float] = field(default_factory=dict)

    @property
    def dataset(self) -> Dataset:
        """The rows."""
        return self.table.dataset


def learn_by_policy(table: MixedData, score: str, gamma: float, learn: Learning) -> MixedFound:
    """Learn by the policy of the conditions of a table, if it has any."""
    conditions = table.dataset.conditions
    if conditions is not None and score != "degenerate-gaussian":
        if not conditions.implied:
            raise SettingsError(
                f"conditions: means are taken off columns, and mixed_score={score!r} has no "
                "columns for categories; leave mixed_score out, or take the column for a variable"
            )
        conditions = None
    if conditions is None:
        return MixedFound(learn(table, True), table)
    if conditions.policy in ("sparse", "mixed"):
        raise SettingsError(
            f"condition_policy={conditions.policy!r}: shifts of single means are not looked for "
            "beside categories; use 'auto', 'free' or 'common'"
        )
    task = _Task(table, gamma, learn)
    ways = {"common": task.common, "free": task.free, "auto": task.cheaper}
    return ways[conditions.policy]()


@dataclass(frozen=True, eq=False)
class _Task:
    """One table, two policies."""

    table: MixedData
    gamma: float
    learn: Learning

    def common(self) -> MixedFound:
        return MixedFound(self.learn(self.table, True), self.table, "common")

    def free(self) -> MixedFound:
        stuck = self.table.without_own_variation()
        if stuck:
            raise DataError(
                "condition_policy='free': some columns do not vary within conditions: "
                f"{describe_columns(stuck)}; leave them out, or use condition_policy='common'"
            )
        settled = replace(self.table, dataset=_with_free_means(self.table.dataset))
        return MixedFound(self.learn(settled, False), settled, "free")

    def cheaper(self) -> MixedFound:
        """Both, unless one of them is out of question."""
        if self.table.without_own_variation() or not self.prices.leaves_rows():
            return self.common()
        candidates = []
        if self._gain(np.zeros((self.table.p,) * 2, dtype=bool)) <= CONVINCING:
            candidates.append(self.common())
            if self._gain(_dag_of(candidates[0])) <= CONVINCING:
                return self._priced(candidates)
        candidates.append(self.free())
        if len(candidates) == 1 and self._gain(_dag_of(candidates[0])) < BEYOND_DOUBT:
            candidates.append(self.common())
        return self._priced(candidates)

    # ------------------------------------------------------------------ prices
    @cached_property
    def prices(self) -> ShiftPrices:
        return ShiftPrices(self._blocks.columns)

    @cached_property
    def _blocks(self) -> Blocks:
        from arcs.scores.blocks import Blocks

        return Blocks.of(self.table.dataset)

    def _gain(self, adjacency: np.ndarray) -> float:
        """Nats that free means are worth at a graph."""
        everything = self.prices.everything()
        columns = self._blocks.expanded(adjacency)
        return self.prices.nats(columns, ~everything) - self.prices.nats(columns, everything)

    def _priced(self, candidates: list[MixedFound]) -> MixedFound:
        """The cheapest candidate, with the totals of all."""
        totals = {found.policy: self._total(found) for found in candidates}
        start = {"common": CONVINCING}
        best = min(candidates, key=lambda f: totals[f.policy] - start.get(f.policy, 0.0))
        return replace(best, totals=totals)

    def _total(self, found: MixedFound) -> float:
        from arcs.scores.blocks import BlockScore

        adjacency, everything = _dag_of(found), self.prices.everything()
        shifts = everything if found.policy == "free" else ~everything
        edges = BlockScore(self._blocks, self.gamma).prices(adjacency)["price"]
        return self.prices.nats(self._blocks.expanded(adjacency), shifts) + edges


def _with_free_means(dataset: Dataset) -> Dataset:
    conditions = dataset.conditions
    assert conditions is not None
    every = np.ones((len(conditions.labels), dataset.p), dtype=bool)
    return dataset.with_conditions(conditions.settled(every))


def _dag_of(found: MixedFound) -> np.ndarray:
    graph = found.learned.graph
    return consistent_extension(graph) if isinstance(graph, Pdag) else np.asarray(graph)
