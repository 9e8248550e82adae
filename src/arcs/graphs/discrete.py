"""Discrete Bayesian networks: a table of probabilities for each node given its parents.

The joint distribution is the product of the tables, P(x) = prod_j P(x_j | parents of j). A table
has one axis for each parent, in the order of the nodes, and a last one for the node itself. Counts
are kept beside it: a row of a table is worth as much as the rows of data behind it. From counts
N_jk of level k under configuration j of the parents (q configurations, r levels) a table is the
posterior mean (N_jk + a / (q r)) / (N_j + a / q) of a Dirichlet prior that is worth `prior` = a
rows in all: a configuration that was never seen has equal probabilities.

A hard intervention do(x_k = v) cuts the edges into k and gives it that level (Pearl, 2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcs.errors import GraphError
from arcs.graphs.names import Node, check_names, node_index
from arcs.graphs.structure import Dag, order_of

if TYPE_CHECKING:
    from arcs.tables import Table

__all__ = ["PRIOR", "DiscreteDag", "Levels"]

Levels = tuple[str, ...]
"""The names of a variable's levels, in their order."""

#: Rows that the prior of a table is worth.
PRIOR = 1.0
_TOLERANCE = 1e-6


class DiscreteDag(Dag):
    """A directed acyclic graph with a table of probabilities for each node.

    Parameters
    ----------
    adjacency : array-like of bool, shape (p, p)
        ``[i, j]`` is the edge i -> j.
    levels : sequence of sequences of str
        The levels of each node, in their order.
    tables : sequence of array-like
        Of node j, shape (levels of its parents, in the order of the nodes ..., levels of j): the
        probabilities of its levels, which add up to one along the last axis.
    names : sequence of str, optional
    counts : sequence of array-like, optional
        The rows behind the tables, of the same shapes.

    Examples
    --------
    >>> dag = DiscreteDag([[0, 1], [0, 0]], [["no", "yes"]] * 2,
    ...                   [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]], ["rain", "wet"])
    >>> dag.table("wet")
    rain   no  yes
    no    0.9  0.1
    yes   0.2  0.8
    >>> round(float(dag.log_likelihood([[0, 0], [1, 1]]).sum()), 3)
    -2.161
    """

    __slots__ = ("_counts", "_levels", "_tables")

    def __init__(
        self,
        adjacency: ArrayLike,
        levels: Sequence[Sequence[str]],
        tables: Sequence[ArrayLike],
        names: Sequence[str] | None = None,
        *,
        counts: Sequence[ArrayLike] | None = None,
    ):
        arrows = np.array(adjacency, dtype=bool)
        if arrows.ndim != 2 or arrows.shape[0] != arrows.shape[1]:
            raise GraphError(f"adjacency must be a square matrix, not of shape {arrows.shape}")
        self._arrows = arrows
        self._names = check_names(names, len(arrows))
        self._order = order_of(arrows, self._names)
        self._levels = _checked_levels(levels, self._names)
        self._tables = tuple(
            _checked_table(table, self._shape(j), self._names[j], sums=True)
            for j, table in enumerate(_as_many(tables, self.p, "tables"))
        )
        self._counts = None
        if counts is not None:
            self._counts = tuple(
                _checked_table(table, self._shape(j), self._names[j], sums=False)
                for j, table in enumerate(_as_many(counts, self.p, "counts"))
            )
        self._arrows.flags.writeable = False

    @classmethod
    def from_counts(
        cls,
        adjacency: ArrayLike,
        levels: Sequence[Sequence[str]],
        counts: Sequence[NDArray[Any]],
        names: Sequence[str] | None = None,
        prior: float = PRIOR,
    ) -> DiscreteDag:
        """The posterior means of the tables, see the module's description."""
        tables = []
        for given in counts:
            table = np.asarray(given, dtype=float)
            cells = table + prior / table.size
            tables.append(cells / cells.sum(axis=-1, keepdims=True))
        return cls(adjacency, levels, tables, names, counts=counts)

    def _shape(self, node: int) -> tuple[int, ...]:
        return tuple(len(self._levels[j]) for j in (*np.flatnonzero(self._arrows[:, node]), node))

    # --- parameters -------------------------------------------------------------------------------

    @property
    def levels(self) -> tuple[Levels, ...]:
        """The levels of each node."""
        return self._levels

    @property
    def tables(self) -> tuple[NDArray[np.float64], ...]:
        """Read-only probabilities of each node, parents first, in the order of the nodes."""
        return self._tables

    @property
    def counts(self) -> tuple[NDArray[np.float64], ...] | None:
        """Read-only counts behind the tables, or None if they are not known."""
        return self._counts

    @property
    def n_parameters(self) -> int:
        """Free parameters: (levels - 1) times the configurations of the parents, summed."""
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self._tables)

    def level_index(self, node: Node, level: object) -> int:
        """The position of a level of `node`, given by its name."""
        at = node_index(node, self._names)
        text = level_text(level)
        if text not in self._levels[at]:
            shown = ", ".join(map(repr, self._levels[at][:8]))
            raise GraphError(
                f"{self._names[at]!r} has no level {text!r}; its levels are {shown}"
                f"{', ...' if len(self._levels[at]) > 8 else ''}"
            )
        return self._levels[at].index(text)

    def table(self, node: Node) -> Table:
        """The probabilities of `node`, a row for each configuration of its parents.

        With counts, the last column ``rows`` has the rows of data behind each.
        """
        from arcs.tables import Table  # which knows graphs

        at = node_index(node, self._names)
        parents = np.flatnonzero(self._arrows[:, at]).tolist()
        configurations = list(product(*(self._levels[j] for j in parents)))
        columns: dict[str, Any] = {
            self._names[j]: [entry[k] for entry in configurations] for k, j in enumerate(parents)
        }
        flat = self._tables[at].reshape(len(configurations), -1)
        # A level may be called like a parent: two columns must not become one.
        for k, level in enumerate(self._levels[at]):
            columns[f"{self._names[at]}={level}" if level in columns else level] = flat[:, k]
        if self._counts is not None:
            seen = self._counts[at].reshape(len(configurations), -1).sum(axis=1)
            columns["rows" if "rows" not in columns else "(rows)"] = seen.astype(int)
        return Table(columns)

    # --- distribution -----------------------------------------------------------------------------

    def log_likelihood(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The log probability of each row; `codes` are positions of levels, shape (n, p)."""
        rows = self._checked_codes(codes)
        total = np.zeros(len(rows))
        for j, table in enumerate(self._tables):
            at = tuple(rows[:, k] for k in (*np.flatnonzero(self._arrows[:, j]), j))
            with np.errstate(divide="ignore"):
                total += np.log(table[at])
        return total

    def _checked_codes(self, codes: ArrayLike) -> NDArray[np.int64]:
        rows = np.atleast_2d(np.asarray(codes)).astype(np.int64)
        sizes = [len(levels) for levels in self._levels]
        if rows.shape[1] != self.p or (rows < 0).any() or (rows >= sizes).any():
            raise GraphError(f"codes must be positions of levels of {self.p} nodes, a row each")
        return rows

    def sample(
        self,
        n: int,
        random_state: int | np.random.Generator | None = None,
        interventions: Mapping[Node, object] | None = None,
    ) -> NDArray[np.int64]:
        """Draw `n` rows of codes (positions of levels), optionally under hard interventions.

        `interventions` maps a node to a level. The numbers that are drawn from a seed are the same
        with and without.
        """
        if n < 0:
            raise GraphError(f"the number of rows must not be negative; got {n}")
        uniform = np.random.default_rng(random_state).random((n, self.p))
        return self.draw(uniform, self.fixed(interventions))

    def draw(self, uniform: NDArray[np.float64], fixed: Mapping[int, int]) -> NDArray[np.int64]:
        """Rows made of uniform numbers, one for each node, with some nodes at a given level."""
        rows = np.zeros(uniform.shape, dtype=np.int64)
        for j in self._order.nodes.tolist():
            if j in fixed:
                rows[:, j] = fixed[j]
                continue
            at = tuple(rows[:, k] for k in np.flatnonzero(self._arrows[:, j]))
            below = np.cumsum(self._tables[j], axis=-1)[..., :-1][at]
            rows[:, j] = (uniform[:, j, None] >= below).sum(axis=-1)
        return rows

    def fixed(self, values: Mapping[Node, object] | None) -> dict[int, int]:
        """Nodes and levels by position, each node once."""
        checked: dict[int, int] = {}
        for node, level in (values or {}).items():
            at = node_index(node, self._names)
            if at in checked:
                raise GraphError(f"node {self._names[at]!r} is named twice")
            checked[at] = self.level_index(at, level)
        return dict(sorted(checked.items()))

    def decoded(self, codes: ArrayLike) -> dict[str, list[str]]:
        """Columns of levels by name."""
        rows = self._checked_codes(codes)
        return {
            name: np.array(levels, dtype=object)[column].tolist()
            for name, levels, column in zip(self._names, self._levels, rows.T, strict=True)
        }

    # --- variants and protocol --------------------------------------------------------------------

    def relabel(self, permutation: Sequence[int] | ArrayLike) -> DiscreteDag:
        """The same model with its nodes listed anew: new node k is old node ``permutation[k]``."""
        at, names = self._listed_anew(permutation)
        arrows = self._arrows[np.ix_(at, at)]
        place = np.argsort(at)

        def turned(tables: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
            found = []
            for old in at.tolist():
                before = place[np.flatnonzero(self._arrows[:, old])]
                axes = [*np.argsort(before), len(before)]
                found.append(np.transpose(tables[old], axes))
            return found

        counts = None if self._counts is None else turned(self._counts)
        levels = [self._levels[old] for old in at.tolist()]
        return DiscreteDag(arrows, levels, turned(self._tables), names, counts=counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DiscreteDag):
            return NotImplemented
        return (
            self._names == other._names
            and self._levels == other._levels
            and np.array_equal(self._arrows, other._arrows)
            and all(map(np.array_equal, self._tables, other._tables))
        )

    def __hash__(self) -> int:
        return hash((self._names, self._arrows.tobytes()))

    def __repr__(self) -> str:
        return f"DiscreteDag({self.p} nodes, {self.n_edges} edges)"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: unpickled arrays would be writable.
        parts = (self._arrows, self._levels, self._tables, self._names, self._counts)
        return _rebuild, parts


def _rebuild(adjacency: Any, levels: Any, tables: Any, names: Any, counts: Any) -> DiscreteDag:
    return DiscreteDag(adjacency, levels, tables, names, counts=counts)


def level_text(level: object) -> str:
    """A level as text; numbers that are whole as such, so that 1.0 is the level "1"."""
    if isinstance(level, str):
        return str(level)
    if isinstance(level, bool | np.bool_):
        return str(bool(level))
    if isinstance(level, float | np.floating) and float(level).is_integer():
        return str(int(level))
    if isinstance(level, np.generic):
        return str(level.item())
    return str(level)


def _as_many(tables: Sequence[Any], p: int, what: str) -> Sequence[Any]:
    if len(tables) != p:
        raise GraphError(f"{len(tables)} {what} were given for {p} nodes")
    return tables


def _checked_levels(levels: Sequence[Sequence[str]], names: tuple[str, ...]) -> tuple[Levels, ...]:
    checked = tuple(tuple(str(level) for level in own) for own in levels)
    if len(checked) != len(names):
        raise GraphError(f"levels of {len(checked)} nodes were given for {len(names)} nodes")
    for name, own in zip(names, checked, strict=True):
        if not own or len(set(own)) != len(own):
            raise GraphError(f"the levels of {name!r} must be distinct, and at least one")
    return checked


def _checked_table(
    values: ArrayLike, shape: tuple[int, ...], name: str, *, sums: bool
) -> NDArray[np.float64]:
    table = np.array(values, dtype=np.float64)
    if table.shape != shape:
        raise GraphError(f"the table of {name!r} must have shape {shape}, not {table.shape}")
    if not np.isfinite(table).all() or (table < 0).any():
        raise GraphError(f"the table of {name!r} has entries that are negative or no numbers")
    if sums:
        total = table.sum(axis=-1, keepdims=True)
        if (np.abs(total - 1.0) > _TOLERANCE).any():
            raise GraphError(f"the probabilities of {name!r} do not add up to one in every row")
        # Rounded figures of a file add up to nearly one.
        table = np.where(np.abs(total - 1.0) > 1e-12, table / total, table)
    table.flags.writeable = False
    return table
