"""The paper's counts: worked by hand, by brute force, and against other packages."""

from itertools import combinations, permutations, product

import gadjid
import numpy as np
import pytest

from arcs.errors import DataError, GraphError
from arcs.graphs import GaussianDag, Pdag
from arcs.graphs.equivalence import cpdag_of, topological_order
from arcs.metrics import evaluate
from arcs.simulate import random_dag


def dag(p, *edges):
    adjacency = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = True
    return adjacency


def pdag(p, directed=(), undirected=()):
    lines = dag(p, *undirected)
    return Pdag(dag(p, *directed), lines | lines.T)


def counts(comparison):
    c = comparison
    return (c.P, c.TP, c.R, c.FP, c.M, c.SHD)


# ------------------------------------------------------------------ worked by hand
CHAIN = dag(3, (0, 1), (1, 2))
COLLIDER = dag(3, (0, 1), (2, 1))


@pytest.mark.parametrize(
    ("estimate", "truth", "observational", "experimental"),
    [
        # Equivalent graphs: all right up to equivalence; two directions wrong in fact.
        (CHAIN.T, CHAIN, (2, 2, 0, 0, 0, 0), (2, 0, 2, 0, 0, 2)),
        # Fork 0 <- 1 -> 2: equivalent too; one direction agrees with the truth.
        (dag(3, (1, 0), (1, 2)), CHAIN, (2, 2, 0, 0, 0, 0), (2, 1, 1, 0, 0, 1)),
        # Collider for a chain: 0 -> 1 is right by criterion 1; 2 -> 1 is wrong in both.
        (COLLIDER, CHAIN, (2, 1, 1, 0, 0, 1), (2, 1, 1, 0, 0, 1)),
        # Chain for a collider: the same the other way round.
        (CHAIN, COLLIDER, (2, 1, 1, 0, 0, 1), (2, 1, 1, 0, 0, 1)),
        # Backwards chain for a collider: 2 -> 1 has the true direction, 1 -> 0 has not, and it is
        # undirected in one CPDAG and directed in the other.
        (CHAIN.T, COLLIDER, (2, 1, 1, 0, 0, 1), (2, 1, 1, 0, 0, 1)),
        # One false positive, one missing: {0->1, 0->2} for {0->1, 1->2}.
        (dag(3, (0, 1), (0, 2)), CHAIN, (2, 1, 0, 1, 1, 2), (2, 1, 0, 1, 1, 2)),
        (dag(3), CHAIN, (0, 0, 0, 0, 2, 2), (0, 0, 0, 0, 2, 2)),
        (CHAIN, dag(3), (2, 0, 0, 2, 0, 2), (2, 0, 0, 2, 0, 2)),
        # A reversed edge between otherwise unconnected nodes is no error of observational data.
        (dag(2, (1, 0)), dag(2, (0, 1)), (1, 1, 0, 0, 0, 0), (1, 0, 1, 0, 0, 1)),
    ],
)
def test_dag_estimates_by_hand(estimate, truth, observational, experimental):
    assert counts(evaluate(estimate, truth)) == observational
    assert counts(evaluate(estimate, truth, experimental=True)) == experimental


@pytest.mark.parametrize(
    ("estimate", "truth", "expected"),
    [
        # The CPDAG of the chain has two undirected edges, right by criterion 2.
        (pdag(3, undirected=[(0, 1), (1, 2)]), CHAIN, (2, 2, 0, 0, 0, 0)),
        # Undirected where the truth compels a direction: wrong.
        (pdag(3, undirected=[(0, 1), (1, 2)]), COLLIDER, (2, 0, 2, 0, 0, 2)),
        # Half-directed graph, no CPDAG of anything, used as it is: 0 -> 1 is right by
        # criterion 1, 1 - 2 is undirected in the true CPDAG as well.
        (pdag(3, [(0, 1)], [(1, 2)]), CHAIN, (2, 2, 0, 0, 0, 0)),
        # 1 -> 0 is neither in the true DAG nor directed in its CPDAG.
        (pdag(3, [(1, 0)], [(1, 2)]), CHAIN, (2, 1, 1, 0, 0, 1)),
        # Right direction of a compelled edge; the other one left open: wrong.
        (pdag(3, [(0, 1)], [(1, 2)]), COLLIDER, (2, 1, 1, 0, 0, 1)),
        # A cycle, as a constraint-based method may return it.
        (pdag(3, [(0, 1), (1, 2), (2, 0)]), CHAIN, (3, 2, 0, 1, 0, 1)),
    ],
)
def test_pdag_estimates_by_hand(estimate, truth, expected):
    assert counts(evaluate(estimate, truth)) == expected


