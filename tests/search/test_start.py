"""Where chains begin."""

import numpy as np
import pytest

from arcs.errors import DataError
from arcs.graphs import GaussianDag, Order, Pdag
from arcs.search.start import as_order, make_starts


def test_a_given_order_or_random_ones():
    given = np.array([2, 0, 1])
    assert all(start.order is given for start in make_starts(2, 0, given, 3))
    orders = [start.order.tolist() for start in make_starts(5, 0, None, 6)]
    assert len({tuple(order) for order in orders}) == 5
    assert orders == [start.order.tolist() for start in make_starts(5, 0, None, 6)]
    assert orders[:2] == [start.order.tolist() for start in make_starts(2, 0, None, 6)]


def test_required_edges_point_forward_and_the_rest_stays():
    required = np.zeros((4, 4), dtype=bool)
    required[3, 0] = True
    (start,) = make_starts(1, 0, np.array([1, 0, 2, 3]), 4, required)
    order = start.order.tolist()
    assert order.index(3) < order.index(0)
    assert order.index(1) < order.index(2)


def test_orders_and_graphs_are_orders():
    chain = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)  # 2 -> 1 -> 0
    for given in (
        [2, 1, 0],
        Order([2, 1, 0], ("a", "b", "c")),
        chain,
        GaussianDag.from_adjacency(chain),
        Pdag(chain, np.zeros((3, 3), dtype=bool)),
    ):
        np.testing.assert_array_equal(as_order(given, 3), [2, 1, 0])
    for wrong in ([0, 1], [0, 1, 1], "abc", np.zeros((2, 2))):
        with pytest.raises(DataError, match="an order of the 3 variables"):
            as_order(wrong, 3)
