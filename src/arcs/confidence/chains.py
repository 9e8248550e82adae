"""Agreement of independent searches.

A search that depends on chance should not: when runs from different random starts end at different
graphs, some have not found the optimum, and edges in which they differ are an artefact of the
search rather than a finding. Where all agree (with the same score), the graph is as good as the
score can tell, which is another matter than whether other data would give the same graph: for that
there is :func:`~arcs.confidence.bootstrap`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from arcs.confidence.replicates import (
    Replicate,
    as_learner,
    check_replicates,
    run_replicates,
    spawned,
)
from arcs.data import Dataset
from arcs.errors import DataError
from arcs.learners import Learner
from arcs.progress import Listener
from arcs.results import FitResult

__all__ = ["Agreement", "chain_agreement"]


@dataclass(frozen=True, eq=False)
class Agreement:
    """What independent chains found.

    Attributes
    ----------
    names : tuple of str
    scores : ndarray of shape (chains,)
        The learner's score of each chain.
    edges : ndarray of shape (p, p)
        Share of the chains whose DAG has i -> j.
    skeleton : ndarray of shape (p, p)
        Share of the chains in which i and j are adjacent.
    distances : ndarray of shape (chains, chains)
        Pairs of nodes that the equivalence classes of two chains join differently.
    settings : mapping
    """

    names: tuple[str, ...]
    scores: np.ndarray
    edges: np.ndarray
    skeleton: np.ndarray
    distances: np.ndarray
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return len(self.scores)

    def largest_group(self) -> float:
        """Share of the chains in the largest group that found the same equivalence class."""
        return float((self.distances == 0).sum(axis=1).max() / self.n_chains)

    def score_range(self) -> float:
        """Difference between the largest and the smallest score."""
        return float(np.ptp(self.scores))

    def attach(self, result: FitResult) -> FitResult:
        """A copy of `result` with the skeleton's "agreement" beside its edges."""
        if result.names != self.names:
            raise DataError("the chains are about other variables than the result")
        return result.with_(edge_values={**result.edge_values, "agreement": self.skeleton})

    def __repr__(self) -> str:
        return (
            f"Agreement({self.n_chains} chains, {self.largest_group():.0%} in one class, "
            f"scores within {self.score_range():.3g})"
        )


def chain_agreement(
    data: Any,
    n_chains: int = 10,
    learner: str | Learner = "arcs",
    *,
    random_state: int | None = 0,
    n_jobs: int = 1,
    backend: Any = "joblib",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    interventions: Any = None,
    control: str | None = None,
    listener: Listener | None = None,
) -> Agreement:
    """Run a learner several times on the same data, with different seeds, and compare.

    Parameters
    ----------
    data
        Anything that :meth:`~arcs.data.Dataset.of` takes.
    n_chains : int
    learner : Learner or its name
        A learner that runs several chains itself is run with one.
    random_state, n_jobs, backend, checkpoint, resume, interventions, control, listener
        As in :func:`~arcs.confidence.bootstrap`.
    """
    check_replicates("n_chains", n_chains)
    dataset = Dataset.of(data, interventions=interventions, control=control)
    model = as_learner(learner)
    if "n_chains" in {entry.name for entry in fields(model)}:
        single: dict[str, Any] = {"n_chains": 1}
        model = replace(model, **single)
    chains = range(n_chains)
    found = run_replicates(
        dataset,
        [Replicate(i, model, "all", s) for i, s in enumerate(spawned(random_state, n_chains))],
        key=["chains", model.name, model.settings(), random_state],
        n_jobs=n_jobs,
        backend=backend,
        checkpoint=checkpoint,
        resume=resume,
        listener=listener,
        stage="chains",
    )
    found.refuse_failures(chains, "chains")
    good = found.good(chains)
    directed = [found.matrix(outcome, "directed") for outcome in good]
    adjacent = [
        d | d.T | found.matrix(o, "undirected") for d, o in zip(directed, good, strict=True)
    ]
    shares = found.frequencies(chains)
    return Agreement(
        names=dataset.names,
        scores=np.array([outcome.score for outcome in good]),
        edges=shares["dag"],
        skeleton=np.mean(adjacent, axis=0),
        distances=_distances(directed, adjacent),
        settings={"learner": model.name, **model.settings(), "random_state": random_state},
    )


def _distances(directed: list[np.ndarray], adjacent: list[np.ndarray]) -> np.ndarray:
    """Pairs joined differently: not at all, by a line, or by an arrow one way or the other."""
    n = len(directed)
    distances = np.zeros((n, n), np.int64)
    for a in range(n):
        for b in range(a + 1, n):
            differ = (directed[a] != directed[b]) | (adjacent[a] != adjacent[b])
            distances[a, b] = distances[b, a] = np.triu(differ | differ.T).sum()
    return distances
