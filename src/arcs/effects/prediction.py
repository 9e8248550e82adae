"""Prediction: what a fitted network says under interventions, given evidence, or both.

An intervention do(x = v) cuts the edges into x and sets it; the result is again Gaussian, with mean
mu and covariance Sigma (:mod:`arcs.graphs.gaussian`). Evidence z seen *in that situation* is then
conditioned on,

    mean = mu + K (z - mu_z),    covariance = Sigma - K Sigma_z.,    K = Sigma_.z Sigma_zz^{-1}.

Seeing differs from doing: evidence on an effect changes what is believed of its causes, an
intervention on it does not. Intervals are of a new observation, mean +- z sd with the fitted
parameters; that these are estimates is not accounted for, which hardly matters beside the noise of
a single observation once there are some ten rows per parameter.

Missing entries of rows are imputed by the same formula with the entries that are there as evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.effects.total import check_level
from arcs.errors import DataError, GraphError
from arcs.graphs import GaussianDag
from arcs.graphs.gaussian import Intervention, check_interventions
from arcs.graphs.names import Node, node_index
from arcs.lazily import Lazily
from arcs.tables import Table

__all__ = ["Conditional", "Prediction", "conditional", "impute", "predict", "sample_given"]

special = Lazily("scipy.special")

#: Relative size of eigenvalues below which evidence is redundant.
_REDUNDANT = 1e-10


@dataclass(frozen=True, eq=False)
class Conditional:
    """Mean and covariance of all variables under interventions and given evidence.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import conditional
    >>> conditional(dag, given={"b": 2.0}).mean.round(2).tolist()
    [0.8, 2.0, 1.0]
    """

    names: tuple[str, ...]
    mean: np.ndarray
    covariance: np.ndarray

    @property
    def sd(self) -> np.ndarray:
        """Standard deviations; zero for what is set or seen."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


@dataclass(frozen=True, eq=False)
class Prediction:
    """Means, standard deviations and intervals of all variables in one or several situations.

    Attributes
    ----------
    names : tuple of str
    do, given : tuple of dict
        What is set and seen in each situation, by name.
    mean, sd, lower, upper : ndarray of shape (situations, p)
    level : float
    several : bool
        Whether more than one situation was asked for.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import predict
    >>> predict(dag, do={"b": 2.0}).rows()[2]["mean"]
    1.0
    """

    names: tuple[str, ...]
    do: tuple[dict[str, Any], ...]
    given: tuple[dict[str, float], ...]
    mean: np.ndarray
    sd: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    several: bool = False

    def to_table(self) -> Table:
        """The rows as a table."""
        rows = self.rows()
        return Table({name: [row[name] for row in rows] for name in rows[0]})

    def rows(self) -> list[dict[str, Any]]:
        """One row per situation and variable; what is set or seen is marked."""
        rows: list[dict[str, Any]] = []
        for k, (do, given) in enumerate(zip(self.do, self.given, strict=True)):
            for j, name in enumerate(self.names):
                row: dict[str, Any] = {"situation": described(do, given)} if self.several else {}
                row |= {"variable": name, "mean": float(self.mean[k, j])}
                row |= {"sd": float(self.sd[k, j]), "lower": float(self.lower[k, j])}
                row |= {"upper": float(self.upper[k, j])}
                row["role"] = "set" if name in do else "seen" if name in given else ""
                rows.append(row)
        return rows


def conditional(
    dag: GaussianDag,
    do: Mapping[Node, Intervention] | None = None,
    given: Mapping[Node, float] | None = None,
) -> Conditional:
    """The distribution of all variables under `do`, conditional on `given`.

    Raises
    ------
    GraphError
        If a variable is both set and seen, or the evidence contradicts what is certain.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import conditional
    >>> conditional(dag, do={"a": 1.0}).mean.round(2).tolist()
    [1.0, 2.0, 1.0]
    """
    moments = dag.do(do or {})
    seen = _checked_evidence(given, do, dag.names)
    mean, sigma = moments.mean, moments.covariance
    if not seen:
        return Conditional(dag.names, mean, sigma)
    at, values = np.array(list(seen)), np.array(list(seen.values()))
    gain = _gain(sigma, at, values - mean[at], dag.names)
    mean = mean + gain @ (values - mean[at])
    sigma = sigma - gain @ sigma[at]
    mean[at], sigma[at], sigma[:, at] = values, 0.0, 0.0
    return Conditional(dag.names, mean, (sigma + sigma.T) / 2)


