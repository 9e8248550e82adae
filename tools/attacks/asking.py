"""Questions to a result: effects, predictions, the next experiment, resamples."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["ask"]


def ask(result: Any, data: Any, options: dict[str, Any], model: Any) -> None:
    """Ask everything once; each question may be refused, for itself."""
    from arcs.errors import ArcsError

    first, last = result.names[0], result.names[-1]
    if hasattr(result.dag, "levels"):
        ask_categories(result, data, options, model)
    questions: list[Callable[[], Any]] = [
        lambda: _finite(getattr(result.effect(first, last), "value", 0.0)),
        lambda: result.effects(),
        lambda: result.adjustment_sets(first, last),
        lambda: _finite(_means(result.prediction(do={first: 1.0}))),
        lambda: _finite(_means(result.prediction(do={first: 1e6}, given={last: -2.0}))),
        lambda: result.sample(5, do={first: 2.0}, random_state=0),
        lambda: result.next_experiments(2),
        lambda: result.power(first, last, n=100),
        lambda: _resampled(result, data, options, model),
        lambda: str(result),
        lambda: result.summary(),
        lambda: result._repr_html_(),
    ]
    for question in questions:
        with contextlib.suppress(ArcsError):
            question()


def ask_categories(result: Any, data: Any, options: dict[str, Any], model: Any) -> None:
    """What is asked of networks with categories; tables are read in any case."""
    from arcs.errors import ArcsError

    for name in result.names:
        str(result.dag.table(name))
    if not hasattr(result.dag, "tables"):
        return
    first, last = result.names[0], result.names[-1]
    low, high = result.dag.levels[0][0], result.dag.levels[-1][-1]
    questions: list[Callable[[], Any]] = [
        lambda: _shares(result.probability(last, do={first: low}).values()),
        lambda: _shares(result.probability(first, given={last: high}).values()),
        lambda: _shares(result.probability(first, do={first: low}, given={last: high}).values()),
        lambda: result.prediction_table(do={first: low}),
        lambda: result.prediction_table(given={last: high, first: "no such level"}),
        lambda: result.effect(first, last),
        lambda: result.sample(4, given={last: high}, random_state=0),
        lambda: result.impute({first: [None, low], last: [high, None]}),
        lambda: result.impute(data),
        lambda: result.averaged(),
    ]
    for question in questions:
        with contextlib.suppress(ArcsError):
            question()


def _shares(values: Any) -> None:
    from attacks.checking import Broken

    shares = np.array(list(values))
    if not (np.isfinite(shares).all() and shares.min() >= 0 and abs(shares.sum() - 1) < 1e-9):
        raise Broken("probabilities that do not add up to one")


def _means(prediction: Any) -> list[float]:
    return [float(row["mean"]) for row in prediction.to_table().rows()]


def _finite(values: Any) -> None:
    from attacks.checking import Broken

    if not np.isfinite(values).all():
        raise Broken("an answer that is not finite")


def _resampled(result: Any, data: Any, options: dict[str, Any], model: Any) -> None:
    from arcs.confidence import bootstrap
    from arcs.data import Dataset
    from arcs.data.dataset import READING_WISHES
    from attacks.checking import check_result

    wishes = {k: v for k, v in options.items() if k in ("interventions", *READING_WISHES)}
    dataset = data if isinstance(data, Dataset) else Dataset.of(data, **wishes)
    found = bootstrap(dataset, model, 2, random_state=0)
    if not (found.confidence.min() >= 0 and found.confidence.max() <= 1):
        raise ValueError("confidences out of range")
    check_result(found.attach(result).averaged())
