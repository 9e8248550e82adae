"""Gaussian DAGs: a structural equation model x_j = c_j + sum_i B_ij x_i + e_j, e_j ~ N(0, omega_j).

``coefficients[i, j]`` is the edge i -> j; a coefficient of exactly zero is no edge, unless the
edges are given by themselves: one whose effect is not known, or estimated to be zero, has the
coefficient zero. The graph is checked to be acyclic on construction and cannot change afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs import gaussian
from arcs.graphs.gaussian import GaussianMoments, Intervention
from arcs.graphs.names import Node, check_names, node_index
from arcs.graphs.parameters import (
    arrows_of,
    checked_standard_errors,
    finite,
    floats,
    refuse_variances,
)
from arcs.graphs.structure import Dag, order_of

if TYPE_CHECKING:
    from arcs.tables import LabelledMatrix

__all__ = ["GaussianDag"]


class GaussianDag(Dag):
    """A directed acyclic graph with the parameters of a linear Gaussian model.

    Parameters
    ----------
    coefficients : array-like of shape (p, p)
        ``coefficients[i, j]`` belongs to the edge i -> j; zero means that there is no edge.
    noise_variances : array-like of shape (p,)
        The variances of the noise terms, all positive.
    names : sequence of str, optional
        Distinct names of the nodes; ``x0, x1, ...`` by default.
    intercepts : array-like of shape (p,), optional
        Zero by default.
    standard_errors : array-like of shape (p, p) or (n_edges,), optional
        Standard errors of the coefficients; NaN where unknown. Entries without an edge are ignored;
        of edges alone, in the order of :meth:`edges`.
    adjacency : array-like of bool, shape (p, p), optional
        The edges; by default those whose coefficient is not zero.

    Raises
    ------
    GraphError
        If the graph has a cycle (the message spells it out), or a number is not usable.

    Examples
    --------
    >>> dag = GaussianDag([[0, 0.5], [0, 0]], [1, 1], ["rain", "wet"])
    >>> dag.named_edges()
    [('rain', 'wet')]
    >>> float(dag.covariance()[1, 1])
    1.25
    """

    __slots__ = (
        "_coefficients",
        "_edge_errors",
        "_intercepts",
        "_noise_variances",
    )

    def __init__(
        self,
        coefficients: ArrayLike,
        noise_variances: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        intercepts: ArrayLike | None = None,
        standard_errors: ArrayLike | None = None,
        adjacency: ArrayLike | None = None,
    ):
        matrix = floats(coefficients, "coefficients")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise GraphError(f"coefficients must be a square matrix, not of shape {matrix.shape}")
        p = len(matrix)
        self._names = check_names(names, p)
        self._coefficients = finite(matrix, (p, p), "coefficients")
        self._arrows: NDArray[np.bool_] = arrows_of(matrix, adjacency)
        self._order = order_of(self._arrows, self._names)
        self._noise_variances = finite(
            floats(noise_variances, "noise_variances"), (p,), "noise_variances"
        )
        refuse_variances(self._noise_variances, self._names)
        given = np.zeros(p) if intercepts is None else floats(intercepts, "intercepts")
        self._intercepts = finite(given, (p,), "intercepts")
        self._edge_errors = checked_standard_errors(standard_errors, self._arrows)
        self._arrows.flags.writeable = False

    @classmethod
    def from_adjacency(
        cls, adjacency: ArrayLike, names: Sequence[str] | None = None
    ) -> GaussianDag:
        """A DAG whose structure is all that matters: unit coefficients and unit variances."""
        structure = np.asarray(adjacency) != 0
        return cls(structure.astype(float), np.ones(len(structure)), names)

    # --- parameters -------------------------------------------------------------------------------

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Read-only; ``coefficients[i, j]`` belongs to the edge i -> j."""
        return self._coefficients

    @property
    def noise_variances(self) -> NDArray[np.float64]:
        """Read-only variances of the noise terms."""
        return self._noise_variances

    @property
    def intercepts(self) -> NDArray[np.float64]:
        """Read-only intercepts."""
        return self._intercepts

    @property
    def standard_errors(self) -> NDArray[np.float64] | None:
        """Standard errors of the coefficients (zero without an edge), or None; made anew.

        Kept for the edges alone: a second dense matrix of 20,000 variables would take 3 GB.
        """
        if self._edge_errors is None:
            return None
        errors = np.zeros((self.p, self.p))
        errors[self._arrows] = self._edge_errors
        errors.flags.writeable = False
        return errors

    def _edge_columns(self) -> dict[str, list[Any]]:
        return {**super()._edge_columns(), "coefficient": self._coefficients[self._arrows].tolist()}

    # --- distribution -----------------------------------------------------------------------------

    def covariance(self) -> NDArray[np.float64]:
        """The implied covariance (I - B)^{-T} Omega (I - B)^{-1} (the paper's equation 4)."""
        return gaussian.moments(*self._parameters())[1]

    def mean(self) -> NDArray[np.float64]:
        """The implied mean (I - B)^{-T} c."""
        return gaussian.moments(*self._parameters())[0]

    def sample(
        self,
        n: int,
        random_state: int | np.random.Generator | None = None,
        interventions: Mapping[Node, Intervention] | None = None,
    ) -> NDArray[np.float64]:
        """Draw `n` rows, optionally under hard interventions.

        Parameters
        ----------
        n : int
        random_state : int, Generator or None
            The noise drawn from a seed is the same with and without interventions.
        interventions : mapping, optional
            From a node (index or name) to a value, a pair (mean, sd), or a function
            ``(rng, n) -> values``.

        Returns
        -------
        ndarray of shape (n, p)
        """
        if n < 0:
            raise GraphError(f"the number of rows must not be negative; got {n}")
        checked = gaussian.check_interventions(interventions, self._names)
        rng = np.random.default_rng(random_state)
        return gaussian.draw(*self._parameters(), n, rng, checked)

    def total_effects(self) -> LabelledMatrix:
        """All total effects T = (I - B)^{-1}: T[i, j] is that of i on j; the diagonal is one.

        Nodes are given by position or by name, as in ``dag.total_effects()["rain", "wet"]``.
        """
        from arcs.tables import LabelledMatrix  # which knows graphs

        effects = gaussian.total_effect_matrix(self._coefficients, self._order.nodes)
        return LabelledMatrix(effects, self._names)

    def total_effect(self, source: Node, target: Node) -> float:
        """The total causal effect of `source` on `target`: the sum over all directed paths."""
        at, to = node_index(source, self._names), node_index(target, self._names)
        effect = np.zeros(self.p)
        effect[at] = 1.0
        position = self._order.position
        for node in self._order.nodes[position[at] + 1 : position[to] + 1]:
            effect[node] = effect @ self._coefficients[:, node]
        return float(effect[to])

    def do(self, interventions: Mapping[Node, Intervention]) -> GaussianMoments:
        """Mean and covariance under hard interventions, e.g. ``do({"mek": 0.0, "pka": (1, 0.5)})``.

        A node set to a value has variance zero; one set to (mean, sd) is independent of its former
        parents with that mean and standard deviation.
        """
        checked = gaussian.check_interventions(interventions, self._names)
        mean, covariance = gaussian.moments_under(*self._parameters(), checked)
        return GaussianMoments(mean, covariance, self._names)

    def standardised_coefficients(self) -> NDArray[np.float64]:
        """``B_ij sd_i / sd_j`` with the implied standard deviations: free of units."""
        if not self.n_edges:
            return np.zeros_like(self._coefficients)
        # One pass along the edges: the whole covariance would cost p^3 for its diagonal.
        system = gaussian.LinearSystem.from_coefficients(self._coefficients, self._order.nodes)
        deviation = np.sqrt(system.variances(self._noise_variances))
        return np.asarray(self._coefficients * deviation[:, None] / deviation[None, :])

    def _parameters(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        return self._coefficients, self._noise_variances, self._intercepts, self._order.nodes

    # --- variants ---------------------------------------------------------------------------------

    def relabel(self, permutation: Sequence[int] | ArrayLike) -> GaussianDag:
        """The same model with its nodes listed anew: new node k is old node ``permutation[k]``."""
        at, names = self._listed_anew(permutation)
        grid, errors = np.ix_(at, at), self.standard_errors
        return GaussianDag(
            self._coefficients[grid],
            self._noise_variances[at],
            names,
            intercepts=self._intercepts[at],
            standard_errors=None if errors is None else errors[grid],
            adjacency=self._arrows[grid],
        )

    def rescaled(self, scales: ArrayLike) -> GaussianDag:
        """The model of x_j * scales[j]: B_ij s_j / s_i, omega_j s_j^2, c_j s_j.

        Unit variances come with ``scales = 1 / sqrt(diag(covariance()))``.
        """
        factors = finite(floats(scales, "scales"), (self.p,), "scales")
        if (factors <= 0).any():
            worst = self._names[int(np.argmin(factors))]
            raise GraphError(f"scales must be positive; the one of {worst!r} is {factors.min():g}")
        ratio, errors = factors[None, :] / factors[:, None], self.standard_errors
        return GaussianDag(
            self._coefficients * ratio,
            self._noise_variances * factors**2,
            self._names,
            intercepts=self._intercepts * factors,
            standard_errors=None if errors is None else errors * ratio,
            adjacency=self._arrows,
        )

    # --- Python protocol --------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianDag):
            return NotImplemented
        mine, theirs = self._edge_errors, other._edge_errors
        if (mine is None) != (theirs is None):
            return False
        return (
            self._names == other._names
            and np.array_equal(self._arrows, other._arrows)
            and np.array_equal(self._coefficients, other._coefficients)
            and np.array_equal(self._noise_variances, other._noise_variances)
            and np.array_equal(self._intercepts, other._intercepts)
            and (mine is None or np.array_equal(mine, np.asarray(theirs), equal_nan=True))
        )

    def __hash__(self) -> int:
        return hash((self._names, self._arrows.tobytes()))

    def __repr__(self) -> str:
        return f"GaussianDag({self.p} nodes, {self.n_edges} edges)"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: unpickled arrays would be writable.
        return _rebuild, (
            self._coefficients,
            self._noise_variances,
            self._names,
            {
                "intercepts": self._intercepts,
                "standard_errors": self._edge_errors,
                "adjacency": self._arrows,
            },
        )


def _rebuild(
    coefficients: ArrayLike,
    noise_variances: ArrayLike,
    names: Sequence[str],
    rest: Mapping[str, ArrayLike | None],
) -> GaussianDag:
    return GaussianDag(coefficients, noise_variances, names, **rest)
