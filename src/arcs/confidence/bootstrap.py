"""The bootstrap: which edges come back when the data are drawn again.

Rows are resampled with replacement within each experimental regime (Friedman, Goldszmidt and
Wyner, 1999, "Data analysis with Bayesian networks: a bootstrap approach", for observational data),
the learner runs on every resample, and features of the graphs are counted. The *confidence* in an
edge is the share of resamples in which its ends are adjacent; the confidence in its *direction* is
the share of these in which it points that way. Directions that the data cannot tell should not
count as evidence: in equivalence classes an undirected edge counts one half for each direction.

*Averaged network.* An edge is kept if its confidence is above a threshold. Scutari and Nagarajan
(2013), "Identifying significant edges in graphical models of molecular networks", choose it from
the confidences themselves: if every edge were certain, their distribution function F would be a
step of some height t on [0, 1); t is chosen to minimise the L1 distance

    integral over [0, 1] of |F(x) - t| dx,

and the threshold is the quantile of F at t. F being monotone, the minimiser is t = F(1/2), and so
the threshold is the largest confidence that does not exceed one half. (Numerical minimisers of the
same distance may end a hair above F(1/2), and then report the next larger confidence.)

Kept edges are directed by the majority, the most certain arrows first; an arrow that would close a
cycle is turned if that direction occurs in some resample, and left out otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcs.confidence.figures import refuse_other_variables, with_figures
from arcs.confidence.replicates import Replicate, Replicates
from arcs.confidence.series import Running, Series, as_learner
from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.learners import Learner
from arcs.progress import Listener
from arcs.results import FitResult

__all__ = ["Bootstrap", "bootstrap", "l1_threshold"]


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
    """

    names: tuple[str, ...]
    n_resamples: int
    dag: np.ndarray
    directed: np.ndarray
    undirected: np.ndarray
    n_failed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def confidence(self) -> np.ndarray:
        """Symmetric: how often i and j were adjacent."""
        shares = self.directed + self.directed.T + self.undirected
        # Whole numbers of resamples: 0.3 + 0.2 must not exceed one half.
        return np.asarray(np.rint(shares * self.n_resamples) / self.n_resamples)

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

    def averaged(self, threshold: float | None = None) -> np.ndarray:
        """Adjacency of the averaged network, acyclic: edges with confidence above `threshold`."""
        limit = self.threshold() if threshold is None else float(threshold)
        confidence, direction = self.confidence, self.direction()
        # Of equally frequent directions the one that the DAGs prefer.
        share = np.nan_to_num(direction) + 1e-6 * np.nan_to_num(self.direction("dag"))
        tails, heads = np.nonzero((confidence > limit) & (share >= share.T))
        order = np.lexsort((heads, tails, -(confidence * share)[tails, heads]))
        adjacency = np.zeros(confidence.shape, dtype=bool)
        reach = np.eye(len(self.names), dtype=bool)
        for i, j in zip(tails[order].tolist(), heads[order].tolist(), strict=True):
            if adjacency[i, j] or adjacency[j, i]:
                continue  # equal shares: the other direction came first
            if reach[j, i]:
                i, j = j, i
            if self.dag[i, j] > 0:
                adjacency[i, j] = True
                reach |= np.outer(reach[:, i], reach[j])
        return adjacency

    def averaged_result(self, data: Any, threshold: float | None = None) -> FitResult:
        """The averaged network with coefficients fitted to `data` (those of the bootstrap)."""
        dataset = Dataset.of(data)
        refuse_other_variables("the bootstrap", self.names, dataset.names)
        result = FitResult.from_structure(
            f"bootstrap average of {self.settings.get('learner', 'a learner')}",
            self.averaged(threshold),
            dataset.statistics(),
            settings=dict(self.settings),
            source=dataset.source,
        )
        return self.attach(result)

    def attach(self, result: FitResult) -> FitResult:
        """A copy of `result` with "confidence" and "direction_confidence" beside its edges."""
        values = {
            "confidence": self.confidence,
            "direction_confidence": np.nan_to_num(self.direction()),
        }
        return with_figures(result, "the bootstrap", self.names, **values)

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
    n_jobs: int = 1,
    backend: Any = "joblib",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    interventions: Any = None,
    control: str | None = None,
    listener: Listener | None = None,
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
    running = Running(n_jobs, backend, checkpoint, resume, listener)
    dataset = Dataset.of(data, interventions=interventions, control=control)
    series = Series("bootstrap", "resamples", dataset, as_learner(learner), random_state)
    resamples = [
        Replicate(i, f"resample {i + 1} of {n_resamples}", series.model, "resample", stream)
        for i, stream in enumerate(series.streams("n_resamples", n_resamples))
    ]

    def counted(found: Replicates) -> Bootstrap:
        return Bootstrap(
            names=dataset.names,
            n_resamples=len(found.good()),
            **found.frequencies(),
            n_failed=len(found.failures()),
            settings=series.record(n_resamples=n_resamples),
        )

    return series.run(resamples, counted, running)


def l1_threshold(confidences: np.ndarray) -> float:
    """The largest of `confidences` that does not exceed 1/2; edges above it are significant.

    This is the L1 criterion of Scutari and Nagarajan (2013) solved exactly; see the module's
    documentation. Zero if all confidences are above one half.
    """
    values = np.asarray(confidences, dtype=float).ravel()
    return float(values[values <= 0.5].max(initial=0.0))
