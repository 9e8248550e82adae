"""Functions without bodies: who answers is chosen by the type of the first argument."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from arcs.kernels.asking import asked, provide
from arcs.kernels.bundles import bundle


class Apples(NamedTuple):
    """Weights."""

    weights: np.ndarray


class Pears(NamedTuple):
    """Weights as well."""

    weights: np.ndarray


@asked
def first_weight(fruit):
    """The weight of the first one."""


@provide("Apples", first_weight)
@njit
def _of_apples(fruit):
    return fruit.weights[0]


@provide("Pears", first_weight)
def _of_pears(fruit):
    return -fruit.weights[0]


@njit
def twice(fruit):
    """A caller that knows no kinds."""
    return 2.0 * first_weight(fruit)


@pytest.mark.parametrize("wrap", [bundle, lambda record: record])
@pytest.mark.parametrize(("kind", "sign"), [(Apples, 1.0), (Pears, -1.0)])
def test_the_record_decides(kind, sign, wrap):
    fruit = wrap(kind(np.array([3.0, 4.0])))
    assert twice(fruit) == 6.0 * sign
    assert first_weight(fruit) == 3.0 * sign


def test_nobody_answers_for_others():
    class Plums(NamedTuple):
        weights: np.ndarray

    with pytest.raises(TypingError):
        twice(Plums(np.ones(2)))
    with pytest.raises(KeyError):
        first_weight(Plums(np.ones(2)))


def test_questions_of_the_same_name_in_other_places_are_others():
    from arcs.kernels.climbing_gains import refresh_column

    assert refresh_column.question == "arcs.kernels.climbing_gains.refresh_column"
    assert first_weight.question.endswith("test_asking.first_weight")
