"""CD: blockwise coordinate descent on an MCP-regularised likelihood.

The method of Fu and Zhou (2013) [1]_ for experimental and of Aragam and Zhou (2015) [2]_ for
observational data, known from the R package ``sparsebn``. Along a path of decreasing lambda, warm
started, every pair of nodes is a block of two coefficients of which acyclicity lets one at most be
nonzero; a block is set to its exact minimum, edges that would close a cycle are not considered, and
sweeps over all blocks alternate with sweeps over the edges there are. The objective is in
:mod:`arcs.kernels.cd`; with columns of unit norm ``lambda = sqrt(n)`` is where the graph is empty.

Choices that the papers leave open
----------------------------------
*Path*: 20 values, geometric from sqrt(n) to a hundredth of it, given up when the graph has more
than ten edges per node, or a node as many parents as rows (its likelihood has no bound).

*Experimental data*: the penalty on edges into node j is weighted with ``a_j = n_j / n``, that is
MCP(a_j lambda, gamma / a_j).

*Blocks and ties*: blocks are visited by decreasing absolute correlation. With observational data
the two directions of a first edge are equally good. The edge then leaves the node that correlates
more with all others together: a hub that points outwards makes no colliders, one that is pointed at
makes many, and each false collider costs further edges between its parents. Sweeps and ties by
column number, as in ``sparsebn`` (``blocks="columns"``), let the answer depend on the order of the
columns; they reproduce that package's figures, while the default comes closer to the truth.

Selection along the path
------------------------
*change-ratio* (the default, Section 3.4 of [1]_): with L_m the maximised log-likelihood of the m-th
graph, e_m its edges, and ``d_m = (L_m - L_(m-1)) / (e_m - e_(m-1))`` wherever edges were gained,
the last graph with ``d_m >= alpha max(d)`` is taken. *bic*: the graph of largest BIC. It is too
dense in general, not only with fewer rows than columns: 1.2 to 1.7 times as many edges as the true
graph for p = 10 to 60, more rows notwithstanding (p = 10, n = 10,000: 17 for 12), and 1.8 to 5
times in the paper's large settings. The descent leaves some edges with the wrong direction, and a
graph with such edges needs others to make up for them: these are no noise, and the likelihood
rewards them at any sample size.

.. [1] F. Fu, Q. Zhou, Learning sparse causal Gaussian networks with experimental intervention:
   regularization and coordinate descent, JASA 108 (2013).
.. [2] B. Aragam, Q. Zhou, Concave penalized estimation of sparse Gaussian Bayesian networks,
   JMLR 16 (2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arcs.data import GramStatistics
from arcs.kernels.cd import (
    Blocks,
    descend_on_active,
    full_sweep,
    objective,
    refresh,
    update_scales,
)
from arcs.kernels.statistics import gram_row
from arcs.knowledge import Restrictions
from arcs.learners.base import Learned, Learner
from arcs.progress import Watch
from arcs.scores import GaussianBic
from arcs.settings import NONE, choice, number, numbers_of, setting, whole

__all__ = ["CD", "block_order", "empty_graph", "select_by_change_ratio"]

#: Descents that need more are those towards a node that its parents determine: rho has no bound.
_ACTIVE_SWEEPS = 100


@dataclass(frozen=True, kw_only=True)
class CD(Learner):
    """Coordinate descent over DAGs, with a path of penalties.

    Parameters
    ----------
    gamma : float
        Concavity of the MCP, above 1; the larger, the closer to l1.
    lambdas : sequence of float, optional
        The penalties, in the order in which they are used; by default a geometric path.
    n_lambdas : int
        Length of the default path.
    ratio : float
        Last over first value of the default path.
    select : {"change-ratio", "bic"}
        How the graph is chosen along the path.
    alpha : float
        Threshold of the change-ratio criterion, in [0, 1].
    edge_limit : float
        The path ends with the last graph that has at most this many edges per node.
    tolerance : float
        Largest change of a scaled coefficient at convergence.
    max_sweeps : int
        Sweeps over all blocks per penalty, at most.
    blocks : {"strength", "columns"}
        Order of the blocks and of the directions between which the objective does not decide.

    Notes
    -----
    The score of the result is minus the regularised objective, so larger is better.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> CD(n_lambdas=10).fit(drawn.data).n_edges
    9
    """

    name: ClassVar[str] = "cd"
    uses_knowledge: ClassVar[bool] = True

    gamma: float = setting(2.0, number(above=1))
    lambdas: tuple[float, ...] | None = setting(None, numbers_of(number(above=0)) | NONE)
    n_lambdas: int = setting(20, whole(1))
    ratio: float = setting(0.01, number(above=0, below=1))
    select: Literal["change-ratio", "bic"] = setting("change-ratio", choice("change-ratio", "bic"))
    alpha: float = setting(0.1, number(0, most=1))
    edge_limit: float = setting(10.0, number(above=0))
    tolerance: float = setting(1e-4, number(above=0))
    max_sweeps: int = setting(50, whole(1))
    blocks: Literal["strength", "columns"] = setting("strength", choice("strength", "columns"))

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Follow the path and choose a graph on it."""
        path = _Path(statistics, self)
        for step, lam in enumerate(path.lambdas):
            if not path.advance(float(lam), watch, step):
                break
        chosen = path.choose()
        return Learned(
            graph=path.graphs[chosen],
            score=-path.objectives[chosen],
            penalty={"kind": "mcp", "gamma": self.gamma, "lambda": float(path.lambdas[chosen])},
            tuning=path.table(),
            edge_values={"scaled_coefficient": path.coefficients[chosen]},
            converged=path.converged[chosen],
        )