def predict(
    dag: GaussianDag,
    do: Mapping[Node, Any] | None = None,
    given: Mapping[Node, Any] | None = None,
    *,
    level: float = 0.95,
) -> Prediction:
    """Mean, standard deviation and interval of every variable.

    Parameters
    ----------
    dag : GaussianDag
    do : mapping, optional
        From variables to the values they are set to, or (mean, sd). A list or an array of values is
        a dose or a time course: one situation each.
    given : mapping, optional
        From variables to the values that are seen in that situation; lists as in `do`.
    level : float
        Probability that a new observation lies in the interval.

    Examples
    --------
    >>> dag = GaussianDag([[0, 2.0], [0, 0]], [1, 1], ["dose", "response"])
    >>> predict(dag, do={"dose": [0.0, 1.0]}).mean[:, 1].tolist()
    [0.0, 2.0]
    >>> predict(dag, given={"response": 5.0}).mean[0].round(6).tolist()
    [2.0, 5.0]
    """
    check_level(level)
    asked, several = situations(do or {}, given or {})
    found = [conditional(dag, *situation) for situation in asked]
    mean, sd = np.array([one.mean for one in found]), np.array([one.sd for one in found])
    reach = float(special.ndtri((1 + level) / 2)) * sd
    return Prediction(
        names=dag.names,
        do=tuple(_by_name(set_, dag.names) for set_, _ in asked),
        given=tuple(_by_name(seen, dag.names) for _, seen in asked),
        mean=mean,
        sd=sd,
        lower=mean - reach,
        upper=mean + reach,
        level=level,
        several=several,
    )


