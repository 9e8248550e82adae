"""The score of mixed tables: numbers and categories as blocks of Gaussian columns.

See :mod:`arcs.kernels.order.blocks` for the formula. Terms are relative to a node without parents:
the empty graph has score 0, whatever units numbers have and whichever level of a category is left
out of its indicators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.indicators import Indicators, column_data, column_names, level_counts
from arcs.data.interventions import Interventions
from arcs.errors import DataError
from arcs.kernels.bundles import bundle
from arcs.kernels.order import blocks as engine
from arcs.kernels.order.memo import MOST_PARENTS, Memo, new_memo
from arcs.kernels.order.records import State, Workspace
from arcs.kernels.regression import COLLINEAR

__all__ = ["BlockScore", "Blocks"]

_NO_KNOWLEDGE = np.zeros((0, 0), np.uint8)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A mixed table as columns of numbers.

    Attributes
    ----------
    columns : Dataset
        All columns: numbers, and indicators of all levels that occur but the first.
    statistics : GramStatistics
        Of these columns.
    begin, size : ndarray of int, shape (p,)
        The columns of each variable.
    """

    columns: Dataset
    statistics: GramStatistics
    begin: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset) -> Blocks:
        """The blocks of a data set; covariates and free means are regressed out of every column."""
        columns, size = (_from_sums if dataset.values is None else _from_rows)(dataset)
        begin = np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64)
        return cls(columns, columns.statistics(), begin, np.array(size, dtype=np.int64))

    def expanded(self, adjacency: np.ndarray) -> np.ndarray:
        """A DAG of the columns that says what one of the variables says: all columns of a parent
        are parents, and so are those before it in the same block."""
        owner = np.repeat(np.arange(self.size.size), self.size)
        same = owner[:, None] == owner
        return np.asarray(adjacency[np.ix_(owner, owner)] | np.triu(same, 1))


