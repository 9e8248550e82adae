r"""Hidden factors as roots that act on all variables: the EM algorithm for a given graph.

In regime r the variables follow x_v = b_v' x + g_v' h + e_v with h ~ N(0, I_k) and var e_v = w_v,
except that variables which were set there have neither parents nor loadings. With I - B_r for the
graph and G_r for the loadings (k x p),

    M_r = (I + G_r W_r^{-1} G_r')^{-1},      E[h | x] = M_r G_r W_r^{-1} (I - B_r)' x,

so that the expected moments of (x, h) in a regime follow from the covariance of its rows alone. The
M-step is one regression per variable, on its parents and all factors, over the regimes in which it
was not set. Rows are centred per regime beforehand. The price of a graph with k factors is

    n nll + edges (1/2 log n + log p) + k p 1/2 log n      nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Factors", "RegimeCovariances", "factor_start"]

_FLOOR = 1e-4


@dataclass(frozen=True, eq=False)
class Factors:
    """Parameters: coefficients (p, p), loadings (k, p), noise variances (p,)."""

    coefficients: np.ndarray
    loadings: np.ndarray
    noise: np.ndarray

    @property
    def k(self) -> int:
        """Number of factors."""
        return len(self.loadings)


@dataclass(frozen=True, eq=False)
class RegimeCovariances:
    """Covariances of the rows of each regime, variables scaled to unit variance.

    Attributes
    ----------
    covariances : ndarray of shape (regimes, p, p)
    n : ndarray of shape (regimes,)
    set_ : ndarray of bool, shape (regimes, p)
        Which variables were set in which regime.
    """

    covariances: np.ndarray
    n: np.ndarray
    set_: np.ndarray

    @property
    def p(self) -> int:
        """Number of variables."""
        return int(self.covariances.shape[1])

    @property
    def rows(self) -> np.ndarray:
        """Rows that count for each variable."""
        return np.asarray(self.n @ ~self.set_)

    def _within(self, r: int, model: Factors) -> Factors:
        """The model in one regime."""
        fixed = self.set_[r]
        if not fixed.any():
            return model
        coefficients, loadings = model.coefficients.copy(), model.loadings.copy()
        coefficients[:, fixed], loadings[:, fixed] = 0.0, 0.0
        noise = np.where(fixed, np.maximum(np.diag(self.covariances[r]), _FLOOR), model.noise)
        return Factors(coefficients, loadings, noise)

    def weights(self, r: int, model: Factors) -> tuple[np.ndarray, np.ndarray]:
        """E[h | x] = x @ weights, and the covariance of h given x."""
        inside = self._within(r, model)
        scaled = inside.loadings / inside.noise
        spread = np.linalg.inv(np.eye(model.k) + scaled @ inside.loadings.T)
        return (np.eye(self.p) - inside.coefficients) @ scaled.T @ spread, spread

    def moments(self, model: Factors) -> np.ndarray:
        """Expected second moments of variables and factors, (regimes, p + k, p + k)."""
        k, p = model.k, self.p
        found = np.empty((len(self.n), p + k, p + k))
        for r, covariance in enumerate(self.covariances):
            weights, spread = self.weights(r, model)
            cross = covariance @ weights
            found[r, :p, :p], found[r, :p, p:], found[r, p:, :p] = covariance, cross, cross.T
            found[r, p:, p:] = spread + weights.T @ cross
        return found

    def _regression_blocks(
        self, moments: np.ndarray, adjacency: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What all regressions on factors and parents need, one layer per variable.

        Positions of the regressors (the factors first; a variable with fewer than the most has 0
        for the rest, and -1 for what it is), their moments, those with the variable, and its own.
        """
        p, k = self.p, moments.shape[1] - self.p
        counts = adjacency.sum(axis=0)
        at = np.full((p, k + int(counts.max(initial=0))), -1)
        at[:, :k] = p + np.arange(k)
        child, parent = np.nonzero(adjacency.T)
        place = np.arange(len(child)) - np.repeat(np.cumsum(counts) - counts, counts)
        at[child, k + place] = parent
        shares = (self.n[:, None] * ~self.set_) / np.maximum(self.rows, 1.0)
        inner = np.zeros((p, at.shape[1], at.shape[1]))
        cross, own, used = np.zeros(at.shape), np.zeros(p), np.maximum(at, 0)
        for share, part in zip(shares, moments, strict=True):
            inner += share[:, None, None] * part[used[:, :, None], used[:, None, :]]
            cross += share[:, None] * part[used, np.arange(p)[:, None]]
            own += share * np.diag(part)[:p]
        absent = at < 0
        inner[absent[:, :, None] | absent[:, None, :]] = 0.0
        cross[absent] = 0.0
        diagonal = np.einsum("vii->vi", inner)
        diagonal += np.where(absent | (self.rows == 0)[:, None], 1.0, 1e-9)
        return at, inner, cross, own

    def regressions(self, moments: np.ndarray, adjacency: np.ndarray) -> Factors:
        """The M-step: every variable on its parents and all factors."""
        p, k = self.p, moments.shape[1] - self.p
        at, inner, cross, own = self._regression_blocks(moments, adjacency)
        slopes = np.linalg.solve(inner, cross[:, :, None])[:, :, 0]
        coefficients = np.zeros((p, p))
        v, place = np.nonzero(at[:, k:] >= 0)
        coefficients[at[v, k + place], v] = slopes[v, k + place]
        noise = np.maximum(own - np.einsum("vi,vi->v", cross, slopes), _FLOOR)
        return Factors(coefficients, slopes[:, :k].T.copy(), np.where(self.rows > 0, noise, 1.0))

    def fitted(self, adjacency: np.ndarray, model: Factors, steps: int) -> Factors:
        """So many steps of the EM algorithm with the graph fixed."""
        for _ in range(steps):
            model = self.regressions(self.moments(model), adjacency)
        return model

    def pruned(self, adjacency: np.ndarray, model: Factors) -> np.ndarray:
        """The graph without the edges that are not worth their price, given the factors.

        Of every variable the cheapest edge goes, if it does not pay, until all do.
        """
        kept, moments = np.array(adjacency, dtype=bool), self.moments(model)
        rows = np.maximum(self.rows, 1.0)
        price = 0.5 * np.log(rows) + np.log(self.p)
        while kept.any():
            at, inner, cross, own = self._regression_blocks(moments, kept)
            inverse = np.linalg.inv(inner)
            slopes = np.einsum("vij,vj->vi", inverse, cross)
            left = np.maximum(own - np.einsum("vi,vi->v", cross, slopes), _FLOOR)
            lost = slopes**2 / np.einsum("vii->vi", inverse) / left[:, None]
            lost[(at < 0) | (at >= self.p)] = np.inf
            worst = np.argmin(lost, axis=1)
            gain = 0.5 * rows * np.log1p(lost[np.arange(self.p), worst])
            out = np.flatnonzero(gain <= price)
            if not out.size:
                break
            kept[at[out, worst[out]], out] = False
        return kept

    def negative_log_likelihood(self, model: Factors) -> float:
        """Up to a constant, in nats."""
        total = 0.0
        for r, covariance in enumerate(self.covariances):
            inside = self._within(r, model)
            system = np.eye(self.p) - inside.coefficients
            noise = np.diag(inside.noise) + inside.loadings.T @ inside.loadings
            _, logarithm = np.linalg.slogdet(noise)
            precision = system @ np.linalg.solve(noise, system.T)
            total += 0.5 * float(self.n[r]) * (logarithm + float((covariance * precision).sum()))
        return float(total)

    def price(self, adjacency: np.ndarray, model: Factors) -> float:
        """The description length of graph, factors and data, in nats."""
        rows = np.maximum(self.rows, 1.0)
        edges = float(adjacency.sum(axis=0) @ (0.5 * np.log(rows) + np.log(self.p)))
        return (
            self.negative_log_likelihood(model) + edges + model.k * 0.5 * float(np.log(rows).sum())
        )


