"""Rows of operators: what they hold, and what they count when they are too short."""

import numpy as np

from arcs.kernels.greedy_equivalence_records import (
    add_operator,
    close_clique,
    empty_row,
    joined_to,
)


def filled(row):
    """Three operators with two cliques among the nodes 5, 6, 7."""
    pool, chosen = np.array([5, 6, 7]), np.array([0, 2, 0, 0])
    add_operator(row, 1.5, np.int64(3))
    add_operator(row, 2.5, np.int64(4))
    close_clique(row, pool, chosen, 2)
    close_clique(row, pool, chosen, 1)  # without operators there is no clique to keep
    add_operator(row, 3.5, np.int64(8))
    close_clique(row, pool, chosen, 0)
    return row


def test_operators_know_their_cliques():
    row = filled(empty_row(5, 5, 5))
    assert row.size.tolist() == [3, 2, 2, 3]
    assert row.gain[:3].tolist() == [1.5, 2.5, 3.5]
    assert row.source[:3].tolist() == [3, 4, 8]
    assert row.clique[:3].tolist() == [0, 0, 1]
    assert row.start[:3].tolist() == [0, 2, 2]
    assert row.member[:2].tolist() == [5, 7]


def test_what_does_not_fit_is_counted_and_not_written():
    row = filled(empty_row(1, 1, 1))
    assert row.size.tolist() == [3, 2, 2, 3]
    assert row.gain.tolist() == [1.5]
    assert row.member.tolist() == [5]


def test_parents_and_neighbours(class_graph):
    """0 -> 2 <- 1 and 3 - 4."""
    dag = np.zeros((5, 5), dtype=bool)
    dag[0, 2] = dag[1, 2] = dag[3, 4] = True
    graph = class_graph(dag)
    parents, count = joined_to(graph, graph.directed, 2)
    assert sorted(parents[:count].tolist()) == [0, 1]
    neighbours, count = joined_to(graph, graph.undirected, 3)
    assert neighbours[:count].tolist() == [4]
    assert joined_to(graph, graph.undirected, 2)[1] == 0
