"""Held-out likelihood: how well a fitted model predicts rows it has not seen.

The Gaussian log-likelihood of a DAG is a sum over nodes,
``sum_j -0.5 log(2 π ω_j) - (x_j - a_j - sum_i B_ij x_i)² / (2 ω_j)``. A node's term is left out in
rows in which the experimenter set it (Lemma 2 of the paper): its own mechanism did not act there.
"""

from __future__ import annotations

import numpy as np

from arcs.data import Dataset
from arcs.errors import DataError
from arcs.graphs import GaussianDag

__all__ = ["held_out_log_likelihood"]


def held_out_log_likelihood(dag: GaussianDag, data: Dataset | np.ndarray) -> float:
    """Mean log-likelihood per row, in nats.

    Parameters
    ----------
    dag : GaussianDag
        The fitted model. If its intercepts are zero, centre the rows with the means of the
        training data first.
    data : Dataset or ndarray, shape (n, p)
        Rows that the model was not fitted to. Columns of a `Dataset` are matched by name, those
        of an array by position.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.metrics import held_out_log_likelihood
    >>> held_out_log_likelihood(drawn.truth, drawn.data) < 0
    True
    """
    if not isinstance(dag, GaussianDag):
        raise DataError(
            "this is the likelihood of Gaussian networks; of categories, ARCS.score(rows) and "
            "DiscreteDag.log_likelihood(codes) tell it"
        )
    values, observed = _rows(dag, data)
    residuals = values - dag.intercepts - values @ dag.coefficients
    terms = -0.5 * (np.log(2 * np.pi * dag.noise_variances) + residuals**2 / dag.noise_variances)
    return float(np.where(observed, terms, 0.0).sum() / values.shape[0])


def _rows(dag: GaussianDag, data: Dataset | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values in the order of the model's nodes, and where each node's own mechanism acted."""
    if isinstance(data, Dataset):
        if data.values is None:
            raise DataError("held-out likelihood needs rows, but the data set keeps sums only")
        at = _columns(dag, tuple(data.names))
        mask = None if data.interventions is None else data.interventions.mask[:, at]
        values = data.values[:, at]
    else:
        values, mask = np.asarray(data, dtype=float), None
    if values.ndim != 2 or values.shape[1] != dag.p or not values.size:
        raise DataError(f"need rows of {dag.p} values, got an array of shape {values.shape}")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise DataError(f"row {row}, column {dag.names[column]!r} is not a finite number")
    return values, np.ones(values.shape, dtype=bool) if mask is None else ~mask


def _columns(dag: GaussianDag, names: tuple[str, ...]) -> np.ndarray:
    position = {name: k for k, name in enumerate(names)}
    missing = [name for name in dag.names if name not in position]
    if missing:
        raise DataError(
            f"{len(missing)} of the model's {dag.p} nodes are not columns of the data, such as "
            f"{', '.join(map(repr, missing[:3]))}"
        )
    return np.array([position[name] for name in dag.names])
