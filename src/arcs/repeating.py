"""Doing a fit again from what was written down with its result.

A result holds the method, all its settings and its seed, how the data were read, and the versions
of the software. On the same machine with the same versions the same data give the same bytes, for
any number of workers. Elsewhere the last bits of sums may differ, and with them the choice between
graphs whose scores are equal but for rounding.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.errors import ArcsError, SettingsError
from arcs.graphs import Dag, GaussianDag
from arcs.results import FitResult, software_versions

if TYPE_CHECKING:
    from arcs.learners import Learner

__all__ = ["differences", "other_versions", "same_learner"]


def same_learner(result: FitResult) -> Learner:
    """The learner that gave `result`, with the settings that it had."""
    from arcs.knowledge import Knowledge
    from arcs.learners import LEARNERS, learner

    settings = dict(result.settings)
    if result.method not in LEARNERS:
        raise SettingsError(f"there is no method {result.method!r} that could be repeated")
    known = {field.name for field in fields(LEARNERS[result.method])}
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise SettingsError(
            f"{result.method} has no setting {unknown[0]!r} in this version of ARCS: the fit "
            "cannot be repeated with it"
        )
    if settings.get("knowledge") is not None:
        settings["knowledge"] = Knowledge(**settings["knowledge"])
    if isinstance(settings.get("init"), list):
        settings["init"] = np.array(settings["init"])
    plain = {key: tuple(v) if isinstance(v, list) else v for key, v in settings.items()}
    try:
        return learner(result.method, **plain)
    except ArcsError as error:
        raise SettingsError(f"the settings cannot be read back from the result: {error}") from error


def other_versions(result: FitResult) -> list[str]:
    """What has another version here than where the result was made."""
    here = software_versions()
    return [
        f"{name} {version} there, {here.get(name, 'none')} here"
        for name, version in result.versions.items()
        if here.get(name) != version
    ]


def differences(one: FitResult, other: FitResult) -> list[str]:
    """In what two results differ; empty if they are the same to the last bit."""
    if one.names != other.names:
        return ["the variables"]
    found = []
    differ = int((one.dag.adjacency != other.dag.adjacency).sum())
    if differ:
        found.append(f"the graph: {differ} edges are in one of the two only")
    found += _parameter_differences(one.dag, other.dag)
    found += _difference("score", one.score, other.score)
    if one.order != other.order:
        found.append("the order of the variables")
    if not _same_class(one, other):
        found.append("the equivalence class")
    return found


def _parameter_differences(one: Dag, other: Dag) -> list[str]:
    if not isinstance(one, GaussianDag) or not isinstance(other, GaussianDag):
        return [] if one == other else ["the tables of probabilities, or the equations"]
    return [
        text
        for name in ("coefficients", "intercepts", "noise_variances")
        for text in _difference(name.replace("_", " "), getattr(one, name), getattr(other, name))
    ]


def _difference(what: str, one: Any, other: Any) -> list[str]:
    if np.array_equal(one, other, equal_nan=True):
        return []
    largest = float(np.nanmax(np.abs(np.asarray(one) - np.asarray(other))))
    return [f"{what}: by at most {largest:.3g}"]


def _same_class(one: FitResult, other: FitResult) -> bool:
    return bool(
        np.array_equal(one.cpdag.directed, other.cpdag.directed)
        and np.array_equal(one.cpdag.undirected, other.cpdag.undirected)
    )
