"""Scores and tests of categories under the learners: brute force, pgmpy, causal-learn."""

import itertools

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.errors import SettingsError
from arcs.graphs.equivalence import cpdag_of, iterate_members
from arcs.learners import learner
from arcs.scores.discrete import score_of


def drawn(p, n, seed):
    """Rows of a random network of categories, columns shuffled."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, p)
    codes = np.zeros((n, p), np.int64)
    for j in range(p):
        parents = np.flatnonzero(rng.random(j) < 1.5 / max(j, 1))[:3]
        at = np.zeros(n, np.int64)
        for k in parents:
            at = at * sizes[k] + codes[:, k]
        weights = rng.dirichlet(np.full(sizes[j], 0.5), int(at.max()) + 1)
        codes[:, j] = (weights.cumsum(axis=1)[at] < rng.random((n, 1))).sum(axis=1)
    data = codes[:, rng.permutation(p)]
    return data, Dataset.of(data, discrete="all", constant="isolate")


def all_dags(p):
    """Every DAG of a few nodes."""
    pairs = list(itertools.combinations(range(p), 2))
    for states in itertools.product(range(3), repeat=len(pairs)):
        adjacency = np.zeros((p, p), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            adjacency[i, j], adjacency[j, i] = state == 1, state == 2
        power = np.linalg.matrix_power(np.eye(p) + adjacency, p)
        if not (power * power.T - np.diag(np.diag(power) ** 2)).any():
            yield adjacency


@pytest.mark.parametrize("method", ["hc", "ges", "gies"])
def test_nothing_is_better_among_four_categories(method):
    """With many rows the best of all DAGs is found, up to an occasional local optimum."""
    best = 0
    for seed in range(8):
        _, data = drawn(4, 3000, seed)
        found = learner(method, discrete_score="bic", random_state=0).fit(data)
        score = score_of(CategoricalTable.of(data), {"kind": "bic"})
        lowest = min(score.total(dag) for dag in all_dags(4))
        assert found.score == pytest.approx(-2 * score.total(found.dag.adjacency), abs=1e-6)
        assert found.score <= -2 * lowest + 1e-6
        best += found.score >= -2 * lowest - 1e-6
    assert best >= 6


@pytest.mark.parametrize("kind", ["bic", "ebic", "bdeu"])
def test_the_score_of_a_class_is_that_of_its_members(kind):
    for seed in range(4):
        _, data = drawn(7, 400, seed)
        found = learner("ges", discrete_score=kind).fit(data)
        score = score_of(CategoricalTable.of(data), found.penalty)
        for member in itertools.islice(iterate_members(found.cpdag), 10):
            assert -2 * score.total(member) == pytest.approx(found.score, abs=1e-6)


def test_a_mixed_class_has_one_score():
    rng = np.random.default_rng(0)
    codes, _ = drawn(6, 300, 3)
    values = codes.astype(float)
    values[:, [1, 4]] += rng.normal(size=(300, 2))
    data = Dataset.of(values, discrete=["x0", "x2", "x3", "x5"])
    found = learner("ges").fit(data)
    assert found.n_edges > 2
    from arcs.data.mixed import MixedData
    from arcs.scores.mixed import mixed_score

    score = mixed_score(MixedData.of(data), found.penalty)
    for member in itertools.islice(iterate_members(found.cpdag), 10):
        assert -2 * score.total(member) == pytest.approx(found.score, abs=1e-5)


def test_a_node_set_in_all_rows_has_no_say():
    codes, _ = drawn(4, 200, 1)
    mask = np.zeros(codes.shape, bool)
    mask[:100, 2] = True
    data = Dataset.of(codes, discrete="all", interventions=mask, constant="isolate")
    found = learner("gies", discrete_score="bic").fit(data)
    score = score_of(CategoricalTable.of(data), {"kind": "bic"})
    lowest = min(score.total(dag) for dag in all_dags(4))
    assert found.score == pytest.approx(-2 * lowest, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_finds_nothing_to_climb_further():
    pytest.importorskip("pgmpy")
    import pandas as pd
    from pgmpy.base import DAG
    from pgmpy.estimators import HillClimbSearch

    for seed in range(4):
        codes, data = drawn(8, 500, seed)
        frame = pd.DataFrame(codes, columns=data.names).astype("category")
        found = learner("hc").fit(data)
        start = DAG(found.dag.named_edges())
        start.add_nodes_from(data.names)
        search = HillClimbSearch(frame)
        theirs = search.estimate("bic-d", start_dag=start, epsilon=1e-6, show_progress=False)
        assert set(theirs.edges()) == set(found.dag.named_edges())
        assert found.n_edges > 3


def test_the_skeleton_is_causal_learns():
    search = pytest.importorskip("causallearn.search.ConstraintBased.PC")
    for seed in range(4):
        codes, data = drawn(7, 800, seed)
        theirs = search.pc(codes, 0.01, "gsq", stable=True, show_progress=False).G.graph
        found = learner("pc", alpha=0.01, max_condition_size=None).fit(data)
        np.testing.assert_array_equal(found.cpdag.skeleton, theirs != 0)


def test_ges_ends_no_worse_than_causal_learns():
    search = pytest.importorskip("causallearn.search.ScoreBased.GES")
    same = 0
    for seed in range(3):
        codes, data = drawn(6, 600, seed)
        marks = search.ges(codes, score_func="local_score_BDeu")["G"].graph
        found = learner("ges", discrete_score="bdeu", eager=False, turning=False).fit(data)
        theirs = (marks == -1) & (marks.T == 1), (marks == -1) & (marks.T == -1)
        same += (found.cpdag.directed == theirs[0]).all() and (
            found.cpdag.undirected == theirs[1]
        ).all()
    assert same >= 2  # its prior of sets of parents is not ours


def test_a_given_penalty_is_all_that_is_asked():
    _, data = drawn(6, 400, 2)
    score = score_of(CategoricalTable.of(data), {"kind": "bic", "factor": 3.0})
    found = learner("ges", penalty=3.0).fit(data)
    assert found.penalty == {"kind": "bic", "factor": 3.0}
    assert found.score == pytest.approx(-2 * score.total(found.dag.adjacency))
    plain = learner("ges").fit(data)
    assert plain.penalty == {"kind": "ebic", "gamma": 1.0}
    many = learner("hc", penalty=0.1).fit(data)
    assert many.n_edges > learner("hc").fit(data).n_edges
    with pytest.raises(SettingsError, match="leave one of them out"):
        learner("hc", penalty=2.0, discrete_score="bdeu").fit(data)
    with pytest.raises(SettingsError, match="discrete_score"):
        learner("ges", discrete_score="k2")


def test_limits_on_parents_and_degrees():
    _, data = drawn(9, 3000, 5)
    for method in ("hc", "ges", "mmhc"):
        found = learner(method, max_parents=1).fit(data)
        assert found.dag.adjacency.sum(axis=0).max() == 1
    assert learner("hc", max_parents=0).fit(data).n_edges == 0
    assert learner("pc", max_degree=1).fit(data).cpdag.skeleton.sum(axis=0).max() == 1


def test_pc_tells_p_values_and_the_test():
    _, data = drawn(6, 500, 4)
    found = learner("pc", alpha=0.05).fit(data)
    assert found.penalty == {"kind": "g-test", "alpha": 0.05}
    largest = found.edge_values["largest_p_value"][found.cpdag.skeleton]
    assert ((largest >= 0) & (largest < 0.05)).all()
    assert (cpdag_of(found.dag.adjacency).skeleton == found.cpdag.skeleton).all()


def test_tabu_and_restarts_are_never_worse():
    for seed in range(3):
        _, data = drawn(9, 300, seed)
        plain = learner("hc").fit(data).score
        assert learner("hc", tabu=10).fit(data).score >= plain - 1e-9
        assert learner("hc", restarts=3, random_state=0).fit(data).score >= plain - 1e-9
