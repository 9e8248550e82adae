"""The part of the statistics that regressions on a few candidates need, small enough to be saved.

A fitted network says nothing of how precise its coefficients are, nor what they would be with other
parents. For that, the Gram matrix of each node and its *candidates* (its parents, and whatever else
may become one) is enough: for a sparse graph a few numbers per edge instead of p^2, or p^2 for each
pattern of excluded rows. Regressions on candidates then come out as from the whole statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from arcs.errors import GraphError

__all__ = ["LocalStatistics", "Regressions"]

#: Of values up to 1e100, as many as anybody has: squares stay within double precision.
_LARGEST_NORM = 1e120


class Regressions(Protocol):
    """What it takes to regress nodes on others: the part that two kinds of statistics share."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def p(self) -> int: ...
    @property
    def n(self) -> np.ndarray: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def targets(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def log_weights(self) -> np.ndarray | None: ...
    def sub_gram(self, node: int, nodes: np.ndarray) -> np.ndarray:
        """Rows and columns `nodes` of the Gram matrix that counts for `node`."""

    def mean(self, node: int) -> np.ndarray:
        """Column means over the rows that count for `node`."""

    def norm(self, node: int) -> np.ndarray:
        """Norms of the centred columns over the rows that count for `node`."""


@dataclass(frozen=True, eq=False)
class LocalStatistics:
    """Gram matrices of each node with its candidates.

    Attributes
    ----------
    names : tuple of str
    n : ndarray of shape (p,)
        Rows that count for each node.
    n_rows : int
    targets : tuple of tuple of int
    log_weights : ndarray of shape (p,) or None
    start : ndarray of int, shape (p + 1,)
        The candidates of node v, itself among them, are ``members[start[v]:start[v + 1]]``, sorted.
    members : ndarray of int
    means, norms : ndarray
        Parallel to `members`, over the rows that count for v.
    grams : ndarray
        The lower triangles of the Gram matrices (of unit diagonal), one after the other.
    """

    names: tuple[str, ...]
    n: np.ndarray
    n_rows: int
    targets: tuple[tuple[int, ...], ...]
    log_weights: np.ndarray | None
    start: np.ndarray
    members: np.ndarray
    means: np.ndarray
    norms: np.ndarray
    grams: np.ndarray

    @classmethod
    def of(cls, statistics: Regressions, candidates: np.ndarray) -> LocalStatistics:
        """What regressions need if ``candidates[u, v]`` says whether u may be a parent of v."""
        chosen = np.asarray(candidates, dtype=bool) | np.eye(statistics.p, dtype=bool)
        blocks = [np.flatnonzero(chosen[:, v]) for v in range(statistics.p)]
        grams = [
            statistics.sub_gram(v, at)[np.tril_indices(len(at))] for v, at in enumerate(blocks)
        ]
        return cls(
            statistics.names,
            np.asarray(statistics.n, dtype=float),
            int(statistics.n_rows),
            statistics.targets,
            statistics.log_weights,
            np.cumsum([0, *map(len, blocks)]),
            np.concatenate(blocks),
            np.concatenate([statistics.mean(v)[at] for v, at in enumerate(blocks)]),
            np.concatenate([statistics.norm(v)[at] for v, at in enumerate(blocks)]),
            np.concatenate(grams),
        )

    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    def candidates(self, node: int) -> np.ndarray:
        """The node and its candidates, sorted."""
        return self.members[self.start[node] : self.start[node + 1]]

    def covers(self, adjacency: np.ndarray) -> bool:
        """Whether the parents of every node are among its candidates."""
        graph = np.asarray(adjacency, dtype=bool)
        parents = (np.flatnonzero(graph[:, v]) for v in range(self.p))
        return all(np.isin(at, self.candidates(v)).all() for v, at in enumerate(parents))

    def sub_gram(self, node: int, nodes: np.ndarray) -> np.ndarray:
        """Rows and columns `nodes`, which must be candidates, of the Gram matrix of `node`."""
        known = self.candidates(node)
        at = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
        strange = np.flatnonzero(known[at] != nodes)
        if strange.size:
            name = self.names[int(np.asarray(nodes)[strange[0]])]
            raise GraphError(f"{name!r} was never a candidate for a parent of {self.names[node]!r}")
        lower = np.zeros((len(known), len(known)))
        sizes = np.diff(self.start)
        first = int((sizes[:node] * (sizes[:node] + 1) // 2).sum())
        lower[np.tril_indices(len(known))] = self.grams[
            first : first + len(known) * (len(known) + 1) // 2
        ]
        return np.asarray((lower + np.tril(lower, -1).T)[np.ix_(at, at)])

    def mean(self, node: int) -> np.ndarray:
        """Column means over the rows that count for `node`; NaN but for its candidates."""
        return self._spread(node, self.means)

    def norm(self, node: int) -> np.ndarray:
        """Norms over the rows that count for `node`; NaN but for its candidates."""
        return self._spread(node, self.norms)

    def _spread(self, node: int, values: np.ndarray) -> np.ndarray:
        full = np.full(self.p, np.nan)
        full[self.candidates(node)] = values[self.start[node] : self.start[node + 1]]
        return full

    # ------------------------------------------------------------------ files
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything that a result does not hold anyway, as arrays for files."""
        weights = np.zeros(0) if self.log_weights is None else self.log_weights
        fields = ("n", "start", "members", "means", "norms", "grams")
        return {"log_weights": weights, **{name: getattr(self, name) for name in fields}}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        names: tuple[str, ...],
        n_rows: int,
        targets: tuple[tuple[int, ...], ...],
    ) -> LocalStatistics:
        """The inverse of :meth:`arrays`; what does not fit together is refused."""
        whole = {name: np.asarray(arrays[name]).astype(np.int64) for name in ("start", "members")}
        real = {name: arrays[name].astype(float) for name in ("n", "means", "norms", "grams")}
        weights = arrays["log_weights"].astype(float)
        found = cls(
            names=names,
            n_rows=n_rows,
            targets=targets,
            log_weights=weights if weights.size else None,
            **whole,
            **real,
        )
        flat = (*whole.values(), *real.values(), weights)
        if not all(array.ndim == 1 and np.isfinite(array).all() for array in flat):
            raise GraphError("the local statistics of a result are not lists of finite numbers")
        if (found.n < 0).any() or (found.norms < 0).any() or (found.norms > _LARGEST_NORM).any():
            raise GraphError("the local statistics of a result are out of range")
        sizes = np.diff(found.start)
        p, entries = len(names), len(found.members)
        fits = len(found.n) == p == len(sizes) and found.start[0] == 0 and (sizes > 0).all()
        fits = fits and entries == int(found.start[-1]) == len(found.means) == len(found.norms)
        fits = fits and len(found.grams) == int((sizes * (sizes + 1) // 2).sum())
        fits = (
            fits and weights.size in (0, p) and ((found.members >= 0) & (found.members < p)).all()
        )
        if not fits or not all(v in found.candidates(v) for v in range(p)):
            raise GraphError("the local statistics of a result do not fit together")
        return found
