import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs.names import check_names, default_names, node_index, node_indices

NAMES = ("a", "b", "c")


def test_default_names_count_from_zero():
    assert default_names(3) == check_names(None, 3) == ("x0", "x1", "x2")


def test_numpy_strings_become_plain():
    checked = check_names(np.array(["a", "b"]), 2)
    assert checked == ("a", "b")
    assert all(type(name) is str for name in checked)


def test_nodes_by_index_or_name():
    assert node_index("b", NAMES) == node_index(1, NAMES) == node_index(np.int32(1), NAMES) == 1
    assert (
        node_indices("c", NAMES) == node_indices(2, NAMES) == node_indices(["c", 2], NAMES) == [2]
    )
    assert node_indices(np.array([2, 0]), NAMES) == [0, 2]
    assert node_indices(np.array([1]), NAMES) == [1]
    assert node_indices(frozenset(), NAMES) == []


@pytest.mark.parametrize("bad", [3, -1, "d", 1.0, None])
def test_unknown_nodes_are_refused(bad):
    with pytest.raises(GraphError, match=r"node"):
        node_index(bad, NAMES)


@pytest.mark.parametrize("names", [["a", " "], ["a", 1], ["a", "a"], ["a"]])
def test_bad_names_are_refused(names):
    with pytest.raises(GraphError, match="name"):
        check_names(names, 2)
