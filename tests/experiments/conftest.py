"""Rows without runs, and a cell whose methods are made for the tests."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest

from arcs.experiments import backends
from arcs.experiments.cells import CellPool
from arcs.experiments.rows import Row

STRANGE_METHODS = Path(__file__).with_name("strange_methods.py")


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
def strange_command():
    """How to start a cell that knows the methods of ``strange_methods.py``."""
    return (sys.executable, str(STRANGE_METHODS))


@pytest.fixture
def strange_cells(strange_command, monkeypatch):
    """All runs of this machine are done by such cells."""
    monkeypatch.setattr(backends, "CellPool", functools.partial(CellPool, command=strange_command))