def test_undirected_edges_are_not_right_in_experimental_comparison():
    estimate = pdag(3, [(0, 1)], [(1, 2)])
    assert counts(evaluate(estimate, CHAIN, experimental=True)) == (2, 1, 1, 0, 0, 1)


def test_compelled_edges_downstream_of_a_collider():
    # Truth: 0 -> 2 <- 1, 2 -> 3, where 2 -> 3 is compelled.
    truth = dag(4, (0, 2), (1, 2), (2, 3))
    reversed_tail = dag(4, (0, 2), (1, 2), (3, 2))
    result = evaluate(reversed_tail, truth)
    assert counts(result) == (3, 2, 1, 0, 0, 1)
    assert result.shd_cpdag == 1
    assert result.arrow_precision == pytest.approx(2 / 3)
    assert result.skeleton_f1 == 1.0


def test_rates_by_hand():
    truth = dag(4, (0, 2), (1, 2), (2, 3))
    estimate = dag(4, (0, 2), (1, 2), (0, 1))
    observational = evaluate(estimate, truth)
    # Estimated CPDAG: a triangle without directions. 0 -> 2 and 1 -> 2 count by criterion 1.
    assert counts(observational) == (3, 2, 0, 1, 1, 2)
    assert pytest.approx(2 / (3 + 3 - 2)) == observational.JI
    assert observational.skeleton_precision == pytest.approx(2 / 3)
    assert observational.skeleton_recall == pytest.approx(2 / 3)
    assert observational.skeleton_f1 == pytest.approx(2 / 3)
    assert observational.arrow_precision == 1.0  # no arrow claimed, none wrong
    assert observational.arrow_recall == 0.0
    assert observational.arrow_f1 == 0.0
    assert observational.shd_cpdag == 4
    experimental = evaluate(estimate, truth, experimental=True)
    assert experimental.arrow_precision == pytest.approx(2 / 3)
    assert experimental.arrow_recall == pytest.approx(2 / 3)


def test_empty_graphs_agree():
    result = evaluate(dag(3), dag(3))
    assert result.SHD == 0
    assert result.JI == result.skeleton_f1 == result.arrow_f1 == 1.0


# ------------------------------------------------------------------ brute force
def all_dags(p):
    pairs = list(combinations(range(p), 2))
    found = []
    for choice in product((None, 0, 1), repeat=len(pairs)):
        edges = [
            pair if way == 0 else pair[::-1]
            for pair, way in zip(pairs, choice, strict=True)
            if way is not None
        ]
        graph = dag(p, *edges)
        if any(
            all(order.index(i) < order.index(j) for i, j in edges)
            for order in permutations(range(p))
        ):
            found.append(graph)
    return found


def class_signature(graph):
    p = len(graph)
    colliders = {
        (i, k, j)
        for i, k in combinations(range(p), 2)
        for j in range(p)
        if graph[i, j] and graph[k, j] and not graph[i, k] and not graph[k, i]
    }
    return (graph | graph.T).tobytes(), frozenset(colliders)


def brute_force_marks(graph, members):
    """Edge -> '->', or '-' where members of the class disagree."""
    marks = {}
    for i, j in np.argwhere(graph):
        ways = {bool(member[i, j]) for member in members}
        marks[frozenset((int(i), int(j)))] = (int(i), int(j)) if ways == {True} else "-"
    return marks


