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

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from arcs.data.levels import coded_column
from arcs.errors import DataError, GraphError
from arcs.graphs.mixed import MixedDag
from arcs.graphs.names import Node, node_index
from arcs.tables import Table

__all__ = ["MixedAnswers"]


class MixedAnswers:
    """Means and probabilities; a base of :class:`arcs.discrete_results.MixedResult`."""

    if TYPE_CHECKING:

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
        ``value`` and ``role`` ("set" or ""). `level` is of no use here and is ignored; `given` is
        refused.
        """
        return self.prediction_table(do, given).to_frame()

    def prediction_table(
        self, do: Mapping[Node, Any] | None = None, given: Mapping[Node, Any] | None = None
    ) -> Table:
        """What :meth:`predict` returns, in any case as a :class:`arcs.tables.Table`."""
        if given:
            self._refused()
        dag = self.network
        fixed = {node_index(node, dag.names): value for node, value in (do or {}).items()}
        found = _means(dag, {j: _setting(dag, j, value) for j, value in fixed.items()})
        rows = [
            (dag.names[j], name, value, "set" if j in fixed else "")
            for j, own in enumerate(dag.levels)
            for name, value in zip(own or ("",), found[j].tolist(), strict=True)
        ]
        names = ("variable", "level", "value", "role")
        columns = zip(*rows, strict=True)
        return Table({name: list(column) for name, column in zip(names, columns, strict=True)})

    def effect(self, source: Node, target: Node, level: float = 0.95) -> Table:
        """The mean of `target`, or the probabilities of its levels, if `source` were set.

        A row per level of `source`; of a number one at 0 and one at 1, whose difference is the
        effect of one unit.
        """
        dag = self.network
        x, y = (node_index(node, dag.names) for node in (source, target))
        if x == y:
            raise GraphError(f"source and target are the same node {dag.names[x]!r}")
        values: Any = dag.levels[x] or (0.0, 1.0)
        rows = np.array([_means(dag, {x: _setting(dag, x, value)})[y] for value in values])
        heads = dag.levels[y] or (dag.names[y],)
        return Table({f"do({dag.names[x]})": list(values), **dict(zip(heads, rows.T, strict=True))})

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise DataError(
            "a network of numbers and categories tells edges, strengths, equations "
            "(result.dag.table(name)) and what follows from setting variables (predict(do=...), "
            "effect(x, y)), but not what follows from seeing them: for that, fit the numbers "
            "alone, or cut them into levels with discretize='quantiles-3'"
        )

    prediction = probability = effects = effects_table = effect_figures = _refused
    sample = impute = power = _refused


def _setting(dag: MixedDag, j: int, value: Any) -> np.ndarray:
    """A value that a variable is set to, as the mean of its number or of its indicators."""
    own = dag.levels[j]
    if own is not None:
        code, _ = coded_column(dag.names[j], [value], own)
        return np.asarray(np.arange(len(own)) == code[0], dtype=float)
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
