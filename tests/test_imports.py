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


# What a search compiles is that of its own kind of column; all share moves, pulls and relocations.
FITTED = """
import gc, re
import numpy as np
from numba.core.dispatcher import Dispatcher
from arcs.learners import learner
rng = np.random.default_rng(0)
rows = rng.normal(size=(60, 3)) @ np.triu(np.ones((3, 3)))
mixed = np.column_stack([rows[:, :2], rows[:, 2] > 0])
learner("arcs", random_state=0, {settings}).fit({data})
compiled = [d for d in gc.get_objects() if isinstance(d, Dispatcher)]
signatures = " ".join(str(s) for d in compiled for s in d.overloads)
print("problems", *sorted(set(re.findall(r"[A-Za-z0-9]+Problem", signatures))))
"""


# The kernel files that belong to a kind of problem alone.
FAMILIES = {"families", "family_engine", "family_scan", "memo"}
COUNTS = {"counts", "pair_counts", "risings"}
LEVELS = COUNTS | {"bit_counts", "configurations", "dirichlet", "discrete", "discrete_score"}
ENGINES = {
    "L0Problem": set(),
    "DiscreteProblem": LEVELS | FAMILIES,
    "BlockProblem": {"blocks"} | FAMILIES,
    "ConditionalProblem": {"conditional"} | COUNTS | FAMILIES,
}


@pytest.mark.parametrize(
    ("data", "settings", "problem"),
    [
        ("rows", "", "L0Problem"),
        ("rows > 0, discrete='all'", "", "DiscreteProblem"),
        pytest.param("mixed, discrete=['x2']", "", "BlockProblem", marks=pytest.mark.slow),
        pytest.param(
            "mixed, discrete=['x2']",
            "mixed_score='conditional-gaussian'",
            "ConditionalProblem",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_fit_compiles_the_code_of_its_own_columns_only(data, settings, problem):
    program = FITTED.format(data=data, settings=settings)
    program += "import sys; print('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *_, problems, modules = (line for line in done.stdout.splitlines() if line)
    assert problems.split() == ["problems", problem]
    loaded = {m.rpartition(".")[2] for m in modules.split() if "kernels.order" in m}
    assert loaded & set().union(*ENGINES.values()) == ENGINES[problem]


@pytest.mark.parametrize("method", ["hc", "ges", "pc", "mmhc"])
def test_methods_load_nothing_of_categories_for_numbers(method):
    program = f"""
import sys
import numpy as np
from arcs.learners import learner
learner({method!r}).fit(np.random.default_rng(0).normal(size=(30, 3)))
print(*(m for m in sys.modules if m.startswith("arcs.")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "arcs.learners.evidence" in loaded
    ours = {"scores.discrete", "scores.families", "scores.g_test", "kernels.family_gains"}
    assert not loaded & {f"arcs.{name}" for name in (*ours, "kernels.g_test")}
