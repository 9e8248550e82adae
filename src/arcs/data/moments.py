"""What a data set knows of its rows: sums per regime, and the statistics that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.checks import (
    check_choice,
    describe_columns,
    refuse_missing,
    refuse_vanishing,
    refuse_vanishing_rows,
)
from arcs.data.counting import FEWEST_ROWS, CountedRows, count_rows, refuse_constant
from arcs.data.elimination import (
    NOTHING,
    REPAIRED,
    CovariateShares,
    covariate_shares,
    eliminate,
    residual_sums,
)
from arcs.data.gram import GramStatistics
from arcs.data.missing import PairwiseSums, RepairedCovariance, em_covariance
from arcs.data.parts import Parts
from arcs.data.policies import KEEP
from arcs.errors import DataError

if TYPE_CHECKING:
    from arcs.data.audit import Audit

__all__ = ["RowMoments"]


class RowMoments:
    """Rows or their sums, by role: variables, indicators of conditions, covariates.

    The base of :class:`arcs.data.Dataset`, which describes its
    :class:`~arcs.data.parts.Parts`.
    """

    def __init__(self, names: Sequence[str], **known: Any) -> None:
        self.parts = parts = Parts(names, **known)
        design = parts.interventions
        self.names = tuple(parts.names)
        self.values = parts.values
        self.interventions = design if design is not None and design.experimental else None
        self.center = parts.center
        self.source = parts.source
        self.missing = parts.missing
        # "drop" is the word of version 0.1.0.
        word = "isolate" if parts.constant == "drop" else parts.constant
        self.constant = check_choice("constant", word, ("error", "isolate"))
        self.unmeasured = dict(parts.unmeasured or {})
        self.profile = parts.profile
        self.covariates = parts.covariates
        self.conditions = parts.conditions
        self.transform = parts.transform
        self.levels = parts.levels
        self.cuts = dict(parts.cuts or {})
        self.set_aside = dict(parts.set_aside or {})
        self._wide = parts.wide
        self._sums: GramAccumulator | None = None
        self._residual_sums: GramAccumulator | None = None
        self._pairs = parts.pairs
        self._statistics = parts.statistics
        self._counted: CountedRows | None = None
        self._repaired: RepairedCovariance | None = None
        self._audit: Audit | None = None

    # ------------------------------------------------------------------ views
    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n(self) -> int:
        """Number of rows that are used."""
        if self.values is not None:
            return int(self.values.shape[0])
        if self._pairs is not None:
            return self._pairs.rows
        return self._wide.n if self._wide is not None else self.statistics().n_rows

    @property
    def discrete(self) -> tuple[str, ...]:
        """Names of the columns that hold categories."""
        own = self.levels or ()
        return tuple(name for name, levels in zip(self.names, own, strict=False) if levels)

    @property
    def has_rows(self) -> bool:
        """Whether rows or their sums are known, rather than a covariance only."""
        return self.values is not None or self._wide is not None

    @property
    def incomplete(self) -> bool:
        """Whether some of the rows that are used have missing values."""
        if self.missing not in ("pairwise", "em", KEEP):
            return False
        if self._pairs is not None:
            return True
        return self.values is not None and not np.isfinite(self.values).all()

    # ------------------------------------------------------------------ sums
    def variable_sums(self) -> GramAccumulator:
        """Means and cross-products of the variables per regime, over complete rows, as they are."""
        if self._sums is None:
            if self._wide is not None:
                whole = self._wide.p == self.p
                self._sums = self._wide if whole else self._wide.select(np.arange(self.p))
            elif self.values is not None:
                self._sums = self._summed(self.values)
            else:
                raise DataError("this data set holds a covariance only, not rows")
        return self._sums

    def sums(self) -> GramAccumulator:
        """The same after covariates, and means that are free in all variables, are taken off."""
        everywhere = np.flatnonzero(self.eliminated().all(axis=0)) + self.p
        if not everywhere.size:
            return self.variable_sums()
        if self._residual_sums is None:
            self._residual_sums = residual_sums(self.wide_sums(), self.p, everywhere)
        return self._residual_sums

    def residual_values(self) -> np.ndarray:
        """The rows that belong to :meth:`sums`, up to a constant: what was taken off is off."""
        values = np.asarray(self.values)
        everywhere = np.flatnonzero(self.eliminated().all(axis=0)) + self.p
        if not everywhere.size:
            return values
        design = self.wide_values()[:, everywhere]
        design = design - design.mean(axis=0)
        slopes = np.linalg.lstsq(design, values - values.mean(axis=0), rcond=None)[0]
        return np.asarray(values - design @ slopes)

    def _summed(self, values: np.ndarray) -> GramAccumulator:
        design = self.interventions
        regime = None if design is None else design.regime
        if self.incomplete:
            complete = np.isfinite(values).all(axis=1)
            values, regime = values[complete], None if regime is None else regime[complete]
        sums = GramAccumulator(values.shape[1], 1 if design is None else len(design.targets))
        sums.add(values, regime)
        return sums

    def wide_values(self) -> np.ndarray:
        """Rows of the variables, the indicators of conditions, and the covariates."""
        assert self.values is not None
        blocks = [self.values]
        if self.conditions is not None:
            blocks.append(self.indicators())
        if self.covariates is not None and self.covariates.values is not None:
            blocks.append(self.covariates.values)
        return np.hstack(blocks)

    def indicators(self) -> np.ndarray:
        """A column of 0 and 1 per condition.

        With incomplete rows that of the largest is left blank: that all of them add up to one
        holds only nearly for covariances of different rows, and what is left would be noise.
        """
        assert self.conditions is not None
        assert self.conditions.code is not None
        columns = self.conditions.indicators()
        if self.incomplete:
            columns[:, int(np.argmax(columns.sum(axis=0)))] = 0.0
        return columns

    @property
    def wide_names(self) -> tuple[str, ...]:
        """Names of the columns of :meth:`wide_values`."""
        conditions = () if self.conditions is None else self.conditions.columns
        covariates = () if self.covariates is None else self.covariates.columns
        return (*self.names, *conditions, *covariates)

    def wide_sums(self) -> GramAccumulator:
        """Means and cross-products of all columns per regime."""
        width = len(self.wide_names)
        if self._wide is None:
            self._wide = self._summed(self.wide_values())
        elif self._wide.p < width:
            # Only regimes are known of the rows of a file: they are the conditions.
            assert self.conditions is not None
            regimes = np.eye(len(self.conditions.labels))
            c = 0 if self.covariates is None else len(self.covariates.columns)
            self._wide = self._wide.extended(regimes, before=self._wide.p - c)
        return self._wide

    def condition_rows(self) -> np.ndarray:
        """Rows of each condition that count for each variable: (conditions, p)."""
        assert self.conditions is not None
        k, design = len(self.conditions.labels), self.interventions
        counts = np.ones((1, self.p)) if design is None else ~design.regime_mask
        regimes = len(counts)
        if self.conditions.code is not None:
            regime = 0 if design is None else design.regime
            table = np.bincount(self.conditions.code * regimes + regime, minlength=k * regimes)
            return np.asarray(table.reshape(k, regimes) @ counts.astype(float))
        sums = self.wide_sums()
        share = sums.table().mean[:, self.p : self.p + k] + sums.shift[self.p : self.p + k]
        return np.asarray(np.rint((share * sums.table().n[:, None]).T) @ counts.astype(float))

    def eliminated(self) -> np.ndarray:
        """Which of the further columns are regressed out of which variable: (p, columns)."""
        blocks = []
        if self.conditions is not None:
            free = self.conditions.shifts
            none = np.zeros((self.p, len(self.conditions.labels)), dtype=bool)
            blocks.append(none if free is None else np.asarray(free, dtype=bool).T)
        if self.covariates is not None:
            blocks.append(np.ones((self.p, len(self.covariates.columns)), dtype=bool))
        return np.hstack(blocks) if blocks else np.zeros((self.p, 0), dtype=bool)

    @property
    def _experimental(self) -> bool:
        return self.interventions is not None and self.interventions.experimental

    @property
    def adjusted(self) -> bool:
        """Whether anything is regressed out of the variables."""
        return bool(self.eliminated().any())

    def counted(self) -> CountedRows:
        """Which rows count for which node."""
        if self._counted is None:
            targets = ((),) if self.interventions is None else self.interventions.targets
            self._counted = count_rows(self.variable_sums(), targets)
        return self._counted

    def repaired(self) -> RepairedCovariance:
        """The covariance of incomplete rows (all columns), by the policy of the data set."""
        if self._repaired is None:
            if self.missing == KEEP and self.values is not None:
                refuse_missing(self.values, self.names, only_drop=self._experimental)
            if self.missing == "em" and self.values is not None:
                self._repaired = em_covariance(self.wide_values(), self.wide_names)
            else:
                self._repaired = self._pair_sums().covariance(self.wide_names)
        return self._repaired

    def _pair_sums(self) -> PairwiseSums:
        if self._pairs is not None:
            return self._pairs
        pairs = PairwiseSums(len(self.wide_names))
        pairs.add(self.wide_values())
        return pairs

    # ------------------------------------------------------------------ statistics
    def statistics(self) -> GramStatistics:
        """Gram statistics in which hard interventions exclude the rows; computed once.

        Covariates and free means of conditions are regressed out.

        Raises
        ------
        DataError
            If there are fewer than 3 rows, or a column does not vary in the rows that count.
        """
        if self._statistics is None:
            self.refuse_categories("this")
            self._refuse_few_rows()
            self._statistics = (
                self._incomplete_statistics() if self.incomplete else self._gram(pooled=False)
            )
        return self._statistics

    def pooled_statistics(self) -> GramStatistics:
        """Gram statistics of all rows alike, for methods that know nothing of interventions."""
        if self.interventions is None:
            return self.statistics()
        self._refuse_few_rows()
        return self._gram(pooled=True)

    def refuse_categories(self, who: str) -> None:
        """Refuse tables with categories where columns are taken for numbers."""
        if self.discrete:
            raise DataError(
                f"{who} works on columns of numbers, and {len(self.discrete)} columns hold "
                f"categories: {describe_columns(self.discrete)}. The methods 'arcs', 'ges', "
                "'gies', 'hc', 'mmhc' and 'pc' take them; otherwise leave them out."
            )

    def refuse_holes(self) -> None:
        """Refuse rows with missing values, which an audit may look at."""
        if self.values is not None and not np.isfinite(self.values).all():
            refuse_missing(self.values, self.names, only_drop=self._experimental)

    def _refuse_few_rows(self) -> None:
        if self.n < FEWEST_ROWS:
            dropped = ""
            if self.profile is not None and self.profile.rows > self.n:
                dropped = f" after {self.profile.rows - self.n} with missing values were dropped"
            raise DataError(
                f"at least {FEWEST_ROWS} rows are needed, the data have {self.n}{dropped} "
                f"(n_samples={self.n})"
            )

    def _gram(self, *, pooled: bool) -> GramStatistics:
        targets = ((),) if self.interventions is None else self.interventions.targets
        sums = self.variable_sums()
        counted = count_rows(sums, targets, pooled=True) if pooled else self.counted()
        if self.constant == "error":
            refuse_constant(self.names, counted.constant, counted.fixed)
        refuse_vanishing(self.names, sums.spread())
        adjusted = self.adjusted
        statistics = GramStatistics.from_accumulator(
            self.wide_sums() if adjusted else sums,
            self.wide_names if adjusted else self.names,
            targets=((),) if pooled else targets,
            weights=counted.weights,
            center=self.center,
        )
        if adjusted:
            statistics = self._eliminate(statistics, NOTHING)
        _refuse_tiny(statistics)
        return statistics

    def _incomplete_statistics(self) -> GramStatistics:
        if self.values is not None:
            refuse_vanishing_rows(self.names, self.values)
        found = self.repaired()
        if self.constant == "error":
            flat = np.flatnonzero(np.diag(found.covariance)[: self.p] <= 0)
            refuse_constant(self.names, flat.tolist(), ())
        statistics = GramStatistics.from_covariance(
            found.covariance, found.n, self.wide_names, found.mean, n_rows=self.n
        )
        if len(self.wide_names) > self.p:
            statistics = self._eliminate(statistics, REPAIRED)
        _refuse_tiny(statistics)
        return statistics

    def covariate_shares(self) -> CovariateShares:
        """How much of the variables' variance the covariates explain, over all rows alike."""
        assert self.covariates is not None
        if self.incomplete:
            found = self.repaired()
            wide = GramStatistics.from_covariance(
                found.covariance, found.n, self.wide_names, found.mean, n_rows=self.n
            )
        else:
            sums = self.wide_sums()
            weights = np.ones((self.p, len(sums.regimes)))
            wide = GramStatistics.from_accumulator(
                sums, self.wide_names, weights=weights, center=self.center
            )
        first = len(self.wide_names) - len(self.covariates.columns)
        return covariate_shares(wide, self.p, first, self.covariates.term)

    def _eliminate(self, wide: GramStatistics, tolerance: float) -> GramStatistics:
        refuse = self.constant == "error"
        return eliminate(wide, self.names, self.eliminated(), refuse=refuse, tolerance=tolerance)


def _refuse_tiny(statistics: GramStatistics) -> None:
    """Refuse columns that hardly vary in the rows that count for some node."""
    norms = statistics.norms.min(axis=0)
    refuse_vanishing(statistics.names, np.maximum(norms, np.finfo(np.float64).tiny))
