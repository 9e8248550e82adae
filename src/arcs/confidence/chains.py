"""Agreement of independent searches.

A search that depends on chance should not: when runs from different random starts end at different
graphs, some have not found the optimum, and edges in which they differ are an artefact of the
search rather than a finding. Where all agree (with the same score), the graph is as good as the
score can tell, which is another matter than whether other data would give the same graph: for that
there is :func:`~arcs.confidence.bootstrap`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Unpack

import numpy as np

from arcs.confidence.figures import with_figures
from arcs.confidence.replicates import Replicate, Replicates
from arcs.confidence.series import How, Series, as_learner, begin
from arcs.learners import Learner
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

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.confidence import chain_agreement
    >>> chain_agreement(drawn.data, 3).largest_group()
    1.0
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
        return with_figures(result, "the agreement", self.names, agreement=self.skeleton)

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
    **how: Unpack[How],
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

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.confidence import chain_agreement
    >>> chain_agreement(drawn.data, 3).n_chains
    3
    """
    dataset, running = begin(data, how)
    series = Series("chains", "chains", dataset, _of_one_chain(as_learner(learner)), random_state)
    chains = [
        Replicate(i, f"chain {i + 1} of {n_chains}", series.model, "all", stream)
        for i, stream in enumerate(series.streams("n_chains", n_chains))
    ]
    return series.run(chains, lambda found: _compared(series, found), running)


def _of_one_chain(model: Learner) -> Learner:
    single: dict[str, Any] = {"n_chains": 1}
    return replace(model, **single) if "n_chains" in {f.name for f in fields(model)} else model


def _compared(series: Series, found: Replicates) -> Agreement:
    good = found.good()
    directed = [found.matrix(outcome, "directed") for outcome in good]
    adjacent = [
        d | d.T | found.matrix(o, "undirected") for d, o in zip(directed, good, strict=True)
    ]
    return Agreement(
        names=series.dataset.names,
        scores=np.array([outcome.score for outcome in good]),
        edges=found.frequencies()["dag"],
        skeleton=np.mean(adjacent, axis=0),
        distances=_distances(directed, adjacent),
        settings=series.record(),
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
