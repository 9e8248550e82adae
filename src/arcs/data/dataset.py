"""The data set: rows or their sums, names, and the experimental design. Read-only."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data.accumulate import GramAccumulator
from arcs.data.checks import check_names, check_values, describe_columns
from arcs.data.delimited import DelimitedFile
from arcs.data.frames import frame_parts, is_frame
from arcs.data.gram import GramStatistics
from arcs.data.interventions import Interventions, nearest_name
from arcs.data.parquet import ParquetFile
from arcs.errors import DataError

__all__ = ["Dataset"]


class Dataset:
    """Observations of p variables, with names and interventions.

    Use one of the constructors: :meth:`from_array`, :meth:`from_frame`, :meth:`from_file`,
    :meth:`from_covariance`, or :meth:`of`, which recognises what it is given.

    Attributes
    ----------
    names : tuple of str
    values : ndarray of shape (n, p) or None
        The rows; ``None`` if only sums or a covariance are kept.
    interventions : Interventions or None
        ``None`` for observational data.
    center : bool
        Whether means are removed.
    source : str
        Where the data came from, for reports.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        values: np.ndarray | None = None,
        interventions: Interventions | None = None,
        sums: GramAccumulator | None = None,
        statistics: GramStatistics | None = None,
        center: bool = True,
        source: str = "array",
    ) -> None:
        self.names = tuple(names)
        self.values = values
        self.interventions = interventions
        self.center = center
        self.source = source
        self._sums = sums
        self._statistics = statistics

    # ------------------------------------------------------------------ constructors
    @classmethod
    def of(
        cls,
        data: Any,
        *,
        interventions: Any = None,
        names: Sequence[str] | None = None,
        control: str | None = None,
        center: bool = True,
    ) -> Dataset:
        """Whatever people have: a Dataset, statistics, a frame, an array, a file's path, or a
        pair ``(covariance, n)``."""
        if isinstance(data, Dataset):
            if interventions is not None:
                raise DataError("the Dataset carries its own interventions; give them only once")
            return data
        if isinstance(data, GramStatistics):
            return cls(data.names, statistics=data, source="statistics")
        if isinstance(data, str | os.PathLike):
            return cls.from_file(data, interventions=interventions, control=control, center=center)
        if isinstance(data, tuple) and len(data) == 2 and np.ndim(data[1]) == 0:
            return cls.from_covariance(data[0], data[1], names)
        if is_frame(data):
            return cls.from_frame(data, interventions=interventions, control=control, center=center)
        return cls.from_array(
            data, names, interventions=interventions, control=control, center=center
        )

    @classmethod
    def from_array(
        cls,
        values: Any,
        names: Sequence[str] | None = None,
        *,
        interventions: Any = None,
        control: str | None = None,
        center: bool = True,
        unmeasured: str = "error",
        source: str = "array",
    ) -> Dataset:
        """From an n x p array; columns are called x0, x1, ... unless named."""
        array = np.array(values, dtype=np.float64, order="C")
        if array.ndim != 2:
            raise DataError(f"the data must be a matrix (rows x columns), got {array.ndim}-d")
        n, p = array.shape
        if p == 0 or n == 0:
            raise DataError(f"the data are empty: {n} rows, {p} columns")
        labels = check_names(names if names is not None else [f"x{j}" for j in range(p)], p)
        check_values(array, labels)
        design = _design(interventions, labels, n, control, unmeasured, names is None)
        array.setflags(write=False)
        return cls(labels, values=array, interventions=design, center=center, source=source)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        interventions: Any = None,
        control: str | None = None,
        exclude: Collection[str] = (),
        center: bool = True,
        unmeasured: str = "error",
        source: str = "data frame",
    ) -> Dataset:
        """From a pandas, polars or other frame; `interventions` may name one of its columns."""
        column = interventions if isinstance(interventions, str) else None
        values, names, labels = frame_parts(frame, column, exclude)
        design = interventions if column is None else list(labels or [])
        return cls.from_array(
            values,
            names,
            interventions=design,
            control=control,
            center=center,
            unmeasured=unmeasured,
            source=source,
        )

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
        unmeasured: str = "error",
        in_memory: bool = True,
        chunk_rows: int = 65_536,
    ) -> Dataset:
        """From a CSV, TSV or Parquet file (text may be gzipped).

        With ``in_memory=False`` only sums per regime are kept: a file larger than memory is read
        once, in chunks of `chunk_rows` rows.
        """
        file = _open(Path(path), delimiter)
        column = interventions if isinstance(interventions, str) else None
        label = _position(file.names, column, path) if column is not None else None
        for name in exclude:
            _position(file.names, name, path)
        keep = [j for j, name in enumerate(file.names) if j != label and name not in set(exclude)]
        names = check_names([file.names[j] for j in keep], len(keep))
        chunks = file.chunks(keep, label, chunk_rows)
        if in_memory:
            parts = list(chunks)
            rows = [block for block, _ in parts] or [np.empty((0, len(keep)))]
            design = interventions
            if label is not None:
                design = [text for _, texts in parts for text in texts or []]
            return cls.from_array(
                np.concatenate(rows),
                names,
                interventions=design,
                control=control,
                center=center,
                unmeasured=unmeasured,
                source=str(path),
            )
        if interventions is not None and column is None:
            raise DataError("with in_memory=False, interventions must name a column of the file")
        sums, design = _stream(chunks, names, control, unmeasured)
        return cls(names, sums=sums, interventions=design, center=center, source=str(path))

    @classmethod
    def from_covariance(
        cls, covariance: Any, n: int, names: Sequence[str] | None = None
    ) -> Dataset:
        """From a covariance (or correlation) matrix of `n` rows."""
        labels = names if names is not None else getattr(covariance, "columns", None)
        matrix = np.array(covariance, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            raise DataError(f"a covariance must be a square matrix, got shape {matrix.shape}")
        p = matrix.shape[0]
        texts = check_names(labels if labels is not None else [f"x{j}" for j in range(p)], p)
        check_values(matrix, texts)
        if int(n) != n or n < 3:
            raise DataError(f"the covariance needs a number of rows of at least 3, got n={n!r}")
        if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * np.abs(matrix).max()):
            raise DataError("the covariance is not symmetric")
        if (np.diag(matrix) <= 0).any():
            wrong = [texts[j] for j in np.flatnonzero(np.diag(matrix) <= 0)]
            raise DataError(
                f"the covariance has no positive variance for {describe_columns(wrong)}"
            )
        smallest = float(np.linalg.eigvalsh(matrix / np.sqrt(np.outer(*[np.diag(matrix)] * 2)))[0])
        if smallest < -1e-8 * p:
            raise DataError(
                f"the covariance is not positive semidefinite (eigenvalue {smallest:.3g})"
            )
        statistics = GramStatistics.from_covariance((matrix + matrix.T) / 2, int(n), texts)
        return cls(texts, statistics=statistics, source="covariance")

    # ------------------------------------------------------------------ views
    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n(self) -> int:
        """Number of rows."""
        if self.values is not None:
            return int(self.values.shape[0])
        return self._sums.n if self._sums is not None else self.statistics().n_rows

    def sums(self) -> GramAccumulator:
        """Sums and cross-products per regime, computed once."""
        if self._sums is None:
            if self.values is None:
                raise DataError("this data set holds a covariance only, not rows")
            self._sums = GramAccumulator(self.p)
            regime = None if self.interventions is None else self.interventions.regime
            self._sums.add(self.values, regime)
        return self._sums

    def statistics(self) -> GramStatistics:
        """Gram statistics in which hard interventions exclude the rows; computed once.

        Raises
        ------
        DataError
            If there are fewer than 3 rows, or a column does not vary in the rows that count.
        """
        if self._statistics is None:
            targets = ((),) if self.interventions is None else self.interventions.targets
            statistics = GramStatistics.from_accumulator(
                self.sums(), self.names, targets=targets, center=self.center
            )
            _refuse_constant(self)
            self._statistics = statistics
        return self._statistics

    def pooled_statistics(self) -> GramStatistics:
        """Gram statistics of all rows alike, for methods that know nothing of interventions."""
        if self.interventions is None:
            return self.statistics()
        _refuse_constant(self)
        sums = self.sums()
        everything = np.ones((self.p, len(sums.regimes)))
        return GramStatistics.from_accumulator(
            sums, self.names, weights=everything, center=self.center
        )

    def take(self, rows: np.ndarray) -> Dataset:
        """The data set of some rows (repetitions allowed), e.g. a bootstrap sample."""
        if self.values is None:
            raise DataError("this data set holds sums only: rows cannot be drawn from it")
        values = self.values[rows]
        values.setflags(write=False)
        design = None if self.interventions is None else self.interventions.take(rows)
        return Dataset(
            self.names, values=values, interventions=design, center=self.center, source=self.source
        )

    def __repr__(self) -> str:
        kind = "observational" if self.interventions is None else "experimental"
        return f"Dataset({self.n} rows, {self.p} columns, {kind}, from {self.source})"


