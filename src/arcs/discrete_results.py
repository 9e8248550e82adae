"""What a fit learned from categories, alone or beside numbers.

Coefficients, standard errors, p-values and linear effects are absent. An edge's *strength* is what
the score loses without it, in nats; what the network says of causes are probabilities under
``do``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.data.mixed import MixedData
from arcs.effects.mixed_answers import MixedAnswers
from arcs.effects.probabilities import ProbabilityAnswers
from arcs.errors import DataError, SettingsError
from arcs.graphs import DiscreteDag, MixedDag, Order, Pdag
from arcs.graphs.equivalence import consistent_extension, interventional_cpdag_of
from arcs.results import FitResult, software_versions
from arcs.tables import LabelledMatrix, Table

__all__ = ["DiscreteResult", "MixedResult", "StrengthResult", "fitted_to"]


@dataclass(frozen=True, eq=False, repr=False)
class StrengthResult(FitResult):
    """A result whose edges have strengths, not coefficients: what is common to categories alone and
    to both kinds of columns."""

    # ------------------------------------------------------------------ views
    @classmethod
    def from_table(cls, method: str, graph: np.ndarray | Pdag, table: Any, **rest: Any) -> Self:
        """Fit parameters to a structure (a DAG's adjacency, or a class) and wrap it all up."""
        if isinstance(graph, Pdag):
            adjacency = consistent_extension(graph)
            cpdag = Pdag(graph.directed, graph.undirected, table.names)
        else:
            adjacency = np.asarray(graph, dtype=bool)
            cpdag = interventional_cpdag_of(adjacency, table.targets, table.names)
        dag = table.fit(adjacency)
        penalty = rest.get("penalty") or {}
        values = {"strength": _strengths(table, adjacency, penalty), **rest.pop("edge_values", {})}
        likelihood, price = cls.fitted_likelihood(dag, table, penalty)
        bic = 2 * likelihood - price
        order: Order = rest.pop("order", None) or dag.order()
        score = rest.pop("score", None)
        return cls(
            method=method,
            dag=dag,
            cpdag=cpdag,
            order=order,
            score=bic if score is None else float(score),
            log_likelihood=likelihood,
            bic=bic,
            n_rows=table.n_rows,
            n_per_node=tuple(table.n.tolist()),
            targets=table.targets,
            versions=software_versions(),
            statistics=table,
            edge_values=values,
            **rest,
        )

    @classmethod
    def fitted_likelihood(
        cls, dag: Any, table: Any, penalty: Mapping[str, Any]
    ) -> tuple[float, float]:
        """The log-likelihood of the fitted network, and log n per parameter."""
        raise NotImplementedError

    def strengths(self) -> np.ndarray:
        """Strengths of the edges between 0 and 1: ``sqrt(1 - exp(-2 s / n))`` for s nats.

        The size of the correlation that would be worth as much in as many Gaussian rows.
        """
        lost = self.edge_values.get("strength", np.zeros(self.dag.adjacency.shape))
        rows = np.maximum(np.array(self.n_per_node, dtype=float), 1.0)
        known = np.where(self.dag.adjacency, np.maximum(lost, 0.0), 0.0)
        return np.asarray(np.sqrt(1.0 - np.exp(-2.0 * known / rows)))

    def edge_table(self, level: float | None = 0.95) -> Table:
        """The edges, strongest first: ``from``, ``to``, ``strength`` (nats), ``direction``,
        ``confidence`` and further figures."""
        at = np.nonzero(self.dag.adjacency)
        unknown = np.full(self.dag.adjacency.shape, np.nan)
        strength = self.edge_values.get("strength", unknown)
        ranked = np.lexsort((at[1], at[0], -strength[at]))
        tails, heads = at = (at[0][ranked], at[1][ranked])
        columns: dict[str, Any] = {
            "from": [self.names[i] for i in tails],
            "to": [self.names[j] for j in heads],
            "strength": strength[at],
            "direction": np.where(self.cpdag.undirected[at], "open", "identified"),
            "confidence": self.edge_values.get("confidence", unknown)[at],
        }
        others = {name: m[at] for name, m in self.edge_values.items() if name not in columns}
        return Table({**columns, **others})

    def to_frame(self, what: str = "strength") -> Any:
        """A figure of all pairs of variables: row i, column j is the edge i -> j."""
        if what not in self.edge_values:
            raise SettingsError(
                f"there is no figure {what!r} of the edges; known: {', '.join(self.edge_values)}"
            )
        return LabelledMatrix(self.edge_values[what], self.names).to_frame()

    def export(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the network for another program: ``.bif``, ``.xmlbif`` and ``.dsc`` with
        its tables, others as graphs."""
        from arcs.graphs import write_graph

        figures = {
            (row["from"], row["to"]): {k: v for k, v in row.items() if k not in ("from", "to")}
            for row in self.edge_table().rows()
        }
        write_graph(self.dag, path, format, figures=figures)

    def averaged(self, threshold: float | str = "auto") -> FitResult:
        """The average of the bootstrap graphs, with parameters fitted to the data."""
        from arcs.confidence.averaging import averaged_structure

        adjacency, limit = averaged_structure(self, threshold)
        table = self.statistics
        if not isinstance(table, CategoricalTable | MixedData):
            raise DataError(
                "the rows are not kept with a saved result; Bootstrap.averaged_result(data, ...) "
                "fits the parameters of an average to the data"
            )
        values = {k: v for k, v in self.edge_values.items() if "confidence" in k}
        return self.from_table(
            f"average of {len(self.ensemble or ())} graphs by {self.method}",
            adjacency,
            table,
            penalty=self.penalty,
            settings={**self.settings, "threshold": limit},
            seed=self.seed,
            audit=self.audit,
            source=self.source,
            edge_values=values,
            ensemble=self.ensemble,
        )


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteResult(ProbabilityAnswers, StrengthResult):  # type: ignore[misc]
    """What was found in a table of categories.

    As :class:`~arcs.results.FitResult`, with these differences:

    Attributes
    ----------
    dag : DiscreteDag
        Structure with tables of probabilities and the counts behind them.
    log_likelihood, bic : float
        Of the tables of relative frequencies, and ``2 log L - parameters * log n`` (larger is
        better).
    edge_values : mapping
        ``"strength"``: by how many nats the score is worse without the edge.
    statistics : CategoricalTable or None
        The rows; not saved.

    Examples
    --------
    >>> from arcs.learners import learner
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.random(300) < 0.3
    >>> wet = np.where(rain, rng.random(300) < 0.9, rng.random(300) < 0.1)
    >>> rows = np.column_stack([rain, wet])
    >>> found = learner("arcs", random_state=0).fit(rows, discrete="auto")
    >>> found.n_edges, found.edge_table().columns[:3]
    (1, ('from', 'to', 'strength'))
    """

    @property
    def network(self) -> DiscreteDag:
        """The structure with its tables: :attr:`dag`."""
        return self.dag  # type: ignore[return-value]

    @classmethod
    def fitted_likelihood(
        cls, dag: Any, table: Any, penalty: Mapping[str, Any]
    ) -> tuple[float, float]:
        """Of the tables of relative frequencies."""
        return _likelihood(dag, table.n)


@dataclass(frozen=True, eq=False, repr=False)
class MixedResult(MixedAnswers, StrengthResult):  # type: ignore[misc]
    """What was found in a table with numbers and categories.

    As :class:`~arcs.results.FitResult`, with these differences:

    Attributes
    ----------
    dag : MixedDag
        Structure with an equation for each node.
    log_likelihood, bic : float
        What the network gains over independent variables, in nats, all columns and indicators taken
        for Gaussian (with ``mixed_score="conditional-gaussian"``: numbers taken for Gaussian given
        the categories); and ``2 log L - parameters * log n`` (larger is better).
    edge_values : mapping
        ``"strength"``: by how many nats the score is worse without the edge.
    """

    @property
    def network(self) -> MixedDag:
        """The structure with its equations: :attr:`dag`."""
        return self.dag  # type: ignore[return-value]

    @classmethod
    def fitted_likelihood(
        cls, dag: Any, table: Any, penalty: Mapping[str, Any]
    ) -> tuple[float, float]:
        """Relative to independent variables."""
        from arcs.scores.mixed import mixed_score

        score = mixed_score(table, {**penalty, "gamma": 0.0})
        paid = score.prices(dag.adjacency)["price"]
        return paid - score.total(dag.adjacency), 2 * paid


def fitted_to(name: str, adjacency: np.ndarray, dataset: Dataset, **rest: Any) -> StrengthResult:
    """A structure with parameters fitted to a data set that has categories."""
    if len(dataset.discrete) == dataset.p:
        table = CategoricalTable.of(dataset)
        return DiscreteResult.from_table(name, adjacency, table, **rest)
    return MixedResult.from_table(name, adjacency, MixedData.of(dataset), **rest)


def _strengths(
    table: CategoricalTable | MixedData, adjacency: np.ndarray, penalty: Mapping[str, Any]
) -> np.ndarray:
    if isinstance(table, MixedData):
        from arcs.scores.mixed import mixed_score

        return mixed_score(table, {"gamma": 0.0, **penalty}).strengths(adjacency)
    from arcs.scores.discrete import DISCRETE_SCORES, score_of

    # What was found by tests has the strengths of the BIC.
    chosen = penalty if penalty.get("kind") in DISCRETE_SCORES else {"kind": "bic"}
    return score_of(table, chosen).strengths(adjacency)


def _likelihood(dag: DiscreteDag, rows: np.ndarray) -> tuple[float, float]:
    """The largest log-likelihood of the structure, and log n per parameter."""
    likelihood = price = 0.0
    for counts, n in zip(dag.counts or (), rows.tolist(), strict=True):
        cells = counts.reshape(-1, counts.shape[-1])
        totals = cells.sum(axis=1)
        likelihood += float(_x_log_x(cells).sum() - _x_log_x(totals).sum())
        price += cells.shape[0] * (cells.shape[1] - 1) * float(np.log(max(n, 1)))
    return likelihood, price


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return np.asarray(x * np.log(np.maximum(x, 1.0)))