def sample_given(
    dag: GaussianDag,
    n: int,
    random_state: int | np.random.Generator | None = None,
    do: Mapping[Node, Intervention] | None = None,
    given: Mapping[Node, float] | None = None,
) -> np.ndarray:
    """Draw `n` rows under `do`, conditional on `given`.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.effects import sample_given
    >>> sample_given(dag, 5, do={"a": 1.0}, random_state=0).shape
    (5, 3)
    """
    if not given:
        return dag.sample(n, random_state, do)
    if n < 0:
        raise GraphError(f"the number of rows must not be negative; got {n}")
    found, rng = conditional(dag, do, given), np.random.default_rng(random_state)
    values, vectors = np.linalg.eigh(found.covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rows = found.mean + rng.standard_normal((n, dag.p)) @ root.T
    certain = found.sd == 0
    rows[:, certain] = found.mean[certain]
    return np.asarray(rows)


def impute(
    dag: GaussianDag, rows: np.ndarray, do: Mapping[Node, Intervention] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Fill in what is missing (NaN) by its conditional mean given the rest of its row.

    With `do`, the rows are of a situation in which these variables were set.

    Returns
    -------
    filled, sd : ndarray of shape (n, p)
        The rows, and the conditional standard deviations (zero for what was there).

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> import numpy as np
    >>> from arcs.effects import impute
    >>> filled, sd = impute(dag, np.array([[1.0, np.nan, np.nan]]))
    >>> filled.round(2).tolist()
    [[1.0, 2.0, 1.0]]
    """
    values = np.array(rows, dtype=float)
    if values.ndim != 2 or values.shape[1] != dag.p:
        raise DataError(f"need rows of {dag.p} values, got an array of shape {values.shape}")
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise DataError(f"row {row}, column {dag.names[column]!r} is infinite")
    moments = dag.do(do or {})
    mean, sigma = moments.mean, moments.covariance
    fixed = np.flatnonzero(np.diag(sigma) == 0)
    values[:, fixed] = mean[fixed]
    missing = np.isnan(values)
    spread = np.zeros_like(values)
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    for k, holes in enumerate(patterns):
        if not holes.any():
            continue
        at, here = np.flatnonzero(~holes), np.flatnonzero(which.ravel() == k)
        steps = values[np.ix_(here, at)] - mean[at]
        gain = _gain(sigma, at, None, dag.names)
        left = np.diag(sigma) - np.einsum("ij,ij->i", gain, sigma[:, at])
        values[np.ix_(here, holes)] = mean[holes] + steps @ gain[holes].T
        spread[np.ix_(here, holes)] = np.sqrt(np.maximum(left[holes], 0.0))
    return values, spread


def _gain(
    sigma: np.ndarray, at: np.ndarray, steps: np.ndarray | None, names: tuple[str, ...]
) -> np.ndarray:
    """K of the module's formula. Evidence on what is certain must agree with it."""
    scale = np.sqrt(np.diag(sigma)[at])
    scale[scale == 0] = 1.0
    inner = sigma[np.ix_(at, at)] / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(inner) if at.size else (np.zeros(0), np.zeros((0, 0)))
    useful = values > _REDUNDANT
    if steps is not None:
        along = vectors[:, ~useful].T @ (steps / scale)
        if np.any(np.abs(along) > 1e-6):
            listed = ", ".join(repr(names[k]) for k in at[:5])
            raise GraphError(f"the evidence on {listed} contradicts what is certain here")
    root = vectors[:, useful] / np.sqrt(values[useful])
    return np.asarray((sigma[:, at] / scale) @ root @ root.T / scale)


def _checked_evidence(
    given: Mapping[Node, float] | None, do: Mapping[Node, Any] | None, names: tuple[str, ...]
) -> dict[int, float]:
    cut = {node_index(node, names) for node in do or {}}
    seen: dict[int, float] = {}
    for node, value in check_interventions(given, names).items():
        if not isinstance(value, float):
            raise GraphError(f"what is seen of {names[node]!r} must be one number, got {value!r}")
        if node in cut:
            raise GraphError(f"{names[node]!r} is both set and seen; say it once")
        seen[node] = value
    return seen


def situations(
    do: Mapping[Node, Any], given: Mapping[Node, Any]
) -> tuple[list[tuple[dict[Node, Any], dict[Node, Any]]], bool]:
    """One pair (do, given) for each position of the lists among the values."""
    lists = {
        node: len(value) for part in (do, given) for node, value in part.items() if _is_list(value)
    }
    if not lists:
        return [(dict(do), dict(given))], False
    lengths = set(lists.values())
    if len(lengths) > 1 or 0 in lengths:
        listed = ", ".join(f"{node!r}: {n}" for node, n in lists.items())
        raise GraphError(f"lists of values must have one length (at least 1), not {listed}")

    def at(part: Mapping[Node, Any], k: int) -> dict[Node, Any]:
        return {node: list(value)[k] if node in lists else value for node, value in part.items()}

    return [(at(do, k), at(given, k)) for k in range(lengths.pop())], True


def _is_list(value: Any) -> bool:
    """A tuple is (mean, sd); lists, arrays and series are several values."""
    if isinstance(value, str | bytes | tuple):
        return False
    return isinstance(value, Sequence) or getattr(value, "ndim", 0) > 0


def _by_name(part: Mapping[Node, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {names[node_index(node, names)]: value for node, value in part.items()}


def described(do: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """``do(a=1), b=2``."""
    parts = [f"do({name}={_number(value)})" for name, value in do.items()]
    return ", ".join(parts + [f"{name}={_number(value)}" for name, value in given.items()])


def _number(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{part:g}" for part in value) + ")"
    return value if isinstance(value, str) else f"{value:g}"
