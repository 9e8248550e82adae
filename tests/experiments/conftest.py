"""Rows without runs, and processes whose methods are made for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcs.experiments import backends
from arcs.experiments.rows import Row


@pytest.fixture
def make_row():
    """A row of Asia unless told otherwise."""

    def make(**changes):
        values = {
            "case": "Asia-n40-experimental",
            "network": "Asia",
            "p": 8,
            "s0": 8,
            "n": 40,
            "experimental": True,
            "seed": 1000,
            "method": "CD",
            "settings": "aaa",
            **{"P": 10, "TP": 7, "R": 1, "FP": 2, "M": 0, "SHD": 3, "JI": 7 / 11},
            **{"seconds": 0.5, "score": -10.0, "bic": -20.0},
            "versions": "arcs-bn=0",
        }
        return Row(**{**values, **changes})

    return make


@pytest.fixture
def strange_methods(monkeypatch):
    """The function by which processes run tasks with the methods of ``strange_methods.py``."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))

    def run(shared, task):
        import strange_methods

        return strange_methods.run(shared, task)

    return run


@pytest.fixture
def strange_processes(strange_methods, monkeypatch):
    """All runs of this machine are done with such methods."""
    monkeypatch.setattr(backends, "_run", strange_methods)
