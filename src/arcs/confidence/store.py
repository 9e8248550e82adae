"""The checkpoint of replicates: outcomes in one file, without pickle."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arcs.confidence.replicates import GRAPHS, Outcome
from arcs.data import Dataset
from arcs.files import ArchiveFormat, going_on
from arcs.fingerprints import digest_of, refuse_other_key

__all__ = ["OutcomeStore", "fingerprint"]

_REPLICATES = ArchiveFormat("arcs-replicates", version=2, title="checkpoint of replicates")


def fingerprint(dataset: Dataset, key: Any) -> str:
    """A digest of the data and of whatever else determines the outcomes."""
    design = dataset.interventions
    if dataset.values is None and dataset.levels is not None:
        from arcs.data.mixed import MixedData

        arrays = MixedData.of(dataset).arrays
    elif dataset.values is None:
        arrays = tuple(dataset.statistics().kernel)
    elif design is None:
        arrays = (dataset.values,)
    else:
        targets = np.frombuffer(repr(design.targets).encode(), np.uint8)
        arrays = (dataset.values, design.regime, targets)
    if dataset.values is not None and len(dataset.wide_names) > dataset.p:
        arrays = (*arrays, dataset.wide_values()[:, dataset.p :])
        key = [key, dataset.wide_names, dataset.conditions and dataset.conditions.policy]
    if dataset.levels is not None:
        key = [key, dataset.levels]
    return digest_of(arrays, [dataset.names, dataset.center, dataset.missing, key])


class OutcomeStore:
    """Outcomes in a file that is always whole.

    Parameters
    ----------
    path : path
    key : str
        The :func:`fingerprint`; a file with another one is refused.
    """

    def __init__(self, path: str | os.PathLike[str], key: str) -> None:
        self.path, self.key = Path(path), key

    def save(self, outcomes: dict[int, Outcome]) -> None:
        """Write all outcomes, atomically; a full disk does not end the work."""
        order = sorted(outcomes)
        good = [outcomes[i] for i in order if not outcomes[i].failure]
        failed = [outcomes[i] for i in order if outcomes[i].failure]
        arrays = {
            "index": np.array([outcome.index for outcome in good], dtype=np.int64),
            "score": np.array([outcome.score for outcome in good]),
            "failed": np.array([outcome.index for outcome in failed], dtype=np.int64),
            "failure": np.array([outcome.failure for outcome in failed], dtype=np.str_),
        }
        if all(outcome.coefficients is not None for outcome in good):
            arrays["coefficients"] = np.concatenate(
                [np.zeros(0), *(np.asarray(outcome.coefficients) for outcome in good)]
            )
        for name in GRAPHS:
            arrays[name] = np.array([getattr(outcome, name) for outcome in good], dtype=np.uint8)
        with going_on(self.path):
            _REPLICATES.write_binary(self.path, {"key": self.key}, arrays)

    def load(self) -> dict[int, Outcome]:
        """Read them back; nothing if there is no file."""
        if not os.path.exists(self.path):
            return {}
        header, arrays = _REPLICATES.read(self.path)
        refuse_other_key(self.path, header, self.key)
        with _REPLICATES.damage(self.path):
            columns = (arrays[name] for name in ("index", *GRAPHS, "score"))
            values = _coefficients(arrays)
            found = {
                int(i): Outcome(int(i), dag, directed, undirected, float(score), "", weights)
                for i, dag, directed, undirected, score, weights in zip(
                    *columns, values, strict=True
                )
            }
            # Not strict: the first version wrote one empty text where nothing had failed.
            for i, failure in zip(arrays["failed"], arrays["failure"], strict=False):
                found[int(i)] = Outcome(int(i), failure=str(failure))
            return found


def _coefficients(arrays: Mapping[str, np.ndarray]) -> list[np.ndarray | None]:
    """Those of each outcome; files of version 0.1.0 have none."""
    if "coefficients" not in arrays or not len(arrays["index"]):
        return [None] * len(arrays["index"])
    sizes = np.bitwise_count(arrays["dag"]).sum(axis=1, dtype=np.int64)
    if int(sizes.sum()) != len(arrays["coefficients"]):
        raise ValueError("there must be a coefficient for every edge")
    return list(np.split(arrays["coefficients"], np.cumsum(sizes)[:-1]))
