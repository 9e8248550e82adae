import itertools
from collections import defaultdict

import numpy as np
import pytest
from gies import utils as gies_utils

from arcs.errors import GraphError
from arcs.graphs import Pdag
from arcs.graphs.equivalence import (
    consistent_extension,
    cpdag_of,
    find_cycle,
    interventional_cpdag_of,
    meek_closure,
)


def _matrix(pdag):
    """The 0/1 matrix of gies: a line has both entries."""
    return (pdag.directed | pdag.undirected).astype(int)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_cpdag_of_every_small_dag(p, markov_classes, essential):
    for group in markov_classes(p):
        expected = Pdag(*essential(group))
        for dag in group:
            assert cpdag_of(dag) == expected


def test_cpdag_of_every_dag_of_five_nodes(markov_classes, essential):
    groups = markov_classes(5)
    assert len(groups) == 8782  # Gillispie and Perlman (2001)
    for group in groups:
        assert cpdag_of(group[0]) == cpdag_of(group[-1]) == Pdag(*essential(group))


FAMILIES = [
    [[]],
    [[], [0]],
    [[], [1, 2]],
    [[], [0], [3]],
    [[], [0, 1], [1, 2, 3]],
    [[0], [1]],
    [[0], [1], [2], [3]],
    [[0, 1], [2, 3]],
]


@pytest.mark.parametrize("targets", FAMILIES, ids=str)
def test_interventional_cpdag_of_every_dag_of_four_nodes(
    targets, all_dags, classes, interventional_key, essential
):
    for group in classes(all_dags(4), lambda dag: interventional_key(dag, targets)):
        expected = Pdag(*essential(group))
        for dag in group:
            assert interventional_cpdag_of(dag, targets) == expected


def test_interventional_cpdag_takes_names():
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    by_name = interventional_cpdag_of(chain, [[], ["b"]], ["a", "b", "c"])
    assert by_name == interventional_cpdag_of(chain, [[], [1]], ["a", "b", "c"])
    assert by_name.directed_edges() == [(0, 1), (1, 2)]
    with pytest.raises(GraphError, match="'z'"):
        interventional_cpdag_of(chain, [["z"]], ["a", "b", "c"])


