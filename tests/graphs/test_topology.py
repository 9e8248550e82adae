import itertools

import numpy as np
import pytest

from arcs.errors import GraphError
from arcs.graphs import find_cycle, topological_order
from arcs.graphs.topology import format_cycle


def test_every_graph_of_three_nodes():
    """All 64 directed graphs: either a valid order or a real cycle, never both."""
    pairs = list(itertools.permutations(range(3), 2))
    n_acyclic = 0
    for states in itertools.product([False, True], repeat=6):
        adjacency = np.zeros((3, 3), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            adjacency[i, j] = state
        cycle = find_cycle(adjacency)
        if cycle is None:
            position = np.argsort(topological_order(adjacency))
            assert all(position[i] < position[j] for i, j in np.argwhere(adjacency))
            n_acyclic += 1
        else:
            assert len(set(cycle)) == len(cycle) >= 2
            assert cycle[0] == min(cycle)
            assert all(adjacency[i, j] for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True))
            with pytest.raises(GraphError, match="directed cycle"):
                topological_order(adjacency)
    assert n_acyclic == 25


def test_the_smallest_order_is_chosen(all_dags):
    for adjacency in all_dags(4)[::5]:
        valid = [
            order
            for order in itertools.permutations(range(4))
            if all(order.index(i) < order.index(j) for i, j in np.argwhere(adjacency))
        ]
        assert tuple(topological_order(adjacency)) == min(valid)


def test_long_cycles_are_cut_in_the_middle():
    ring = np.roll(np.eye(100, dtype=bool), 1, axis=1)
    cycle = find_cycle(ring)
    assert cycle == list(range(100))
    shown = format_cycle(cycle, None)
    assert shown.startswith("0 -> 1 -> ")
    assert shown.endswith(" -> 99 -> 0")
    assert "(77 more)" in shown


def test_a_tail_into_a_cycle_is_not_part_of_it():
    adjacency = np.zeros((5, 5), dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]:
        adjacency[i, j] = True
    assert find_cycle(adjacency) == [1, 2, 3]


def test_bad_matrices_are_refused():
    with pytest.raises(GraphError, match="square"):
        topological_order(np.zeros((2, 3)))
    with pytest.raises(GraphError, match="1 self-loops, the first at node 1"):
        find_cycle([[0, 0], [0, 1]])
    with pytest.raises(GraphError, match="1 entries that are not finite"):
        find_cycle([[0, np.nan], [0, 0]])


def test_weights_count_as_edges():
    assert topological_order([[0, 0], [-0.5, 0]]).tolist() == [1, 0]