def brute_force_counts(estimate, truth, est_marks, true_marks):
    true_positive = false_positive = 0
    for i, j in np.argwhere(estimate):
        pair = frozenset((int(i), int(j)))
        if not (truth[i, j] or truth[j, i]):
            false_positive += 1
        elif truth[i, j] or est_marks[pair] == true_marks[pair]:
            true_positive += 1
    edges = int(estimate.sum())
    missing = int((truth & ~(estimate | estimate.T)).sum())
    wrong = edges - true_positive - false_positive
    return (edges, true_positive, wrong, false_positive, missing, wrong + false_positive + missing)


@pytest.fixture(scope="module")
def four_nodes():
    graphs = all_dags(4)
    assert len(graphs) == 543
    classes = {}
    for graph in graphs:
        classes.setdefault(class_signature(graph), []).append(graph)
    assert len(classes) == 185
    return [(graph, brute_force_marks(graph, classes[class_signature(graph)])) for graph in graphs]


def test_counts_agree_with_brute_force(four_nodes):
    rng = np.random.default_rng(0)
    for a, b in rng.integers(len(four_nodes), size=(1500, 2)):
        (estimate, est_marks), (truth, true_marks) = four_nodes[a], four_nodes[b]
        expected = brute_force_counts(estimate, truth, est_marks, true_marks)
        assert counts(evaluate(estimate, truth)) == expected


def test_zero_distance_exactly_for_equivalent_graphs(four_nodes):
    truths = [four_nodes[k] for k in (5, 77, 200, 391, 542)]
    for truth, _ in truths:
        for estimate, _ in four_nodes:
            equivalent = class_signature(estimate) == class_signature(truth)
            result = evaluate(estimate, truth)
            assert (result.shd_cpdag == 0) == equivalent
            if equivalent:
                assert result.SHD == 0
                assert result.JI == 1.0


# ------------------------------------------------------------------ other packages
def codes(graph):
    return graph.directed.astype(np.int8) + 2 * np.triu(graph.undirected).astype(np.int8)


def perturbed(truth, rng):
    """The true graph along a slightly different order, a few edges dropped and others added."""
    p = len(truth)
    order = topological_order(truth)
    start = rng.integers(p - 6)
    order[start : start + 6] = order[start : start + 6][::-1]
    place = np.argsort(order)
    forward = place[:, None] < place[None, :]
    drop, add = rng.random((2, p, p)) < [[[0.15]], [[0.02]]]
    return (truth | truth.T) & forward & ~drop | (add & forward)


@pytest.mark.parametrize("seed", range(12))
def test_agreement_with_gadjid(seed):
    truth = random_dag(20, 35, seed)
    estimate = perturbed(truth, np.random.default_rng(seed))
    direct = gadjid.shd(truth.astype(np.int8), estimate.astype(np.int8))[1]
    found = evaluate(estimate, truth, experimental=True)
    assert direct == found.SHD
    assert min(found.TP, found.FP, found.M) > 0
    classes = gadjid.shd(codes(cpdag_of(truth)), codes(cpdag_of(estimate)))[1]
    assert evaluate(estimate, truth).shd_cpdag == classes
    # Criterion 1 can only make the paper's distance smaller than that of the CPDAGs.
    assert classes >= evaluate(cpdag_of(estimate), truth).SHD


def test_agreement_with_causal_learn():
    general = pytest.importorskip("causallearn.graph.GeneralGraph")
    nodes = pytest.importorskip("causallearn.graph.GraphNode")
    distance = pytest.importorskip("causallearn.graph.SHD")

    def converted(graph):
        made = general.GeneralGraph([nodes.GraphNode(f"x{k}") for k in range(graph.p)])
        tail_arrow = graph.directed.astype(int)
        made.graph[:] = tail_arrow.T - tail_arrow - graph.undirected.astype(int)
        return made

    for seed in range(8):
        truth = random_dag(15, 25, seed)
        estimate = perturbed(truth, np.random.default_rng(seed))
        shd = distance.SHD(converted(cpdag_of(truth)), converted(cpdag_of(estimate))).get_shd()
        assert evaluate(estimate, truth).shd_cpdag == shd