@pytest.mark.parametrize("seed", range(15))
def test_agrees_with_gies_on_larger_graphs(seed, random_dag):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(8, 25))
    dag = random_dag(rng, p, int(rng.integers(p // 2, 2 * p)))
    assert np.array_equal(_matrix(cpdag_of(dag)), gies_utils.dag_to_cpdag(dag.astype(int)))
    targets = [[], *([int(t)] for t in rng.choice(p, 2, replace=False)), [0, 1, 2]]
    expected = gies_utils.replace_unprotected(dag.astype(int), [set(t) for t in targets])
    assert np.array_equal(_matrix(interventional_cpdag_of(dag, targets)), expected)


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_causal_learn_on_larger_graphs(seed, random_dag):
    causallearn_dag = pytest.importorskip("causallearn.graph.Dag")
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.DAG2CPDAG import dag2cpdag

    rng = np.random.default_rng(100 + seed)
    adjacency = random_dag(rng, 20, 30)
    nodes = [GraphNode(f"n{i}") for i in range(20)]
    theirs = causallearn_dag.Dag(nodes)
    for i, j in np.argwhere(adjacency):
        theirs.add_directed_edge(nodes[i], nodes[j])
    marks = dag2cpdag(theirs).graph  # marks[j, i] = 1 and marks[i, j] = -1 for i -> j
    expected = Pdag((marks.T == 1) & (marks == -1), (marks == -1) & (marks.T == -1))
    assert cpdag_of(adjacency) == expected


def test_extension_of_every_class_of_four_nodes(markov_classes):
    for group in markov_classes(4):
        extension = consistent_extension(cpdag_of(group[0]))
        assert any(np.array_equal(extension, dag) for dag in group)


def test_extension_exists_exactly_when_brute_force_finds_one(all_dags, markov_key):
    """On 400 random ones of the 4,096 partially directed graphs of four nodes."""
    rng = np.random.default_rng(3)
    pairs = list(itertools.combinations(range(4), 2))
    outcomes = set()
    by_skeleton = defaultdict(list)
    for dag in all_dags(4):
        by_skeleton[(dag | dag.T).tobytes()].append(dag)
    for states in rng.permutation(list(itertools.product(range(4), repeat=6)))[:400]:
        directed = np.zeros((4, 4), dtype=bool)
        undirected = np.zeros((4, 4), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            directed[i, j], directed[j, i] = state == 1, state == 2
            undirected[i, j] = undirected[j, i] = state == 3
        pdag = Pdag(directed, undirected)
        exists = any(
            _extends(dag, pdag, markov_key) for dag in by_skeleton[pdag.skeleton.tobytes()]
        )
        outcomes.add(exists)
        if exists:
            assert _extends(consistent_extension(pdag), pdag, markov_key)
        else:
            with pytest.raises(GraphError, match="no consistent extension"):
                consistent_extension(pdag)
    assert outcomes == {True, False}


def _extends(dag, pdag, markov_key):
    """Same skeleton, all arrows kept, and no v-structures but those of the arrows."""
    same_class = markov_key(dag) == markov_key(pdag.directed, pdag.skeleton)
    return same_class and not (pdag.directed & ~dag).any()


@pytest.mark.parametrize("p", [3, 4])
def test_meek_closure_is_complete_with_background_knowledge(p, markov_classes, rng):
    """Direct random edges of a class: the closure is what the remaining members agree on."""
    groups = [g for g in markov_classes(p) if len(g) > 1]
    for group in groups:
        pdag = cpdag_of(group[0])
        truth = group[int(rng.integers(len(group)))]
        known = truth & pdag.undirected & (rng.random((p, p)) < 0.4)
        left = [dag for dag in group if not (known & ~dag).any()]
        union = np.any(left, axis=0)
        oriented = Pdag(pdag.directed | known, pdag.undirected & ~(known | known.T))
        assert meek_closure(oriented) == Pdag(union & ~union.T, union & union.T)


def test_fourth_rule_is_needed():
    """a - b, a - c, a - d, d -> c -> b: rules 1 to 3 leave a - b open, rule 4 does not."""
    a, b, c, d = range(4)
    directed = np.zeros((4, 4), dtype=bool)
    undirected = np.zeros((4, 4), dtype=bool)
    directed[d, c] = directed[c, b] = True
    for other in (b, c, d):
        undirected[a, other] = undirected[other, a] = True
    closed = meek_closure(Pdag(directed, undirected))
    assert closed.directed[a, b]
    assert closed.undirected_edges() == [(a, c), (a, d)]


def test_cyclic_input_is_refused_with_the_cycle():
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        cpdag_of(cycle, ["a", "b", "c"])
    assert find_cycle(cycle) == [0, 1, 2]


def test_a_thousand_nodes(random_dag, rng):
    cpdag = cpdag_of(random_dag(rng, 1000, 5000))
    assert cpdag_of(consistent_extension(cpdag)) == cpdag


def test_classes_of_five_nodes_split_by_random_experiments(
    markov_classes, classes, interventional_key, essential, rng
):
    groups = [group for group in markov_classes(5) if len(group) > 2]
    for at in rng.choice(len(groups), 150, replace=False):
        sizes = rng.integers(1, 4, size=int(rng.integers(1, 4)))
        targets = [[], *(rng.choice(5, size, replace=False).tolist() for size in sizes)]
        for part in classes(groups[at], lambda dag, t=targets: interventional_key(dag, t)):
            assert interventional_cpdag_of(part[0], targets) == Pdag(*essential(part))


def test_classes_of_five_nodes_with_background_knowledge(markov_classes, essential, rng):
    groups = [group for group in markov_classes(5) if len(group) > 2]
    for at in rng.choice(len(groups), 300, replace=False):
        group = groups[at]
        pdag, truth = cpdag_of(group[0]), group[int(rng.integers(len(group)))]
        known = truth & pdag.undirected & (rng.random((5, 5)) < 0.4)
        left = [dag for dag in group if not (known & ~dag).any()]
        oriented = Pdag(pdag.directed | known, pdag.undirected & ~(known | known.T))
        assert meek_closure(oriented) == Pdag(*essential(left))
