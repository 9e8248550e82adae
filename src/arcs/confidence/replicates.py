"""One of many fits of one data set, and what it found.

A replicate is a learner with its own seed and a way to draw rows. Replicate i draws from the i-th
child of one :class:`numpy.random.SeedSequence`, whoever runs it and whenever: the collection is the
same for any number of workers, after an interruption, and its beginning stays the same when more
replicates are asked for later.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.data.transforms import AUTO
from arcs.errors import DataError, DataWarning
from arcs.graphs import EdgeList, GraphEnsemble, Pdag
from arcs.learners import LEARNERS, Learner
from arcs.learners.transforms import learn_prepared
from arcs.progress import Watch
from arcs.scores.least_squares import edge_coefficients

__all__ = ["GRAPHS", "Draw", "Outcome", "Replicate", "Replicates", "drawn_rows"]

Draw = Literal["resample", "half", "all"]
#: What is kept of a fit: its DAG, and the arrows and lines of its equivalence class.
GRAPHS = ("dag", "directed", "undirected")


@dataclass(frozen=True, eq=False)
class Replicate:
    """One fit to be done: a learner (without seed), how to draw its rows, and its random stream.

    Attributes
    ----------
    index : int
        Its place in the collection.
    name : str
        What messages call it.
    """

    index: int
    name: str
    learner: Learner
    draw: Draw
    stream: np.random.SeedSequence

    def run(self, dataset: Dataset, clusters: np.ndarray | None = None) -> Outcome:
        """Draw rows and learn; what cannot be learned from is reported, not raised."""
        rng = np.random.default_rng(self.stream)
        rows = drawn_rows(dataset, self.draw, rng, clusters)
        model = replace(self.learner, random_state=int(rng.integers(2**31 - 1)))
        try:
            return _learn(self.index, model, _drawn_data(dataset, model, rows))
        except DataError as error:
            return Outcome(self.index, failure=str(error))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a replicate found: bits of the DAG and of its class, packed; or why it failed.

    The coefficients are those of the edges of the DAG, row by row; None in old files.
    """

    index: int
    dag: np.ndarray | None = None
    directed: np.ndarray | None = None
    undirected: np.ndarray | None = None
    score: float = float("nan")
    failure: str = ""
    coefficients: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Replicates:
    """All outcomes, by index."""

    p: int
    outcomes: Mapping[int, Outcome]

    def good(self, indices: Sequence[int] | None = None) -> list[Outcome]:
        """Those that did not fail, among `indices` (all)."""
        chosen = sorted(self.outcomes) if indices is None else indices
        return [self.outcomes[i] for i in chosen if not self.outcomes[i].failure]

    def frequencies(self, indices: Sequence[int] | None = None) -> dict[str, np.ndarray]:
        """How often each edge is in the DAGs, and an arrow or a line in their classes."""
        good = self.good(indices)
        counts = {name: np.zeros((self.p, self.p)) for name in GRAPHS}
        for outcome in good:
            for name in GRAPHS:
                counts[name] += self.matrix(outcome, name)
        return {name: count / max(len(good), 1) for name, count in counts.items()}

    def matrix(self, outcome: Outcome, name: str) -> np.ndarray:
        """One of the boolean matrices of an outcome."""
        bits = np.unpackbits(getattr(outcome, name), count=self.p * self.p)
        return np.asarray(bits.reshape(self.p, self.p).astype(bool))

    def ensemble(self, names: Sequence[str], halves: bool = False) -> GraphEnsemble:
        """The graphs of all that did not fail; `halves` if they are those of half-samples."""
        return GraphEnsemble.of(names, (self._edges(outcome) for outcome in self.good()), halves)

    def _edges(self, outcome: Outcome) -> EdgeList:
        tail, head = np.nonzero(self.matrix(outcome, "dag"))
        arrow = self.matrix(outcome, "directed")[tail, head]
        values = outcome.coefficients
        return EdgeList(tail, head, arrow, np.full(len(tail), np.nan) if values is None else values)

    def failures(self) -> list[str]:
        """Why replicates could not be used."""
        return [self.outcomes[i].failure for i in sorted(self.outcomes) if self.outcomes[i].failure]


