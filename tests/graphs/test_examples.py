"""The examples in the docstrings are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["dag", "effects"])
def test_examples(name):
    outcome = doctest.testmod(importlib.import_module(f"arcs.graphs.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
