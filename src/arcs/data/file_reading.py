"""From files, and tables that are somewhere else, to the parts of a data set."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arcs.data.checks import check_names
from arcs.data.conditions import NO_CONDITIONS, Conditions, conditions_of
from arcs.data.covariates import Coding
from arcs.data.delimited import DelimitedFile
from arcs.data.frames import wanted_of_types
from arcs.data.interventions import Interventions
from arcs.data.lazy_tables import Table, lazy_table
from arcs.data.level_survey import LevelCoding, LevelsPass
from arcs.data.levels import spliced
from arcs.data.parquet import ParquetFile
from arcs.data.partitions import DaskTable
from arcs.data.parts import Parts
from arcs.data.policies import no_holes_in_experiments
from arcs.data.readers import column_position, open_table
from arcs.data.reading import LOOKED_AT, Reading, Roles, array_parts, frame_data, replaced
from arcs.data.streaming import RolesPass, Streamed, StreamPlan, stream
from arcs.data.survey import categorical_of_file
from arcs.data.transforms import AUTO, parse_transforms, refuse_levels
from arcs.errors import DataError
from arcs.files import refuse_impossible_name

__all__ = ["file_parts"]


@dataclass(frozen=True)
class _Table:
    """An open file, its roles, and the columns that are variables."""

    file: DelimitedFile | ParquetFile | Table
    roles: Roles
    keep: list[int]
    names: tuple[str, ...]

    @classmethod
    def open(
        cls,
        path: Any,
        interventions: Any,
        exclude: Collection[str],
        delimiter: str | None,
        reading: Reading,
    ) -> _Table:
        if isinstance(path, str | os.PathLike):
            refuse_impossible_name(path)
        file = lazy_table(path) or open_table(path, delimiter)
        path = getattr(file, "source", path)
        roles = Roles.of(interventions, reading, file.names)
        for name in (*exclude, *roles.apart):
            column_position(file.names, name, path)
        out = {*exclude, *roles.apart}
        keep = [j for j, name in enumerate(file.names) if name not in out]
        names = check_names([file.names[j] for j in keep], len(keep))
        if not keep:
            raise DataError(f"{path}: no columns are left")
        return cls(file, roles, keep, names)

    def positions(self, names: Collection[str]) -> list[int]:
        """Where columns are."""
        return [list(self.file.names).index(name) for name in names]

    def categories(self, reading: Reading, chunk_rows: int) -> dict[str, LevelCoding]:
        """One pass over columns of categories, if there are any: their levels."""
        if reading.discrete is None:
            return {}
        file = self.file
        if isinstance(file, DelimitedFile):
            found = LevelsPass(categorical_of_file(file, self.keep, reading.discrete))
            for _, texts in file.chunks([], self.positions(found.columns), chunk_rows):
                for name, entries in zip(found.columns, texts, strict=True):
                    found.add(name, entries)
            return found.found(reading.missing)
        leave_out = {name for name in file.names if name not in self.names}
        # Which levels types list is looked up again in every chunk.
        wanted = wanted_of_types(file.types(), reading.discrete, leave_out)
        found = LevelsPass(wanted)
        if not wanted:
            return {}
        if isinstance(file, DaskTable):
            return file.levels(found).found(reading.missing)
        for frame in file.frames(found.columns, chunk_rows):
            found.add_frame(frame)
        return found.found(reading.missing)

    def survey(self, chunk_rows: int) -> tuple[Coding | None, tuple[str, ...]]:
        """One pass over covariates and conditions: the coding, and the conditions there are."""
        roles = RolesPass(self.roles.terms, self.roles.condition)
        if not roles.columns:
            return None, ()
        if isinstance(self.file, DaskTable):
            return self.file.surveyed(roles).found()
        for _, texts in self.file.chunks([], self.positions(roles.columns), chunk_rows):
            roles.add(texts)
        return roles.found()

    def passed(self, plan: StreamPlan, chunk_rows: int) -> Streamed:
        """One pass over the rows, wherever they are."""
        if isinstance(self.file, DaskTable):
            return self.file.gathered(plan).finish()
        numbers, texts = self.positions(plan.numbers), self.positions(plan.apart)
        return stream(self.file.chunks(numbers, texts, chunk_rows), plan)


def file_parts(
    path: Any,
    interventions: Any,
    reading: Reading,
    *,
    exclude: Collection[str] = (),
    delimiter: str | None = None,
    in_memory: bool | None = None,
    chunk_rows: int = 65_536,
) -> Parts:
    """The parts of a data set that is read from a file, or from a table that is somewhere else.

    Unless that is said, rows of single files only are kept in memory.
    """
    table = _Table.open(path, interventions, exclude, delimiter, reading)
    path = getattr(table.file, "source", path)
    categories = reading.discrete is not None or reading.discretize is not None
    if categories and in_memory is not False and not isinstance(table.file, DelimitedFile):
        return _framed_parts(table.file, interventions, exclude, reading, str(path))
    if in_memory is None:
        in_memory = isinstance(table.file, DelimitedFile | ParquetFile)
    if not in_memory:
        read = _streamed_parts(table, interventions, reading, chunk_rows)
        return replace(read, source=str(path))
    aside = [name for name in exclude if name not in table.roles.apart][:LOOKED_AT]
    wanted = categorical_of_file(table.file, table.keep, reading.discrete)
    apart, listed = [*table.roles.apart, *aside, *wanted], list(table.file.names)
    keep = [j for j in table.keep if listed[j] not in wanted]
    positions = [listed.index(name) for name in apart]
    parts = list(table.file.chunks(keep, positions, chunk_rows))
    if not parts:
        raise DataError(f"{path}: there is a header but no rows")
    entries = {
        name: [text for _, texts in parts for text in texts[k]] for k, name in enumerate(apart)
    }
    design, changes = table.roles.settled(interventions, entries, reading)
    changes["set_aside"] = {name: entries[name] for name in aside}
    values = np.concatenate([block for block, _ in parts])
    if wanted:
        numeric = [listed[j] for j in keep]
        values, changes["levels"] = spliced(values, numeric, entries, wanted, table.names)
    return array_parts(values, table.names, design, str(path), replaced(reading, changes))


def _framed_parts(
    file: ParquetFile | Table,
    interventions: Any,
    exclude: Collection[str],
    reading: Reading,
    source: str,
) -> Parts:
    """The parts of a table with categories, whose types may declare levels that do not occur."""
    frame = file.as_frame()
    values, names, design, changes = frame_data(frame, interventions, exclude, reading)
    return array_parts(values, names, design, source, replaced(reading, changes))


def _refuse_what_needs_rows(table: _Table, interventions: Any, reading: Reading) -> None:
    """Refuse what cannot be done with sums."""
    if reading.discretize is not None:
        raise DataError("discretize needs the rows in memory: leave out in_memory=False")
    if reading.discrete is not None and table.roles.condition is not None:
        raise DataError(
            "conditions beside categories need the rows in memory: leave out in_memory=False, or "
            f"let all means differ with adjust='C({table.roles.condition})'"
        )
    if interventions is not None and table.roles.label is None:
        raise DataError(
            "where rows are not kept in memory, interventions must name a column of the table"
        )
    if reading.adjust is not None and not table.roles.terms:
        raise DataError("where rows are not kept in memory, adjust must name columns of the table")


def _streamed_parts(table: _Table, interventions: Any, reading: Reading, chunk_rows: int) -> Parts:
    """The parts of a data set of which sums only are kept."""
    _refuse_what_needs_rows(table, interventions, reading)
    transform = parse_transforms(reading.transform, table.names)
    if transform is not None and (transform == AUTO or "normal-scores" in transform):
        raise DataError(
            "where rows are not kept in memory (in_memory=False) only transform='log' is possible: "
            "ranks need all rows"
        )
    categories = table.categories(reading, chunk_rows)
    if len(categories) == len(table.names):
        raise DataError(
            "tables of categories alone are counted row by row, and need the rows in memory: leave "
            "out in_memory=False"
        )
    coding, labels = table.survey(chunk_rows)
    plan = StreamPlan(
        names=table.names,
        apart=(*table.roles.apart, *categories),
        label=table.roles.label,
        condition=table.roles.condition,
        conditions=labels,
        coding=coding,
        **reading.about_design(),
        missing=reading.missing,
        logs=() if transform is None else tuple(kind == "log" for kind in transform),
        categories=categories,
    )
    refuse_levels(transform, table.names, plan.levels or (None,) * len(table.names))
    read = table.passed(plan, chunk_rows)
    if read.pairs is not None and read.design is not None and read.design.experimental:
        raise no_holes_in_experiments(reading.missing, read.wide.n, read.profile.rows)
    return Parts(
        names=table.names,
        wide=read.wide,
        pairs=read.pairs,
        interventions=read.design,
        covariates=None if coding is None else coding.covariates(None),
        conditions=_streamed_conditions(labels, read.design, reading),
        transform=transform,
        levels=plan.levels,
        profile=read.profile,
        unmeasured=read.unmeasured,
        **reading.kept(),
    )


def _streamed_conditions(
    labels: tuple[str, ...], design: Interventions | None, reading: Reading
) -> Conditions | None:
    """Conditions of which only sums are kept; implied ones are the regimes of the sums."""
    if len(labels) > 1:
        return Conditions(labels, None, reading.condition_policy or "auto")
    given = reading.conditions if reading.conditions == NO_CONDITIONS else None
    return conditions_of(given, design, 0, None if labels else reading.condition_policy)
