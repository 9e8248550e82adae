"""PC against causal-learn, against d-separation, and where its statements contradict each other."""

import itertools
import logging
import warnings

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.graphs import Pdag
from arcs.graphs.equivalence import cpdag_of, find_cycle
from arcs.learners.orientation import extendable, oriented_by_colliders
from arcs.learners.pc import PC


def simulated(seed, p=8, n=150, density=0.4):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.4, 0.9, (p, p)) * (rng.random((p, p)) < density), 1)
    rows = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return rows[:, rng.permutation(p)]


def causal_learn_pc(rows, alpha):
    """The same variant of PC: stable, all separating sets, earlier colliders stand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pc = pytest.importorskip("causallearn.search.ConstraintBased.PC").pc
        marks = pc(rows, alpha, "fisherz", True, 0, 2, show_progress=False).G.graph
    directed = (marks == -1) & (marks.T == 1)
    return directed, (marks == -1) & (marks.T == -1)


def test_equals_causal_learn(caplog):
    """The same skeleton always, and the same graph wherever no statements conflict."""
    caplog.set_level(logging.INFO, logger="arcs.learners.pc")
    compared = 0
    for seed in range(30):
        rows = simulated(seed, p=5 + seed % 5, n=100 + 50 * (seed % 4), density=0.4)
        caplog.clear()
        found = PC(alpha=0.05, max_condition_size=None).fit(rows).cpdag
        directed, undirected = causal_learn_pc(rows, 0.05)
        theirs = directed | directed.T | undirected
        np.testing.assert_array_equal(found.skeleton, theirs, err_msg=f"seed {seed}")
        if not caplog.messages[0].startswith("0 of") or find_cycle(directed) is not None:
            continue
        pattern = extendable(directed, undirected)
        if (pattern.directed == directed).all():
            np.testing.assert_array_equal(found.directed, directed, err_msg=f"seed {seed}")
            compared += 1
    assert compared >= 15


@pytest.mark.parametrize("seed", range(5))
def test_exact_covariance_gives_the_true_class(seed):
    """With the population's covariance (and rows enough) tests answer as d-separation does."""
    rng = np.random.default_rng(seed)
    p = 8
    weights = np.triu(rng.uniform(0.5, 1.0, (p, p)) * (rng.random((p, p)) < 0.35), 1)
    mixing = np.linalg.inv(np.eye(p) - weights)
    order = rng.permutation(p)
    truth = (weights != 0)[np.ix_(order, order)]
    covariance = (mixing.T @ mixing)[np.ix_(order, order)]
    found = PC(alpha=1e-4, max_condition_size=None).fit((covariance, 10**10)).cpdag
    expected = cpdag_of(truth)
    np.testing.assert_array_equal(found.directed, expected.directed)
    np.testing.assert_array_equal(found.undirected, expected.undirected)


def test_experiments_do_not_add_edges():
    """x0 <- x1 -> x2 with experiments on both ends: pooling the rows would join the ends."""
    rng = np.random.default_rng(0)
    targets = np.repeat([-1, 0, 2], 2000)
    x = rng.normal(size=(6000, 3))
    for end in (0, 2):
        natural = targets != end
        x[natural, end] = x[natural, 1] + 0.5 * x[natural, end]
    found = PC(alpha=1e-3).fit(x, interventions=targets).cpdag
    assert found.skeleton[0, 1]
    assert found.skeleton[1, 2]
    assert not found.skeleton[0, 2]
    pooled = PC(alpha=1e-3).fit(x).cpdag
    assert pooled.skeleton[0, 2]


def test_relabelling_only_relabels():
    rows = simulated(4, p=12, n=120, density=0.3)
    order = np.random.default_rng(1).permutation(12)
    first, second = PC(alpha=0.05).fit(rows).cpdag, PC(alpha=0.05).fit(rows[:, order]).cpdag
    np.testing.assert_array_equal(first.skeleton[np.ix_(order, order)], second.skeleton)


