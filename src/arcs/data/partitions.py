"""Dask data frames: a pass over their rows runs where the partitions are.

Every partition becomes a :class:`~arcs.data.streaming.Gathering` on the worker that holds it, and
these are merged in a tree of fixed shape on the workers, so that one of them comes back: sums of
size p x p for each regime, whatever the number of rows. The merge is the pairwise rule of
:mod:`arcs.data.accumulate`; it depends on the partitions and not on who computed them or when, so
that a worker that dies (Dask computes its partitions again elsewhere) changes no digit.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from arcs.data.delimited import Chunk
from arcs.data.frames import frame_parts
from arcs.data.level_survey import LevelsPass, cell_text
from arcs.data.streaming import Gathering, RolesPass, StreamPlan
from arcs.errors import DataError, require

__all__ = ["DaskTable"]

#: Partitions that are merged at once.
_FAN_IN = 8
M = TypeVar("M", Gathering, RolesPass, LevelsPass)


@dataclass(frozen=True, eq=False)
class DaskTable:
    """A Dask data frame."""

    frame: Any
    source: str = "Dask data frame"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(str(name) for name in self.frame.columns)

    def as_frame(self) -> Any:
        """All rows as a data frame, which come here for that."""
        return self.frame.compute()

    def types(self) -> Any:
        """A frame without rows, for the types of the columns."""
        return self.frame._meta

    def chunks(
        self, columns: Sequence[int], texts: Sequence[int] = (), size: int = 65_536
    ) -> Iterator[Chunk]:
        """Yield ``(values, texts)`` of one partition after the other, which come here for that."""
        wanted, extra = [self.names[j] for j in columns], [self.names[k] for k in texts]
        for part in self._parts(wanted, extra):
            yield _chunk(part.compute(), wanted, extra)

    def gathered(self, plan: StreamPlan) -> Gathering:
        """What a pass over all partitions collects."""
        names, apart = list(plan.numbers), list(plan.apart)
        return self._passed(_gather, Gathering, plan, names, apart)

    def surveyed(self, plan: RolesPass) -> RolesPass:
        """What a first pass over covariates and conditions finds."""
        return self._passed(_survey, RolesPass, plan, [], list(plan.columns))

    def levels(self, plan: LevelsPass) -> LevelsPass:
        """What a first pass over categories finds."""
        return self._passed(_levels, LevelsPass, plan, [], list(plan.columns))

    def _passed(
        self, task: Callable[..., M], kind: type[M], plan: Any, wanted: list[str], extra: list[str]
    ) -> M:
        dask = require("dask", "dask", "reading Dask data frames")
        shared = dask.delayed(plan)
        level = [
            dask.delayed(task)(part, shared, wanted, extra, number)
            for number, part in enumerate(self._parts(wanted, extra))
        ]
        while len(level) > 1:
            groups = [level[k : k + _FAN_IN] for k in range(0, len(level), _FAN_IN)]
            level = [dask.delayed(_merged)(group) for group in groups]
        (found,) = dask.compute(level[0])
        assert isinstance(found, kind)
        return found

    def _parts(self, wanted: list[str], extra: list[str]) -> list[Any]:
        given = dict(zip(self.names, self.frame.columns, strict=True))
        part = self.frame[[given[name] for name in dict.fromkeys(wanted + extra)]]
        frame_parts(part._meta, extra)  # refuses what is not numeric, before anything runs
        return list(part.to_delayed())


def _chunk(frame: Any, wanted: list[str], extra: list[str]) -> Chunk:
    values, _, entries = frame_parts(frame, extra, [])
    return values, [[cell_text(x) for x in entries[name]] for name in extra]


def _gather(
    frame: Any, plan: StreamPlan, wanted: list[str], extra: list[str], at: int
) -> Gathering:
    gathering = Gathering(plan)
    try:
        if len(frame):
            gathering.add(*_chunk(frame, wanted, extra))
    except DataError as error:
        raise DataError(f"partition {at}: {error}") from None
    return gathering.without_rows()


def _survey(frame: Any, plan: RolesPass, wanted: list[str], extra: list[str], at: int) -> RolesPass:
    survey = plan.fresh()
    try:
        if len(frame):
            survey.add(_chunk(frame, wanted, extra)[1])
    except DataError as error:
        raise DataError(f"partition {at}: {error}") from None
    return survey


def _levels(
    frame: Any, plan: LevelsPass, wanted: list[str], extra: list[str], at: int
) -> LevelsPass:
    survey = plan.fresh()
    try:
        if len(frame):
            survey.add_frame(frame)
    except DataError as error:
        raise DataError(f"partition {at}: {error}") from None
    return survey


def _merged(parts: Sequence[M]) -> M:
    """The first, with what the others collected."""
    whole, *others = parts
    whole = copy.deepcopy(whole)  # Dask may hand out what it keeps: it stays as it is
    for other in others:
        whole.merge(other)  # type: ignore[arg-type]  # all are of one kind
    return whole
