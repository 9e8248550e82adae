"""Bundles are what their named tuples are, here and in compiled code."""

import copy
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from arcs.kernels.bundles import apart, bundle


class Inner(NamedTuple):
    counts: np.ndarray
    half: float


class Outer(NamedTuple):
    values: np.ndarray
    inner: Inner
    flags: np.ndarray
    size: int


class Other(NamedTuple):
    values: np.ndarray


@njit
def _everything(outer, i, j):
    inner = outer.inner
    inner.counts[0] += outer.size
    return outer.values[i, j] * inner.half + inner.counts[0] + 1000 * outer.flags[1]


@pytest.fixture
def outer():
    values = np.arange(6.0).reshape(2, 3)
    return bundle(Outer(values, Inner(np.array([5, 7]), 0.5), np.array([False, True]), 3))


def test_compiled_code_reads_and_writes_what_python_sees(outer):
    assert _everything(outer, 1, 2) == 5.0 * 0.5 + 8 + 1000
    assert outer.inner.counts.tolist() == [8, 7]
    assert list(outer._fields) == ["values", "inner", "flags", "size"]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])  # noqa: S301
def test_a_copy_has_memory_of_its_own(outer, again):
    other = again(outer)
    outer.values[1, 2] = -1.0
    assert _everything(other, 1, 2) == 5.0 * 0.5 + 8 + 1000
    assert outer.inner.counts[0] == 5


def test_the_type_tells_records_and_fields_apart(outer):
    kinds = {
        bundle(record)._numba_type_
        for record in (
            Other(np.zeros(2)),
            Other(np.zeros(5)),
            Other(np.zeros(2, np.int64)),
            Other(np.zeros((2, 2))),
        )
    }
    assert len(kinds) == 3
    assert outer._numba_type_.record == "Outer"
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    assert bundle(Other(frozen))._numba_type_ == bundle(Other(np.zeros(2)))._numba_type_


@pytest.mark.parametrize("value", [np.zeros((4, 4))[:, 1], "text", None])
def test_what_cannot_be_laid_out_is_refused(value):
    with pytest.raises((TypeError, ValueError), match="'values'"):
        bundle(Other(value))


class Twice(NamedTuple):
    words: np.ndarray
    same: np.ndarray
    nested: Other


def test_arrays_that_are_apart_share_no_line_and_say_the_same():
    words = np.arange(3)
    moved = apart(Twice(words, words.view(np.uint8), Other(np.array([[2.5, 1.0]]))))
    assert moved.words.tolist() == [0, 1, 2]
    assert moved.nested.values.tolist() == [[2.5, 1.0]]
    moved.words[1] = 258
    assert moved.same[8:10].tolist() == [2, 1]  # two views of the same memory remain that
    assert words[1] == 1
    places = [array.ctypes.data for array in (moved.words, moved.nested.values)]
    assert all(place % 128 == 0 for place in places)
    assert abs(places[0] - places[1]) >= 128