def test_limits():
    rows = simulated(3, p=10, n=300, density=0.7)
    free = PC(max_condition_size=None).fit(rows).cpdag.skeleton
    marginal = PC(max_condition_size=0).fit(rows)
    p_values = marginal.edge_values["largest_p_value"]
    assert marginal.cpdag.n_edges >= free.sum() // 2
    assert (p_values[marginal.cpdag.skeleton] < 0.01).all()
    assert (p_values[~marginal.cpdag.skeleton] == 0).all()
    few = PC(max_degree=2).fit(rows).cpdag.skeleton
    assert few.sum(axis=0).max() <= 2
    assert few.any()


def test_conflicting_colliders_keep_the_earlier_one():
    """0 - 1 - 2 - 3 with colliders at both 1 and 2: the edge 1 - 2 cannot point both ways."""
    skeleton = np.zeros((4, 4), bool)
    for a, b in ((0, 1), (1, 2), (2, 3)):
        skeleton[a, b] = skeleton[b, a] = True
    graph, conflicts = oriented_by_colliders(skeleton, np.array([[1, 2, 3], [0, 1, 2]]))
    assert conflicts == 1
    assert graph.directed_edges() == [(1, 2), (3, 2)]
    assert graph.undirected_edges() == [(0, 1)]


def test_colliders_never_close_a_cycle():
    """A ring 0 -> 1 -> 2 -> 3 -> 0 from colliders with partners outside the ring."""
    p = 8
    skeleton = np.zeros((p, p), bool)
    triples = []
    for i in range(4):
        j = (i + 1) % 4
        for a, b in ((i, j), (4 + i, j)):
            skeleton[a, b] = skeleton[b, a] = True
        triples.append((i, j, 4 + i))
    graph, conflicts = oriented_by_colliders(skeleton, np.array(triples))
    assert conflicts == 1
    assert find_cycle(graph.consistent_dag()) is None
    np.testing.assert_array_equal(graph.skeleton, skeleton)


def random_marks(rng, p):
    """A graph with arrows and lines at random: usually nonsense."""
    directed, undirected = np.zeros((p, p), bool), np.zeros((p, p), bool)
    for i, j in itertools.combinations(range(p), 2):
        mark = rng.integers(0, 7)
        if mark == 1:
            directed[i, j] = True
        elif mark == 2:
            directed[j, i] = True
        elif mark == 3:
            undirected[i, j] = undirected[j, i] = True
    return directed, undirected


def test_nonsense_is_made_extendable():
    rng = np.random.default_rng(0)
    mended = 0
    for _ in range(200):
        directed, undirected = random_marks(rng, 7)
        given = Pdag(directed, undirected)
        graph = extendable(directed, undirected)
        dag = graph.consistent_dag()
        assert find_cycle(dag) is None
        np.testing.assert_array_equal(dag | dag.T, given.skeleton)
        if find_cycle(directed) is None:
            assert not (graph.directed & directed.T).any()
        mended += not (graph.directed == directed).all()
    assert 20 < mended < 200


def test_returns_something_on_a_square_of_lines():
    """Four nodes in a ring without colliders: no DAG is like that."""
    ring = np.zeros((4, 4), bool)
    for i in range(4):
        ring[i, (i + 1) % 4] = ring[(i + 1) % 4, i] = True
    graph = extendable(np.zeros((4, 4), bool), ring)
    np.testing.assert_array_equal(graph.skeleton, ring)
    assert len(graph.directed_edges()) == 2


def test_a_clique_that_nothing_separates_stops_at_the_limit():
    """One hidden cause of 40 variables: all subsets of 39 neighbours would take for ever."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2000, 1)) + rng.normal(size=(2000, 40))
    limited = PC(max_condition_size=None, time_limit=0.5).fit(rows)
    assert limited.stopped == "time limit"
    assert not limited.converged
    assert find_cycle(limited.dag.adjacency) is None


def test_fewer_rows_than_columns():
    rows = np.random.default_rng(0).normal(size=(10, 30))
    result = PC(alpha=0.2).fit(rows)
    assert find_cycle(result.dag.adjacency) is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, "alpha"),
        ({"max_condition_size": -1}, "max_cond"),
        ({"max_degree": 2.5}, "deg"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(SettingsError, match=message):
        PC(**settings)
