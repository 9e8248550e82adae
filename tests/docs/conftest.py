"""The parts of the site's machinery that tests look at."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def load(path: str) -> ModuleType:
    """A module of the repository that is not part of the package."""
    source = ROOT / path
    name = source.stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, source)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def page_blocks() -> ModuleType:
    """What finds and runs the blocks of a page."""
    return load("docs/_ext/page_blocks.py")


@pytest.fixture(scope="session")
def check_site() -> ModuleType:
    """What looks over the built site."""
    return load("tools/check_site.py")


@pytest.fixture(scope="session")
def api_pages() -> ModuleType:
    """What writes the reference of the Python names."""
    pytest.importorskip("sphinx")
    return load("docs/_ext/api_pages.py")


@pytest.fixture(scope="session")
def setting_pages(command_pages) -> ModuleType:
    """What writes the reference of the settings."""
    return load("docs/_ext/setting_pages.py")


@pytest.fixture(scope="session")
def command_pages(api_pages) -> ModuleType:
    """What writes the reference of the command line."""
    return load("docs/_ext/command_pages.py")
