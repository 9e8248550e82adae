r"""One node's regression when its mechanism differs between regimes: likelihood and price.

Node v has parents S. In regime r it has n_r rows and one of five mechanisms:

==============  ==================================================================  ==========
unchanged       x_v = a + b' x_S + e,  var e = s^2                                  0
noise           the same a and b,  var e = s_r^2                                    1 parameter
shift           x_v = a_r + b' x_S + e,  var e = s^2: the mean alone differs        1 parameter
coefficients    x_v = a_r + b_r' x_S + e,  var e = s_r^2                            |S| + 2
set             x_v = m_r + e,  var e = t_r^2: the parents have no influence        2
==============  ==================================================================  ==========

*Reweighting.* Let w_r = s^2 / s_r^2 be the ratio of noise variances (1 where nothing changed, 0 in
regimes in which the node was set or has coefficients of its own, which say nothing of a and b).
With N the number of rows of the regimes with w_r > 0, twice the negative log-likelihood of the node
there is

    sum_r n_r log(2 pi s^2 / w_r) + w_r RSS_r(a, b) / s^2.

Given the ratios, a and b minimise the *weighted* sum of squares RSS_w = sum_r w_r RSS_r, and
s^2 = RSS_w / N; what remains is the profile likelihood

    N/2 (log(2 pi RSS_w / N) + 1) - sum_r n_r/2 log w_r.

The first term is the score of an ordinary regression on the Gram matrix ``sum_r w_r X_r' X_r`` with
N rows, so that the search needs nothing new: a regime's Gram matrix is weighted, its rows are
counted in full, and the last term does not depend on the parents. Given a and b the ratios have the
solution s_r^2 = RSS_r / n_r; alternating the two lowers the likelihood's negative until both
settle.

*Shifted means.* A regime with an intercept of its own contributes its squares about its *own*
means: RSS_r = RSS_r(a_r, b) with a_r solved for, whatever the parents are. Its Gram matrix is taken
about its own means instead of the common ones, and w_r = 1.

*Few rows.* With as many parents as rows RSS_r can vanish and the likelihood has no bound. Variances
of changed regimes are therefore estimated as if `PSEUDO_ROWS` more rows had shown the noise of the
other regimes: s_r^2 = (RSS_r + k s^2) / (n_r + k). The likelihood is the exact one at these values,
which is never better than at the unrestricted ones.

*Prices.* Parameters of a regime cost 1/2 log n_r nats each (BIC); an edge costs what the search
says. Every mechanism is nested in *coefficients*; its likelihood thus bounds what any change can
gain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np

from arcs.regimes.moments import RegimeMoments

__all__ = [
    "COEFFICIENTS",
    "KINDS",
    "NOISE",
    "PSEUDO_ROWS",
    "SET",
    "SHIFT",
    "UNCHANGED",
    "NodeMechanism",
]

#: Codes of the mechanisms, and what they are called.
UNCHANGED, NOISE, SHIFT, COEFFICIENTS, SET = range(5)
KINDS = ("unchanged", "noise", "shift", "coefficients", "set")

#: Rows that a change of noise must contradict before it is believed.
PSEUDO_ROWS = 1.0
#: Regimes need this many rows beyond their parameters to have coefficients of their own.
_SPARE_ROWS = 2
#: The noise ratios have settled when their logarithms change by less; the price is flat there, so
#: that its error is of the order of the square.
_SETTLED = 1e-4
_ROUNDS = 100
#: Ridge that keeps collinear parents solvable, and the least share of variance that is noise.
_RIDGE = 1e-10
_FLOOR = 1e-12


class NodeMechanism:
    """The regression of one node on given parents in all regimes.

    Parameters
    ----------
    moments : RegimeMoments
    node : int
    parents : sequence of int
    edge_price : callable
        Price of an edge, in nats, for a number of rows.
    center : bool
        Whether there is an intercept.
    """

    def __init__(
        self,
        moments: RegimeMoments,
        node: int,
        parents: Sequence[int] | np.ndarray,
        edge_price: Callable[[float], float],
        *,
        center: bool = True,
    ) -> None:
        nodes = np.append(np.asarray(parents, dtype=np.int64), node)
        self.k = len(nodes) - 1
        self.n = moments.n
        self.edge_price = edge_price
        self.scale = float(moments.scale[node])
        self.center = center
        self.mean = (
            moments.mean[:, nodes] if center else moments.mean[:, nodes] - moments.origin[nodes]
        )
        self.blocks = moments.blocks(nodes)
        outer = self.n[:, None, None] * self.mean[:, :, None] * self.mean[:, None, :]
        self._about_zero = self.blocks + outer
        self._own = self._own_residuals()

    # ------------------------------------------------------------------ regressions
    def _own_residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """Per regime: squares about its mean, and about its own regression."""
        _, own = self._regress(self.blocks)
        return self.blocks[:, -1, -1], own

    def _regress(self, gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Contrasts ``[-b, 1]`` and residual sums of squares of a stack of Gram matrices."""
        k = self.k
        contrast = np.ones((len(gram), k + 1))
        target = gram[:, -1, -1]
        if k == 0:
            return contrast, np.maximum(target, 0.0)
        inner, cross = gram[:, :k, :k].copy(), gram[:, :k, k]
        diagonal = np.einsum("cii->ci", inner)
        diagonal += _RIDGE * np.maximum(diagonal, 1.0)
        beta = np.linalg.solve(inner, cross[:, :, None])[:, :, 0]
        contrast[:, :k] = -beta
        return contrast, np.maximum(target - np.einsum("ci,ci->c", cross, beta), 0.0)

    def _common(self, weights: np.ndarray, shifted: np.ndarray) -> tuple[np.ndarray, ...]:
        """The common regressions: contrasts, RSS_w, and by how much each regime's mean is off.

        `weights` and `shifted`, the regimes with intercepts of their own, are (candidates,
        regimes).
        """
        size = self.k + 1
        alike = np.where(shifted, 0.0, weights)
        mass = alike * self.n
        centre = mass @ self.mean / mass.sum(axis=1, keepdims=True)
        if not self.center:
            centre = np.zeros_like(centre)
        gram = (alike @ self._about_zero.reshape(len(self.n), -1)).reshape(-1, size, size)
        gram -= mass.sum(axis=1)[:, None, None] * centre[:, :, None] * centre[:, None, :]
        if shifted.any():
            own = np.where(shifted, weights, 0.0) @ self.blocks.reshape(len(self.n), -1)
            gram += own.reshape(-1, size, size)
        contrast, total = self._regress(gram)
        off = contrast @ self.mean.T - np.einsum("ci,ci->c", contrast, centre)[:, None]
        return contrast, total, off

    def _weighted(
        self, weights: np.ndarray, shifted: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each row of weights: RSS_w, and the sums of squares RSS_r of all regimes."""
        if shifted is None:
            shifted = np.zeros(weights.shape, dtype=bool)
        contrast, total, off = self._common(weights, shifted)
        pairs = (contrast[:, :, None] * contrast[:, None, :]).reshape(len(contrast), -1)
        within = pairs @ self.blocks.reshape(len(self.n), -1).T
        return total, np.maximum(within, 0.0) + self.n * np.where(shifted, 0.0, off) ** 2

    def fit(self, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and price of each assignment of mechanisms to regimes.

        Parameters
        ----------
        kinds : ndarray of int, shape (candidates, regimes)

        Returns
        -------
        weights : ndarray of shape (candidates, regimes)
        price : ndarray of shape (candidates,)
            Negative log-likelihood and price of all parameters, in nats.
        """
        noise, shifted, out = kinds == NOISE, kinds == SHIFT, kinds >= COEFFICIENTS
        reference = ~noise & ~out
        weights = np.where(out, 0.0, 1.0)
        total, squares = self._weighted(weights, shifted)
        rows = reference @ self.n
        for _ in range(_ROUNDS if noise.any() else 0):
            variance = np.maximum((squares * reference).sum(axis=1) / rows, _FLOOR)[:, None]
            changed = (squares + PSEUDO_ROWS * variance) / (self.n + PSEUDO_ROWS)
            new = np.where(noise, variance / changed, weights)
            step = np.abs(np.log(new[noise] / weights[noise])).max()
            weights = new
            total, squares = self._weighted(weights, shifted)
            if step < _SETTLED:
                break
        return weights, self._price(kinds, weights, total)

    # ------------------------------------------------------------------ prices
    def _price(self, kinds: np.ndarray, weights: np.ndarray, total: np.ndarray) -> np.ndarray:
        counted = weights > 0
        rows = counted @ self.n
        variance = np.maximum(total / rows, _FLOOR)
        price = 0.5 * rows * (np.log(2 * np.pi * variance) + 1.0)
        price -= 0.5 * np.log(np.where(counted, weights, 1.0)) @ self.n
        price += self.k * np.array([self.edge_price(float(n)) for n in rows])
        single = (kinds == NOISE) | (kinds == SHIFT)
        price += 0.5 * single @ np.log(np.maximum(self.n, 1.0))
        for kind in (COEFFICIENTS, SET):
            chosen = kinds == kind
            if chosen.any():
                price += (self.apart(kind, variance) * chosen).sum(axis=1)
        return np.asarray(price)

    def apart(self, kind: int, variance: np.ndarray) -> np.ndarray:
        """Price of each regime described on its own, (candidates, regimes).

        `variance` is the noise of the other regimes, one value per candidate.
        """
        squares = self._own[0 if kind == SET else 1]
        parameters = 2 if kind == SET else self.k + 2
        base = variance[:, None]
        own = (squares + PSEUDO_ROWS * base) / (self.n + PSEUDO_ROWS)
        fit = 0.5 * self.n * np.log(2 * np.pi * own) + 0.5 * squares / own
        return np.asarray(fit + 0.5 * parameters * np.log(np.maximum(self.n, 1.0)))

    def possible(self, kind: int) -> np.ndarray:
        """Which regimes have rows enough for a mechanism of this kind."""
        if kind == COEFFICIENTS:
            return np.asarray(self.n >= self.k + 2 + _SPARE_ROWS)
        return np.asarray(self.n > 0)

    def variance_ratio(self, kinds: np.ndarray, weights: np.ndarray, regime: int) -> float:
        """Noise variance in a regime divided by that elsewhere; NaN where the node was set."""
        if kinds[regime] == SET:
            return float("nan")
        if kinds[regime] in (NOISE, SHIFT):
            return float(1.0 / weights[regime])
        total, _ = self._weighted(weights[None], (kinds == SHIFT)[None])
        elsewhere = max(float(total[0]) / float((weights > 0) @ self.n), _FLOOR)
        own = self._own[1][regime] + PSEUDO_ROWS * elsewhere
        return float(own / (self.n[regime] + PSEUDO_ROWS) / elsewhere)

    def shift(self, kinds: np.ndarray, weights: np.ndarray, regime: int) -> float:
        """By how much the mean is off, given the parents, in the node's units.

        NaN where more than that changed.
        """
        if kinds[regime] != SHIFT:
            return nan
        *_, off = self._common(weights[None], (kinds == SHIFT)[None])
        return float(off[0, regime] * self.scale)

    def translation(
        self, kinds: np.ndarray, weights: np.ndarray, regime: int
    ) -> tuple[np.ndarray, float]:
        """What leads from a regime's own regression to the common one.

        Slopes d (one per parent) and a shift c such that ``x_v + d' x_S + c`` has the common
        intercept and coefficients in this regime, and the noise it has there.
        """
        common, _, off = self._common(weights[None], (kinds == SHIFT)[None])
        own, _ = self._regress(self.blocks[regime][None])
        slopes = (own - common)[0, : self.k]
        # common[0] @ centre, the intercept, is what the regime's mean has more than its distance.
        intercept = common[0] @ self.mean[regime] - off[0, regime]
        return slopes, float(intercept - own[0] @ self.mean[regime])
