"""The bootstrap: which edges come back when the data are drawn again.

Rows are resampled with replacement within each experimental regime (Friedman, Goldszmidt and
Wyner, 1999, "Data analysis with Bayesian networks: a bootstrap approach", for observational data),
the learner runs on every resample, and features of the graphs are counted. The *confidence* in an
edge is the share of resamples in which its ends are adjacent; the confidence in its *direction* is
the share of these in which it points that way. Directions that the data cannot tell should not
count as evidence: in equivalence classes an undirected edge counts one half for each direction.

The averaged graph is made of these frequencies (:mod:`arcs.confidence.averaging`).

Replicates are cheap: a resample is a number for each row, how often it was drawn, and its sums are
weighted sums of the rows (of incomplete rows, and for methods that look at rows, copies are made).
What a fit decides about the data, the transform and the policy of conditions, is decided once, for
all rows. And the searches are short (one pass without improvement ends them, where the learner has
a `patience`). They start anew each time: starts from the order that was found for all rows would be
cheaper still, but tie the replicates to that one answer.

Rows that are drawn twice count twice, though they say nothing new: a chance correlation in the data
is a stronger one in a resample, as in half as many rows that are taken for twice as many (Steck and
Jaakkola, 2003, "Bias-corrected bootstrap and model uncertainty"). With many rows per variable this
costs a few false edges of low frequency. Where a resample has fewer distinct rows than variables
(about 0.63 n) or not many more, it makes dense graphs, which take long to find and are worth
nothing. There, with fewer than three rows per variable, half-samples are drawn instead: n/2 rows
without replacement, which vary as much from each other as resamples do, and repeat nothing. Rows
that belong together (of one plate, donor or condition) can be drawn as clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from arcs.confidence.averaging import (
    LEAST_CONFIDENCE,
    averaged_adjacency,
    chosen_threshold,
    edge_confidence,
    l1_threshold,
)
from arcs.confidence.figures import refuse_other_variables, with_figures
from arcs.confidence.replicates import Replicate, Replicates
from arcs.confidence.series import How, Series, as_learner, begin, decided_once
from arcs.data import Dataset
from arcs.data.local import LocalStatistics
from arcs.errors import DataError, SettingsError
from arcs.graphs import GaussianDag, GraphEnsemble
from arcs.learners import Learner
from arcs.results import FitResult

__all__ = ["Bootstrap", "bootstrap", "l1_threshold"]

#: Rows per variable below which half-samples are drawn.
FEWEST_ROWS = 3


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Frequencies of edges over resamples.

    Attributes
    ----------
    names : tuple of str
    n_resamples : int
        Resamples that were used.
    n_failed : int
        Resamples from which nothing could be learned.
    dag : ndarray of shape (p, p)
        How often i -> j was in the DAG.
    directed, undirected : ndarray of shape (p, p)
        How often the equivalence class had i -> j, and i - j.
    settings : mapping
        Learner, its settings and the seed.
    ensemble : GraphEnsemble or None
        The graphs themselves.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.confidence import bootstrap
    >>> again = bootstrap(drawn.data, "hc", 10)
    >>> again.n_resamples, again.averaged().shape
    (10, (8, 8))
    """

    names: tuple[str, ...]
    n_resamples: int
    dag: np.ndarray
    directed: np.ndarray
    undirected: np.ndarray
    n_failed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    ensemble: GraphEnsemble | None = None

    @property
    def confidence(self) -> np.ndarray:
        """Symmetric: how often i and j were adjacent."""
        return edge_confidence(self._shares(), self.n_resamples)

    def _shares(self) -> dict[str, np.ndarray]:
        return {"dag": self.dag, "directed": self.directed, "undirected": self.undirected}

    def direction(self, by: str = "class") -> np.ndarray:
        """How often an edge between i and j pointed from i to j, of the times it was there.

        Parameters
        ----------
        by : {"class", "dag"}
            Count arrows of equivalence classes (lines count one half), or edges of DAGs. NaN
            where there never was an edge.
        """
        if by not in ("class", "dag"):
            raise SettingsError(f"by must be 'class' or 'dag', got {by!r}")
        arrows = self.dag if by == "dag" else self.directed + self.undirected / 2
        either = arrows + arrows.T
        shares = np.full(arrows.shape, np.nan)
        np.divide(arrows, either, out=shares, where=either > 0)
        return shares

    def threshold(self) -> float:
        """The data-driven threshold of Scutari and Nagarajan; edges above it are significant."""
        return l1_threshold(self.confidence[np.triu_indices(len(self.names), 1)])

    def averaged(self, threshold: float | str = "auto") -> np.ndarray:
        """Adjacency of the averaged network, acyclic: edges with confidence above `threshold`.

        "auto" is 0.5, or 0.2 of half-samples; "l1" stands for :meth:`threshold`.
        """
        halves = self.settings.get("draw") == "half"
        limit = chosen_threshold(threshold, self.confidence, halves)
        return averaged_adjacency(self._shares(), self.n_resamples, limit)

    def averaged_result(self, data: Any, threshold: float | str = "auto") -> FitResult:
        """The averaged network with coefficients fitted to `data` (those of the bootstrap)."""
        dataset = Dataset.of(data)
        refuse_other_variables("the bootstrap", self.names, dataset.names)
        name = f"bootstrap average of {self.settings.get('learner', 'a learner')}"
        rest: dict[str, Any] = {"settings": dict(self.settings), "source": dataset.source}
        adjacency = self.averaged(threshold)
        if dataset.discrete:
            from arcs.discrete_results import fitted_to

            return self.attach(fitted_to(name, adjacency, dataset, **rest))
        result = FitResult.from_structure(name, adjacency, dataset.statistics(), **rest)
        return self.attach(result)

    def attach(self, result: FitResult) -> FitResult:
        """A copy of `result` with "confidence" and "direction_confidence" beside its edges.

        It also keeps the graphs, for ``result.effect`` and ``result.averaged``.
        """
        values = {
            "confidence": self.confidence,
            "direction_confidence": np.nan_to_num(self.direction()),
        }
        result = with_figures(result, "the bootstrap", self.names, **values)
        moments = result.moments
        if result.statistics is not None and isinstance(result.dag, GaussianDag):
            candidates = self.confidence > LEAST_CONFIDENCE
            moments = LocalStatistics.of(result.statistics, candidates | result.dag.adjacency)
        return result.with_(ensemble=self.ensemble or result.ensemble, moments=moments)

    def table(self, threshold: float = 0.0) -> list[dict[str, Any]]:
        """One row per pair of variables with confidence above `threshold`, most certain first.

        The pair is written in the direction that occurs more often.
        """
        confidence, direction = self.confidence, np.nan_to_num(self.direction())
        tails, heads = np.nonzero(np.triu(confidence > threshold, 1))
        rows = []
        for i, j in zip(tails.tolist(), heads.tolist(), strict=True):
            a, b = (i, j) if direction[i, j] >= direction[j, i] else (j, i)
            ends = {"source": self.names[a], "target": self.names[b]}
            figures = {
                "confidence": float(confidence[a, b]),
                "direction": float(direction[a, b]),
                "undirected": float(self.undirected[a, b]),
            }
            rows.append({**ends, **figures})
        return sorted(rows, key=lambda row: -row["confidence"])

    def __repr__(self) -> str:
        return f"Bootstrap({len(self.names)} nodes, {self.n_resamples} resamples)"


