"""LISTEN: a Gaussian DAG with equal noise variances, from its last node to its first.

Ghoshal and Honorio (2017, 2018) [1]_ [2]_. If all noise variances are equal to s^2, the inverse
covariance matrix O has ``O_jj = (1 + sum of squared coefficients of j's children) / s^2``: nodes
without children are those with the smallest diagonal entry, that is, with the largest variance
given all other nodes. Take such a node; its neighbours in O are its parents; remove it, which
leaves a DAG of the same kind; go on. A regularised estimate of O makes this work for n < p, and
after a removal only the columns of the removed node's neighbours change.

The variances are compared on the user's scale: they carry the information. On standardised data
(as in most of the ARCS paper) the assumption does not hold and the answer means little.

Choices
-------
The authors estimate O by CLIME, a linear program per column. Here a column is found by a scaled MCP
regression of the node on all others (:mod:`arcs.kernels.listen`), whose penalty needs no knowledge
of the noise level, followed by least squares on the neighbours; the conditional variance is
``RSS / (n - 1 - neighbours)``. After a removal columns are estimated anew and not by a Schur
complement, so that errors do not add up. The default penalty, on the scale of correlations, is

    lam = sqrt(2 log(p) / n),

the size that the largest of p products of pure noise with the residual reaches.

.. [1] A. Ghoshal, J. Honorio, Learning identifiable Gaussian Bayesian networks in polynomial time
   and sample complexity, NeurIPS 2017.
.. [2] A. Ghoshal, J. Honorio, Learning linear structural equation models in polynomial time and
   sample complexity, AISTATS 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcs.data import GramStatistics
from arcs.errors import SettingsError
from arcs.graphs import Order
from arcs.kernels.listen import neighbours
from arcs.kernels.regression import residual_variance
from arcs.learners.base import Learned, Learner
from arcs.progress import Watch
from arcs.settings import NONE, number, setting

__all__ = ["LISTEN"]


@dataclass(frozen=True, kw_only=True)
class LISTEN(Learner):
    """Sequential detection of terminal nodes under equal noise variances.

    Parameters
    ----------
    lam : float, optional
        Penalty on the scale of correlations: a node whose partial correlation with another one is
        below it is no neighbour. By default ``sqrt(2 log(p) / n)``; 0 takes the plain inverse of
        the sample covariance matrix, and every earlier node as a parent.
    gamma : float
        Concavity of the MCP, above 1.
    tolerance : float
        Largest change of a weight at convergence, relative to the square root of n.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> model = random_weights(network("asia"), 0, unit_variance=False)  # equal noise variances
    >>> drawn = sample(model, 500, 0)
    >>> LISTEN().fit(drawn.data).n_edges
    8
    """

    name: ClassVar[str] = "listen"
    uses_interventions: ClassVar[bool] = False

    lam: float | None = setting(None, number(0) | NONE)
    gamma: float = setting(2.0, number(above=1))
    tolerance: float = setting(1e-6, number(above=0))

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Take one node after the other off the end."""
        p, n = statistics.p, float(statistics.n_rows)
        lam = self.lam if self.lam is not None else np.sqrt(2 * np.log(max(p, 2)) / max(n, 1.0))
        if lam == 0 and n <= p:
            raise SettingsError(
                f"lam=0 inverts the covariance matrix, which {n:.0f} rows of {p} columns do not "
                "allow; leave lam out or take more rows"
            )
        removal = _Removal(statistics, float(lam) * np.sqrt(n), self)
        removal.run(watch)
        return Learned(
            graph=removal.adjacency,
            order=Order(removal.removed[::-1], statistics.names),
            penalty={"kind": "mcp", "gamma": self.gamma, "lambda": float(lam)},
            trace=removal.trace(),
            converged=not watch.expired(),
        )


class _Removal:
    """The nodes that are left, their neighbours and their conditional variances."""

    def __init__(self, statistics: GramStatistics, lam: float, settings: LISTEN) -> None:
        p = statistics.p
        self.statistics = statistics
        self.lam = lam
        self.settings = settings
        self.left = np.ones(p, dtype=bool)
        self.neighbours = [np.empty(0, np.int64) for _ in range(p)]
        self.variance = np.full(p, -np.inf)
        self.adjacency = np.zeros((p, p), dtype=bool)
        self.removed: list[int] = []

    def run(self, watch: Watch) -> None:
        """Remove all nodes; without time left, by the variances known so far."""
        p = self.statistics.p
        self._estimate(np.arange(p), watch)
        for step in range(1, p + 1):
            node = int(np.argmax(np.where(self.left, self.variance, -np.inf)))
            if not self.left[node]:
                # Time ran out before the remaining nodes were looked at.
                node = int(np.flatnonzero(self.left)[-1])
            touched = self._remove(node)
            if watch.tick("terminal nodes", step, total=p, edges=int(self.adjacency.sum())):
                self._estimate(touched, watch)

    def _remove(self, node: int) -> np.ndarray:
        """Make the node's neighbours its parents; return the nodes that had it as a neighbour."""
        parents = self.neighbours[node]
        self.adjacency[parents[self.left[parents]], node] = True
        self.left[node] = False
        self.removed.append(node)
        touched = [v for v in np.flatnonzero(self.left).tolist() if node in self.neighbours[v]]
        return np.array(touched, dtype=np.int64)

    def _estimate(self, nodes: np.ndarray, watch: Watch) -> None:
        for v in nodes.tolist():
            if watch.expired():
                return
            self.neighbours[v] = self._neighbours(v)
            self.variance[v] = self._conditional_variance(v)

    def _neighbours(self, v: int) -> np.ndarray:
        others = np.flatnonzero(self.left)
        others = others[others != v]
        if self.lam == 0:
            return np.asarray(others)
        kernel, settings = self.statistics.kernel, self.settings
        # Observational data have one pattern and no correction rows: this is v's correlation.
        strength = np.abs(kernel.grams[0][v, others])
        order = others[np.argsort(-strength, kind="stable")]
        most = max(int(self.statistics.n_rows) // 2, 1)
        found = neighbours(kernel, v, order, self.lam, settings.gamma, settings.tolerance, most)
        return np.asarray(found)

    def _conditional_variance(self, v: int) -> float:
        """Variance of v given its neighbours, on the user's scale."""
        columns = self.neighbours[v]
        k, n = len(columns), float(self.statistics.n_rows)
        share = residual_variance(
            self.statistics.kernel, v, columns, k, np.empty((k + 1, k + 1)), np.empty(k + 1)
        )
        return float(share * self.statistics.norm(v)[v] ** 2 / max(n - 1 - k, 1.0))

    def trace(self) -> dict[str, np.ndarray]:
        order = np.array(self.removed)
        return {
            "iteration": np.arange(1, len(order) + 1),
            "node": order,
            "conditional_variance": self.variance[order],
        }