# ------------------------------------------------------------------ laws
@pytest.mark.parametrize("experimental", [False, True])
def test_identities_and_invariance_to_relabelling(experimental):
    rng = np.random.default_rng(1)
    for _ in range(30):
        truth = random_dag(25, 40, rng)
        estimate = random_dag(25, 40, rng)
        if rng.random() < 0.5:
            estimate = truth & (rng.random(truth.shape) < 0.7)
        result = evaluate(estimate, truth, experimental)
        assert result.P == result.TP + result.R + result.FP
        assert result.s0 == result.TP + result.R + result.M
        assert result.s0 - result.TP + result.FP == result.SHD
        relabel = rng.permutation(25)
        at = np.ix_(relabel, relabel)
        assert evaluate(estimate[at], truth[at], experimental) == result


def test_observational_comparison_is_never_harder():
    rng = np.random.default_rng(2)
    for _ in range(30):
        truth, estimate = random_dag(12, 25, rng), random_dag(12, 25, rng)
        assert evaluate(estimate, truth).TP >= evaluate(estimate, truth, experimental=True).TP


# ------------------------------------------------------------------ names and input
def gaussian(adjacency, names=None):
    return GaussianDag(adjacency * 0.5, np.ones(len(adjacency)), names)


def test_nodes_are_matched_by_name():
    truth = gaussian(dag(4, (0, 2), (1, 2), (2, 3)), ["b", "d", "c", "a"])
    order = [2, 3, 0, 1]
    shuffled = gaussian(truth.adjacency[np.ix_(order, order)], ["c", "a", "b", "d"])
    assert evaluate(shuffled, truth).SHD == 0
    assert evaluate(shuffled, truth, experimental=True).SHD == 0
    as_class = cpdag_of(shuffled.adjacency)
    named = Pdag(as_class.directed, as_class.undirected, ["c", "a", "b", "d"])
    assert evaluate(named, truth).SHD == 0
    assert evaluate(shuffled.adjacency, truth, experimental=True).SHD > 0


def test_numbered_nodes_are_matched_by_position():
    truth = gaussian(CHAIN, ["a", "b", "c"])
    assert evaluate(gaussian(CHAIN), truth, experimental=True).SHD == 0
    assert evaluate(truth, gaussian(CHAIN), experimental=True).SHD == 0


def test_different_names_are_refused():
    truth = gaussian(CHAIN, ["a", "b", "c"])
    with pytest.raises(DataError, match="1 of the truth's 3 are not in the estimate, such as 'b'"):
        evaluate(gaussian(CHAIN, ["a", "c", "B"]), truth)


@pytest.mark.parametrize(
    ("estimate", "truth", "error", "message"),
    [
        (dag(3), dag(4), DataError, "3 nodes, the truth has 4"),
        (np.ones((2, 3), dtype=bool), dag(3), DataError, "square"),
        (dag(3) + 0.5, dag(3), DataError, "0 and 1"),
        (dag(2, (0, 1), (1, 0)), dag(2), GraphError, "with a Pdag"),
        (dag(3, (0, 1), (1, 2), (2, 0)), dag(3), GraphError, "cycle"),
        (dag(2), pdag(2, undirected=[(0, 1)]), GraphError, "truth must be a DAG"),
        ([[0, 1], [0, 0]], dag(2), DataError, "got list"),
    ],
)
def test_bad_graphs_are_refused(estimate, truth, error, message):
    with pytest.raises(error, match=message):
        evaluate(estimate, truth)


def test_truth_may_be_a_directed_pdag():
    assert evaluate(CHAIN.T, pdag(3, [(0, 1), (1, 2)])).SHD == 0


def test_result_as_text_and_dictionary():
    result = evaluate(COLLIDER, CHAIN)
    assert str(result) == "P 2  TP 1  R 1  FP 0  M 0  SHD 1  JI 0.33"
    record = result.to_dict()
    assert record["SHD"] == 1
    assert record["JI"] == pytest.approx(1 / 3)
    assert all(type(value) in (int, float) for value in record.values())
