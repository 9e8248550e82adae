"""Compiled functions that call each other by name: the same answers, and code that finds what it
calls."""

import glob
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import types

from arcs.kernels import regression
from arcs.kernels.separate import LinkedFunction, SeparateFunction, _Callee, _is_ready


def separate(function):
    return SeparateFunction(function, {}, b"sources")


@separate
def inverse(x, shift):
    return 1 // (x + shift)


@separate
def inverses(x):
    return inverse(x, 0) + inverse(x, x)


def test_answers_and_errors_come_through():
    assert inverses(1) == 1
    with pytest.raises(ZeroDivisionError):
        inverses(0)


def test_callees_are_called_and_not_copied():
    inverses(1)
    (compiled,) = inverses.overloads.values()
    (kinds,) = inverse.inner.overloads
    module = compiled.library._final_module
    declared = [f.name for f in module.functions if f.is_declaration]
    assert inverse.inner.symbol(kinds) in declared
    assert not [f.name for f in module.functions if not f.is_declaration and "inverse[" in f.name]
    assert not [f.name for f in module.functions if "7inverseB" in f.name]


def test_constants_have_no_version_of_their_own():
    inverses(1)
    assert list(inverse.inner.overloads) == [(types.int64, types.int64)]
    assert not inverse.overloads  # nobody called it from Python


def test_what_cannot_be_found_by_name_is_linked():
    @separate
    def hidden(x):
        return x + 1

    @separate
    def caller(x):
        return 2 * hidden(x)

    assert caller(3) == 8
    assert not [f for f in _declared(caller) if f.startswith("arcs.separate.")]


def _declared(function):
    (compiled,) = function.overloads.values()
    return [f.name for f in compiled.library._final_module.functions if f.is_declaration]


def _third(x):
    return x / 3


third = LinkedFunction(_third, {})


@separate
def two_thirds(x):
    return 2 * third(x)


def test_linked_functions_become_a_part_of_their_callers():
    assert two_thirds(6) == 4
    assert not [name for name in _declared(two_thirds) if "third" in name]


def test_a_symbol_tells_function_sources_and_types():
    integer, number = (types.int64,), (types.float64,)
    other = SeparateFunction(inverse.py_func, {}, b"other sources")
    symbols = {
        function.inner.symbol(kinds)
        for function in (inverse, inverses, other)
        for kinds in (integer, number)
    }
    assert len(symbols) == 6


def test_code_is_not_used_if_a_callee_goes_by_another_name():
    kinds = (types.int64, types.int64)

    def ready(symbol, name="inverse"):
        callee = _Callee(symbol, inverse.__module__, name, str(kinds), "")
        return _is_ready(callee, "", {symbol: kinds})

    assert ready(inverse.inner.symbol(kinds))
    assert not ready("arcs.separate.yesterday")
    assert not ready("arcs.separate.gone", "no_such_function")


ANOTHER_PROCESS = """
import numpy as np
from arcs.data import Dataset
from arcs.kernels.compilation import Compilation
from arcs.kernels.regression import residual_variance
rows = np.random.default_rng(0).normal(size=(50, 4))
stats = Dataset.of(rows).statistics().kernel
with Compilation() as compiled:
    share = residual_variance(stats, 0, np.arange(1, 4), 3, np.empty((4, 4)), np.empty(4))
print(share.hex(), *sorted(set(compiled.functions) & {"factorise", "residual_variance"}))
"""


def test_code_on_disk_finds_what_it_calls(tmp_path):
    """Loaded with the caller; compiled again if it is gone or damaged."""
    rows = np.random.default_rng(0).normal(size=(50, 4))
    rows -= rows.mean(axis=0)
    left = rows[:, 0] - rows[:, 1:] @ np.linalg.lstsq(rows[:, 1:], rows[:, 0], rcond=None)[0]
    expected = (left @ left) / (rows[:, 0] @ rows[:, 0])

    def run():
        room = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", ANOTHER_PROCESS]
        done = subprocess.run(command, env=room, capture_output=True, text=True, check=True)
        share, *compiled = done.stdout.split()
        assert float.fromhex(share) == pytest.approx(expected, rel=1e-12)
        return compiled

    def file():
        (found,) = glob.glob(f"{tmp_path}/**/regression.factorise-*.nbc", recursive=True)
        return found

    assert run() == ["factorise", "residual_variance"]
    assert run() == []
    os.unlink(file())
    assert run() == ["factorise"]
    with open(file(), "wb") as stream:
        stream.write(b"garbage")
    assert run() == ["factorise"]


NEW_CALLER = """
import sys
import numpy as np
from arcs.data import Dataset
from arcs.kernels import regression
from arcs.kernels.separate import SeparateFunction
rows = np.random.default_rng(0).normal(size=(50, 4))
stats = Dataset.of(rows).statistics().kernel
given = stats, 0, np.arange(1, 4), 3, np.empty((4, 4)), np.empty(4)
shares = [regression.residual_variance(*given)]
print(len(regression.factorise.inner.overloads), end=" ")
def twice(stats, v, parents, k, a, b):
    return regression.residual_variance(stats, v, parents, k, a, b) * 2
shares.append(SeparateFunction(twice, {}, b"new")(*given))
print(shares[1] == 2 * shares[0])
"""


def test_what_was_loaded_by_its_address_can_be_called_by_new_code(tmp_path):
    """Loaded code calls `factorise`, of which Numba knows nothing before somebody compiles."""

    def run():
        room = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", NEW_CALLER]
        done = subprocess.run(command, env=room, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert run() == ["1", "True"]
    assert run() == ["0", "True"]


def test_a_file_of_other_sources_in_the_place_of_a_callee_is_not_used(tmp_path):
    def run():
        room = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", ANOTHER_PROCESS]
        done = subprocess.run(command, env=room, capture_output=True, text=True, check=True)
        return done.stdout.split()

    share, *_ = run()
    (file,) = glob.glob(f"{tmp_path}/**/regression.factorise-*.nbc", recursive=True)
    version, _, key, data = pickle.loads(Path(file).read_bytes())  # noqa: S301
    with open(file, "wb") as stream:
        stream.write(pickle.dumps((version, b"yesterday", key, data)))
    assert run() == [share, "factorise"]


def test_kernels_of_the_package_can_be_found():
    for function in (regression.factorise, regression.residual_variance):
        assert isinstance(function, SeparateFunction)
        assert function.inner.can_be_found()
