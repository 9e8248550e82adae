"""Tables with numbers and categories of which sums are kept, not rows.

The equations are those of the rows (:meth:`arcs.data.mixed.MixedData.fit`): normal equations of the
same columns about their means; where columns determine each other, the solution with the least
squares of coefficients, as of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcs.data.checks import refuse_vanishing
from arcs.data.dataset import Dataset
from arcs.data.designed import Design
from arcs.data.indicators import Indicators, sums_of
from arcs.data.mixed import MixedData
from arcs.graphs.mixed import MixedDag

__all__ = ["MixedSums"]

#: Eigenvalues of a correlation matrix below this are rounding: columns determine each other.
_NOTHING = 1e-11


@dataclass(frozen=True, eq=False)
class MixedSums(MixedData):
    """Sums of numbers and of indicators of levels; as :class:`~arcs.data.mixed.MixedData`."""

    @classmethod
    def checked(cls, dataset: Dataset) -> MixedSums:
        """Refuse what is refused of rows."""
        columns = Indicators(dataset.levels or ())
        first = [int(columns.columns(j)[0]) for j in range(dataset.p)]
        refuse_vanishing(dataset.names, sums_of(dataset).spread()[first])
        return cls(dataset, *Design.of(dataset))

    @property
    def n(self) -> np.ndarray:
        """For each variable the rows in which it was not set."""
        return np.asarray(np.rint(self._weights @ sums_of(self.dataset).table().n).astype(np.int64))

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All figures that fits depend on, for a fingerprint."""
        sums = sums_of(self.dataset)
        cross = [regime.cross_about(regime.mean) for regime in sums.regimes if regime.n]
        return (sums.shift, sums.table().n, sums.table().mean, *cross, self._weights)

    @cached_property
    def _weights(self) -> np.ndarray:
        """Whether a regime counts for a variable: (p, regimes)."""
        weights = np.ones((self.p, len(sums_of(self.dataset).regimes)))
        if self.dataset.interventions is not None:
            for r, group in enumerate(self.targets):
                weights[list(group), r] = 0.0
        return weights

    @cached_property
    def _columns_of(self) -> list[np.ndarray]:
        columns = Indicators(self.dataset.levels or ())
        return [columns.columns(j) for j in range(self.p)]

    def without_own_variation(self) -> list[str]:
        """Columns that the condition, which is the regime, determines."""
        table, found = sums_of(self.dataset).table(), []
        for v in np.flatnonzero(~self.isolated).tolist():
            counts = (self._weights[v] > 0) & (table.n > 0)
            at = np.ix_(counts, self._columns_of[v])
            if (table.low[at] == table.high[at]).all():
                found.append(self.names[v])
        return found

    def fit(self, adjacency: np.ndarray) -> MixedDag:
        """The equations of all nodes; covariates and free means of conditions are taken out."""
        levels = self.dataset.levels
        assert levels is not None
        moments, equations = _Moments(self.dataset), []
        for v in range(self.p):
            parents = [
                self._columns_of[u] if levels[u] is None else self._columns_of[u][1:]
                for u in np.flatnonzero(adjacency[:, v]).tolist()
            ]
            inputs = np.concatenate([np.zeros(0, np.int64), *parents])
            equations.append(moments.equation(self._weights[v], inputs, self._columns_of[v]))
        return MixedDag(adjacency, levels, equations, self.names)


class _Moments:
    """Means and cross-products of all columns, by the regimes that count."""

    def __init__(self, dataset: Dataset) -> None:
        columns = Indicators(dataset.levels or ())
        width, sums = columns.width, sums_of(dataset)
        conditions = dataset.conditions
        free = conditions is not None and conditions.shifts is not None
        if free:  # regimes are the conditions
            sums = sums.extended(np.eye(len(sums.regimes))[:, 1:], before=sums.p)
        self.sums, self.taken_out = sums, np.arange(width, sums.p)
        everything = np.ones(len(sums.regimes))
        self.centre = sums.mean(everything)[self.taken_out]
        self._known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def about(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means, and cross-products about them."""
        key = weights.tobytes()
        if key not in self._known:
            mean = self.sums.mean(weights)
            self._known[key] = mean, self.sums.cross_about(weights, mean)
        return self._known[key]

    def equation(self, weights: np.ndarray, inputs: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """Intercepts and slopes of the outputs; what is taken out is at its mean of all rows."""
        if not (weights * self.sums.table().n).any():
            return np.zeros((1 + len(inputs), len(outputs)))
        mean, cross = self.about(weights)
        at = np.concatenate([inputs, self.taken_out])
        place = mean[at] + self.sums.shift[at]
        place[len(inputs) :] = mean[self.taken_out] - self.centre
        slopes, nothing = _solved(cross[np.ix_(at, at)], cross[np.ix_(at, outputs)])
        intercept = mean[outputs] + self.sums.shift[outputs] - place @ slopes
        found = np.vstack([intercept, slopes])
        # Combinations of columns that are 0 in all rows: of all solutions the shortest.
        free = np.vstack([-place @ nothing, nothing])
        found = found - free @ np.linalg.lstsq(free, found, rcond=None)[0]
        return np.asarray(found[: 1 + len(inputs)])


def _solved(inner: np.ndarray, cross: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A solution of ``inner @ slopes = cross``, and the combinations that `inner` makes 0."""
    size = np.sqrt(np.maximum(np.diag(inner), 0.0))
    scale = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(inner / np.outer(scale, scale))
    kept = values > _NOTHING
    basis = vectors[:, kept] / values[kept]
    slopes = (basis @ (vectors[:, kept].T @ (cross / scale[:, None]))) / scale[:, None]
    return slopes, vectors[:, ~kept] / scale[:, None]
