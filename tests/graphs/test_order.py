import pickle

import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import Order


def test_positions_invert_nodes():
    order = Order([2, 0, 1], ["a", "b", "c"])
    assert list(order) == [2, 0, 1]
    assert len(order) == order.p == 3
    assert order.position.tolist() == [1, 2, 0]
    assert order.named() == ("c", "a", "b")
    assert order.names == ("a", "b", "c")
    assert order[0] == 2
    assert repr(order) == "Order(c < a < b)"


def test_is_immutable_and_copies_its_input():
    given = np.array([1, 0])
    order = Order(given)
    given[:] = 0
    assert list(order) == [1, 0]
    assert order.nodes.dtype == np.int64
    for array in (order.nodes, order.position, pickle.loads(pickle.dumps(order)).nodes):  # noqa: S301
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    with pytest.raises(AttributeError):
        order.nodes = given


def test_equality_and_hash():
    assert Order([0, 1]) == Order(np.array([0, 1], dtype=np.int32))
    assert hash(Order([0, 1])) == hash(Order((0, 1)))
    assert Order([0, 1]) != Order([1, 0])
    assert Order([0, 1], ["a", "b"]) != Order([0, 1])
    assert Order([0, 1]) != [0, 1]


def test_random_orders_are_seeded_permutations():
    first, again = Order.random(50, 3), Order.random(50, 3)
    assert first == again != Order.random(50, 4)
    assert sorted(first) == list(range(50))


def test_admits_edges_that_run_forward():
    edges = np.zeros((3, 3), dtype=bool)
    edges[2, 1] = True
    assert Order([2, 0, 1]).admits(edges)
    assert not Order([1, 2, 0]).admits(edges)


@pytest.mark.parametrize(
    ("nodes", "names", "message"),
    [
        ([0, 0, 1], ["a", "b", "c"], "repeated 'a'; missing 'c'"),
        ([0, 0, 1], None, "repeated 0; missing 2"),
        ([0, 3, 1], None, "found 3"),
        ([0, -1, 1], None, "found -1"),
        ([0.0, 1.0], None, "integers"),
        ([[0, 1]], None, "one-dimensional"),
        ([0, 1], ["a", "a"], "repeated: 'a'"),
        ([0, 1], ["a"], "1 names were given for 2 nodes"),
        ([0, 1], ["a", ""], "non-blank"),
        ([0, 1], "ab", "single string"),
    ],
)
def test_refuses_what_is_no_permutation(nodes, names, message):
    with pytest.raises(GraphError, match=message):
        Order(nodes, names)


def test_no_nodes_at_all():
    assert len(Order([])) == 0
