"""The operators of greedy equivalence search against brute force.

An operator leads from a class to the class of some member with one edge inserted, deleted or
turned; the operators are right if they lead to all of these classes and to no others, and their
gains are differences of scores.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from arcs.data import Dataset, Interventions
from arcs.graphs import find_cycle, interventional_cpdag_of
from arcs.graphs.equivalence import members, separating
from arcs.kernels.equivalence import neighbour_lists
from arcs.kernels.greedy_equivalence_deletions import delete_row
from arcs.kernels.greedy_equivalence_insertions import insert_row
from arcs.kernels.greedy_equivalence_records import ClassGraph, Rules, empty_row
from arcs.kernels.greedy_equivalence_steps import (
    DELETE,
    INSERT,
    TURN,
    after_operator,
    changes,
    path_exists,
)
from arcs.kernels.greedy_equivalence_turns import turn_row
from arcs.scores import GaussianBic

DESIGNS = [((),), ((), (0,)), ((0,), (1, 2)), ((0, 1), (2, 3)), ((0,), (1,), (2,), (3,))]
KINDS = {INSERT: insert_row, DELETE: delete_row, TURN: turn_row}
SEED = 20


def statistics_of(targets, p, rows=30):
    """Noise under a design: what the variables have to do with each other does not matter here."""
    rng = np.random.default_rng(SEED)
    names = tuple(f"x{j}" for j in range(p))
    design = Interventions(targets, np.repeat(np.arange(len(targets)), rows), names)
    values = rng.normal(size=(rows * len(targets), p)) @ rng.normal(size=(p, p))
    return Dataset.from_array(values, names=names, interventions=design).statistics()


def key_of(graph):
    return graph.directed.tobytes() + graph.undirected.tobytes()


def reached(pdag, kind, statistics, known):
    """Every class that a valid operator leads to, with the changes of 2 log L it announces."""
    p = pdag.p
    graph = ClassGraph(
        pdag.directed.copy(), pdag.undirected.copy(), pdag.skeleton, *neighbour_lists(pdag.skeleton)
    )
    found = defaultdict(list)
    for y in range(p):
        # Prices that make every operator at y an improvement.
        price = np.full(p, 1e5)
        if kind != DELETE:
            price[y] = -1e5
        rules = Rules(price, np.full(p, p), np.ones((p, p), dtype=bool))
        row = empty_row(1000, 1000, 5000)
        KINDS[kind](statistics.kernel, graph, rules, y, row)
        for k in range(row.size[0]):
            gain, x, c = row.gain[k], row.source[k], row.clique[k]
            clique = row.member[row.start[c] : row.start[c + 1]]
            if path_exists(graph, kind, x, y, clique, np.zeros(p, dtype=bool)):
                continue
            new, valid = after_operator(graph, known, kind, x, y, clique)
            assert valid
            paid = {INSERT: price[y], DELETE: -price[y], TURN: price[y] - price[x]}[kind]
            found[key_of(new)].append(gain + paid)
    return found


def one_edge_away(dag, kind):
    """All DAGs made from `dag` by one change of that kind."""
    for i, j in itertools.permutations(range(len(dag)), 2):
        if dag[i, j] == (kind == INSERT) or (kind == INSERT and dag[j, i]):
            continue
        changed = dag.copy()
        changed[i, j] = kind == INSERT
        changed[j, i] = kind == TURN
        if find_cycle(changed) is None:
            yield changed


def expected(pdag, dags, kind, targets, score):
    """Every other class one edge away from a member, with its change of 2 log L."""
    found = {}
    before = score.total(dags[0])
    for changed in itertools.chain.from_iterable(one_edge_away(dag, kind) for dag in dags):
        key = key_of(interventional_cpdag_of(changed, targets))
        if key not in found:
            found[key] = score.total(changed) - before
    found.pop(key_of(pdag), None)
    return found


def check_class(pdag, dags, targets, statistics):
    score = GaussianBic(statistics, penalty=0.0)
    known = separating(targets, pdag.p)
    for kind in KINDS:
        want = expected(pdag, dags, kind, targets, score)
        got = reached(pdag, kind, statistics, known)
        assert got.keys() == want.keys()
        for key, gains in got.items():
            np.testing.assert_allclose(gains, want[key], atol=1e-6)


def random_dag_matrix(rng, p):
    density = rng.uniform(0.3, 0.9)
    order = rng.permutation(p)
    return np.triu(rng.random((p, p)) < density, 1)[np.ix_(order, order)]


@pytest.mark.parametrize("targets", DESIGNS)
def test_operators_on_four_nodes(targets):
    """On some of the classes of four nodes; the slow test below takes all of them."""
    check_all_classes(targets, step=6)


@pytest.mark.slow
@pytest.mark.parametrize("targets", DESIGNS)
def test_operators_on_all_classes_of_four_nodes(targets):
    check_all_classes(targets, step=1)


def check_all_classes(targets, step):
    classes = defaultdict(list)
    pairs = list(itertools.combinations(range(4), 2))
    for states in itertools.product(range(3), repeat=len(pairs)):
        dag = np.zeros((4, 4), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            dag[i, j], dag[j, i] = state == 1, state == 2
        if find_cycle(dag) is None:
            classes[interventional_cpdag_of(dag, targets)].append(dag)
    statistics = statistics_of(targets, 4)
    for pdag, dags in list(classes.items())[::step]:
        check_class(pdag, dags, targets, statistics)


@pytest.mark.parametrize("targets", [((),), ((), (0, 1), (2,))])
@pytest.mark.parametrize(("p", "repeats"), [(6, 12), pytest.param(7, 150, marks=pytest.mark.slow)])
def test_operators_on_random_classes(targets, p, repeats):
    rng = np.random.default_rng(SEED)
    statistics = statistics_of(targets, p)
    for _ in range(repeats):
        pdag = interventional_cpdag_of(random_dag_matrix(rng, p), targets)
        check_class(pdag, members(pdag), targets, statistics)


def test_changes_are_the_nodes_whose_surroundings_differ_and_the_ways_that_closed():
    """0 - 1 - 2 becomes 0 -> 1 <- 2, and 0 - 3 goes."""
    before, after = np.zeros((2, 4, 4), dtype=bool), np.zeros((2, 4, 4), dtype=bool)
    for a, b in ((0, 1), (1, 2), (0, 3)):
        before[1, a, b] = before[1, b, a] = True
    after[0, 0, 1] = after[0, 2, 1] = True

    def graph(directed, undirected):
        skeleton = directed | directed.T | undirected
        return ClassGraph(directed, undirected, skeleton, *neighbour_lists(skeleton))

    changed, closed = changes(graph(*before), graph(*after))
    assert changed.tolist() == [True, True, True, True]
    assert {tuple(pair) for pair in closed.tolist()} == {(1, 0), (1, 2), (0, 3), (3, 0)}
