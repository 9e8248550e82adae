"""The data set: rows or their sums, names, and the experimental design. Read-only."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.checks import (
    check_choice,
    check_names,
    check_size,
    describe_columns,
    matrix_of,
    refuse_missing,
)
from arcs.data.counting import FEWEST_ROWS, CountedRows, count_rows, refuse_constant
from arcs.data.covariances import covariance_statistics
from arcs.data.design import recognise_design
from arcs.data.frames import frame_parts, is_frame
from arcs.data.gram import GramStatistics
from arcs.data.interventions import Interventions
from arcs.data.missing import PairwiseSums, RepairedCovariance, em_covariance
from arcs.data.policies import KEEP, check_policies, no_holes_in_experiments, settle_missing
from arcs.data.profile import ColumnProfile
from arcs.data.readers import column_position, open_table
from arcs.data.streaming import stream
from arcs.errors import DataError

if TYPE_CHECKING:
    from arcs.data.audit import Audit

__all__ = ["Dataset", "check_reading"]


class Dataset:
    """Observations of p variables, with names and interventions.

    Use one of the constructors: :meth:`from_array`, :meth:`from_frame`, :meth:`from_file`,
    :meth:`from_covariance`, or :meth:`of`, which recognises what it is given. Three policies say
    what happens to data that cannot be used as they are; by default they are refused:

    missing : {"error", "drop", "pairwise", "em"}
        NaN and infinite values: refuse them, drop their rows, use correlations of the rows that
        two columns share (repaired to be positive definite), or the Gaussian maximum-likelihood
        covariance by EM. The last two take all rows to follow one distribution, and are refused
        together with interventions.
    constant : {"error", "drop"}
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
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        values: np.ndarray | None = None,
        interventions: Interventions | None = None,
        sums: GramAccumulator | None = None,
        pairs: PairwiseSums | None = None,
        statistics: GramStatistics | None = None,
        profile: ColumnProfile | None = None,
        unmeasured: Mapping[str, int] | None = None,
        center: bool = True,
        source: str = "array",
        missing: str = "error",
        constant: str = "error",
    ) -> None:
        self.names = tuple(names)
        self.values = values
        design = interventions
        self.interventions = design if design is not None and design.experimental else None
        self.center = center
        self.source = source
        self.missing = missing
        self.constant = check_choice("constant", constant, ("error", "drop"))
        self.unmeasured = dict(unmeasured or {})
        self.profile = profile
        self._sums = sums
        self._pairs = pairs
        self._statistics = statistics
        self._counted: CountedRows | None = None
        self._repaired: RepairedCovariance | None = None
        self._audit: Audit | None = None

    # ------------------------------------------------------------------ constructors
    @classmethod
    def of(
        cls,
        data: Any,
        *,
        interventions: Any = None,
        names: Sequence[str] | None = None,
        control: str | None = None,
        exclude: Collection[str] = (),
        center: bool = True,
        missing: str = "error",
        constant: str = "error",
        unmeasured: str = "error",
        known_targets: bool = True,
    ) -> Dataset:
        """Whatever people have: a Dataset, statistics, a frame, an array, a file's path, or a
        pair ``(covariance, n)``."""
        if isinstance(data, Dataset | GramStatistics):
            if interventions is not None:
                raise DataError("the Dataset carries its own interventions; give them only once")
            if isinstance(data, Dataset):
                return data
            return cls(data.names, statistics=data, source="statistics")
        policies: dict[str, Any] = {
            "center": center,
            "missing": missing,
            "constant": constant,
            "unmeasured": unmeasured,
            "known_targets": known_targets,
        }
        design = {"interventions": interventions, "control": control}
        if names is not None and (isinstance(data, str | os.PathLike) or is_frame(data)):
            raise DataError("the data have names of their own; names=... is for arrays")
        if isinstance(data, str | os.PathLike):
            return cls.from_file(data, exclude=exclude, **design, **policies)
        if _is_covariance(data):
            return cls.from_covariance(data[0], data[1], names)
        if is_frame(data):
            return cls.from_frame(data, exclude=exclude, **design, **policies)
        if exclude:
            raise DataError("exclude=... names columns of a frame or a file; an array has none")
        return cls.from_array(data, names, **design, **policies)

    @classmethod
    def from_array(
        cls,
        values: Any,
        names: Sequence[str] | None = None,
        *,
        interventions: Any = None,
        control: str | None = None,
        center: bool = True,
        missing: str = "error",
        constant: str = "error",
        unmeasured: str = "error",
        known_targets: bool = True,
        source: str = "array",
    ) -> Dataset:
        """From an n x p array; columns are called x0, x1, ... unless named.

        With ``known_targets=False`` a label per row is the name of a condition of which nobody
        knows what it did to the variables.
        """
        check_policies(missing, unmeasured)
        array = matrix_of(values)
        n, p = array.shape
        labels = check_names(names if names is not None else [f"x{j}" for j in range(p)], p)
        design = recognise_design(
            interventions,
            labels,
            n,
            control=control,
            unmeasured=unmeasured,
            unnamed=names is None,
            known_targets=known_targets,
        )
        dropped = {} if design is None else design.unmeasured
        profile = ColumnProfile(p)
        finite = profile.add(array)
        if finite is not None:
            array, design = settle_missing(array, finite, labels, design, missing)
        check_size(array, labels)
        array.setflags(write=False)
        return cls(
            labels,
            values=array,
            interventions=design,
            profile=profile,
            unmeasured=dropped,
            center=center,
            source=source,
            missing=missing,
            constant=constant,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        interventions: Any = None,
        exclude: Collection[str] = (),
        source: str = "data frame",
        **options: Any,
    ) -> Dataset:
        """From a pandas, polars or other frame; `interventions` may name one of its columns.

        The other options are those of :meth:`from_array`.
        """
        column = interventions if isinstance(interventions, str) else None
        values, names, labels = frame_parts(frame, column, exclude)
        design = interventions if column is None else list(labels or [])
        return cls.from_array(values, names, interventions=design, source=source, **options)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        interventions: Any = None,
        control: str | None = None,
        exclude: Collection[str] = (),
        delimiter: str | None = None,
        center: bool = True,
        missing: str = "error",
        constant: str = "error",
        unmeasured: str = "error",
        known_targets: bool = True,
        in_memory: bool = True,
        chunk_rows: int = 65_536,
    ) -> Dataset:
        """From a CSV, TSV or Parquet file (text may be gzipped).

        With ``in_memory=False`` only sums per regime are kept: a file larger than memory is read
        once, in chunks of `chunk_rows` rows.
        """
        check_policies(missing, unmeasured)
        file = open_table(path, delimiter)
        column = interventions if isinstance(interventions, str) else None
        label = column_position(file.names, column, path) if column is not None else None
        for name in exclude:
            column_position(file.names, name, path)
        keep = [j for j, name in enumerate(file.names) if j != label and name not in set(exclude)]
        names = check_names([file.names[j] for j in keep], len(keep))
        if not keep:
            raise DataError(f"{path}: no columns are left")
        chunks = file.chunks(keep, label, chunk_rows)
        options: dict[str, Any] = {"center": center, "constant": constant, "source": str(path)}
        labelled: dict[str, Any] = {"control": control, "unmeasured": unmeasured}
        labelled["known_targets"] = known_targets
        if in_memory:
            parts = list(chunks)
            if not parts:
                raise DataError(f"{path}: the file has a header but no rows")
            design = interventions
            if label is not None:
                design = [text for _, texts in parts for text in texts or []]
            return cls.from_array(
                np.concatenate([block for block, _ in parts]),
                names,
                interventions=design,
                missing=missing,
                **labelled,
                **options,
            )
        if interventions is not None and column is None:
            raise DataError("with in_memory=False, interventions must name a column of the file")
        read = stream(chunks, names, missing=missing, **labelled)
        if read.pairs is not None and read.design is not None and read.design.experimental:
            raise no_holes_in_experiments(missing, read.sums.n, read.profile.rows)
        return cls(
            names,
            sums=read.sums,
            pairs=read.pairs,
            interventions=read.design,
            profile=read.profile,
            unmeasured=read.unmeasured,
            missing=missing,
            **options,
        )

    @classmethod
    def from_covariance(
        cls, covariance: Any, n: int, names: Sequence[str] | None = None
    ) -> Dataset:
        """From a covariance (or correlation) matrix of `n` rows."""
        statistics = covariance_statistics(covariance, n, names)
        return cls(statistics.names, statistics=statistics, source="covariance")

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
        return self._sums.n if self._sums is not None else self.statistics().n_rows

    @property
    def has_rows(self) -> bool:
        """Whether rows or their sums are known, rather than a covariance only."""
        return self.values is not None or self._sums is not None

    @property
    def incomplete(self) -> bool:
        """Whether some of the rows that are used have missing values."""
        if self.missing not in ("pairwise", "em", KEEP):
            return False
        if self._pairs is not None:
            return True
        return self.values is not None and not np.isfinite(self.values).all()

    def sums(self) -> GramAccumulator:
        """Means and cross-products per regime over the complete rows, computed once."""
        if self._sums is None:
            if self.values is None:
                raise DataError("this data set holds a covariance only, not rows")
            values, design = self.values, self.interventions
            regime = None if design is None else design.regime
            if self.incomplete:
                complete = np.isfinite(values).all(axis=1)
                values, regime = values[complete], None if regime is None else regime[complete]
            self._sums = GramAccumulator(self.p, 1 if design is None else len(design.targets))
            self._sums.add(values, regime)
        return self._sums

    def counted(self) -> CountedRows:
        """Which rows count for which node."""
        if self._counted is None:
            targets = ((),) if self.interventions is None else self.interventions.targets
            self._counted = count_rows(self.sums(), targets)
        return self._counted

    def repaired(self) -> RepairedCovariance:
        """The covariance of incomplete rows, by the policy of the data set."""
        if self._repaired is None:
            if self.missing == KEEP and self.values is not None:
                refuse_missing(self.values, self.names)
            if self.missing == "em" and self.values is not None:
                self._repaired = em_covariance(self.values, self.names)
            else:
                self._repaired = self._pair_sums().covariance(self.names)
        return self._repaired

    def _pair_sums(self) -> PairwiseSums:
        if self._pairs is not None:
            return self._pairs
        assert self.values is not None
        pairs = PairwiseSums(self.p)
        pairs.add(self.values)
        return pairs

    def statistics(self) -> GramStatistics:
        """Gram statistics in which hard interventions exclude the rows; computed once.

        Raises
        ------
        DataError
            If there are fewer than 3 rows, or a column does not vary in the rows that count.
        """
        if self._statistics is None:
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
        counted = count_rows(self.sums(), targets, pooled=True) if pooled else self.counted()
        if self.constant == "error":
            refuse_constant(self.names, counted.constant, counted.fixed)
        statistics = GramStatistics.from_accumulator(
            self.sums(),
            self.names,
            targets=((),) if pooled else targets,
            weights=counted.weights,
            center=self.center,
        )
        _refuse_tiny(statistics)
        return statistics

    def _incomplete_statistics(self) -> GramStatistics:
        found = self.repaired()
        if self.constant == "error":
            refuse_constant(self.names, np.flatnonzero(np.diag(found.covariance) <= 0).tolist(), ())
        statistics = GramStatistics.from_covariance(
            found.covariance, found.n, self.names, found.mean, n_rows=self.n
        )
        _refuse_tiny(statistics)
        return statistics

    def audit(self) -> Audit:
        """What is worth knowing about the data before anything is learned; computed once."""
        if self._audit is None:
            from arcs.data.audit import audit_dataset

            self._audit = audit_dataset(self)
        return self._audit

    def take(self, rows: np.ndarray) -> Dataset:
        """The data set of some rows (repetitions allowed), e.g. a bootstrap sample."""
        if self.values is None:
            raise DataError("this data set holds sums only: rows cannot be drawn from it")
        values = self.values[rows]
        values.setflags(write=False)
        return Dataset(
            self.names,
            values=values,
            interventions=None if self.interventions is None else self.interventions.take(rows),
            center=self.center,
            source=self.source,
            missing=self.missing,
            constant=self.constant,
        )

    def __repr__(self) -> str:
        kind = "observational" if self.interventions is None else "experimental"
        return f"Dataset({self.n} rows, {self.p} columns, {kind}, from {self.source})"


def _refuse_tiny(statistics: GramStatistics) -> None:
    """Refuse columns whose squares would vanish."""
    tiny = np.flatnonzero(statistics.norms.min(axis=0) < 1e-100)
    if tiny.size:
        listed = describe_columns([statistics.names[j] for j in tiny])
        raise DataError(
            f"{tiny.size} columns vary by less than 1e-100: {listed}. Use another unit."
        )


def _is_covariance(data: Any) -> bool:
    """Whether `data` is a pair of a covariance matrix and a number of rows."""
    return isinstance(data, tuple) and len(data) == 2 and np.ndim(data[1]) == 0


def check_reading(data: Any, reading: Mapping[str, Any]) -> None:
    """Refuse wishes that are not about reading rows, or if `data` are not rows any more."""
    for name in reading:
        if name not in ("exclude", "missing", "constant", "unmeasured"):
            raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
    if reading and (isinstance(data, Dataset | GramStatistics) or _is_covariance(data)):
        raise DataError(
            f"{', '.join(sorted(reading))}: this is about reading rows, but these data were read "
            "before; say it where they were"
        )
