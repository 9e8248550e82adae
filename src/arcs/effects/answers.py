"""What people ask of a fitted network: the causal methods of :class:`arcs.results.FitResult`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.edge_rule import EdgeRule
from arcs.effects.adjustment import AdjustmentSets, adjustment_sets
from arcs.effects.classes import class_effects
from arcs.effects.design import Experiment, next_experiments
from arcs.effects.power import EdgePower, edge_power
from arcs.effects.precision import CoefficientPrecision, implied_precision
from arcs.effects.prediction import Prediction, impute, predict, sample_given
from arcs.effects.question import BootstrapEffects, Effect
from arcs.effects.total import EffectTable, effect_table
from arcs.errors import DataError, GraphError
from arcs.graphs.names import Node, node_index
from arcs.tables import Table

if TYPE_CHECKING:
    from arcs.data.local import LocalStatistics
    from arcs.graphs import GaussianDag, GraphEnsemble, Pdag
    from arcs.results import FitResult

__all__ = ["CausalAnswers"]


class CausalAnswers:
    """Effects, predictions and plans; a base of :class:`arcs.results.FitResult`."""

    if TYPE_CHECKING:
        dag: GaussianDag
        cpdag: Pdag
        moments: LocalStatistics | None
        ensemble: GraphEnsemble | None
        n_per_node: tuple[int, ...]
        penalty: Mapping[str, Any]

    @property
    def precision(self) -> CoefficientPrecision:
        """Covariances of the coefficients of each node."""
        if self.moments is None:
            return implied_precision(self.dag, np.array(self.n_per_node))
        from arcs.scores import fit_dag

        return fit_dag(self.dag.adjacency, self.moments).precision

    def effect_figures(self, level: float = 0.95) -> EffectTable:
        """All total effects given the graph, as matrices."""
        return effect_table(self.dag, self.precision, level)

    def effect(self, source: Node, target: Node, level: float = 0.95) -> Effect:
        """The total effect of `source` on `target`, with its three uncertainties.

        Printing it tells them apart: the estimate given the graph, the directions that the data
        leave open, and (after a bootstrap) the graphs that other data would have led to.

        Examples
        --------
        >>> from arcs.learners import learner
        >>> x = np.random.default_rng(0).normal(size=200)
        >>> y = 2 * x + np.random.default_rng(1).normal(size=200)
        >>> found = learner("hc").fit(np.column_stack([x, y])).effect("x0", "x1")
        >>> len(found.over_class.values)  # either way round
        2
        """
        x, y = (node_index(node, self.dag.names) for node in (source, target))
        if x == y:
            raise GraphError(f"source and target are the same node {self.dag.names[x]!r}")
        precision = self.precision
        table = effect_table(self.dag, precision, level)
        over_bootstrap = None
        if self.ensemble is not None and len(self.ensemble):
            values = self.ensemble.total_effects(x)[:, y]
            share = float(self.ensemble.ancestor_shares(x)[y])
            over_bootstrap = BootstrapEffects.of(values, share, level)
        return Effect(
            source=self.dag.names[x],
            target=self.dag.names[y],
            value=float(table.effects[x, y]),
            standard_error=float(table.standard_errors[x, y]),
            lower=float(table.lower[x, y]),
            upper=float(table.upper[x, y]),
            standardised=float(table.standardised[x, y]),
            level=level,
            over_class=class_effects(self.dag, self.cpdag, precision, (x, y), level),
            over_bootstrap=over_bootstrap,
        )

    def effects(
        self, source: Node | None = None, target: Node | None = None, level: float = 0.95
    ) -> Any:
        """All total effects that are not zero in the graph, largest (standardised) first.

        A data frame (without pandas a small table) with the columns ``from``, ``to``, ``effect``,
        ``std_error``, ``interval_low``, ``interval_high``, ``standardised``, and after a bootstrap
        ``ancestor_share``, ``bootstrap_low`` and ``bootstrap_high``. `source` and `target` select.
        """
        return self.effects_table(source, target, level).to_frame()

    def effects_table(
        self, source: Node | None = None, target: Node | None = None, level: float = 0.95
    ) -> Table:
        """What :meth:`effects` returns, in any case as a :class:`arcs.tables.Table`."""
        table, names = self.effect_figures(level), self.dag.names
        there = table.effects != 0
        np.fill_diagonal(there, False)
        for axis, node in ((0, source), (1, target)):
            if node is not None:
                others = np.arange(len(names)) != node_index(node, names)
                there[others if axis == 0 else (slice(None), others)] = False
        tails, heads = np.nonzero(there)
        ranked = np.lexsort((heads, tails, -np.abs(table.standardised[tails, heads])))
        tails, heads = at = (tails[ranked], heads[ranked])
        columns: dict[str, Any] = {
            "from": [names[i] for i in tails],
            "to": [names[j] for j in heads],
            "effect": table.effects[at],
            "std_error": table.standard_errors[at],
            "interval_low": table.lower[at],
            "interval_high": table.upper[at],
            "standardised": table.standardised[at],
        }
        return Table({**columns, **self._bootstrap_columns(tails, heads, level)})

    def _bootstrap_columns(
        self, tails: np.ndarray, heads: np.ndarray, level: float
    ) -> dict[str, np.ndarray]:
        if self.ensemble is None or not len(self.ensemble):
            return {}
        figures = np.zeros((3, len(tails)))
        for node in np.unique(tails).tolist():
            here = tails == node
            effects, to = self.ensemble.total_effects(node), heads[here]
            ends = np.quantile(effects[:, to], [(1 - level) / 2, (1 + level) / 2], axis=0)
            figures[:, here] = [self.ensemble.ancestor_shares(node)[to], *ends]
        names = ("ancestor_share", "bootstrap_low", "bootstrap_high")
        return dict(zip(names, figures, strict=True))

    def adjustment_sets(self, source: Node, target: Node) -> AdjustmentSets:
        """What to adjust for: the parents, a smallest set, and the optimal set."""
        return adjustment_sets(self.dag, source, target, self.cpdag)

    def predict(
        self,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, Any] | None = None,
        level: float = 0.95,
    ) -> Any:
        """Mean, sd and interval of every variable under `do` and given what was seen.

        A data frame (or table) with the columns ``variable``, ``mean``, ``sd``, ``lower``,
        ``upper``, ``role``, and ``situation`` if lists of values were given: a dose or a time
        course. See :func:`arcs.effects.predict`.
        """
        return self.prediction(do, given, level).to_table().to_frame()

    def prediction(
        self,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, Any] | None = None,
        level: float = 0.95,
    ) -> Prediction:
        """What :meth:`predict` tells, as arrays."""
        return predict(self.dag, do, given, level=level)

    def sample(
        self,
        n: int,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, float] | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> Any:
        """Draw `n` rows under `do` and given what was seen, as a data frame (or table)."""
        rows = sample_given(self.dag, n, random_state, do, given)
        return Table(dict(zip(self.dag.names, rows.T, strict=True))).to_frame()

    def impute(self, data: Any) -> Any:
        """Fill in what is missing in new rows by its mean given the rest of the row.

        `data` is a frame (columns matched by name; those it lacks are missing everywhere, those
        that the network does not know are refused) or an array with the columns of the network.
        Returns a data frame (or table) with all variables.
        """
        filled, _ = impute(self.dag, _rows_of(data, self.dag.names))
        return Table(dict(zip(self.dag.names, filled.T, strict=True))).to_frame()

    def averaged(self, threshold: float | str = "auto") -> FitResult:
        """The average of the bootstrap graphs, with coefficients fitted to the data.

        Edges with more confidence than `threshold` ("auto" is 0.5, or 0.2 of half-samples, which
        see less; "l1" stands for that of Scutari and Nagarajan, 2013), in the order of the
        variables that agrees best with the graphs' directions. See
        :mod:`arcs.confidence.averaging`.
        """
        from arcs.confidence.averaging import averaged_result

        return averaged_result(self, threshold)  # type: ignore[arg-type]

    def next_experiments(
        self,
        k: int = 5,
        cost: Mapping[str, float] | Callable[[str], float] | None = None,
        candidates: Collection[Node] | None = None,
        max_size: int = 1,
    ) -> Any:
        """What to set next, so that most directions become known: a data frame, best first.

        See :func:`arcs.effects.next_experiments`.
        """
        return self.experiment_table(k, cost, candidates, max_size).to_frame()

    def experiment_table(
        self,
        k: int = 5,
        cost: Mapping[str, float] | Callable[[str], float] | None = None,
        candidates: Collection[Node] | None = None,
        max_size: int = 1,
    ) -> Table:
        """What :meth:`next_experiments` returns, in any case as a table."""
        found = next_experiments(
            self.cpdag,
            self.dag,
            self.ensemble,
            k=k,
            cost=cost,
            candidates=candidates,
            max_size=max_size,
        )
        rows = [one.to_dict() for one in found]
        unused = [name for name in Experiment.COLUMNS if all(row[name] is None for row in rows)]
        return Table(
            {
                name: [row[name] for row in rows]
                for name in Experiment.COLUMNS
                if name not in unused or not rows
            }
        )

    def power(
        self,
        source: Node,
        target: Node,
        n: int | Sequence[int] = (),
        *,
        size: float | None = None,
        wanted: float = 0.8,
    ) -> EdgePower:
        """Rows needed to see the edge, and the probability of seeing it with `n` rows.

        `size` is the coefficient to be seen, by default the one that was found; an edge has to pay
        what it had to in this fit (:class:`arcs.edge_rule.EdgeRule`).
        See :func:`arcs.effects.edge_power`.
        """
        asked = tuple(np.atleast_1d(np.asarray(n, dtype=np.int64)).tolist())
        rule = EdgeRule.from_record(self.penalty)
        return edge_power(self.dag, source, target, size=size, n=asked, wanted=wanted, rule=rule)


def _rows_of(data: Any, names: tuple[str, ...]) -> np.ndarray:
    """Rows in the order of the variables, NaN where there is nothing."""
    from arcs.data.frames import frame_parts, is_frame

    if not is_frame(data):
        return np.atleast_2d(np.asarray(data, dtype=float))
    values, columns, _ = frame_parts(data, (), ())
    strange = [name for name in columns if name not in names]
    if strange:
        raise DataError(
            f"{len(strange)} columns are not variables of the network, such as {strange[0]!r}; "
            "leave them out"
        )
    rows = np.full((len(values), len(names)), np.nan)
    rows[:, [names.index(name) for name in columns]] = values
    return rows
