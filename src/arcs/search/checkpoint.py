"""Checkpoints: a search on disk, to go on with later exactly where it was.

A checkpoint carries a fingerprint of the data and settings; going on with others is refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.files import ArchiveFormat, going_on
from arcs.fingerprints import digest_of, refuse_other_key
from arcs.search.chain import Chain

__all__ = ["CHECKPOINT", "Checkpoint", "fingerprint"]

#: Seconds between two writes.
SECONDS = 5.0

CHECKPOINT = ArchiveFormat("arcs-checkpoint", version=2, title="checkpoint")


def fingerprint(statistics: GramStatistics, settings: Mapping[str, Any]) -> str:
    """A digest of everything that determines a search."""
    return digest_of(statistics.kernel, [statistics.names, settings], sort_keys=True)


class Checkpoint:
    """Where chains are saved every few seconds.

    Parameters
    ----------
    path : path
        The file, conventionally ``.npz``.
    key : str
        Fingerprint of data and settings.
    every : float, optional
        Seconds between two writes.
    """

    def __init__(self, path: str | os.PathLike[str], key: str, every: float | None = None) -> None:
        self.path = Path(path)
        self.key = key
        self.every = SECONDS if every is None else every

    def save(self, snapshots: Sequence[Mapping[str, np.ndarray]], elapsed: float = 0.0) -> None:
        """Write the chains' snapshots and the seconds they took, atomically; a full disk does not
        end the search."""
        arrays = {
            f"{i}/{name}": array
            for i, snapshot in enumerate(snapshots)
            for name, array in snapshot.items()
        }
        with going_on(self.path):
            header = {"key": self.key, "elapsed": float(elapsed)}
            CHECKPOINT.write_binary(self.path, header, arrays, compress=False)

    def load(self, chains: Sequence[Chain]) -> float:
        """Bring all chains to where the file says they were; returns the seconds that took."""
        header, arrays = CHECKPOINT.read(self.path)
        refuse_other_key(self.path, header, self.key)
        for i, chain in enumerate(chains):
            start = f"{i}/"
            part = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            with CHECKPOINT.damage(self.path):
                chain.restore(_from_version_1(part) if header["version"] == 1 else part)
        with CHECKPOINT.damage(self.path):
            return max(float(header.get("elapsed", 0.0)), 0.0)


def _from_version_1(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What was named or counted otherwise in version 0.1.0.

    The residual shares of l0 columns stood under the name of another penalty's diagonal, and the
    head of a queue among the counters.
    """
    head = 6
    renamed = {
        f"{state}/residual": arrays[f"{state}/diagonal"]
        for state in ("state", "best")
        if not arrays[f"{state}/weight"].size
    }
    return {**arrays, **renamed, "counters": np.delete(arrays["counters"], head)}
