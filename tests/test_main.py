"""``python -m arcs``: what the process leaves out, and that it is there once it is used."""

import subprocess
import sys

import numpy as np
import pytest

MAIN = """
import gc, sys
sys.argv = ["arcs", *{arguments!r}]
from arcs.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def run(arguments: list[str], after: str) -> str:
    """What is printed last by a program that runs a command and then something else."""
    program = MAIN.format(arguments=arguments) + after
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def fit(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("main")
    rows = np.random.default_rng(0).normal(size=(60, 4)) @ np.triu(np.ones((4, 4)))
    np.savetxt(folder / "data.csv", rows, delimiter=",", header="a,b,c,d", comments="")
    words = ["fit", str(folder / "data.csv"), "--out", str(folder / "out")]
    return [*words, "--bootstrap", "0", "--quiet"]


def test_what_is_hardly_used_is_not_run(fit):
    modules = run(fit, "print(*sys.modules)").split()
    assert {"numba", "scipy.linalg"} <= set(modules)
    unwanted = ("numpy.f2py.", "numpy.testing.", "yaml.", "coverage")
    assert not [name for name in modules if name.startswith(unwanted)]


def test_what_is_hardly_used_works_when_it_is(fit):
    used = (
        "import numpy; print(numpy.testing.assert_equal(1, 1), len(numpy.f2py.get_include()) > 0)"
    )
    assert run(fit, used) == "None True"


def test_no_garbage_is_looked_for_at_start_and_end():
    after = "print(gc.get_threshold()[0] >= 200_000, gc.get_freeze_count() > 0, gc.isenabled())"
    assert run(["--version"], after) == "True True True"