def _open(path: Path, delimiter: str | None) -> DelimitedFile | ParquetFile:
    if path.suffix.lower() in (".parquet", ".pq"):
        return ParquetFile.open(path)
    if delimiter is None and path.name.lower().endswith((".tsv", ".tsv.gz")):
        delimiter = "\t"
    return DelimitedFile.open(path, delimiter)


def _position(names: Sequence[str], name: str, path: object) -> int:
    if name not in names:
        raise DataError(f"{path}: there is no column {name!r}{nearest_name(name, names)}")
    return list(names).index(name)


def _design(
    interventions: Any,
    names: Sequence[str],
    n: int,
    control: str | None,
    unmeasured: str,
    unnamed: bool,
) -> Interventions | None:
    """Recognise the encoding of the interventions."""
    if interventions is None:
        return None
    design = _recognise(interventions, names, control, unmeasured, unnamed)
    if design.n_rows != n:
        raise DataError(f"the interventions describe {design.n_rows} rows, the data have {n}")
    if design.names != tuple(names):
        raise DataError("the interventions were made for other columns than the data have")
    return design if any(design.targets) else None


def _recognise(
    interventions: Any, names: Sequence[str], control: str | None, unmeasured: str, unnamed: bool
) -> Interventions:
    if isinstance(interventions, Interventions):
        return interventions
    if isinstance(interventions, str):
        raise DataError(
            f"interventions={interventions!r} names a column, but an array has no named columns"
        )
    if isinstance(interventions, Mapping):
        return Interventions.from_targets(interventions["targets"], interventions["index"], names)
    if (
        isinstance(interventions, tuple)
        and len(interventions) == 2
        and np.ndim(interventions[1]) == 1
    ):
        return Interventions.from_targets(interventions[0], interventions[1], names)
    if is_frame(interventions):
        return Interventions.from_mask(_mask_by_name(interventions, names), names)
    array = np.asarray(interventions)
    if array.ndim == 2:
        return Interventions.from_mask(array, names)
    if unnamed and array.dtype.kind in "iu":
        return _from_positions(array, names)
    return Interventions.from_labels(
        list(interventions), names, control=control, unmeasured=unmeasured
    )


