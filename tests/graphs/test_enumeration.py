import numpy as np
import pytest
from gies import utils as gies_utils

from arcs.errors import GraphError
from arcs.graphs import Pdag, cpdag_of, interventional_cpdag_of
from arcs.graphs.enumeration import count_members, iterate_members, members


def _set(dags):
    return {np.asarray(dag, dtype=bool).tobytes() for dag in dags}


def _undirected(p, edges):
    lines = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        lines[i, j] = lines[j, i] = True
    return Pdag(np.zeros((p, p), dtype=bool), lines)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_members_of_every_small_class(p, markov_classes):
    for group in markov_classes(p):
        pdag = cpdag_of(group[0])
        listed = members(pdag)
        assert len(listed) == len(group) == count_members(pdag)
        assert _set(listed) == _set(group)


def test_count_of_every_class_of_five_nodes_adds_up(markov_classes):
    for group in markov_classes(5)[::7]:
        assert count_members(cpdag_of(group[0])) == len(group)


def test_members_under_intervention(all_dags, classes, interventional_key):
    targets = [[], [0, 1], [2]]
    for group in classes(all_dags(4), lambda dag: interventional_key(dag, targets)):
        pdag = interventional_cpdag_of(group[0], targets)
        assert _set(members(pdag)) == _set(group)
        assert count_members(pdag) == len(group)


def test_background_knowledge_restricts_members(markov_classes, rng):
    for group in markov_classes(4):
        pdag = cpdag_of(group[0])
        known = group[-1] & pdag.undirected & (rng.random((4, 4)) < 0.5)
        restricted = Pdag(pdag.directed | known, pdag.undirected & ~(known | known.T))
        expected = [dag for dag in group if not (known & ~dag).any()]
        assert _set(members(restricted)) == _set(expected)
        assert count_members(restricted) == len(expected)


@pytest.mark.parametrize("seed", range(8))
def test_members_agree_with_gies(seed, random_dag):
    pdag = cpdag_of(random_dag(np.random.default_rng(seed), 8, 9))
    theirs = gies_utils.pdag_to_all_dags((pdag.directed | pdag.undirected).astype(int))
    assert _set(members(pdag)) == _set(theirs)
    assert count_members(pdag) == len(theirs)


def test_known_counts():
    assert count_members(_undirected(40, [(i, i + 1) for i in range(39)])) == 40
    clique = [(i, j) for i in range(12) for j in range(i)]
    assert count_members(_undirected(12, clique)) == 479001600
    # two trees: the components multiply
    assert count_members(_undirected(7, [(0, 1), (1, 2), (3, 4), (4, 5), (4, 6)])) == 12
    # a triangle with a tail: n = 4 edges on 4 nodes, 2 n members (He, Jia and Yu, 2015)
    assert count_members(_undirected(4, [(0, 1), (1, 2), (0, 2), (2, 3)])) == 8


def test_counts_of_random_chordal_graphs_equal_their_lists(rng):
    for _ in range(10):
        p, edges = 7, []
        for node in range(1, p):  # attach every node to a clique: chordal by construction
            anchor = int(rng.integers(node))
            near = [anchor] + [k for k in range(node) if (min(k, anchor), max(k, anchor)) in edges]
            chosen = {anchor}
            for k in near:
                if (
                    all((min(k, c), max(k, c)) in edges for c in chosen - {k})
                    and rng.random() < 0.6
                ):
                    chosen.add(k)
            edges += [(k, node) for k in sorted(chosen)]
        graph = _undirected(p, edges)
        listed = members(graph)
        assert count_members(graph) == len(listed) == len(_set(listed))


def test_limit_and_empty_classes():
    clique = _undirected(4, [(i, j) for i in range(4) for j in range(i)])
    assert len(members(clique, limit=24)) == 24
    with pytest.raises(GraphError, match="more than 23 members"):
        members(clique, limit=23)
    square = _undirected(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    for function in (members, count_members, lambda g: next(iterate_members(g))):
        with pytest.raises(GraphError, match="no consistent extension"):
            function(square)
