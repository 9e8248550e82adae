"""The methods of other packages as learners.

One scale for the penalty: the factor c of ``2 log L - c k log n``, as in our own score. What each
package calls its parameter, and how c is converted, stands with the call in :mod:`.worker`:

=============  ====================  ==============================================
learner        package               its parameter
=============  ====================  ==============================================
peer-flop      flopsearch            ``lambda_bic = c``
peer-boss      causal-learn          ``lambda_value = c / 2``
peer-grasp     causal-learn          ``lambda_value = c / 2``
peer-ges       causal-learn, or ges  ``lambda_value = c / 2``; ``lmbda = c log(n) / 2``
peer-gies      gies                  ``lmbda = c log(n) / 2`` with n the number of all rows
peer-xges      xges                  ``alpha = c``
peer-pc        causal-learn          no penalty; ``alpha`` is the level of the tests
=============  ====================  ==============================================

``timings["peer"]`` of the result holds the seconds inside the peer's own call, without imports,
the start of the process and the exchange of data, which are in ``timings["process"]``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arcs.data import Dataset, GramStatistics
from arcs.errors import DataError, MissingDependencyError, PeerError, SettingsError, require
from arcs.learners.base import Learned, Learner
from arcs.learners.orientation import extendable
from arcs.learners.peers.process import run_peer
from arcs.progress import Watch
from arcs.settings import FLAG, LEVEL, NONE, PATH, choice, number, setting, whole

__all__ = [
    "Peer",
    "PeerBoss",
    "PeerFlop",
    "PeerGes",
    "PeerGies",
    "PeerGrasp",
    "PeerPc",
    "PeerXges",
    "pseudo_rows",
]


@dataclass(frozen=True, kw_only=True)
class Peer(Learner):
    """Base of the adapters.

    Parameters
    ----------
    python : str, optional
        Path of another Python interpreter in which the package is installed, for packages whose
        requirements clash with ours. It needs NumPy and the package, not ARCS.
    random_state : int, optional
        Seeds Python's and NumPy's global generators, in the peer's process only.
    time_limit : float, optional
        The peer's process is killed then, and :class:`~arcs.errors.PeerError` raised: others'
        methods have no best result so far to return.
    """

    uses_interventions: ClassVar[bool] = False
    uses_rows: ClassVar[bool] = True
    #: The package to import, and the worker's method.
    module: ClassVar[str]
    method: ClassVar[str]

    python: str | None = setting(None, PATH | NONE, repr=False)

    @property
    def needs_seed(self) -> bool:
        """What others do with random numbers is not known here."""
        return True

    @abstractmethod
    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """What the worker's method needs beside the rows."""

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Learn from rows that have exactly these statistics."""
        self.check_installed()
        return self._call(pseudo_rows(statistics), watch)

    def learn_from(self, dataset: Dataset, statistics: GramStatistics, watch: Watch) -> Learned:
        """Learn from the rows, if there are any and none of their values is missing."""
        if dataset.values is None or dataset.adjusted or not np.isfinite(dataset.values).all():
            return self.learn(statistics, watch)
        self.check_installed()
        return self._call(_standardised(dataset.values), watch, **self.design(dataset))

    def design(self, dataset: Dataset) -> dict[str, Any]:
        """Further options that describe the experiments."""
        return {}

    def check_installed(self) -> None:
        """Refuse to go on without the package, in one line."""
        if self.python is None:
            require(self.module, "peers", self.name)

    def _call(self, rows: np.ndarray, watch: Watch, **design: Any) -> Learned:
        start = watch.elapsed
        n, p = rows.shape
        options = {**self.options(n, p, watch), **design}
        outcome = run_peer(
            self.name,
            self.method,
            rows,
            options,
            watch,
            seed=self.random_state,
            python=self.python,
        )
        spent = watch.elapsed - start
        return Learned(
            extendable(outcome.directed, outcome.undirected),
            penalty=self.penalty_in_force(),
            timings={"peer": outcome.seconds, "process": spent - outcome.seconds},
        )

    def penalty_in_force(self) -> dict[str, Any]:
        """For the record of the result."""
        return {}


@dataclass(frozen=True, kw_only=True)
class ScoringPeer(Peer):
    """A peer that maximises ``2 log L - c k log n``.

    Parameters
    ----------
    penalty : float
        The factor c.
    """

    penalty: float = setting(1.0, number(0))

    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """The penalty; the worker converts it."""
        return {"penalty": float(self.penalty)}

    def penalty_in_force(self) -> dict[str, Any]:
        """For the record of the result."""
        return {"kind": "bic", "c": self.penalty}


@dataclass(frozen=True, kw_only=True)
class PeerFlop(ScoringPeer):
    """FLOP (Wienöbst, Henckel and Weichwald, 2025) of the package flopsearch.

    Parameters
    ----------
    restarts : int or None
        Restarts of its iterated local search. None: restart until the time limit, of which a
        tenth is left for the rest.
    penalty, python, time_limit
        See :class:`ScoringPeer` and :class:`Peer`. FLOP cannot be seeded, and it needs more rows
        than columns.
    """

    name: ClassVar[str] = "peer-flop"
    module: ClassVar[str] = "flopsearch"
    method: ClassVar[str] = "flop"

    restarts: int | None = setting(20, whole(0) | NONE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.restarts is None and self.time_limit is None:
            raise SettingsError("peer-flop with restarts=None needs a time_limit")

    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """The penalty and either the restarts or a timeout."""
        if n <= p:
            raise PeerError(
                f"FLOP needs more rows than columns; the data have {n} rows, {p} columns"
            )
        stop: dict[str, Any] = {"restarts": self.restarts}
        if self.restarts is None:
            stop = {"timeout": max(0.9 * watch.remaining - 1.0, 0.1)}
        return {**super().options(n, p, watch), "stop": stop}


@dataclass(frozen=True, kw_only=True)
class PeerBoss(ScoringPeer):
    """BOSS (Andrews et al., 2023) of causal-learn."""

    name: ClassVar[str] = "peer-boss"
    module: ClassVar[str] = "causallearn"
    method: ClassVar[str] = "boss"


@dataclass(frozen=True, kw_only=True)
class PeerGrasp(ScoringPeer):
    """GRaSP (Lam, Andrews and Ramsey, 2022) of causal-learn.

    Parameters
    ----------
    depth : int
        Bound on the depth of its search.
    penalty, python, random_state, time_limit
        See :class:`ScoringPeer` and :class:`Peer`.
    """

    name: ClassVar[str] = "peer-grasp"
    module: ClassVar[str] = "causallearn"
    method: ClassVar[str] = "grasp"

    depth: int = setting(3, whole(1))

    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """The penalty and the depth."""
        return {**super().options(n, p, watch), "depth": self.depth}


@dataclass(frozen=True, kw_only=True)
class PeerGes(ScoringPeer):
    """GES (Chickering, 2002) of causal-learn, or of the package ges.

    Parameters
    ----------
    implementation : {"causal-learn", "ges"}
        The package that runs.
    max_parents : int, optional
        For causal-learn only.
    penalty, python, random_state, time_limit
        See :class:`ScoringPeer` and :class:`Peer`.
    """

    name: ClassVar[str] = "peer-ges"
    module: ClassVar[str] = "causallearn"
    method: ClassVar[str] = "ges"

    implementation: str = setting("causal-learn", choice("causal-learn", "ges"))
    max_parents: int | None = setting(None, whole(1) | NONE)

    def check_installed(self) -> None:
        """Refuse to go on without the package in question."""
        if self.implementation == "ges" and self.python is None:
            require("ges", "peers", self.name)
        else:
            super().check_installed()

    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """The penalty, and which package to call."""
        own = {"implementation": self.implementation, "max_parents": self.max_parents}
        return {**super().options(n, p, watch), **own}


@dataclass(frozen=True, kw_only=True)
class PeerGies(ScoringPeer):
    """GIES (Hauser and Buehlmann, 2012) of the package gies.

    It centres every experiment separately, and its penalty has the logarithm of the number of all
    rows where ours has that of the rows that count for a node.
    """

    name: ClassVar[str] = "peer-gies"
    uses_interventions: ClassVar[bool] = True
    module: ClassVar[str] = "gies"
    method: ClassVar[str] = "gies"

    def learn(self, statistics: GramStatistics, watch: Watch) -> Learned:
        """Learn from statistics: of observations only."""
        self.check_installed()
        rows = pseudo_rows(statistics)
        design = {"regime": [0] * len(rows), "used": [0], "targets": [[]]}
        return self._call(rows, watch, **design)

    def design(self, dataset: Dataset) -> dict[str, Any]:
        """Targets, and the experiment of each row."""
        if dataset.interventions is None:
            return {"regime": [0] * dataset.n, "used": [0], "targets": [[]]}
        regime = dataset.interventions.regime
        return {
            "regime": regime.tolist(),
            "used": np.unique(regime).tolist(),
            "targets": [list(group) for group in dataset.interventions.targets],
        }


@dataclass(frozen=True, kw_only=True)
class PeerXges(ScoringPeer):
    """XGES (Nazaret and Blei, 2024) of the package xges.

    Parameters
    ----------
    extended_search : bool
        Also try to undo edges and go on from there; without, the method is XGES-0.
    penalty, python, random_state, time_limit
        See :class:`ScoringPeer` and :class:`Peer`.
    """

    name: ClassVar[str] = "peer-xges"
    module: ClassVar[str] = "xges"
    method: ClassVar[str] = "xges"

    extended_search: bool = setting(True, FLAG)

    def check_installed(self) -> None:
        """Refuse to go on without the package, which is not part of the extra `peers`."""
        try:
            super().check_installed()
        except MissingDependencyError as error:
            raise MissingDependencyError(
                "peer-xges needs the package 'xges': pip install xges (if its requirements clash "
                "with others, in an environment of its own; pass its interpreter as python=...)"
            ) from error

    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """The penalty and the kind of search."""
        return {**super().options(n, p, watch), "extended_search": bool(self.extended_search)}


@dataclass(frozen=True, kw_only=True)
class PeerPc(Peer):
    """PC of causal-learn: stable, Fisher's z, earlier colliders stand.

    Parameters
    ----------
    alpha : float
        Level of the tests.
    max_condition_size : int, optional
        Largest conditioning set.
    python, random_state, time_limit
        See :class:`Peer`.
    """

    name: ClassVar[str] = "peer-pc"
    module: ClassVar[str] = "causallearn"
    method: ClassVar[str] = "pc"

    alpha: float = setting(0.01, LEVEL)
    max_condition_size: int | None = setting(None, whole(0) | NONE)

    def options(self, n: int, p: int, watch: Watch) -> dict[str, Any]:
        """The level and the size of the conditioning sets."""
        return {"alpha": float(self.alpha), "max_condition_size": self.max_condition_size}

    def penalty_in_force(self) -> dict[str, Any]:
        """For the record of the result."""
        return {"kind": "fisher-z", "alpha": self.alpha}


def pseudo_rows(statistics: GramStatistics) -> np.ndarray:
    """Rows of mean zero and variance one whose correlation matrix is that of the statistics.

    Raises
    ------
    DataError
        If there are no more rows than columns (no such rows exist in general), or the statistics
        come from experiments (a single matrix does not describe them).
    """
    n, p = statistics.n_rows, statistics.p
    if statistics.experimental:
        raise DataError("peers need the rows of experimental data, not only their statistics")
    if n <= p:
        raise DataError(
            f"peers need rows; for a covariance of {n} rows and {p} columns none can be made up "
            f"(more than {p} rows are needed). Give the data themselves."
        )
    noise = np.random.default_rng(0).normal(size=(n, p))
    basis, _ = np.linalg.qr(noise - noise.mean(axis=0))
    values, vectors = np.linalg.eigh(statistics.gram(0))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return np.asarray(np.sqrt(n) * basis @ root)


def _standardised(values: np.ndarray) -> np.ndarray:
    """Columns of mean zero and variance one: no score or test depends on the scale."""
    centred = values - values.mean(axis=0)
    size = np.sqrt((centred**2).mean(axis=0))
    return np.asarray(centred / np.where(size > 0, size, 1.0))