def factor_start(pooled: np.ndarray, k: int, steps: int = 100) -> Factors:
    """Factor analysis of a correlation matrix, without a graph."""
    p = len(pooled)
    values, vectors = np.linalg.eigh(pooled)
    loadings = 0.9 * (vectors[:, ::-1][:, :k] * np.sqrt(np.maximum(values[::-1][:k], 0.0))).T
    noise = np.maximum(1.0 - (loadings**2).sum(axis=0), 0.05)
    variances = np.diag(pooled)
    for _ in range(steps):
        # The steps of EM without a graph: all variables at once.
        scaled = loadings / noise
        spread = np.linalg.inv(np.eye(k) + scaled @ loadings.T)
        weights = scaled.T @ spread
        cross = pooled @ weights
        inner = spread + weights.T @ cross + 1e-9 * np.eye(k)
        loadings = np.linalg.solve(inner, cross.T)
        noise = np.maximum(variances - np.einsum("vk,kv->v", cross, loadings), _FLOOR)
    return Factors(np.zeros((p, p)), loadings, noise)


def grown_start(data: RegimeCovariances, model: Factors) -> Factors:
    """The factors of a solution, and the leading factor of what they leave."""
    share = data.n / data.n.sum()
    moments = np.tensordot(share, data.moments(model), axes=1)
    p, k = data.p, model.k
    cross, inner = moments[:p, p:], moments[p:, p:]
    left = moments[:p, :p] - cross @ np.linalg.solve(inner, cross.T)
    scale = np.sqrt(np.maximum(np.diag(left), _FLOOR))
    more = factor_start(left / np.outer(scale, scale), 1)
    loadings = np.vstack([np.linalg.solve(inner, cross.T)[:k], more.loadings * scale])
    return Factors(np.zeros((p, p)), loadings, more.noise * scale**2)


def pooled_correlation(data: RegimeCovariances) -> np.ndarray:
    """The correlation matrix of all rows; columns that do not vary are uncorrelated."""
    covariance = np.tensordot(data.n / data.n.sum(), data.covariances, axes=1)
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(covariance / np.outer(scale, scale))


def describe(labels: Sequence[str], model: Factors, scale: np.ndarray) -> dict[str, list[float]]:
    """Loadings by variable, on the user's scale."""
    return {name: (model.loadings[:, v] * scale[v]).tolist() for v, name in enumerate(labels)}
