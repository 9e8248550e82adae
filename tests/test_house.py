"""The laws of the house: short files, short functions, short signatures, a test per kernel file.

They are checked here, so that nobody has to remember them.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "arcs").rglob("*.py"))
MOST_LINES, LONGEST_FUNCTION, MOST_PARAMETERS = 400, 45, 8

#: Whose parameters are what users set, one line each: the estimator and the command line.
FACES = ("estimators.py", "cli/")


def _name(path):
    return path.relative_to(ROOT / "src" / "arcs").as_posix()


def _functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _length(function, face):
    """Lines from the signature (of a face: from the body) to the end, without the docstring."""
    first = function.body[0]
    lines = function.end_lineno - (first.lineno if face else function.lineno) + 1
    if ast.get_docstring(function) is not None:
        lines -= first.end_lineno - first.lineno + 1
    return lines


def _parameters(function):
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def test_no_file_is_long():
    lines = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_no_function_is_long():
    lengths = {
        f"{_name(path)}:{function.name}": _length(function, _name(path).startswith(FACES))
        for path in SOURCES
        for function in _functions(path)
    }
    assert {name: count for name, count in lengths.items() if count > LONGEST_FUNCTION} == {}


def test_no_signature_is_long():
    counts = {
        f"{_name(path)}:{function.name}": len(_parameters(function))
        for path in SOURCES
        for function in _functions(path)
        if not _name(path).startswith(FACES)
    }
    assert {name: count for name, count in counts.items() if count > MOST_PARAMETERS} == {}


KERNELS = [path for path in SOURCES if _name(path).startswith("kernels/")]


@pytest.mark.parametrize("path", KERNELS, ids=_name)
def test_every_kernel_file_has_a_test_file_of_its_name(path):
    if path.name == "__init__.py":
        return
    own = ROOT / "tests" / Path(_name(path)).with_name(f"test_{path.name}")
    assert own.exists(), f"{own.relative_to(ROOT)} is missing"
