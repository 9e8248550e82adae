"""What people ask of a network of categories: probabilities under ``do`` and given what was seen.

These take the place of the linear answers of :class:`~arcs.effects.answers.CausalAnswers`, which
have no meaning for categories and say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from arcs.data.levels import coded_column
from arcs.effects.prediction import described, situations
from arcs.errors import DataError, GraphError
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.inference import marginals, weighted_rows
from arcs.graphs.names import Node, node_index
from arcs.tables import Table

if TYPE_CHECKING:
    from arcs.graphs import GraphEnsemble, Pdag

__all__ = ["ProbabilityAnswers"]


def _columns_of(data: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Entries by column: of a frame, a mapping, or an array with the columns of the network."""
    from arcs.data.frames import column_names, frame_parts, is_frame

    if isinstance(data, Mapping):
        return data
    if is_frame(data):
        return frame_parts(data, column_names(data)).apart
    rows = np.atleast_2d(np.asarray(data, dtype=object))
    if isinstance(data, str) or rows.ndim != 2 or rows.shape[1] != len(names):
        raise DataError(
            f"rows of {len(names)} columns are needed, as the network has variables: give a data "
            "frame, a mapping of columns, or an array"
        )
    return dict(zip(names, rows.T.tolist(), strict=True))


class ProbabilityAnswers:
    """Probabilities of levels; a base of :class:`arcs.discrete_results.DiscreteResult`."""

    if TYPE_CHECKING:
        cpdag: Pdag
        ensemble: GraphEnsemble | None

        @property
        def network(self) -> DiscreteDag:
            """The structure with its tables."""

    # ------------------------------------------------------------------ probabilities
    def predict(
        self,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, Any] | None = None,
        level: float = 0.95,
    ) -> Any:
        """The probability of every level of every variable under `do` and given what was seen.

        A data frame (or table) with the columns ``variable``, ``level``, ``probability`` and
        ``role`` ("set", "seen" or ""), and ``situation`` if lists of levels were given: one
        situation for each. `level` is of no use here and is ignored.
        """
        return self.prediction_table(do, given).to_frame()

    def prediction_table(
        self, do: Mapping[Node, Any] | None = None, given: Mapping[Node, Any] | None = None
    ) -> Table:
        """What :meth:`predict` returns, in any case as a :class:`arcs.tables.Table`."""
        asked, several = situations(do or {}, given or {})
        rows = [row for situation in asked for row in self._rows_of(*situation)]
        names = ("situation", "variable", "level", "probability", "role")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if not several:
            del columns["situation"]
        return Table(columns)

    def _rows_of(
        self, do: Mapping[Node, Any], given: Mapping[Node, Any]
    ) -> Iterator[tuple[str, str, str, float, str]]:
        """Situation, variable, level, probability and role, one after the other."""
        dag = self.network
        fixed, seen = dag.fixed(do), dag.fixed(given)
        found = marginals(dag, list(range(dag.p)), fixed, seen)
        told = described(
            *({dag.names[j]: dag.levels[j][k] for j, k in part.items()} for part in (fixed, seen))
        )
        for j, (name, levels) in enumerate(zip(dag.names, dag.levels, strict=True)):
            role = "set" if j in fixed else "seen" if j in seen else ""
            for level, share in zip(levels, found.probabilities[j].tolist(), strict=True):
                yield told, name, level, share, role

    def probability(
        self,
        target: Node,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, Any] | None = None,
    ) -> dict[str, float]:
        """The probabilities of the levels of one variable.

        Examples
        --------
        >>> from arcs.learners import learner
        >>> rain = np.arange(40) % 4 == 0
        >>> rows = np.column_stack([rain, rain ^ (np.arange(40) % 10 == 0)])
        >>> found = learner("arcs", random_state=0).fit(rows, discrete="auto")
        >>> sorted(found.probability("x1", given={"x0": True}))
        ['False', 'True']
        """
        dag = self.network
        at = node_index(target, dag.names)
        found = marginals(dag, [at], dag.fixed(do), dag.fixed(given)).probabilities[at]
        return dict(zip(dag.levels[at], found.tolist(), strict=True))

    def effect(self, source: Node, target: Node, level: float = 0.95) -> Table:
        """The probabilities of `target` if `source` were set to each of its levels.

        A table with a row per level of `source` and a column per level of `target`.
        """
        dag = self.network
        x, y = (node_index(node, dag.names) for node in (source, target))
        if x == y:
            raise GraphError(f"source and target are the same node {dag.names[x]!r}")
        rows = [marginals(dag, [y], {x: k}, {}).probabilities[y] for k in range(len(dag.levels[x]))]
        head = f"do({dag.names[x]})"
        shares = dict(zip(dag.levels[y], np.array(rows).T, strict=True))
        return Table({head: list(dag.levels[x]), **shares})

    def sample(
        self,
        n: int,
        do: Mapping[Node, Any] | None = None,
        given: Mapping[Node, Any] | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> Any:
        """Draw `n` rows of levels under `do` and given what was seen, as a data frame (or table).

        With `given`, rows are drawn from a larger weighted sample.
        """
        dag, rng = self.network, np.random.default_rng(random_state)
        fixed, seen = dag.fixed(do), dag.fixed(given)
        if not seen:
            rows = dag.draw(rng.random((n, dag.p)), fixed)
        else:
            drawn, weights = weighted_rows(dag, max(10 * n, 10_000), fixed, seen, rng)
            rows = drawn[rng.choice(len(drawn), size=n, p=weights / weights.sum())]
        return Table(dag.decoded(rows)).to_frame()

    def impute(self, data: Any) -> Any:
        """Fill in what is missing in new rows by its most probable level given the row.

        `data` is a frame; columns are matched by name, and those it lacks are missing everywhere.
        Returns a data frame (or table) with all variables.
        """
        return Table(self.network.decoded(self.completed(data))).to_frame()

    def completed(self, data: Any) -> np.ndarray:
        """What :meth:`impute` returns, as positions of levels."""
        dag, codes = self.network, self.coded(data)
        filled = codes.copy()
        for row in np.unique(codes, axis=0):
            holes = np.flatnonzero(row < 0).tolist()
            if not holes:
                continue
            seen = {int(j): int(row[j]) for j in np.flatnonzero(row >= 0)}
            found = marginals(dag, holes, {}, seen).probabilities
            same = (codes == row).all(axis=1)
            filled[np.ix_(same, holes)] = [int(np.argmax(found[j])) for j in holes]
        return filled

    def coded(self, data: Any) -> np.ndarray:
        """New rows as positions of levels, -1 where nothing is written.

        Raises
        ------
        DataError
            If a column is not a variable of the network, or a value none of its levels.
        """
        dag = self.network
        columns = _columns_of(data, dag.names)
        strange = [name for name in columns if name not in dag.names]
        if strange:
            raise DataError(
                f"{len(strange)} columns are not variables of the network, such as "
                f"{strange[0]!r}; leave them out"
            )
        rows = len(next(iter(columns.values()))) if columns else 0
        codes = np.full((rows, dag.p), -1, dtype=np.int64)
        for name, entries in columns.items():
            at = dag.names.index(name)
            found, _ = coded_column(name, list(entries), dag.levels[at])
            codes[:, at] = np.where(np.isnan(found), -1, np.nan_to_num(found))
        return codes

    # ------------------------------------------------------------------ what has no meaning here
    def _no_meaning(self, what: str) -> NoReturn:
        raise DataError(
            f"{what}: this is about linear effects between numbers, and the network is one of "
            "categories; probability(...), predict(do=...) and effect(x, y) tell probabilities "
            "under interventions"
        )

    @property
    def precision(self) -> NoReturn:
        """Not for categories."""
        self._no_meaning("precision")

    def effect_figures(self, level: float = 0.95) -> NoReturn:
        """Not for categories."""
        self._no_meaning("effect_figures")

    def effects_table(
        self, source: Node | None = None, target: Node | None = None, level: float = 0.95
    ) -> NoReturn:
        """Not for categories."""
        self._no_meaning("effects")

    def prediction(self, *_: Any, **__: Any) -> NoReturn:
        """Not for categories; see :meth:`prediction_table`."""
        self._no_meaning("prediction")

    def power(self, *_: Any, **__: Any) -> NoReturn:
        """Not for categories."""
        self._no_meaning("power")