class _Path:
    """The descent, and what it left behind at each penalty."""

    def __init__(self, statistics: GramStatistics, settings: CD) -> None:
        self.statistics = statistics
        self.settings = settings
        self.weights = statistics.n / max(float(statistics.n_rows), 1.0)
        self.lambdas = _default_path(statistics, settings)
        self.pairs, rank = block_order(statistics, settings.blocks)
        known = settings.restrictions(statistics)
        self.state = empty_graph(statistics, rank, known)
        self.work = np.empty(statistics.p)
        self.likelihood = GaussianBic(statistics, penalty=0.0)
        self.max_edges = int(settings.edge_limit * statistics.p + self.state.required.sum())
        self.graphs: list[np.ndarray] = []
        self.coefficients: list[np.ndarray] = []
        self.objectives: list[float] = []
        self.log_likelihoods: list[float] = []
        self.sweeps: list[int] = []
        self.converged: list[bool] = []

    def advance(self, lam: float, watch: Watch, step: int) -> bool:
        """Descend at one penalty; return whether the path goes on."""
        penalty = (lam * self.weights, self.settings.gamma / np.maximum(self.weights, 1e-12))
        refresh(self.statistics.kernel, self.state, self.work)
        sweeps, settled, full, go_on = 0, False, False, True
        while go_on and not settled and not full and sweeps < self.settings.max_sweeps:
            settled, full = self._sweep(*penalty)
            sweeps += 1
            edges = int(self.state.degree.sum())
            go_on = watch.tick("path", step + 1, total=len(self.lambdas), edges=edges)
        # A broken-off descent counts only if there is no finished one to fall back on.
        if not self.graphs or (go_on and not full):
            self._record(penalty, sweeps, settled)
        return go_on and not full

    def _sweep(self, lam: np.ndarray, gamma: np.ndarray) -> tuple[bool, bool]:
        """One sweep over all blocks and a descent on the edges it leaves: (settled, too many)."""
        kernel, state, tolerance = self.statistics.kernel, self.state, self.settings.tolerance
        update_scales(kernel, state, self.work)
        change, moved, full = full_sweep(
            kernel, state, self.pairs, lam, gamma, self.max_edges, self.work
        )
        descend_on_active(
            kernel, state, self.pairs, lam, gamma, tolerance, _ACTIVE_SWEEPS, self.work
        )
        parents = np.count_nonzero(state.phi, axis=0)
        saturated = bool(np.any((parents > 0) & (parents >= self.statistics.n - 1)))
        return moved == 0 and change <= tolerance, full or saturated

    def _record(self, penalty: tuple[np.ndarray, np.ndarray], sweeps: int, converged: bool) -> None:
        graph = (self.state.phi != 0) | self.state.required
        self.graphs.append(graph)
        self.coefficients.append(self.state.phi.copy())
        self.objectives.append(float(objective(self.statistics.kernel, self.state, *penalty)))
        self.log_likelihoods.append(self.likelihood.total(graph) / 2)
        self.sweeps.append(sweeps)
        self.converged.append(converged)

    def edges(self) -> np.ndarray:
        return np.array([int(graph.sum()) for graph in self.graphs])

    def bic(self) -> np.ndarray:
        cost = np.log(np.maximum(self.statistics.n, 1.0))
        penalties = [float(graph.sum(axis=0) @ cost) for graph in self.graphs]
        return np.asarray(2 * np.array(self.log_likelihoods) - np.array(penalties))

    def choose(self) -> int:
        """Position of the chosen graph."""
        if self.settings.select == "bic":
            return int(np.argmax(self.bic()))
        likelihoods = np.array(self.log_likelihoods)
        return select_by_change_ratio(likelihoods, self.edges(), self.settings.alpha)

    def table(self) -> dict[str, np.ndarray]:
        return {
            "lambda": np.asarray(self.lambdas[: len(self.graphs)]),
            "log_likelihood": np.array(self.log_likelihoods),
            "edges": self.edges(),
            "bic": self.bic(),
            "objective": np.array(self.objectives),
            "sweeps": np.array(self.sweeps),
        }


