"""Compiled graph algorithms against the definitions, on all DAGs of four nodes."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from arcs.kernels.equivalence import (
    consistent_extension_kernel,
    cpdag_kernel,
    meek_closure_inplace,
    neighbour_lists,
    oriented_cpdag_kernel,
    topological_order_kernel,
    v_structure_kernel,
)

PAIRS = list(itertools.combinations(range(4), 2))
TRIPLES = list(itertools.permutations(range(4), 3))


def all_graphs():
    for states in itertools.product(range(3), repeat=len(PAIRS)):
        graph = np.zeros((4, 4), dtype=bool)
        for (i, j), state in zip(PAIRS, states, strict=True):
            graph[i, j], graph[j, i] = state == 1, state == 2
        yield graph


def colliders(dag):
    """All (a, c, b) with a -> c <- b and a, b not adjacent."""
    joined = dag | dag.T
    return {(a, c, b) for a, c, b in TRIPLES if dag[a, c] and dag[b, c] and not joined[a, b]}


@pytest.fixture(scope="module")
def classes():
    """The DAGs of four nodes by skeleton and colliders."""
    groups = defaultdict(list)
    for graph in all_graphs():
        if topological_order_kernel(graph)[1] == 4:
            groups[(graph | graph.T).tobytes(), frozenset(colliders(graph))].append(graph)
    return list(groups.values())


def test_sorts_have_parents_first_and_tell_cycles():
    acyclic = 0
    for graph in all_graphs():
        order, count = topological_order_kernel(graph)
        power = np.linalg.matrix_power(graph.astype(int) + np.eye(4, dtype=int), 4) > 0
        assert (count == 4) == (not (power & power.T & ~np.eye(4, dtype=bool)).any())
        if count == 4:
            acyclic += 1
            place = np.argsort(order)
            assert all(place[i] < place[j] for i, j in zip(*np.nonzero(graph), strict=True))
    assert acyclic == 543


def test_lists_hold_the_true_entries_of_each_row():
    matrix = np.random.default_rng(0).random((6, 6)) < 0.4
    starts, flat = neighbour_lists(matrix)
    for i in range(6):
        assert flat[starts[i] : starts[i + 1]].tolist() == np.flatnonzero(matrix[i]).tolist()


def test_completed_graphs_are_what_all_members_agree_on(classes):
    assert len(classes) == 185
    for group in classes:
        union = np.any(group, axis=0)
        for dag in group:
            directed, undirected = cpdag_kernel(dag)
            np.testing.assert_array_equal(directed, union & ~union.T)
            np.testing.assert_array_equal(undirected, union & union.T)
            marked = v_structure_kernel(dag)
            assert {(a, c) for a, c, _ in colliders(dag)} == set(
                zip(*map(np.ndarray.tolist, np.nonzero(marked)), strict=True)
            )


def test_known_directions_leave_the_members_that_have_them(classes):
    rng = np.random.default_rng(1)
    for group in classes:
        dag = group[int(rng.integers(len(group)))]
        known = rng.random((4, 4)) < 0.3
        union = np.any([other for other in group if not (dag & known & ~other).any()], axis=0)
        directed, undirected = oriented_cpdag_kernel(dag, known)
        np.testing.assert_array_equal(directed, union & ~union.T)
        np.testing.assert_array_equal(undirected, union & union.T)


def test_extensions_are_members(classes):
    for group in classes:
        found, exists = consistent_extension_kernel(*cpdag_kernel(group[0]))
        assert exists
        assert any(np.array_equal(found, dag) for dag in group)


def test_a_square_of_lines_has_no_extension():
    lines = np.zeros((4, 4), dtype=bool)
    for i in range(4):
        lines[i, (i + 1) % 4] = lines[(i + 1) % 4, i] = True
    assert not consistent_extension_kernel(np.zeros_like(lines), lines)[1]


def test_kernels_survive_contradictory_arrows():
    """Arrows both ways cannot be put into a Pdag, but a kernel must not overrun its stack."""
    directed = ~np.eye(6, dtype=bool)
    undirected = np.zeros((6, 6), dtype=bool)
    meek_closure_inplace(directed, undirected, True)
    assert (directed == ~np.eye(6, dtype=bool)).all()
    assert not consistent_extension_kernel(directed, undirected)[1]
