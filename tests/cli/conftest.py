"""The command line with quick learners that need no compilation of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.cli import app
from arcs.errors import PeerError
from arcs.learners import LEARNERS
from arcs.learners.base import Learned, Learner
from arcs.simulate import network, random_weights, sample_experiments


@dataclass(frozen=True, kw_only=True)
class Threshold(Learner):
    """Edges between correlated columns, in the order of the columns."""

    name: ClassVar[str] = "threshold"

    cut: float = 0.3

    def learn(self, statistics, watch):
        watch.tick("cut", 1, total=2, score=-1.0, best=-2.0, temperature=0.5, edges=3)
        correlated = np.abs(statistics.gram(0)) > self.cut
        return Learned(
            np.triu(correlated, k=1),
            penalty={"kind": "cut", "cut": self.cut},
            trace={"iteration": np.arange(3), "best": np.array([3.0, 2.0, np.nan])},
        )


@dataclass(frozen=True, kw_only=True)
class Resumable(Threshold):
    """The same with the options of the package's own method; records how it was called."""

    name: ClassVar[str] = "arcs"
    calls: ClassVar[list[Resumable]] = []

    init: str = "random"
    effort: str = "normal"
    n_chains: int = 1
    n_jobs: int = 1
    checkpoint: Path | None = None
    resume: bool = False

    def learn(self, statistics, watch):
        Resumable.calls.append(self)
        return super().learn(statistics, watch)


@dataclass(frozen=True, kw_only=True)
class Pooled(Threshold):
    """The same without interventions."""

    name: ClassVar[str] = "pooled"
    uses_interventions: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class Broken(Learner):
    """Always fails."""

    name: ClassVar[str] = "broken"

    def learn(self, statistics, watch):
        raise PeerError("the other program crashed; install a newer one")


@dataclass(frozen=True, kw_only=True)
class Defective(Learner):
    """Has a defect."""

    name: ClassVar[str] = "defective"

    def learn(self, statistics, watch):
        raise ZeroDivisionError("of all things")


@dataclass(frozen=True, kw_only=True)
class Stopped(Threshold):
    """Somebody presses Ctrl-C while it runs, and it returns what it has."""

    name: ClassVar[str] = "stopped"

    def learn(self, statistics, watch):
        watch.interrupted = True
        return super().learn(statistics, watch)


@dataclass(frozen=True, kw_only=True)
class Unstoppable(Learner):
    """Ctrl-C goes right through it."""

    name: ClassVar[str] = "unstoppable"

    def learn(self, statistics, watch):
        raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def quick_learners(monkeypatch):
    Resumable.calls.clear()
    for kind in (Threshold, Resumable, Pooled, Broken, Defective, Stopped, Unstoppable):
        monkeypatch.setitem(LEARNERS, kind.name, kind)
    return Resumable.calls


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run ``arcs`` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*words, **settings):
        return CliRunner().invoke(app, [str(word) for word in words], **settings)

    return invoke


@pytest.fixture(scope="session")
def simulated():
    """Asia with experiments on two variables."""
    model = random_weights(network("asia"), 0)
    return sample_experiments(model, ["smoke", "bronc"], 30, 1, n_observational=100, shuffle=False)


@pytest.fixture
def csv_file(simulated, tmp_path):
    """The same as a file, with a column of labels."""
    data = simulated.data
    labels = [data.interventions.label(regime) for regime in data.interventions.regime]
    lines = [",".join([*data.names, "target"])]
    for row, label in zip(data.values.tolist(), labels, strict=True):
        lines.append(",".join([*map(repr, row), label]))
    path = tmp_path / "cells.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