def select_by_change_ratio(log_likelihood: np.ndarray, edges: np.ndarray, alpha: float) -> int:
    """The last graph whose gain in log-likelihood per edge is at least `alpha` of the largest.

    Parameters
    ----------
    log_likelihood, edges : ndarray
        Along a path from sparse to dense.
    alpha : float
        The smaller, the denser the choice.

    Returns
    -------
    int
        Position on the path; 0 if no step gains an edge.
    """
    gained = np.diff(edges)
    ratios = np.full(len(gained), -np.inf)
    np.divide(np.diff(log_likelihood), gained, out=ratios, where=gained > 0)
    if not np.isfinite(ratios).any():
        return 0
    good = np.flatnonzero(ratios >= alpha * ratios.max())
    return int(good[-1]) + 1


def _default_path(statistics: GramStatistics, settings: CD) -> np.ndarray:
    if settings.lambdas is not None:
        return np.array(settings.lambdas)
    largest = np.sqrt(max(float(statistics.n_rows), 1.0))
    if settings.n_lambdas == 1:
        return np.array([largest])
    return np.geomspace(largest, settings.ratio * largest, settings.n_lambdas)


def block_order(statistics: GramStatistics, blocks: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs in the order of a sweep, and the ranks of the nodes that decide ties."""
    p = statistics.p
    pairs = np.stack(np.triu_indices(p, 1), axis=1).astype(np.int64)
    if blocks == "columns":
        return pairs, np.arange(p)
    strength = _products(statistics) ** 2
    rank = np.argsort(np.argsort(-strength.sum(axis=1), kind="stable"))
    order = np.argsort(-np.maximum(strength, strength.T)[tuple(pairs.T)], kind="stable")
    return pairs[order], rank.astype(np.int64)


def _products(statistics: GramStatistics) -> np.ndarray:
    """Row j: the correlations of node j with all others on the rows that count for it."""
    products = np.empty((statistics.p, statistics.p))
    for j in range(statistics.p):
        gram_row(statistics.kernel, j, j, products[j])
    return products


def empty_graph(
    statistics: GramStatistics, rank: np.ndarray, known: Restrictions | None = None
) -> Blocks:
    """All coefficients zero, no edges but the required ones."""
    p = statistics.p
    required = np.zeros((p, p), dtype=bool) if known is None else known.required
    children = np.zeros((p, p), np.int64)
    for i in np.flatnonzero(required.any(axis=1)):
        heads = np.flatnonzero(required[i])
        children[i, : heads.size] = heads
    return Blocks(
        phi=np.zeros((p, p)),
        rho=np.sqrt(statistics.n.astype(float)),
        residual=np.zeros((p, p)),
        children=children,
        degree=required.sum(axis=1).astype(np.int64),
        rank=rank,
        allowed=np.ones((p, p), dtype=bool) if known is None else known.allowed,
        required=required,
    )
