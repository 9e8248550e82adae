r"""Means that differ between conditions: which of them are free, and what that costs.

Node v with parents S has n_v rows that count, n_rv of them in condition r. If some conditions have
intercepts of their own, the description of the node takes

    n_v/2 log(RSS_v / n_v) + |S| (1/2 log n_v + log p) + price of the intercepts

nats (extended BIC), RSS_v the residual sum of squares of the regression on S and the indicators of
these conditions. An intercept that was chosen among all costs 1/2 log n_rv + log p + log K (one of
p variables, one of K conditions); where all variables of a condition have their own, nothing was
chosen, and each costs 1/2 log n_rv alone. If all conditions are free, one of them is the
reference. In place of n_rv stands n_rv + 7: with a handful of rows an intercept gains half a nat by
chance, and more than 1/2 log n_rv where there are nearly as many conditions as rows. A shift is
chosen only where there are `FEWEST_ROWS`.
"""

from __future__ import annotations

import numpy as np

from arcs.data import Dataset

__all__ = ["ShiftPrices"]

_PSEUDO_ROWS = 7.0
#: With fewer rows a shift would be a name for an outlying row.
FEWEST_ROWS = 5
#: A share of variation below this is rounding (or what incomplete rows disagree about).
_NOTHING = 1e-5


class ShiftPrices:
    """The price in nats of graphs with free means, and the means that pay.

    Parameters
    ----------
    dataset : Dataset
        With conditions; covariates are regressed out.
    """

    def __init__(self, dataset: Dataset) -> None:
        assert dataset.conditions is not None
        self.p, self.k = dataset.p, len(dataset.conditions.labels)
        self.rows = dataset.condition_rows()
        self._wide = dataset.with_condition_columns().statistics()
        self.n = self._wide.n[: self.p]
        varies = [float(self._wide.norm(v)[v]) > 0 for v in range(self.p)]
        self.learnable = (self.n > 0) & np.array(varies, dtype=bool)
        used = (self.rows > 0) & self.learnable
        self.each = np.where(used, 0.5 * np.log(self.rows + _PSEUDO_ROWS), 0.0)
        enough = used & (self.rows >= FEWEST_ROWS)
        self.chosen = np.where(enough, self.each + np.log(self.p) + np.log(self.k), np.inf)
        self.used = used

    # ------------------------------------------------------------------ choosing
    def choose(self, adjacency: np.ndarray) -> np.ndarray:
        """The means that pay one by one, given the graph: (conditions, p)."""
        found = np.zeros((self.k, self.p), dtype=bool)
        for v in np.flatnonzero(self.learnable).tolist():
            found[self._forward(v, np.flatnonzero(adjacency[:, v])), v] = True
        return found

    def _forward(self, v: int, parents: np.ndarray) -> list[int]:
        left, n = self._left(v, parents), float(self.n[v])
        chosen: list[int] = []
        # Nothing is left of a column that its parents (copies of it) explain to the last bit.
        while len(chosen) < self.k - 1 and left[0, 0] > 0:
            spread, cross = np.diag(left)[1:], left[0, 1:]
            able = spread > _NOTHING
            share = np.where(able, cross**2 / np.where(able, spread, 1.0), 0.0) / left[0, 0]
            gain = -0.5 * n * np.log(np.maximum(1.0 - share, _NOTHING)) - self.chosen[:, v]
            best = int(np.argmax(gain))
            if not gain[best] > 0:
                break
            chosen.append(best)
            pivot = left[best + 1] / np.sqrt(left[best + 1, best + 1])
            left = left - np.outer(pivot, pivot)
        return chosen

    def _left(self, v: int, parents: np.ndarray) -> np.ndarray:
        """Gram matrix of the node and the indicators after regression on the parents."""
        indicators = self.p + np.arange(self.k)
        gram = self._wide.sub_gram(v, np.concatenate([parents, [v], indicators]).astype(np.int64))
        gram[:, -self.k :][:, ~self.used[:, v]] = 0.0
        gram[-self.k :][~self.used[:, v]] = 0.0
        k = len(parents)
        inner = np.linalg.pinv(gram[:k, :k], rcond=_NOTHING, hermitian=True)
        return np.asarray(gram[k:, k:] - gram[k:, :k] @ inner @ gram[:k, k:])

    # ------------------------------------------------------------------ prices
    def everything(self) -> np.ndarray:
        """The free policy: every mean of its own."""
        return np.ones((self.k, self.p), dtype=bool)

    def leaves_rows(self) -> bool:
        """Whether enough rows are left if every condition has means of its own."""
        n = self.n[self.learnable]
        return bool(np.all(n - self.k + 1 >= n / 3))

    def total(self, adjacency: np.ndarray, shifts: np.ndarray) -> float:
        """Price of a graph in which these means are free."""
        parents = adjacency.sum(axis=0)[self.learnable]
        each = 0.5 * np.log(self.n[self.learnable]) + np.log(self.p)
        return self.nats(adjacency, shifts) + float(parents @ each)

    def nats(self, adjacency: np.ndarray, shifts: np.ndarray) -> float:
        """What data and free means take, without the price of the edges."""
        total = self._price(shifts)
        for v in np.flatnonzero(self.learnable).tolist():
            parents, n = np.flatnonzero(adjacency[:, v]), float(self.n[v])
            left = self._left(v, parents)
            free = np.flatnonzero(shifts[:, v] & self.used[:, v]) + 1
            inner = np.linalg.pinv(left[np.ix_(free, free)], rcond=_NOTHING, hermitian=True)
            share = max(float(left[0, 0] - left[0, free] @ inner @ left[free, 0]), _NOTHING)
            variance = share * float(self._wide.norm(v)[v]) ** 2 / n
            total += 0.5 * n * np.log(variance)
        return float(total)

    def full_rows(self, shifts: np.ndarray) -> np.ndarray:
        """The conditions in which every mean is free."""
        return np.asarray((shifts | ~self.used).all(axis=1) & self.used.any(axis=1))

    def _price(self, shifts: np.ndarray) -> float:
        full = self.full_rows(shifts)
        single = self.chosen[~full][shifts[~full] & self.used[~full]].sum()
        whole = self.each[full].sum(axis=1)
        reference = whole.max() if full.all() and full.size else 0.0
        return float(single + whole.sum() - reference)

    def cheaper_free(self, shifts: np.ndarray) -> np.ndarray:
        """Conditions whose single shifts cost more than all of them would."""
        able = shifts & np.isfinite(self.chosen)
        single = np.where(able, self.chosen, 0.0).sum(axis=1)
        return np.asarray(single > self.each.sum(axis=1))
