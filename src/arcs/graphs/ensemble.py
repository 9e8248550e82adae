"""Many fitted DAGs over the same variables: what replicates of a fit found.

Each graph is kept as a list of edges with their coefficients, and whether the equivalence class has
an arrow there or a line. That is all there is to know of a graph and its class (a class has the
skeleton of its members), in a few numbers per edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from arcs.errors import GraphError
from arcs.graphs.gaussian import total_effect_matrix
from arcs.graphs.names import check_names
from arcs.graphs.pdag import Pdag
from arcs.graphs.topology import topological_order

__all__ = ["EdgeList", "GraphEnsemble"]


class EdgeList(NamedTuple):
    """The edges of one graph.

    Attributes
    ----------
    tail, head : ndarray of int
        Edge k is ``tail[k] -> head[k]``.
    arrow : ndarray of bool
        Whether the equivalence class has it as an arrow, rather than a line.
    coefficient : ndarray of float

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.graphs import EdgeList
    >>> edges = EdgeList.of(dag.adjacency, dag.cpdag(), dag.coefficients)
    >>> edges.coefficient.tolist()
    [2.0, 0.5]
    """

    tail: np.ndarray
    head: np.ndarray
    arrow: np.ndarray
    coefficient: np.ndarray

    @classmethod
    def of(cls, adjacency: np.ndarray, pdag: Pdag, coefficients: np.ndarray) -> EdgeList:
        """The edges of a DAG whose class is `pdag`."""
        tail, head = np.nonzero(adjacency)
        arrow = pdag.directed[tail, head]
        if not (arrow | pdag.undirected[tail, head]).all():
            raise GraphError("the graph is no member of the class")
        return cls(tail, head, arrow, np.asarray(coefficients)[tail, head])


@dataclass(frozen=True, eq=False)
class GraphEnsemble:
    """Graphs that were learned from replicates of one data set.

    Attributes
    ----------
    names : tuple of str
    start : ndarray of int, shape (graphs + 1,)
        The edges of graph b are those from ``start[b]`` to ``start[b + 1]``.
    tail, head, arrow, coefficient : ndarray
        The edges of all graphs; see :class:`EdgeList`.
    halves : bool
        Whether the graphs are those of half-samples, which find weak edges less often.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.confidence import bootstrap
    >>> len(bootstrap(drawn.data, "hc", 10).ensemble)
    10
    """

    names: tuple[str, ...]
    start: np.ndarray
    tail: np.ndarray
    head: np.ndarray
    arrow: np.ndarray
    coefficient: np.ndarray
    halves: bool = False

    @classmethod
    def of(
        cls, names: Iterable[str], graphs: Iterable[EdgeList], halves: bool = False
    ) -> GraphEnsemble:
        """From the edges of every graph."""
        listed, labels = list(graphs), tuple(names)
        check_names(labels, len(labels))
        start = np.cumsum([0, *(len(graph.tail) for graph in listed)])

        def joined(field: str, kind: type) -> np.ndarray:
            parts: list[np.ndarray] = [
                np.asarray(getattr(graph, field), dtype=kind) for graph in listed
            ]
            return np.concatenate([np.zeros(0, dtype=kind), *parts])

        return cls(
            labels,
            start,
            joined("tail", np.int64),
            joined("head", np.int64),
            joined("arrow", np.bool_),
            joined("coefficient", np.float64),
            halves,
        )

    # ------------------------------------------------------------------ files
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything but the names, as arrays for files."""
        fields = ("start", "tail", "head", "arrow", "coefficient")
        told = {"halves": np.array([True])} if self.halves else {}
        return {name: getattr(self, name) for name in fields} | told

    @classmethod
    def from_arrays(cls, names: Iterable[str], arrays: Mapping[str, np.ndarray]) -> GraphEnsemble:
        """The inverse of :meth:`arrays`."""
        start = np.asarray(arrays["start"], dtype=np.int64)
        found = cls(
            tuple(names),
            start,
            np.asarray(arrays["tail"], dtype=np.int64),
            np.asarray(arrays["head"], dtype=np.int64),
            np.asarray(arrays["arrow"], dtype=bool),
            np.asarray(arrays["coefficient"], dtype=float),
            "halves" in arrays,
        )
        columns = (start, found.tail, found.head, found.arrow, found.coefficient)
        if any(column.ndim != 1 for column in columns):
            raise GraphError("the edges of an ensemble of graphs are not in columns")
        lengths = {len(found.tail), len(found.head), len(found.arrow), len(found.coefficient)}
        ends = np.concatenate([found.tail, found.head])
        whole = lengths == {int(start[-1])} and start[0] == 0 and (np.diff(start) >= 0).all()
        if not whole or ((ends < 0) | (ends >= found.p)).any():
            raise GraphError("the edges of an ensemble of graphs do not fit together")
        return found

    # ------------------------------------------------------------------ views
    @property
    def p(self) -> int:
        """Number of variables."""
        return len(self.names)

    def __len__(self) -> int:
        return len(self.start) - 1

    def graph(self, number: int) -> EdgeList:
        """The edges of one graph."""
        at = slice(int(self.start[number]), int(self.start[number + 1]))
        return EdgeList(self.tail[at], self.head[at], self.arrow[at], self.coefficient[at])

    def coefficients(self, number: int) -> np.ndarray:
        """The matrix of coefficients of one graph."""
        graph, matrix = self.graph(number), np.zeros((self.p, self.p))
        matrix[graph.tail, graph.head] = graph.coefficient
        return matrix

    def adjacency(self, number: int) -> np.ndarray:
        """The matrix of arrows of one graph."""
        graph, matrix = self.graph(number), np.zeros((self.p, self.p), dtype=bool)
        matrix[graph.tail, graph.head] = True
        return matrix

    def equivalence_class(self, number: int) -> Pdag:
        """The class of one graph."""
        graph = self.graph(number)
        directed, lines = np.zeros((2, self.p, self.p), dtype=bool)
        directed[graph.tail[graph.arrow], graph.head[graph.arrow]] = True
        lines[graph.tail[~graph.arrow], graph.head[~graph.arrow]] = True
        return Pdag(directed, lines | lines.T, self.names)

    @cached_property
    def frequencies(self) -> dict[str, np.ndarray]:
        """Shares of graphs with i -> j ("dag"), of classes with i -> j ("directed"), and with i - j
        ("undirected")."""
        shares = {"dag": self._share(np.ones(len(self.tail), dtype=bool))}
        shares["directed"] = self._share(self.arrow)
        lines = self._share(~self.arrow)
        shares["undirected"] = lines + lines.T
        return shares

    def total_effects(self, source: int) -> np.ndarray:
        """Total effects of one variable on all, a row per graph."""
        rows = np.zeros((len(self), self.p))
        for b in range(len(self)):
            adjacency = self.adjacency(b)
            if adjacency[source].any():
                order = topological_order(adjacency)
                rows[b] = total_effect_matrix(self.coefficients(b), order)[source]
        rows[:, source] = 1.0
        return rows

    def ancestor_shares(self, source: int) -> np.ndarray:
        """In which share of the graphs a directed path leads from `source` to each variable."""
        counts = np.zeros(self.p)
        for b in range(len(self)):
            adjacency = self.adjacency(b)
            reached = frontier = adjacency[source]
            while frontier.any():
                frontier = adjacency[frontier].any(axis=0) & ~reached
                reached = reached | frontier
            counts += reached
        return counts / max(len(self), 1)

    def _share(self, chosen: np.ndarray) -> np.ndarray:
        counts = np.zeros((self.p, self.p))
        np.add.at(counts, (self.tail[chosen], self.head[chosen]), 1.0)
        return counts / max(len(self), 1)

    def __repr__(self) -> str:
        return f"GraphEnsemble({len(self)} graphs, {self.p} nodes)"
