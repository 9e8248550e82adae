"""Maximum-likelihood coefficients of a given DAG, on the user's scale.

Each node is regressed on its parents over the rows in which it was not set; the coefficients come
with the usual standard errors (residual variance on n_v - k - 1 degrees of freedom). Where regimes
are reweighted because a node's noise differs in them (:mod:`arcs.regimes`), this is generalised
least squares: the noise variance is that of the regimes with weight 1, and the log-likelihood is
that of the model with a noise variance per regime,
``-n_v/2 (log 2 pi s^2 + 1) + sum_r n_r/2 log w_r``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from arcs.data import GramStatistics
from arcs.data.local import Regressions
from arcs.effects.precision import CoefficientPrecision
from arcs.graphs import GaussianDag
from arcs.lazily import Lazily

__all__ = ["FittedDag", "edge_coefficients", "fit_dag"]

regression = Lazily("arcs.kernels.regression")

#: Inverse Gram matrices with a larger trace are those of columns that nearly determine each other.
_DELICATE = 1e5


@dataclass(frozen=True, eq=False)
class FittedDag:
    """A DAG with maximum-likelihood parameters, its log-likelihood, and how precise they are.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.scores import fit_dag
    >>> fit_dag(drawn.truth.adjacency, drawn.data.statistics()).log_likelihood < 0
    True
    """

    dag: GaussianDag
    log_likelihood: float
    precision: CoefficientPrecision


def fit_dag(adjacency: np.ndarray, statistics: Regressions) -> FittedDag:
    """Regress every node on its parents in `adjacency` (``[i, j]`` is i -> j).

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.scores import fit_dag
    >>> fit_dag(drawn.truth.adjacency, drawn.data.statistics()).dag.n_edges
    8
    """
    p = statistics.p
    coefficients = np.zeros((p, p))
    variances, intercepts, shares = np.ones(p), np.zeros(p), np.ones(p)
    degrees, covariances, errors = np.ones(p), [], []
    log_likelihood = 0.0
    for v in range(p):
        parents = np.flatnonzero(adjacency[:, v])
        n, norm, mean = statistics.n[v], statistics.norm(v), statistics.mean(v)
        if n == 0:
            # Nothing is known of the mechanism: describe the node by its moments over all rows.
            intercepts[v], variances[v] = mean[v], norm[v] ** 2 / statistics.n_rows
            # Only background knowledge gives such a node parents; their effects stay unknown: the
            # coefficient is 0, its standard error NaN.
            errors.append(np.full(len(parents), np.nan))
            covariances.append(np.full((len(parents), len(parents)), np.nan))
            continue
        beta, inverse, shares[v] = _regress(statistics, v, parents)
        degrees[v] = max(n - len(parents) - 1, 1.0)
        factor = norm[v] / norm[parents]
        coefficients[parents, v] = beta * factor
        spread = np.sqrt(np.maximum(np.diag(inverse), 0.0))
        errors.append(np.sqrt(shares[v] / degrees[v]) * spread * factor)
        covariances.append(shares[v] / degrees[v] * inverse * np.outer(factor, factor))
        variances[v] = shares[v] * norm[v] ** 2 / n
        intercepts[v] = mean[v] - coefficients[parents, v] @ mean[parents]
        log_likelihood -= 0.5 * n * (np.log(2 * np.pi * variances[v]) + 1.0)
        if statistics.log_weights is not None:
            log_likelihood += statistics.log_weights[v]
    coefficients.flags.writeable = False  # given up, not to be copied
    dag = GaussianDag(
        coefficients,
        variances,
        statistics.names,
        intercepts=intercepts,
        standard_errors=_by_rows(errors, adjacency),
        adjacency=adjacency,
    )
    precision = CoefficientPrecision(tuple(covariances), degrees)
    return FittedDag(dag, float(log_likelihood), precision)


def _by_rows(by_columns: list[np.ndarray], adjacency: np.ndarray) -> np.ndarray:
    """Figures of the edges, those into the first node first, in the order of `adjacency`'s rows."""
    heads, tails = np.nonzero(np.asarray(adjacency).T)
    return np.concatenate(by_columns)[np.lexsort((heads, tails))]


def _regress(
    statistics: Regressions, v: int, parents: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Coefficients, inverse of the parents' Gram matrix, and residual share (unit scale)."""
    if not parents.size:
        return np.zeros(0), np.zeros((0, 0)), 1.0
    gram = statistics.sub_gram(v, np.append(parents, v))
    inner, cross = gram[:-1, :-1], gram[:-1, -1]
    inverse = _inverse(inner)
    beta = inverse @ cross
    share = max(float(1.0 - cross @ beta), regression.COLLINEAR)
    return beta, inverse, share


def _inverse(gram: np.ndarray) -> np.ndarray:
    """The inverse of a Gram matrix of columns of unit norm, or the pseudo-inverse, which takes ten
    times as long, where columns nearly determine each other."""
    with suppress(np.linalg.LinAlgError):
        inverse = np.linalg.inv(gram)
        if np.trace(inverse) < _DELICATE:
            return np.asarray((inverse + inverse.T) / 2.0)
    return np.asarray(np.linalg.pinv(gram, rcond=regression.COLLINEAR, hermitian=True))


def edge_coefficients(adjacency: np.ndarray, statistics: GramStatistics) -> np.ndarray:
    """The coefficients of :func:`fit_dag` alone, p x p, nodes with as many parents at a time.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.scores.least_squares import edge_coefficients
    >>> found = edge_coefficients(drawn.truth.adjacency, drawn.data.statistics())
    >>> int((found != 0).sum())
    8
    """
    coefficients = np.zeros(adjacency.shape)
    sizes = adjacency.sum(axis=0)
    known = np.flatnonzero((sizes > 0) & (statistics.n > 0))
    pairs = np.column_stack([statistics.kernel.pattern[known], sizes[known]])
    for k, size in np.unique(pairs, axis=0).tolist():
        nodes = known[(pairs == (k, size)).all(axis=1)]
        parents = np.nonzero(adjacency[:, nodes].T)[1].reshape(-1, size)
        inner, cross = _stacked(statistics, k, nodes, parents)
        inverse = np.linalg.pinv(inner, rcond=regression.COLLINEAR, hermitian=True)
        norm = statistics.norms[k]
        beta = np.einsum("vab,vb->va", inverse, cross)
        coefficients[parents, nodes[:, None]] = beta * norm[nodes, None] / norm[parents]
    return coefficients


def _stacked(
    statistics: GramStatistics, k: int, nodes: np.ndarray, parents: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gram matrices of the parents of each node, and their products with it, in pattern `k`."""
    kernel, heads = statistics.kernel, nodes[:, None]
    gram, scale = kernel.grams[kernel.base[k]], kernel.scale[k]
    rows = kernel.rows[kernel.row_start[k] : kernel.row_stop[k]]
    inner = gram[parents[:, :, None], parents[:, None, :]]
    cross = gram[parents, heads]
    if len(rows):
        inner = inner - np.einsum("iva,ivb->vab", rows[:, parents], rows[:, parents])
        cross = cross - np.einsum("iva,iv->va", rows[:, parents], rows[:, nodes])
    own = scale[parents]
    return inner * own[:, :, None] * own[:, None, :], cross * own * scale[heads]