def bootstrap(
    data: Any,
    learner: str | Learner = "arcs",
    n_resamples: int = 100,
    *,
    random_state: int | None = 0,
    draw: str = "auto",
    clusters: Any = None,
    brief: bool = True,
    **how: Unpack[How],
) -> Bootstrap:
    """Run a learner on resampled rows and count the edges.

    Parameters
    ----------
    data
        Anything that :meth:`~arcs.data.Dataset.of` takes, with rows.
    learner : Learner or its name
        Its own seed is replaced by one for each resample.
    n_resamples : int
    random_state : int, optional
        Seed of everything. Resample i is the same whatever `n_resamples` is.
    draw : {"auto", "resample", "half"}
        As many rows as there are, with replacement; or half of them, without; within each regime.
        By default halves where there are fewer than three rows per variable.
    clusters : sequence, optional
        A label for each row: plates, donors or batches, which are then drawn as a whole.
    brief : bool
        Short searches: a single chain, and one pass without improvement ends it.
    n_jobs : int
        Processes; -1 for one per core. The answer does not depend on it.
    backend : "joblib", "dask", or a ``distributed.Client``
        Where to run.
    checkpoint : path, optional
        Where finished resamples are saved every few seconds.
    resume : bool
        Go on from the checkpoint, if there is one; `n_resamples` may have grown since.
    interventions, control
        As in :meth:`Learner.fit <arcs.learners.Learner.fit>`. Rows are drawn within each regime.
    listener : callable, optional
        Called with a :class:`~arcs.progress.Progress` after each resample.

    Returns
    -------
    Bootstrap

    Raises
    ------
    WorkerError
        If processes died. It names the lost resamples; all others were run, are in the checkpoint,
        and counted in the error's `partial`.

    Examples
    --------
    >>> from arcs.simulate import random_dag, random_weights, sample
    >>> data = sample(random_weights(random_dag(5, 5, 0), 0), 200, 0).data
    >>> found = bootstrap(data, "hc", n_resamples=20)
    >>> found.averaged().shape
    (5, 5)
    """
    if draw not in ("auto", "resample", "half"):
        raise SettingsError(f"draw must be 'auto', 'resample' or 'half', got {draw!r}")
    dataset, running = begin(data, how)
    if draw == "auto":
        draw = "half" if dataset.n < FEWEST_ROWS * dataset.p else "resample"
    numbers = None if clusters is None else _numbered(clusters, dataset.n)
    model = as_learner(learner, brief=brief)
    dataset = decided_once(dataset, model, random_state)
    series = Series("bootstrap", "resamples", dataset, model, random_state, numbers)
    resamples = [
        Replicate(i, f"resample {i + 1} of {n_resamples}", model, draw, stream)  # type: ignore[arg-type]
        for i, stream in enumerate(series.streams("n_resamples", n_resamples))
    ]

    def counted(found: Replicates) -> Bootstrap:
        return Bootstrap(
            names=dataset.names,
            n_resamples=len(found.good()),
            **found.frequencies(),
            n_failed=len(found.failures()),
            settings=series.record(n_resamples=n_resamples, draw=draw),
            ensemble=found.ensemble(dataset.names, halves=draw == "half"),
        )

    varied = () if draw == "resample" else (draw,)
    return series.run(resamples, counted, running, varied=varied)


def _numbered(clusters: Any, n: int) -> np.ndarray:
    """Labels as numbers from 0."""
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise DataError(
            f"clusters must be one label for each of the {n} rows, got shape {labels.shape}"
        )
    return np.unique(labels.astype(str), return_inverse=True)[1].astype(np.int64)