def _from_positions(targets: np.ndarray, names: Sequence[str]) -> Interventions:
    """One column number per row, -1 for none: only for data without names."""
    groups: list[tuple[int, ...]] = [()] + [(j,) for j in range(len(names))]
    if targets.size and not (targets.min() >= -1 and targets.max() < len(names)):
        raise DataError(
            f"intervention targets range from {targets.min()} to {targets.max()}, but the columns "
            f"are numbered 0 to {len(names) - 1} (-1 for none)"
        )
    return Interventions(tuple(groups), targets + 1, tuple(names))


def _mask_by_name(frame: Any, names: Sequence[str]) -> np.ndarray:
    """A mask given as a frame, its columns matched by name; absent columns were never set."""
    values, columns, _ = frame_parts(frame)
    unknown = [name for name in columns if name not in names]
    if unknown:
        raise DataError(
            f"the intervention mask has columns that the data do not: {describe_columns(unknown)}"
            f"{nearest_name(unknown[0], names)}"
        )
    mask = np.zeros((values.shape[0], len(names)))
    mask[:, [list(names).index(name) for name in columns]] = values
    return mask


def _stream(
    chunks: Any, names: Sequence[str], control: str | None, unmeasured: str
) -> tuple[GramAccumulator, Interventions | None]:
    """One pass over the chunks: sums per regime, and the design if there are labels."""
    sums = GramAccumulator(len(names))
    numbers: dict[tuple[int, ...], int] = {}
    regimes: list[np.ndarray] = []
    seen_control = control is None
    for values, labels in chunks:
        check_values(values, names)
        if labels is None:
            sums.add(values)
            continue
        seen_control = seen_control or control in labels
        known = control if control in labels else None
        part = Interventions.from_labels(labels, names, control=known, unmeasured=unmeasured)
        table = np.array([numbers.setdefault(t, len(numbers)) for t in part.targets])
        regimes.append(table[part.regime].astype(np.int32))
        sums.add(values, regimes[-1])
    if not sums.n:
        raise DataError("the file has a header but no rows")
    if not regimes:
        return sums, None
    if not seen_control:
        raise DataError(f"control label {control!r} does not occur in the file")
    design = _StreamedDesign(tuple(numbers), np.concatenate(regimes), tuple(names))
    return sums, design


class _StreamedDesign(Interventions):
    """A design whose regimes keep the numbers under which the sums were collected."""

    def __post_init__(self) -> None:
        return None


def _refuse_constant(data: Dataset) -> None:
    """Refuse columns that do not vary in the rows that count for them, by name."""
    sums = data.sums()
    if sums.n < 3:
        raise DataError(f"at least 3 rows are needed, the data have {sums.n} (n_samples={sums.n})")
    targets = ((),) if data.interventions is None else data.interventions.targets
    everywhere = _variation(sums, np.ones(len(sums.regimes)))
    constant = np.flatnonzero(everywhere)
    if constant.size:
        names = [data.names[j] for j in constant]
        raise DataError(
            f"{len(names)} columns are constant: {describe_columns(names)}. Leave them out, or "
            "choose constant='drop'."
        )
    for j in {target for group in targets for target in group}:
        weights = np.array([float(j not in group) for group in targets])
        if weights.any() and _variation(sums, weights)[j]:
            raise DataError(
                f"column {data.names[j]!r} is constant within the rows in which it is not "
                "intervened upon, so its parents cannot be learned: leave it out, or check the "
                "interventions"
            )


def _variation(sums: GramAccumulator, weights: np.ndarray) -> np.ndarray:
    """Which columns are constant in the rows of the regimes with weight one."""
    weight, total, squares = sums.weighted_totals(weights)
    centred = squares - total**2 / max(weight, 1.0)
    size = np.maximum(squares, 0) + weight * sums.shift**2
    return np.asarray(centred <= 1e-22 * size + 1e-300)
