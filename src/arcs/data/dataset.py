"""The data set: rows or their sums, names, and the experimental design. Read-only."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.conditions import Conditions
from arcs.data.covariances import covariance_statistics
from arcs.data.covariates import with_indicators
from arcs.data.file_reading import file_parts
from arcs.data.frames import is_frame
from arcs.data.gram import GramStatistics
from arcs.data.interventions import Interventions
from arcs.data.lazy_tables import lazy_table
from arcs.data.moments import RowMoments
from arcs.data.parts import Parts
from arcs.data.reading import Reading, array_parts, frame_data, replaced
from arcs.data.transforms import AUTO, apply_transforms
from arcs.errors import DataError

if TYPE_CHECKING:
    from arcs.data.audit import Audit
    from arcs.tables import Table

__all__ = ["Dataset", "check_reading"]


class Dataset(RowMoments):
    """Observations of p variables, with names and interventions.

    Use one of the constructors: :meth:`from_array`, :meth:`from_frame`, :meth:`from_file`,
    :meth:`from_covariance`, or :meth:`of`, which recognises what it is given. Three policies say
    what happens to data that cannot be used as they are; by default they are refused:

    missing : {"error", "drop", "pairwise", "em", "level"}
        NaN and infinite values: refuse them, drop their rows, use correlations of the rows that
        two columns share (repaired to be positive definite), or the Gaussian maximum-likelihood
        covariance by EM. These two take all rows to follow one distribution, and are refused
        together with interventions. In columns of categories they can be a level of their own.
    constant : {"error", "isolate"}
        Columns that do not vary: refuse them, or keep each as an isolated node.
    unmeasured : {"error", "drop"}
        Intervention targets that are not columns: refuse them, or ignore them.

    Attributes
    ----------
    names : tuple of str
    values : ndarray of shape (n, p) or None
        The rows; ``None`` if only sums or a covariance are kept. With ``missing="pairwise"`` or
        ``"em"`` they may hold NaN.
    interventions : Interventions or None
        ``None`` for observational data.
    center : bool
        Whether means are removed.
    source : str
        Where the data came from, for reports.
    missing, constant : str
        The policies.
    profile : ColumnProfile or None
        What the columns looked like on the way in, before rows were dropped.
    unmeasured : mapping of str to int
        Intervention targets that were ignored, with their numbers of rows.
    covariates : Covariates or None
        What is regressed out of every variable.
    conditions : Conditions or None
        Groups of rows whose means may differ.
    set_aside : mapping of str to list
        Columns that were left out, for the audit.
    transform : tuple of str, "auto", or None
        The scale of each variable, if any was changed; "auto" is settled by the fit.
    levels : tuple or None
        Of each column of categories its levels (the values are codes), None of the others; None if
        there are no categories.
    cuts : mapping of str to list of float
        Where columns of numbers were cut into levels.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(6, 2))
    >>> data = Dataset.of(rows, names=["a", "b"], interventions=["", "", "a", "a", "b", "b"])
    >>> data.n, data.p, data.names
    (6, 2, ('a', 'b'))
    """

    # ------------------------------------------------------------------ constructors
    @classmethod
    def put_together(cls, parts: Parts) -> Dataset:
        """From its parts."""
        return cls(**vars(parts))

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        interventions: Any = None,
        names: Sequence[str] | None = None,
        exclude: Collection[str] = (),
        **reading: Any,
    ) -> Dataset:
        """Whatever people have: a Dataset, statistics, a frame, an array, a file's path, a pair
        ``(covariance, n)``, or a table that is read where it is: a folder or a pattern of Parquet
        files, a ``pyarrow`` dataset, a polars query, a DuckDB relation, a Dask data frame. How rows
        are read is in :class:`arcs.data.reading.Reading`."""
        if isinstance(data, Dataset | GramStatistics):
            if interventions is not None:
                raise DataError("the Dataset carries its own interventions; give them only once")
            if isinstance(data, Dataset):
                return data
            return cls(data.names, statistics=data, source="statistics")
        elsewhere = isinstance(data, str | os.PathLike) or lazy_table(data) is not None
        if names is not None and (elsewhere or is_frame(data)):
            raise DataError("the data have names of their own; names=... is for arrays")
        if elsewhere:
            return cls.from_file(data, interventions=interventions, exclude=exclude, **reading)
        if _is_covariance(data):
            return cls.from_covariance(data[0], data[1], names)
        if is_frame(data):
            return cls.from_frame(data, interventions=interventions, exclude=exclude, **reading)
        if exclude:
            raise DataError("exclude=... names columns of a frame or a file; an array has none")
        return cls.from_array(data, names, interventions=interventions, **reading)

    @classmethod
    def from_array(
        cls,
        values: Any,
        names: Sequence[str] | None = None,
        *,
        interventions: Any = None,
        source: str = "array",
        **reading: Any,
    ) -> Dataset:
        """From an n x p array; columns are called x0, x1, ... unless named.

        `reading` is what :class:`arcs.data.reading.Reading` holds: control, center, missing,
        constant, unmeasured, known_targets, adjust, conditions, condition_policy, transform.
        """
        return cls.put_together(
            array_parts(values, names, interventions, source, Reading.of(reading))
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        interventions: Any = None,
        exclude: Collection[str] = (),
        source: str = "data frame",
        **reading: Any,
    ) -> Dataset:
        """From a pandas, polars or other frame; interventions, covariates and conditions may name
        its columns. `reading` as in :meth:`from_array`."""
        wishes = Reading.of(reading)
        values, names, design, changes = frame_data(frame, interventions, exclude, wishes)
        return cls.put_together(
            array_parts(values, names, design, source, replaced(wishes, changes))
        )

    @classmethod
    def from_file(
        cls,
        path: Any,
        *,
        interventions: Any = None,
        exclude: Collection[str] = (),
        delimiter: str | None = None,
        in_memory: bool | None = None,
        chunk_rows: int = 65_536,
        **reading: Any,
    ) -> Dataset:
        """From a CSV, TSV or Parquet file (text may be gzipped), or a table as in :meth:`of`;
        `reading` as in :meth:`from_array`.

        With ``in_memory=False`` only sums per regime are kept: a table larger than memory is read
        in chunks of `chunk_rows` rows, once, with passes before that for levels of covariates,
        conditions and categories. That is the default for all but single files and categories.
        A Dask data frame is read on its workers, a partition at a time; only sums come back.
        """
        return cls.put_together(
            file_parts(
                path,
                interventions,
                Reading.of(reading),
                exclude=exclude,
                delimiter=delimiter,
                in_memory=in_memory,
                chunk_rows=chunk_rows,
            )
        )

    @classmethod
    def from_covariance(
        cls, covariance: Any, n: int, names: Sequence[str] | None = None
    ) -> Dataset:
        """From a covariance (or correlation) matrix of `n` rows."""
        statistics = covariance_statistics(covariance, n, names)
        return cls(statistics.names, statistics=statistics, source="covariance")

    def audit(self) -> Audit:
        """What is worth knowing about the data before anything is learned; computed once."""
        if self._audit is None:
            from arcs.data.audit import audit_dataset
            from arcs.data.category_audit import audit_categories

            self._audit = (audit_categories if self.discrete else audit_dataset)(self)
        return self._audit

    def groups(self) -> np.ndarray:
        """The regime of each row, regimes split by condition: within groups rows are alike."""
        regime = np.zeros(self.n, np.int64)
        if self.interventions is not None:
            regime = self.interventions.regime
        if self.conditions is None or self.conditions.implied or self.conditions.code is None:
            return regime
        pairs = regime * len(self.conditions.labels) + self.conditions.code
        return np.asarray(np.unique(pairs, return_inverse=True)[1].ravel())

    def codes(self) -> np.ndarray:
        """The rows of a table that holds nothing but categories, as positions of levels."""
        return np.asarray(self.values).astype(np.int64)

    def level_table(self) -> Table:
        """The levels of all columns of categories, with the rows in which they occur."""
        from arcs.data.profile import level_table

        return level_table(self)

    def take(self, rows: np.ndarray, *, constant: str | None = None) -> Dataset:
        """The data set of some rows (repetitions allowed), e.g. a bootstrap sample.

        `constant` replaces the policy for columns that do not vary: in fewer rows more may not.
        """
        if self.values is None:
            raise DataError("this data set holds sums only: rows cannot be drawn from it")
        values = self.values[rows]
        values.setflags(write=False)
        return self._with(
            values=values,
            interventions=None if self.interventions is None else self.interventions.take(rows),
            covariates=None if self.covariates is None else self.covariates.take(rows),
            conditions=None if self.conditions is None else self.conditions.take(rows),
            wide=None,
            pairs=None,
            profile=None,
            set_aside=None,
            unmeasured=None,
            constant=constant or self.constant,
        )

    def without_rows(self) -> Dataset:
        """The same with sums instead of rows, for fits elsewhere; as it is where rows are needed.

        They are if values are missing, scales are still open, covariates or conditions differ
        from row to row, or there are categories.
        """
        plain = self.conditions is None and self.covariates is None and self.transform != AUTO
        if self.values is None or self.incomplete or not plain or self.discrete:
            return self
        return self._with(values=None, wide=self.variable_sums(), set_aside=None)

    def counted_times(self, counts: np.ndarray, *, constant: str | None = None) -> Dataset:
        """The sums of rows that count so many times each: those of :meth:`take` without copies.

        What needs the rows themselves (incomplete ones, transforms that are yet to be chosen)
        cannot do with it.
        """
        if self.values is None or self.incomplete:
            raise DataError("complete rows are needed to count them: take() copies them instead")
        design, conditions = self.interventions, self.conditions
        regimes = (None, 1) if design is None else (design.regime, len(design.targets))
        covariates = self.covariates
        return self._with(
            values=None,
            wide=GramAccumulator.of_counted(self.wide_values(), counts, *regimes),
            covariates=None if covariates is None else replace(covariates, values=None),
            conditions=None if conditions is None else replace(conditions, code=None),
            pairs=None,
            profile=None,
            set_aside=None,
            unmeasured=None,
            constant=constant or self.constant,
        )

    def with_conditions(self, conditions: Conditions | None) -> Dataset:
        """The same rows with other conditions, or with free means settled."""
        if self._wide is not None and self.values is None and conditions is None:
            return self._with(conditions=None, wide=self._wide.select(np.arange(self.p)))
        wide = None if self.values is not None else self._wide
        return self._with(conditions=conditions, wide=wide)

    def without_interventions(self) -> Dataset:
        """The same rows as if nobody had intervened; conditions stay."""
        wide = self._wide if self.values is None else None
        if wide is not None and not (self.discrete and self.conditions is not None):
            wide = wide.joined()  # beside categories, regimes are what is known of conditions
        return self._with(interventions=None, wide=wide)

    def decided(self, preparation: Mapping[str, Any]) -> Dataset:
        """The same rows with what was decided in an earlier fit: transform, and conditions.

        Their policy is kept, and with "mixed" which conditions have means of their own.
        """
        kinds = preparation.get("transform", {}).get("kinds")
        data = self
        if self.transform == AUTO:
            data = self.transformed("none" if kinds is None else "normal-scores")
        record = preparation.get("conditions")
        if record is None or data.conditions is None:
            return data
        known = data.conditions.settled(None, record["policy"])
        if record["policy"] == "mixed":
            found = record.get("shifts", {})
            free = tuple(len(found.get(label, ())) == data.p for label in known.labels)
            known = replace(known, free=free)
        return data.with_conditions(known)

    def transformed(self, kind: str) -> Dataset:
        """The same rows with one transform for all variables, where that was left open."""
        if kind == "none" or self.values is None:
            return self._with(transform=None)
        code = None if self.conditions is None else self.conditions.code
        kinds = (kind,) * self.p
        values = apply_transforms(self.values, kinds, self.names, code)
        return self._with(values=values, transform=kinds, wide=None)

    def with_condition_columns(self, free: np.ndarray | None = None) -> Dataset:
        """The indicators of the conditions as variables, beside the others.

        Conditions that are `free` have means of their own and become covariates instead.
        """
        assert self.conditions is not None
        k, design = len(self.conditions.labels), self.interventions
        free = np.zeros(k, dtype=bool) if free is None else free
        kept, apart = np.flatnonzero(~free), np.flatnonzero(free)
        names = (*self.names, *(self.conditions.columns[r] for r in kept))
        if design is not None:
            design = Interventions(design.targets, design.regime, names, labels=design.labels)
        values, wide, indicators = None, None, None
        if self.values is not None:
            indicators = self.indicators()
            values = np.hstack([self.values, indicators[:, kept]])
            values.setflags(write=False)
            indicators = indicators[:, apart]
        else:
            further = np.arange(self.p + k, len(self.wide_names))
            order = np.concatenate([np.arange(self.p), self.p + kept, further, self.p + apart])
            wide = self.wide_sums().select(order)
        extra = [self.conditions.columns[r] for r in apart]
        return self._with(
            names=names,
            values=values,
            interventions=design,
            covariates=with_indicators(self.covariates, extra, indicators),
            conditions=None,
            wide=wide,
            constant="isolate",
            profile=None,
        )

    def _with(self, **changes: Any) -> Dataset:
        # Sums that were made meanwhile are kept; statistics are made anew.
        known: dict[str, Any] = {"wide": self._wide, "statistics": None}
        return Dataset.put_together(replace(self.parts, **{**known, **changes}))

    def __repr__(self) -> str:
        kind = "observational" if self.interventions is None else "experimental"
        return f"Dataset({self.n} rows, {self.p} columns, {kind}, from {self.source})"


def _is_covariance(data: Any) -> bool:
    """Whether `data` is a pair of a covariance matrix and a number of rows."""
    return isinstance(data, tuple) and len(data) == 2 and np.ndim(data[1]) == 0


#: What `fit` passes on to the reading of rows.
READING_WISHES = (
    *("exclude", "missing", "constant", "unmeasured"),
    *("adjust", "conditions", "condition_policy", "transform", "discrete", "discretize"),
)


def check_reading(data: Any, reading: Mapping[str, Any]) -> None:
    """Refuse wishes that are not about reading rows, or if `data` are not rows any more."""
    for name in reading:
        if name not in READING_WISHES:
            raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
    if reading and (isinstance(data, Dataset | GramStatistics) or _is_covariance(data)):
        raise DataError(
            f"{', '.join(sorted(reading))}: this is about reading rows, but these data were read "
            "before; say it where they were"
        )
