"""What people ask of a network of numbers and categories: means and probabilities under ``do``.

Every equation of such a network is linear in numbers and indicators of levels
(:mod:`arcs.graphs.mixed`), and a mean of a linear thing is the linear thing of means. So what would
happen if variables were set is found node by node, parents first: the mean of a number, and of a
category the probability of each of its levels, that is the mean of each indicator. Nothing is drawn
at random.

Straight lines leave the range from 0 to 1 where numbers are set far from what was seen. Such
probabilities are cut off at 0 and made to sum to 1 again, for what is shown and for what follows
from them. Spread is not predicted, nor what follows from having *seen* a value: numbers beside
categories are Gaussian in the score only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from arcs.data.checks import describe_columns
from arcs.effects.prediction import described, situations
from arcs.errors import DataError, GraphError
from arcs.graphs.discrete import level_text
from arcs.graphs.mixed import MixedDag
from arcs.graphs.names import Node, node_index
from arcs.tables import Table

__all__ = ["MixedAnswers"]


class MixedAnswers:
    """Means and probabilities; a base of :class:`arcs.discrete_results.MixedResult`."""

    if TYPE_CHECKING:
        penalty: Mapping[str, Any]

        @property
        def network(self) -> MixedDag:
            """The structure with its equations."""

    def predict(
        self,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, Any] | None = None,
        level: float = 0.95,
    ) -> Any:
        """The mean of every number and the probability of every level under `do`.

        A data frame (or table) with the columns ``variable``, ``level`` (empty for numbers),
        ``value`` and ``role`` ("set" or ""), and ``situation`` if lists of values were given: one
        situation for each. `level` is of no use here and is ignored; `given` is refused.
        """
        return self.prediction_table(do, given).to_frame()

    def prediction_table(
        self, do: Mapping[Node, Any] | None = None, given: Mapping[Node, Any] | None = None
    ) -> Table:
        """What :meth:`predict` returns, in any case as a :class:`arcs.tables.Table`."""
        if given:
            self._refused("given")
        self._refuse_interactions()
        asked, several = situations(do or {}, {})
        rows = [row for set_to, _ in asked for row in self._rows_of(set_to)]
        names = ("situation", "variable", "level", "value", "role")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if not several:
            del columns["situation"]
        return Table(columns)

    def _rows_of(self, do: Mapping[Node, Any]) -> Iterator[tuple[str, str, str, float, str]]:
        """Situation, variable, level, value and role, one after the other."""
        dag = self.network
        fixed = {node_index(node, dag.names): value for node, value in do.items()}
        found = _means(dag, {j: _setting(dag, j, value) for j, value in fixed.items()})
        told = described({dag.names[j]: level_text(value) for j, value in fixed.items()}, {})
        for j, own in enumerate(dag.levels):
            for name, value in zip(own or ("",), found[j].tolist(), strict=True):
                yield told, dag.names[j], name, value, "set" if j in fixed else ""

    def effect(self, source: Node, target: Node, level: float = 0.95) -> Table:
        """The mean of `target`, or the probabilities of its levels, if `source` were set.

        A row per level of `source`; of a number one at 0 and one at 1, whose difference is the
        effect of one unit.
        """
        dag = self.network
        x, y = (node_index(node, dag.names) for node in (source, target))
        if x == y:
            raise GraphError(f"source and target are the same node {dag.names[x]!r}")
        self._refuse_interactions()
        values: Any = dag.levels[x] or (0.0, 1.0)
        rows = np.array([_means(dag, {x: _setting(dag, x, value)})[y] for value in values])
        heads = dag.levels[y] or (dag.names[y],)
        return Table({f"do({dag.names[x]})": list(values), **dict(zip(heads, rows.T, strict=True))})

    def _refuse_interactions(self) -> None:
        """Refuse where causes may act differently together, which equations do not hold."""
        if self.penalty.get("kind") != "conditional-gaussian":
            return
        dag = self.network
        for j in range(dag.p):
            parents = np.flatnonzero(dag.adjacency[:, j])
            if len(parents) > 1 and any(dag.levels[u] is not None for u in parents):
                raise DataError(
                    f"the conditional Gaussian score lets a category among the causes of "
                    f"{dag.names[j]!r} change what the others do, which the equations "
                    "(result.dag.table(name)) give on average only: nothing is predicted from "
                    "them. Ask a fit with mixed_score left out, in which causes add up, or cut "
                    "the numbers into levels with discretize='quantiles-3'"
                )

    def _refused(self, what: str) -> NoReturn:
        raise DataError(
            f"{what}: a network of numbers and categories tells edges, strengths, equations "
            "(result.dag.table(name)) and what follows from setting variables (predict(do=...), "
            "effect(x, y)), but not what follows from seeing them, and no intervals or single "
            "rows: for that, fit the numbers alone, or cut them into levels with "
            "discretize='quantiles-3'"
        )

    @property
    def precision(self) -> NoReturn:
        """Not for categories."""
        self._refused("precision")

    def effect_figures(self, level: float = 0.95) -> NoReturn:
        """Not for categories."""
        self._refused("effect_figures")

    def effects_table(
        self, source: Node | None = None, target: Node | None = None, level: float = 0.95
    ) -> NoReturn:
        """Not for categories."""
        self._refused("effects")

    def prediction(self, *_: Any, **__: Any) -> NoReturn:
        """Not for categories; see :meth:`prediction_table`."""
        self._refused("prediction")

    def probability(self, *_: Any, **__: Any) -> NoReturn:
        """Not beside numbers; see :meth:`predict` and :meth:`effect`."""
        self._refused("probability")

    def sample(self, *_: Any, **__: Any) -> NoReturn:
        """Not beside numbers."""
        self._refused("sample")

    def impute(self, *_: Any, **__: Any) -> NoReturn:
        """Not beside numbers."""
        self._refused("impute")

    def power(self, *_: Any, **__: Any) -> NoReturn:
        """Not for categories."""
        self._refused("power")


def _setting(dag: MixedDag, j: int, value: Any) -> np.ndarray:
    """A value that a variable is set to, as the mean of its number or of its indicators."""
    own = dag.levels[j]
    if own is not None:
        if level_text(value) not in own:
            shown = describe_columns(own, most=8)
            raise DataError(f"{dag.names[j]!r} has no level {value!r:.40}; its levels are {shown}")
        return np.asarray(np.array(own) == level_text(value), dtype=float)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"{dag.names[j]} is a number, and cannot be set to {value!r:.40}")
    return np.array([number])


def _means(dag: MixedDag, fixed: Mapping[int, np.ndarray]) -> list[np.ndarray]:
    """Means of all numbers and indicators if some variables are set."""
    found: list[np.ndarray] = [np.zeros(0)] * dag.p
    for j in dag.order().nodes.tolist():
        if j in fixed:
            found[j] = fixed[j]
            continue
        parents = np.flatnonzero(dag.adjacency[:, j]).tolist()
        parts = [found[u] if dag.levels[u] is None else found[u][1:] for u in parents]
        value = np.concatenate([np.ones(1), *parts]) @ dag.equations[j]
        if dag.levels[j] is not None:
            value = np.maximum(value, 0.0)
            value = value / value.sum()
        found[j] = value
    return found
