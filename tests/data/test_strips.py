"""Strip by strip or as a whole: the same to the last bit."""

import numpy as np
import pytest

from arcs.data import strips as home
from arcs.data.strips import cross_products, divide_by_norms, strips, symmetrise


@pytest.mark.parametrize("size", [1, 255, 256, 257, 600])
def test_strips_cover_every_row_once(size):
    rows = np.concatenate([np.arange(size)[part] for part in strips(size)])
    assert rows.tolist() == list(range(size))


@pytest.mark.parametrize("size", [3, 256, 600])
def test_in_place_is_what_the_expression_says(size):
    rng = np.random.default_rng(size)
    gram, norms = rng.normal(size=(size, size)), rng.uniform(0.5, 2.0, size)
    divided = gram / np.outer(norms, norms)
    halved = (divided + divided.T) / 2
    divide_by_norms(gram, norms)
    assert np.array_equal(gram, divided)
    symmetrise(gram)
    assert np.array_equal(gram, halved)


@pytest.mark.parametrize("size", [3, 256, 600])
def test_cross_products_in_strips_are_those_of_one_call(size, monkeypatch):
    rows = np.random.default_rng(size).normal(size=(40, size))
    monkeypatch.setattr(home, "_MOST_AT_ONCE", 2)
    products = cross_products(rows)
    np.testing.assert_allclose(products, rows.T @ rows, atol=1e-12)
    assert np.array_equal(products, products.T)
