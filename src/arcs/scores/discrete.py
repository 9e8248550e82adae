"""Scores of Bayesian networks over categorical variables, for the order search.

Every score is a sum over nodes of a term that depends on the node and its parents, in nats, smaller
is better (:mod:`arcs.kernels.order.discrete_score` has the formulas):

- ``"bic"``: log-likelihood with 1/2 log n per free parameter;
- ``"ebic"``: the same plus `gamma` log p per parent, the extended BIC;
- ``"bdeu"``, ``"bds"``: Dirichlet marginal likelihood with an equivalent sample size;
- ``"ebdeu"``: BDeu plus `gamma` log p per parent, a prior that knows how many graphs there are;
- ``"k2"``: the same with a uniform prior for each row of a table.

Rows in which a variable was set by the experimenter are left out of its own counts (Cooper and Yoo,
1999), and count for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.errors import DataError, SettingsError
from arcs.kernels.bundles import bundle
from arcs.kernels.order import discrete
from arcs.kernels.order.counts import CountScratch, Rows, new_count_scratch
from arcs.kernels.order.discrete_score import BDEU, BDS, BIC, K2, family_score
from arcs.kernels.order.memo import MOST_PARENTS, Memo, new_memo
from arcs.kernels.order.records import State, Workspace

if TYPE_CHECKING:
    from arcs.data.categorical import CategoricalTable

__all__ = ["DISCRETE_SCORES", "DiscreteScore", "count_rows", "rows_of_table", "score_of"]

DISCRETE_SCORES = {"bic": BIC, "ebic": BIC, "bdeu": BDEU, "ebdeu": BDEU, "bds": BDS, "k2": K2}
#: Scores that charge for parents.
_WITH_TOLL = ("ebic", "ebdeu")
#: Codes are bytes.
MOST_LEVELS = 255
_NO_KNOWLEDGE = np.zeros((0, 0), np.uint8)


def count_rows(
    codes: np.ndarray,
    levels: Sequence[int],
    *,
    was_set: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> Rows:
    """Distinct rows with their weights, as codes and as bits.

    They take two bytes per entry, and a bit per entry and level that occurs; chains, beside
    their memo, four bytes per bit of a row and level of the variable that has most of them.

    Parameters
    ----------
    codes : ndarray of int, shape (n, p)
        Level of each variable in each row, from 0 on.
    levels : sequence of int
        Number of levels of each variable, also of those that do not occur.
    was_set : ndarray of bool, shape (n, p), optional
        Where a variable was set by the experimenter.
    weights : ndarray of int, shape (n,), optional
        How often each row counts; 1 by default.
    """
    codes = np.asarray(codes)
    sizes = np.asarray(levels, dtype=np.int64)
    _check_codes(codes, sizes)
    n = codes.shape[0]
    repeats = np.ones(n, np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
    masks = np.zeros(codes.shape, bool) if was_set is None else np.asarray(was_set, dtype=bool)
    patterns, pattern = np.unique(masks, axis=1, return_inverse=True)
    keys = np.concatenate([codes, patterns], axis=1).astype(np.uint8)
    _, first, home = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    times = np.bincount(home.ravel(), weights=repeats, minlength=first.size).astype(np.int64)
    weight = np.ascontiguousarray(np.where(patterns[first].T, 0, times), dtype=np.int32)
    distinct = np.ascontiguousarray(codes[first].T.astype(np.uint8))
    largest = weight.max(axis=1, initial=1)
    occurring = [np.unique(column) for column in distinct]
    width = np.array([own.size for own in occurring], dtype=np.int64)
    return Rows(
        codes=distinct,
        by_row=_row_by_row(distinct),
        levels=sizes,
        bits=_bits(distinct, occurring),
        first=np.concatenate([[0], np.cumsum(width)[:-1]]).astype(np.int64),
        width=width,
        pattern=pattern.ravel().astype(np.int64),
        weight=weight,
        digits=np.array([int(most).bit_length() for most in largest], dtype=np.int64),
        n=weight.sum(axis=1).astype(float),
    )


def _check_codes(codes: np.ndarray, levels: np.ndarray) -> None:
    if levels.max(initial=1) > MOST_LEVELS:
        raise DataError(f"a variable has {levels.max()} levels; at most {MOST_LEVELS} are possible")
    if codes.size and (codes.min() < 0 or (codes.max(axis=0) >= levels).any()):
        raise DataError("codes of levels must run from 0 to the number of levels minus one")


def _row_by_row(codes: np.ndarray) -> np.ndarray:
    """The rows one after the other, filled up to whole lines of memory."""
    p, n = codes.shape
    rows = np.zeros((n, -(-max(p, 1) // 64) * 64), np.uint8)
    rows[:, :p] = codes.T
    return rows


def _bits(codes: np.ndarray, occurring: Sequence[np.ndarray]) -> np.ndarray:
    """For each row, and one without anything, which levels it has, as words of 64 bits."""
    flags = [codes[j] == level for j, own in enumerate(occurring) for level in own]
    width = max(-(-len(flags) // 256), 1) * 256
    padded = np.zeros((codes.shape[1] + 1, width), bool)
    for i, flag in enumerate(flags):
        padded[:-1, i] = flag
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


@dataclass(frozen=True, eq=False)
class DiscreteScore:
    """A score of categorical networks, as the order search takes it.

    Parameters
    ----------
    rows : Rows
        The data, see :func:`count_rows`.
    kind : {"ebic", "bic", "bdeu", "ebdeu", "bds", "k2"}
    gamma : float
        Extended BIC: price of a parent, in units of log p.
    sample_size : float
        Equivalent sample size of "bdeu", "ebdeu" and "bds".
    factor : float
        BIC and extended BIC: price of a free parameter, in units of 1/2 log n.
    max_parents : int, optional
    allowed, required : ndarray of bool, shape (p, p), optional
        Background knowledge: ``[i, j]`` whether i -> j may, or must, be an edge.
    """

    rows: Rows
    kind: str = "ebic"
    gamma: float = 1.0
    sample_size: float = 1.0
    factor: float = 1.0
    max_parents: int | None = None
    allowed: np.ndarray | None = None
    required: np.ndarray | None = None

    #: The search adds it to what it reports; there is nothing to add here.
    offset = 0.0

    def __post_init__(self) -> None:
        if self.kind not in DISCRETE_SCORES:
            raise SettingsError(
                f"the score must be one of {', '.join(DISCRETE_SCORES)}, got {self.kind!r}"
            )

    @property
    def p(self) -> int:
        """Number of variables."""
        return int(self.rows.levels.size)

    @cached_property
    def problem(self) -> discrete.DiscreteProblem:
        """The problem as arrays."""
        n = self.rows.n[self.rows.pattern]
        most = int(self.rows.n.max(initial=1.0))
        counts = np.arange(most + 1, dtype=float)
        entropy = counts * np.log(np.maximum(counts, 1.0))
        # All terms together fit into 62 bits.
        unit = 2.0 ** -min(44, 61 - int(np.ceil(np.log2(entropy[-1] + 2.0))))
        problem = discrete.DiscreteProblem(
            rows=self.rows,
            kind=DISCRETE_SCORES[self.kind],
            entropy=np.round(entropy / unit).astype(np.int64),
            spread=self._spread(entropy),
            unit=unit,
            sample_size=float(self.sample_size),
            price=0.5 * self.factor * np.log(np.maximum(n, 2.0)),
            toll=self.gamma * np.log(self.p) if self.kind in _WITH_TOLL else 0.0,
            # Marginal likelihoods reward sets that only look good together far too often.
            lenient=0.5 if DISCRETE_SCORES[self.kind] == BIC else 1.0,
            max_parents=self._parent_limits(),
            allowed=_flags(self.allowed),
            required=_flags(self.required),
        )
        return bundle(problem)

    def _spread(self, entropy: np.ndarray) -> np.ndarray:
        """n H of each variable, for each pattern of weights."""
        rows = self.rows
        spread = np.zeros((rows.weight.shape[0], self.p))
        for pattern, weight in enumerate(rows.weight):
            for j, codes in enumerate(rows.codes):
                counts = np.bincount(codes, weights=weight).astype(np.int64)
                spread[pattern, j] = entropy[counts.sum()] - entropy[counts].sum()
        return spread

    def describe(self) -> dict[str, Any]:
        """Kind and parameters, for the record."""
        described: dict[str, Any] = {"kind": self.kind}
        if self.kind in _WITH_TOLL:
            described["gamma"] = self.gamma
        if self.kind in ("bdeu", "ebdeu", "bds"):
            described["sample_size"] = self.sample_size
        if self.factor != 1.0:
            described["factor"] = self.factor
        return described

    def _parent_limits(self) -> np.ndarray:
        most = min(MOST_PARENTS, self.p - 1, self.max_parents or MOST_PARENTS)
        limits = np.full(self.p, max(most, 0), dtype=np.int64)
        if self.required is not None:
            limits = np.maximum(limits, np.asarray(self.required).sum(axis=0))
        return limits

    def new_state(self, order: np.ndarray) -> tuple[State, Workspace]:
        """Empty columns for an order, and memory for the search."""
        return discrete.start(np.asarray(order), self._most_parents, self._counts, self._memo)

    @property
    def _most_parents(self) -> int:
        return max(int(self._parent_limits().max(initial=0)), 1)

    @cached_property
    def _memo(self) -> Memo:
        """What all chains with this score learn of families; one thread at a time may use it."""
        return new_memo(self.p, self._most_parents + 1)

    @cached_property
    def _counts(self) -> CountScratch:
        """Where all chains with this score count; for one thread at a time, like the memo."""
        return new_count_scratch(self.rows)

    def node(self, v: int, parents: Sequence[int]) -> float:
        """The term of node `v` with these parents."""
        return self.terms([(v, parents)])[0]

    def total(self, adjacency: np.ndarray) -> float:
        """The score of a DAG: ``adjacency[i, j]`` is the edge i -> j."""
        families = [(v, np.flatnonzero(adjacency[:, v]).tolist()) for v in range(self.p)]
        return float(sum(self.terms(families)))

    def strengths(self, adjacency: np.ndarray) -> np.ndarray:
        """Of each edge, by how much the score would be worse without it; zero without an edge."""
        edges = np.argwhere(adjacency).tolist()
        parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(self.p)]
        present = self.terms(list(enumerate(parents)))
        without = self.terms([(v, [w for w in parents[v] if w != u]) for u, v in edges])
        lost = np.zeros(adjacency.shape)
        for (u, v), score in zip(edges, without, strict=True):
            lost[u, v] = score - present[v]
        return lost

    def terms(self, families: Sequence[tuple[int, Sequence[int]]]) -> list[float]:
        """The terms of some nodes with given parents."""
        widest = max((len(parents) for _, parents in families), default=0)
        memo = new_memo(self.p, 1, records=1)
        scratch = bundle(discrete.new_scratch(widest, new_count_scratch(self.rows), memo))
        terms = []
        for v, parents in families:
            scratch.chosen[: len(parents)] = parents
            terms.append(
                float(family_score(self.problem, v, scratch.chosen, len(parents), scratch))
            )
        return terms


def rows_of_table(table: CategoricalTable) -> Rows:
    """The distinct rows of a table of categories."""
    sizes = [len(own) for own in table.levels]
    return count_rows(table.codes, sizes, was_set=table.was_set)


def score_of(table: CategoricalTable, chosen: Mapping[str, Any], **knowledge: Any) -> DiscreteScore:
    """The score that `chosen` describes (kind, gamma, sample_size, factor) of a table of
    categories."""
    names = ("kind", "gamma", "sample_size", "factor")
    known = {name: chosen[name] for name in names if name in chosen}
    return DiscreteScore(rows_of_table(table), **known, **knowledge)


def _flags(matrix: np.ndarray | None) -> np.ndarray:
    return _NO_KNOWLEDGE if matrix is None else np.ascontiguousarray(matrix, dtype=np.uint8)