def drawn_rows(
    dataset: Dataset, draw: Draw, rng: np.random.Generator, clusters: np.ndarray | None = None
) -> np.ndarray | None:
    """Row numbers drawn within each regime and condition; None stands for all rows.

    "resample" draws as many as there are, with replacement; "half" every second one, without. With
    the number of a cluster for each row, clusters are drawn instead, and all of their rows come
    along; within regimes, unless some cluster lies in several.
    """
    if draw == "all":
        return None
    if dataset.values is None:
        raise DataError(
            "rows are needed to draw from; this data set holds only sums or a covariance "
            "(read files with in_memory=True)"
        )
    regime = dataset.groups()
    if clusters is None:
        return np.sort(_drawn(regime, draw, rng))
    first = np.unique(clusters, return_index=True)[1]
    nested = np.array_equal(regime, regime[first][clusters])
    chosen = _drawn(regime[first] if nested else np.zeros(len(first), np.int64), draw, rng)
    order = np.argsort(clusters, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(clusters))[:-1])
    return np.sort(np.concatenate([parts[k] for k in chosen]))


def _drawn_data(dataset: Dataset, model: Learner, rows: np.ndarray | None) -> Dataset:
    """The data set of these rows (None: all): their weighted sums, where the method needs no more.

    A column that happens to be constant in the drawn rows is an isolated node.
    """
    if rows is None:
        return dataset
    counted = dataset.incomplete or dataset.discrete or dataset.transform == AUTO
    if counted or _looks_at_rows(model):
        return dataset.take(rows, constant="isolate")
    return dataset.counted_times(np.bincount(rows, minlength=dataset.n), constant="isolate")


def _looks_at_rows(model: Learner) -> bool:
    """Whether the method, or the one that provides its start, looks at rows."""
    init = getattr(model, "init", None)
    if isinstance(init, str) and init in LEARNERS:
        return model.uses_rows or LEARNERS[init].uses_rows
    return model.uses_rows or (isinstance(init, Learner) and init.uses_rows)


def _drawn(group: np.ndarray, draw: Draw, rng: np.random.Generator) -> np.ndarray:
    """Positions drawn within groups numbered from 0."""
    parts = []
    for r in range(int(group.max()) + 1):
        rows = np.flatnonzero(group == r)
        if draw == "resample":
            parts.append(rows[rng.integers(rows.size, size=rows.size)] if rows.size else rows)
        else:
            parts.append(rng.permutation(rows)[: (rows.size + 1) // 2])
    return np.concatenate(parts)


def _learn(index: int, model: Learner, dataset: Dataset) -> Outcome:
    with warnings.catch_warnings():
        # What is to be said about the data was said when they were fitted as a whole.
        warnings.simplefilter("ignore", DataWarning)
        # By its message: the category is scikit-learn's, which takes a second to import.
        warnings.filterwarnings("ignore", "some columns did not converge")
        watch = Watch(model.time_limit)
        if dataset.discrete:
            return _learn_categories(index, model, dataset, watch)
        found = learn_prepared(model, dataset, model.statistics(dataset), watch)
    learned = found.learned
    if isinstance(learned.graph, Pdag):
        adjacency, pdag = learned.graph.consistent_dag(), learned.graph
    else:
        adjacency = np.asarray(learned.graph, dtype=bool)
        pdag = found.cpdag or model.equivalence_class(adjacency, found.statistics)
    score = float("nan") if learned.score is None else float(learned.score)
    values = _coefficients(adjacency, learned.statistics or found.statistics)
    return Outcome(index, *_bits(adjacency, pdag), score, coefficients=values)


def _learn_categories(index: int, model: Learner, dataset: Dataset, watch: Watch) -> Outcome:
    """The same for a table with categories, where edges have no coefficients."""
    from arcs.learners.categories import learn_rows, rows_of

    learned, table, _ = learn_rows(model, watch, rows_of(dataset, model))
    if isinstance(learned.graph, Pdag):
        adjacency, pdag = learned.graph.consistent_dag(), learned.graph
    else:
        adjacency = np.asarray(learned.graph)
        pdag = model.equivalence_class(adjacency, table)
    return Outcome(index, *_bits(adjacency, pdag), float(learned.score or 0.0))


def _bits(adjacency: np.ndarray, pdag: Pdag) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.packbits(adjacency), np.packbits(pdag.directed), np.packbits(pdag.undirected)


def _coefficients(adjacency: np.ndarray, statistics: GramStatistics) -> np.ndarray:
    return np.asarray(edge_coefficients(adjacency, statistics)[adjacency])
