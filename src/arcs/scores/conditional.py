"""The conditional Gaussian score of mixed tables: numbers that are Gaussian given the categories.

See :mod:`arcs.kernels.order.conditional` for the formula. Where the degenerate Gaussian score
(:mod:`arcs.scores.blocks`) lets a category shift a number, here it may change slopes and variances,
too: more parameters, found where there are rows enough for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arcs.data import Dataset
from arcs.errors import DataError
from arcs.kernels.bundles import bundle
from arcs.kernels.order import conditional as engine
from arcs.kernels.order.counts import Rows
from arcs.kernels.order.memo import MOST_PARENTS, Memo, new_memo
from arcs.kernels.order.records import State, Workspace

__all__ = ["ConditionalScore", "conditional_rows"]

#: Codes are bytes.
MOST_LEVELS = 255
_NO_KNOWLEDGE = np.zeros((0, 0), np.uint8)


def conditional_rows(dataset: Dataset, was_set: np.ndarray | None) -> tuple[Rows, np.ndarray]:
    """Codes of the levels that occur (a number has one), and numbers in standard deviations.

    Parameters
    ----------
    dataset : Dataset
    was_set : ndarray of bool, shape (n, p), or None
        Where a variable was set by the experimenter.
    """
    if dataset.covariates is not None:
        raise DataError(
            "adjust: covariates are regressed out of columns, and the conditional Gaussian score "
            "has no columns for categories; leave mixed_score out, or take them for variables"
        )
    assert dataset.levels is not None
    given = np.asarray(dataset.values, dtype=float)
    n, p = given.shape
    codes, values, levels = np.zeros((p, n), np.uint8), np.zeros((n, p)), np.ones(p, np.int64)
    for j, own in enumerate(dataset.levels):
        if own is None:
            spread = given[:, j].std()
            values[:, j] = (given[:, j] - given[:, j].mean()) / (spread if spread > 0 else 1.0)
            continue
        occurring, code = np.unique(given[:, j], return_inverse=True)
        if occurring.size > MOST_LEVELS:
            raise DataError(
                f"column {dataset.names[j]!r} has {occurring.size} levels; at most {MOST_LEVELS} "
                f"are possible: an identifier is left out with exclude=[{dataset.names[j]!r}]"
            )
        codes[j], levels[j] = code.ravel(), occurring.size
    masks = np.zeros((n, p), bool) if was_set is None else np.asarray(was_set, dtype=bool)
    patterns, pattern = np.unique(masks, axis=1, return_inverse=True)
    weight = np.ascontiguousarray(~patterns.T, dtype=np.int32)
    rows = Rows(
        codes=codes,
        by_row=np.zeros((n, 0), np.uint8),
        levels=levels,
        bits=np.zeros((n + 1, 0), np.uint64),
        first=np.zeros(p, np.int64),
        width=np.zeros(p, np.int64),
        pattern=pattern.ravel().astype(np.int64),
        weight=weight,
        digits=np.ones(weight.shape[0], np.int64),
        n=weight.sum(axis=1).astype(float),
    )
    return rows, values


@dataclass(frozen=True, eq=False)
class ConditionalScore:
    """The conditional Gaussian score, as the order search takes it.

    Parameters
    ----------
    dataset : Dataset
    was_set : ndarray of bool, shape (n, p), optional
        Where a variable was set by the experimenter.
    gamma : float
        Extended BIC: price of a parent, in units of log p.
    max_parents : int, optional
    allowed, required : ndarray of bool, shape (p, p), optional
        Background knowledge: ``[i, j]`` whether i -> j may, or must, be an edge.
    """

    dataset: Dataset
    was_set: np.ndarray | None = None
    gamma: float = 1.0
    max_parents: int | None = None
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None

    #: The search adds it to what it reports; there is nothing to add here.
    offset = 0.0

    @property
    def p(self) -> int:
        """Number of variables."""
        return self.dataset.p

    @cached_property
    def problem(self) -> engine.ConditionalProblem:
        """The problem as arrays."""
        rows, values = conditional_rows(self.dataset, self.was_set)
        assert self.dataset.levels is not None
        n = np.maximum(rows.n[rows.pattern], 2.0)
        base = np.zeros(self.p)
        problem = bundle(
            engine.ConditionalProblem(
                rows=rows,
                values=values,
                is_number=np.array([own is None for own in self.dataset.levels], np.uint8),
                base=base,
                price=0.5 * np.log(n),
                toll=self.gamma * np.log(self.p),
                lenient=0.5,
                max_parents=self._parent_limits(n),
                allowed=_flags(self.allowed),
                required=_flags(self.required),
            )
        )
        scratch = self._new_scratch(problem, 0)
        alone = [
            engine.conditional_score(problem, v, scratch.chosen, 0, scratch) for v in range(self.p)
        ]
        base[:] = alone
        return problem

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

    def _new_scratch(self, problem: engine.ConditionalProblem, m: int) -> engine.ConditionalScratch:
        return bundle(engine.new_scratch(problem.rows, m, new_memo(self.p, 1, records=1)))

    def new_state(self, order: np.ndarray) -> tuple[State, Workspace]:
        """Empty columns for an order, and memory for the search."""
        return engine.start(np.asarray(order), self._most_parents, self.problem.rows, self._memo)

    def describe(self) -> dict[str, Any]:
        """Kind and parameters, for the record."""
        return {"kind": "conditional-gaussian", "gamma": self.gamma}

    def node(self, v: int, parents: Sequence[int]) -> float:
        """The term of node `v` with these parents."""
        scratch = self._new_scratch(self.problem, len(parents))
        scratch.chosen[: len(parents)] = parents
        return float(
            engine.conditional_score(self.problem, v, scratch.chosen, len(parents), scratch)
        )

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
        """Parameters and edges of a DAG beyond those of nodes alone, and what they cost."""
        numbers = self.problem.is_number.astype(bool)
        levels = self.problem.rows.levels
        more = np.zeros(self.p)
        for v in range(self.p):
            parents = adjacency[:, v].astype(bool)
            d, q = int((parents & numbers).sum()), float(np.prod(levels[parents], dtype=float))
            if numbers[v]:
                more[v] = q * (d + 2) - 2
            else:
                more[v] = (levels[v] - 1) * (q * (1 + d * (d + 3) / 2) - 1)
        edges = int(adjacency.sum())
        price = float(more @ self.problem.price) + edges * float(self.problem.toll)
        return {"parameters": float(more.sum()), "edges": float(edges), "price": price}


def _flags(matrix: np.ndarray | None) -> np.ndarray:
    return _NO_KNOWLEDGE if matrix is None else np.ascontiguousarray(matrix, dtype=np.uint8)
