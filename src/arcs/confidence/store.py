"""The checkpoint of replicates: outcomes in one file, without pickle."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from arcs.confidence.replicates import GRAPHS, Outcome
from arcs.data import Dataset
from arcs.errors import FileFormatError, SettingsError
from arcs.files import write_atomically

__all__ = ["OutcomeStore", "fingerprint"]

_MAGIC = "arcs-replicates-1"


def fingerprint(dataset: Dataset, key: Any) -> str:
    """A digest of the data and of whatever else determines the outcomes."""
    digest = hashlib.sha256()
    if dataset.values is not None:
        digest.update(np.ascontiguousarray(dataset.values).tobytes())
        if dataset.interventions is not None:
            digest.update(dataset.interventions.regime.tobytes())
            digest.update(repr(dataset.interventions.targets).encode())
    else:
        for array in dataset.statistics().kernel:
            digest.update(np.ascontiguousarray(array).tobytes())
    text = json.dumps([dataset.names, dataset.center, dataset.missing, key], default=str)
    digest.update(text.encode())
    return digest.hexdigest()


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
        """Write all outcomes, atomically."""
        order = sorted(outcomes)
        good = [outcomes[i] for i in order if not outcomes[i].failure]
        arrays: dict[str, np.ndarray] = {
            "magic": np.array(_MAGIC),
            "key": np.array(self.key),
            "index": np.array([outcome.index for outcome in good], dtype=np.int64),
            "score": np.array([outcome.score for outcome in good]),
            "failed": np.array([i for i in order if outcomes[i].failure], dtype=np.int64),
            "failure": np.array(
                [outcomes[i].failure for i in order if outcomes[i].failure] or [""]
            ),
        }
        for name in GRAPHS:
            arrays[name] = np.array([getattr(outcome, name) for outcome in good], dtype=np.uint8)
        with write_atomically(self.path, "wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]

    def load(self) -> dict[int, Outcome]:
        """Read them back; nothing if there is no file."""
        if not self.path.exists():
            return {}
        try:
            with np.load(self.path, allow_pickle=False) as archive:
                content = {name: archive[name] for name in archive.files}
            magic, key = str(content["magic"]), str(content["key"])
            found = {
                int(i): Outcome(int(i), dag, directed, undirected, float(score))
                for i, dag, directed, undirected, score in zip(
                    *(content[name] for name in ("index", *GRAPHS, "score")), strict=True
                )
            }
            for i, failure in zip(content["failed"], content["failure"], strict=False):
                found[int(i)] = Outcome(int(i), failure=str(failure))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise FileFormatError(f"{self.path}: not a usable checkpoint ({error})") from error
        if magic != _MAGIC or key != self.key:
            raise SettingsError(
                f"{self.path}: the checkpoint belongs to other data or settings; delete it to "
                "start anew, or go on with the same data and settings"
            )
        return found
