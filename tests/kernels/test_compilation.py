"""What is compiled inside of a block is counted, timed and told."""

import time

from numba import njit

from arcs.kernels.compilation import FUNCTIONS, Compilation


def functions():
    @njit
    def inner(x):
        return x + 1

    @njit
    def outer(x):
        return inner(x) * 2

    return inner, outer


def test_functions_and_what_they_call_are_counted_once():
    _, outer = functions()
    told = []
    began = time.perf_counter()
    with Compilation(lambda *figures: told.append(figures)) as compiled:
        assert outer(3) == 8
        assert outer(4) == 10
    assert compiled.count == 2
    assert told == [(0, FUNCTIONS), (0, FUNCTIONS)]
    assert 0 < compiled.seconds <= time.perf_counter() - began
    assert {name.rsplit(".", 1)[1] for name in compiled.functions} == {"inner", "outer"}


def test_what_is_compiled_already_costs_nothing():
    inner, outer = functions()
    outer(1)
    with Compilation() as compiled:
        outer(2)
        inner(2)
    assert compiled.count == 0
    assert compiled.seconds == 0.0
    outer(1.5)
    assert compiled.count == 0
