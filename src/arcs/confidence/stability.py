"""Stability selection: edges that are found whatever the penalty and whichever half of the data.

Meinshausen and Buehlmann (2010), "Stability selection": run a selection method on many random
halves of the rows, for a range of penalties. The *selection probability* of an edge is the largest,
over the penalties, of the shares of halves in which it was selected. If on average q edges of N are
selected in a half by some penalty, and a method is not worse than guessing, the expected number of
falsely selected edges among those with probability of at least pi > 1/2 is at most

    E(V) <= q^2 / ((2 pi - 1) N).

Halves are drawn within each experimental regime. Edges are counted as adjacencies, N = p (p-1) / 2:
directions may be open in one half and told in another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Unpack

import numpy as np

from arcs.confidence.figures import with_figures
from arcs.confidence.replicates import Replicate, Replicates
from arcs.confidence.series import How, Series, as_learner, begin
from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.learners import Learner
from arcs.results import FitResult

__all__ = ["Stability", "stability_selection"]


@dataclass(frozen=True, eq=False)
class Stability:
    """Selection probabilities.

    Attributes
    ----------
    names : tuple of str
    setting : str
        The learner's setting that was varied.
    values : tuple of float
        Its values.
    path : ndarray of shape (values, p, p)
        Symmetric: for each value the share of halves in which i and j are adjacent.
    arrows : ndarray of shape (values, p, p)
        The share of halves in whose equivalence class i -> j.
    q : float
        Average number of edges that some value selects in a half.
    settings : mapping

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.confidence import stability_selection
    >>> found = stability_selection(drawn.data, [5.0, 10.0], n_resamples=5)
    >>> found.stable(0.9).shape
    (8, 8)
    """

    names: tuple[str, ...]
    setting: str
    values: tuple[float, ...]
    path: np.ndarray
    arrows: np.ndarray
    q: float
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def probabilities(self) -> np.ndarray:
        """Symmetric: the selection probability of every pair."""
        return np.asarray(self.path.max(axis=0))

    def stable(self, threshold: float = 0.75) -> np.ndarray:
        """Symmetric: pairs whose selection probability is at least `threshold`."""
        if not 0.5 < threshold <= 1:
            raise SettingsError(f"threshold must be above 1/2 and at most 1, got {threshold!r}")
        return np.asarray(self.probabilities >= threshold)

    def false_edges(self, threshold: float = 0.75) -> float:
        """The bound on the expected number of false edges among the stable ones."""
        if not 0.5 < threshold <= 1:
            raise SettingsError(f"threshold must be above 1/2 and at most 1, got {threshold!r}")
        p = len(self.names)
        return self.q**2 / ((2 * threshold - 1) * max(p * (p - 1) / 2, 1))

    def threshold_for(self, false_edges: float) -> float | None:
        """The smallest threshold with that bound; None if even 1 does not give it."""
        if not false_edges > 0:
            raise SettingsError(f"false_edges must be positive, got {false_edges!r}")
        p = len(self.names)
        needed = 0.5 + self.q**2 / (2 * false_edges * max(p * (p - 1) / 2, 1))
        return max(needed, 0.5 + 1e-9) if needed <= 1 else None

    def attach(self, result: FitResult) -> FitResult:
        """A copy of `result` with the selection probabilities ("stability") beside its edges."""
        return with_figures(result, "the selection", self.names, stability=self.probabilities)

    def __repr__(self) -> str:
        return f"Stability({len(self.names)} nodes, {len(self.values)} values of {self.setting})"


def stability_selection(
    data: Any,
    values: Sequence[float] | None = None,
    *,
    learner: str | Learner = "arcs",
    setting: str = "lam",
    n_resamples: int = 50,
    random_state: int | None = 0,
    **how: Unpack[How],
) -> Stability:
    """Selection probabilities of edges over halves of the data and a range of penalties.

    Parameters
    ----------
    data
        Anything that :meth:`~arcs.data.Dataset.of` takes, with rows.
    values : sequence of float, optional
        The penalties. By default, for "arcs" with its l0 penalty, eight prices of an edge from
        that of the BIC to that of the extended BIC with parameter 2, for half of the rows.
    learner : Learner or its name
    setting : str
        The setting that `values` are given to: "lam" (arcs), "penalty" (ges, hc), "alpha" (pc).
    n_resamples : int
        Number of halves; all values are run on each of them.
    random_state, n_jobs, backend, checkpoint, resume, interventions, control, listener
        As in :func:`~arcs.confidence.bootstrap`.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs.confidence import stability_selection
    >>> found = stability_selection(drawn.data, [5.0, 10.0], n_resamples=5)
    >>> found.probabilities.shape
    (8, 8)
    """
    dataset, running = begin(data, how)
    series = Series("stability", "halves", dataset, as_learner(learner), random_state)
    chosen = _checked_values(series, setting, values)
    streams = series.streams("n_resamples", n_resamples)
    return series.run(
        _replicates(series.model, setting, chosen, streams),
        lambda found: _selected(series, setting, chosen, found),
        running,
        varied=[setting, chosen],
    )


def _checked_values(
    series: Series, setting: str, values: Sequence[float] | None
) -> tuple[float, ...]:
    if setting not in {entry.name for entry in fields(series.model)}:
        raise SettingsError(f"{series.model.name} has no setting {setting!r} to vary")
    grid = _default_prices(series.model, setting, series.dataset) if values is None else values
    chosen = tuple(float(value) for value in grid)
    if not chosen:
        raise SettingsError("values must hold at least one penalty")
    return chosen


def _replicates(
    model: Learner, setting: str, values: Sequence[float], streams: Sequence[Any]
) -> list[Replicate]:
    """All values on each half; number i * len(values) + k is value k on half i."""
    changes: list[dict[str, Any]] = [{setting: value} for value in values]
    models = [replace(model, **change) for change in changes]
    return [
        Replicate(
            i * len(models) + k,
            f"half {i + 1} of {len(streams)} with {setting}={values[k]:g}",
            varied,
            "half",
            stream,
        )
        for i, stream in enumerate(streams)
        for k, varied in enumerate(models)
    ]


def _selected(
    series: Series, setting: str, values: tuple[float, ...], found: Replicates
) -> Stability:
    tables = [
        found.frequencies(range(k, len(found.outcomes), len(values))) for k in range(len(values))
    ]
    return Stability(
        names=series.dataset.names,
        setting=setting,
        values=values,
        path=np.array([t["directed"] + t["directed"].T + t["undirected"] for t in tables]),
        arrows=np.array([t["directed"] for t in tables]),
        q=_average_selected(found, len(values)),
        settings=series.record(),
    )


def _average_selected(found: Replicates, n_values: int) -> float:
    """How many edges some value selects, on average over the halves on which all values ran."""
    sizes = []
    for start in range(0, len(found.outcomes), n_values):
        good = found.good(range(start, start + n_values))
        if len(good) == n_values:
            union = np.any([found.matrix(outcome, "dag") for outcome in good], axis=0)
            sizes.append(np.triu(union | union.T).sum())
    return float(np.mean(sizes)) if sizes else float("nan")


def _default_prices(model: Learner, setting: str, dataset: Dataset) -> np.ndarray:
    if model.name != "arcs" or setting != "lam" or getattr(model, "penalty", "") != "l0":
        raise SettingsError(
            f"values must be given: there are no default values of {setting!r} for {model.name!r}"
        )
    rows = max(dataset.n / 2, 2.0)
    return np.asarray(0.5 * np.log(rows) + np.linspace(2.0, 0.0, 8) * np.log(max(dataset.p, 2)))
