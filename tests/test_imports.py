"""What is imported when: a command must not wait for packages that it has no use for."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arcs.lazily import Lazily

HEAVY = ("sklearn", "pandas", "matplotlib", "scipy.stats", "networkx", "joblib", "narwhals")
COMMAND = """
import sys
from arcs.cli import app
try:
    app({arguments!r})
except SystemExit as end:
    assert not end.code, end.code
"""


def imported(program: str) -> set[str]:
    """The modules that a process has in the end."""
    program += "\nimport sys; print('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("imports") / "data.csv"
    rows = np.random.default_rng(0).normal(size=(60, 4)) @ np.triu(np.ones((4, 4)))
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d", comments="")
    return path


def test_the_package_alone_imports_next_to_nothing():
    found = imported("import arcs")
    assert not found & {*HEAVY, "numba", "scipy", "typer", "numpy"}


def test_fit_and_show_import_no_more_than_they_use(table):
    folder = str(table.parent / "out")
    fit = ["fit", str(table), "--out", folder, "--bootstrap", "0", "--quiet"]
    assert not imported(COMMAND.format(arguments=fit)) & set(HEAVY)
    shown = imported(COMMAND.format(arguments=["show", folder]))
    assert not shown & {*HEAVY, "numba", "scipy.special", "scipy.linalg"}


def test_a_lazy_module_is_the_module():
    assert Lazily("math").floor(2.5) == 2
    with pytest.raises(AttributeError):
        _ = Lazily("math").no_such_thing