@dataclass(frozen=True, eq=False)
class BlockScore:
    """The degenerate Gaussian score, as the order search takes it.

    Parameters
    ----------
    blocks : Blocks
    gamma : float
        Extended BIC: price of a parent, in units of log p.
    max_parents : int, optional
    allowed, required : ndarray of bool, shape (p, p), optional
        Background knowledge: ``[i, j]`` whether i -> j may, or must, be an edge.
    """

    blocks: Blocks
    gamma: float = 1.0
    max_parents: int | None = None
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None

    #: The search adds it to what it reports; there is nothing to add here.
    offset = 0.0

    def __post_init__(self) -> None:
        size = self.blocks.size
        if self.required is not None and self.required.any():
            columns = size + np.asarray(self.required, dtype=bool).T @ size
            if columns.max() > engine.MOST_COLUMNS:
                raise DataError(
                    f"{int(columns.max())} levels of a variable and its required parents together "
                    f"are more than {engine.MOST_COLUMNS}: join rare levels, or require fewer edges"
                )

    @property
    def p(self) -> int:
        """Number of variables."""
        return int(self.blocks.size.size)

    @cached_property
    def problem(self) -> engine.BlockProblem:
        """The problem as arrays."""
        begin = self.blocks.begin
        n = np.maximum(np.asarray(self.blocks.statistics.n, dtype=float)[begin], 2.0)
        problem = engine.BlockProblem(
            stats=self.blocks.statistics.kernel,
            begin=begin,
            size=self.blocks.size,
            live=np.zeros(int(self.blocks.size.sum()), np.uint8),
            base=np.zeros(self.p),
            price=0.5 * np.log(n),
            toll=self.gamma * np.log(self.p),
            lenient=0.5,
            max_parents=self._parent_limits(n),
            allowed=_flags(self.allowed),
            required=_flags(self.required),
        )
        for v in range(self.p):
            gram = self._own_gram(v)
            pivots = _pivots(gram)
            problem.live[begin[v] : begin[v] + self.blocks.size[v]] = pivots > COLLINEAR
            problem.base[v] = np.log(np.maximum(pivots[pivots > COLLINEAR], COLLINEAR)).sum()
        return bundle(problem)

    def _own_gram(self, v: int) -> np.ndarray:
        first = int(self.blocks.begin[v])
        own = np.arange(first, first + int(self.blocks.size[v]))
        return np.asarray(self.blocks.statistics.sub_gram(first, own))

    def _parent_limits(self, n: np.ndarray) -> np.ndarray:
        most = min(MOST_PARENTS, self.p - 1, self.max_parents or MOST_PARENTS)
        limits = np.minimum(np.full(self.p, max(most, 0)), np.maximum(n // 4, 1)).astype(np.int64)
        if self.required is not None:
            limits = np.maximum(limits, np.asarray(self.required).sum(axis=0))
        return np.asarray(limits)

    @property
    def _most_parents(self) -> int:
        return max(int(self.problem.max_parents.max(initial=0)), 1)

    @cached_property
    def _memo(self) -> Memo:
        """What all chains with this score learn of families; one thread at a time may use it."""
        return new_memo(self.p, self._most_parents + 1)

    def new_state(self, order: np.ndarray) -> tuple[State, Workspace]:
        """Empty columns for an order, and memory for the search."""
        return engine.start(np.asarray(order), self._most_parents, self._memo)

    def alone(self) -> BlockScore:
        """The same score with a memory of its own."""
        return replace(self)

    def describe(self) -> dict[str, Any]:
        """Kind and parameters, for the record."""
        return {"kind": "degenerate-gaussian", "gamma": self.gamma}

    def node(self, v: int, parents: Sequence[int]) -> float:
        """The term of node `v` with these parents."""
        scratch = bundle(engine.new_scratch(len(parents), new_memo(self.p, 1, records=1)))
        scratch.chosen[: len(parents)] = parents
        return float(engine.block_score(self.problem, v, scratch.chosen, len(parents), scratch))

    def total(self, adjacency: np.ndarray) -> float:
        """The score of a DAG: ``adjacency[i, j]`` is the edge i -> j."""
        families = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(self.p)]
        return float(sum(self.node(v, parents) for v, parents in enumerate(families)))

    def strengths(self, adjacency: np.ndarray) -> np.ndarray:
        """Of each edge, by how much the score would be worse without it; zero without an edge."""
        lost = np.zeros(adjacency.shape)
        for u, v in np.argwhere(adjacency).tolist():
            parents = np.flatnonzero(adjacency[:, v]).tolist()
            lost[u, v] = self.node(v, [w for w in parents if w != u]) - self.node(v, parents)
        return lost

    def prices(self, adjacency: np.ndarray) -> Mapping[str, float]:
        """Coefficients and edges of a DAG, and what they cost together."""
        size = self.blocks.size
        cost = np.array([size[v] * size[adjacency[:, v]].sum() for v in range(self.p)])
        edges = int(adjacency.sum())
        price = float(cost @ self.problem.price) + edges * float(self.problem.toll)
        return {"coefficients": float(cost.sum()), "edges": float(edges), "price": price}


def _from_rows(dataset: Dataset) -> tuple[Dataset, list[int]]:
    """The columns of rows, and how many each variable has."""
    assert dataset.values is not None
    assert dataset.levels is not None
    parts, size = [], []
    for j, own in enumerate(dataset.levels):
        column = dataset.values[:, j]
        if own is None:
            block = column[:, None]
        else:
            occurring = np.unique(column)
            kept = occurring[1:] if occurring.size > 1 else occurring
            block = (column[:, None] == kept).astype(float)
        _refuse_many(dataset.names[j], block.shape[1])
        parts.append(block)
        size.append(block.shape[1])
    values = np.hstack(parts)
    values.setflags(write=False)
    names = column_names(size)
    design = dataset.interventions
    if design is not None:
        mask = np.repeat(design.mask, size, axis=1)
        design = Interventions.from_mask(mask, names)
    conditions = dataset.conditions
    if conditions is not None:
        conditions = conditions.of_columns(size)
    columns = Dataset(
        names,
        values=values,
        interventions=design,
        covariates=dataset.covariates,
        conditions=conditions,
        center=dataset.center,
        constant="isolate",
    )
    return columns, size


def _from_sums(dataset: Dataset) -> tuple[Dataset, list[int]]:
    """The same of a table of which sums are kept."""
    columns, chosen = Indicators(dataset.levels or ()), []
    for j, counts in enumerate(level_counts(dataset)):
        kept = columns.columns(j)
        if counts is not None:
            kept = kept[counts > 0]
            kept = kept[1:] if kept.size > 1 else kept
        _refuse_many(dataset.names[j], kept.size)
        chosen.append(kept)
    return column_data(dataset, chosen), [kept.size for kept in chosen]


def _refuse_many(name: str, columns: int) -> None:
    if columns > engine.MOST_COLUMNS:
        raise DataError(
            f"column {name!r} has {columns + 1} levels; beside numbers "
            f"at most {engine.MOST_COLUMNS + 1} are possible: an identifier is left out "
            f"with exclude=[{name!r}]; join rare levels"
        )


def _pivots(gram: np.ndarray) -> np.ndarray:
    """What each column adds to those before it."""
    left, pivots = np.array(gram, dtype=float), np.zeros(len(gram))
    for i in range(len(gram)):
        pivots[i] = left[i, i]
        if pivots[i] > COLLINEAR:
            left = left - np.outer(left[:, i], left[i]) / left[i, i]
    return pivots


def _flags(matrix: np.ndarray | None) -> np.ndarray:
    return _NO_KNOWLEDGE if matrix is None else np.ascontiguousarray(matrix, dtype=np.uint8)
