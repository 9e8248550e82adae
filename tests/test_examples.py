"""The examples in the docstrings of the whole package are true."""

import doctest
import importlib
from pathlib import Path

import pytest

import arcs

ROOT = Path(arcs.__file__).parent
MODULES = sorted(
    "arcs." + ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_there_are_examples():
    assert {"arcs.estimators", "arcs.graphs.dag", "arcs.results"} & set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted > 0
    assert outcome.failed == 0
