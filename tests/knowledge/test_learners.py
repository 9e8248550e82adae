"""No learner's result ever violates the knowledge it was given."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcs.cli.outputs import edge_table
from arcs.data import GramStatistics
from arcs.errors import DataWarning, KnowledgeError, SettingsError
from arcs.estimators import ARCS
from arcs.graphs.equivalence import find_cycle
from arcs.knowledge import Knowledge
from arcs.learners import LEARNERS, learner
from arcs.metrics import evaluate
from arcs.penalties import penalty
from arcs.scores import GaussianBic
from arcs.scores.cholesky import CholeskyScore
from arcs.simulate import random_dag, random_weights, sample

OBEDIENT = [
    ("arcs", {}),
    ("arcs", {"penalty": "mcp", "search": "anneal", "interval": 2, "n_iter": 300, "refine": 0.01}),
    ("arcs", {"penalty": "l1", "lam": 2.0, "threshold": 0.3}),
    ("cd", {"n_lambdas": 8}),
    ("ges", {}),
    ("ges", {"penalty": 1.0, "eager": False}),
    ("gies", {}),
    ("hc", {"tabu": 3, "restarts": 1}),
    ("mmhc", {}),
    ("pc", {"alpha": 0.2}),
    ("pc", {"max_degree": 1}),
]
every_learner = pytest.mark.parametrize(("name", "options"), OBEDIENT)


@st.composite
def problems(draw):
    """Rows, a mask of interventions (or None) and knowledge that does not contradict itself."""
    p = draw(st.integers(3, 6))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    rows = sample(random_weights(random_dag(p, p, seed), seed), 40, seed).data.values
    mask = None
    if draw(st.booleans()):
        mask = rng.random((40, p)) < 0.2
        if draw(st.booleans()):
            mask[:, 0] = True  # a variable whose parents leave no trace
    order = draw(st.permutations(range(p)))
    forward = [(order[i], order[j]) for i, j in itertools.combinations(range(p), 2)]
    required = draw(st.lists(st.sampled_from(forward), max_size=3, unique=True))
    pairs = [edge for edge in itertools.permutations(range(p), 2) if edge not in required]
    forbidden = draw(st.lists(st.sampled_from(pairs), max_size=8, unique=True))
    cut = draw(st.integers(0, p))
    tiers = [order[:cut], order[cut:]] if draw(st.booleans()) else []
    return rows, mask, Knowledge(required, forbidden, tiers)


def fit(name, options, rows, mask, known):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner(name, random_state=0, knowledge=known, **options).fit(
            rows, interventions=mask
        )


@every_learner
@given(problems())
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_result_violates_the_knowledge(name, options, problem):
    rows, mask, known = problem
    result = fit(name, options, rows, mask, known)
    allowed, required = known.resolve(result.names)
    adjacency = result.dag.adjacency
    assert find_cycle(adjacency) is None
    assert not (adjacency & ~allowed).any()
    assert not (required & ~adjacency).any()
    # The class is directed wherever the knowledge is, and the DAG is a member of it.
    assert not (result.cpdag.directed & ~allowed).any()
    assert not (result.cpdag.undirected & ~allowed).any()
    np.testing.assert_array_equal(adjacency | adjacency.T, result.cpdag.skeleton)
    assert not (adjacency & result.cpdag.directed.T).any()
    position = result.order.position
    tails, heads = np.nonzero(adjacency)
    assert (position[tails] < position[heads]).all()
    assert np.isfinite([result.score, result.bic]).all()


@every_learner
def test_required_edges_stay_without_any_support_in_the_data(name, options):
    rows = np.random.default_rng(1).normal(size=(400, 4))
    known = Knowledge(required=[("x3", "x0"), ("x3", "x1"), ("x0", "x1")])
    result = fit(name, options, rows, None, known)
    assert known.resolve(result.names).admits(result.dag.adjacency)
    if name in ("arcs", "ges", "gies") and not {"lam", "eager"} & set(options):
        assert result.n_edges == 3


@every_learner
def test_a_complete_order_makes_every_direction_known(name, options):
    simulated = sample(random_weights(random_dag(6, 8, 3), 3), 2000, 3)
    truth, rows = simulated.truth, simulated.data.values
    known = Knowledge(tiers=[[int(v)] for v in truth.order().nodes])
    result = fit(name, options, rows, None, known)
    assert not result.cpdag.undirected.any()
    if "max_degree" not in options:
        np.testing.assert_array_equal(truth.adjacency & ~result.dag.adjacency, False)


@every_learner
def test_empty_knowledge_changes_nothing(name, options):
    simulated = sample(random_weights(random_dag(6, 7, 5), 5), 200, 5)
    rows = simulated.data.values
    plain, told = (fit(name, options, rows, None, known) for known in (None, Knowledge()))
    np.testing.assert_array_equal(plain.dag.adjacency, told.dag.adjacency)
    np.testing.assert_array_equal(plain.cpdag.undirected, told.cpdag.undirected)
    assert plain.score == pytest.approx(told.score, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("name", "options"), [("ges", {"penalty": 1.0, "eager": False})])
def test_ges_under_knowledge_is_close_to_the_best_admissible_graph(name, options, seed):
    rng = np.random.default_rng(seed)
    rows = sample(random_weights(random_dag(4, 4, seed), seed), 300, seed).data.values
    order = rng.permutation(4)
    known = Knowledge(
        required=[(int(order[0]), int(order[3]))], forbidden=[(int(order[2]), int(order[1]))]
    )
    restrictions = known.resolve([f"x{j}" for j in range(4)])
    score = GaussianBic(GramStatistics.from_values(rows), 1.0)
    best = -np.inf
    for bits in itertools.product([False, True], repeat=12):
        graph = np.zeros((4, 4), bool)
        graph[~np.eye(4, dtype=bool)] = bits
        if restrictions.admits(graph) and find_cycle(graph) is None:
            best = max(best, score.total(graph))
    result = fit(name, options, rows, None, known)
    assert result.score == pytest.approx(score.total(result.dag.adjacency))
    assert result.score <= best + 1e-6
    assert result.score >= best - 15.0
    exact = fit("arcs", {"ebic": 0.0, "final_ebic": 0.0}, rows, None, known)
    assert score.total(exact.dag.adjacency) == pytest.approx(best, abs=1e-6)


def test_required_edges_cost_nothing():
    """An l0 score with a required edge is the one without, at the price of no edge."""
    rows = np.random.default_rng(2).normal(size=(50, 3))
    known = Knowledge(required=[(0, 1)])
    free = learner("arcs", penalty="l0", lam=50.0, knowledge=known).fit(rows)
    bare = learner("arcs", penalty="l0", lam=50.0).fit(rows)
    assert free.n_edges == 1
    assert bare.n_edges == 0
    assert free.score <= bare.score


def test_an_informative_start_is_told_as_well():
    simulated = sample(random_weights(random_dag(8, 10, 1), 1), 100, 1)
    truth, rows = simulated.truth, simulated.data.values
    known = Knowledge(tiers=[[int(v)] for v in truth.order().nodes])
    result = learner("arcs", init="ges", search="none", knowledge=known).fit(rows)
    assert known.resolve(result.names).admits(result.dag.adjacency)


def test_knowledge_helps_arcs():
    """Tiers of the true order bring the estimate closer to the truth, over several data sets."""
    plain, told = 0, 0
    for seed in range(6):
        simulated = sample(random_weights(random_dag(15, 22, seed), seed), 80, seed)
        truth, rows = simulated.truth, simulated.data.values
        nodes = truth.order().nodes
        tiers = [nodes[k : k + 5].tolist() for k in range(0, 15, 5)]
        for known in (None, Knowledge(tiers=tiers)):
            result = learner("arcs", random_state=0, knowledge=known).fit(rows)
            distance = evaluate(result.dag.adjacency, truth.adjacency, experimental=True).SHD
            if known is None:
                plain += distance
            else:
                told += distance
    assert told < 0.75 * plain


def test_knowledge_and_interventions_together():
    simulated = sample(random_weights(random_dag(8, 10, 2), 2), 300, 2)
    truth, rows = simulated.truth, simulated.data.values
    mask = np.random.default_rng(2).random((300, 8)) < 0.1
    edge = tuple(int(v) for v in np.argwhere(truth.adjacency)[0])
    known = Knowledge(required=[edge], forbidden=[(edge[1], edge[0])])
    result = fit("arcs", {}, rows, mask, known)
    assert result.dag.adjacency[edge]
    assert len(result.targets) > 1


@pytest.mark.parametrize(
    "name", sorted(n for n, kind in LEARNERS.items() if not kind.uses_knowledge)
)
def test_methods_that_cannot_use_knowledge_refuse_it(name):
    with pytest.raises(SettingsError, match=f"{name} cannot make use of background knowledge"):
        learner(name, knowledge=Knowledge(roots=["x0"]))


def test_unknown_names_and_wrong_types_are_refused():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(KnowledgeError, match="'x9'"):
        learner("hc", knowledge=Knowledge(roots=["x9"])).fit(rows)
    with pytest.raises(SettingsError, match=r"arcs\.knowledge\.Knowledge"):
        learner("hc", knowledge={"roots": ["x0"]})


def test_estimator_and_record(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 3))
    model = ARCS(knowledge=Knowledge(required=[("x0", "x2")]), random_state=0).fit(rows)
    assert model.adjacency_[0, 2]
    path = model.result_.save(tmp_path / "result.json")
    settings_read = type(model.result_).load(path).settings
    assert settings_read["knowledge"] == {"required": [["x0", "x2"]]}


def test_a_required_edge_into_a_variable_that_was_always_set():
    rng = np.random.default_rng(0)
    mask = np.zeros((50, 3), bool)
    mask[:, 1] = True
    known = Knowledge(required=[(0, 1)])
    with pytest.warns(DataWarning):
        result = learner("arcs", knowledge=known).fit(rng.normal(size=(50, 3)), interventions=mask)
    assert result.dag.adjacency[0, 1]
    assert result.dag.coefficients[0, 1] == 0
    assert np.isnan(result.dag.standard_errors[0, 1])
    # What nobody knows has no sign and no interval, and no figure is called "nan".
    effect = str(result.effect("x0", "x1"))
    assert "interval not known" in effect
    assert "(negative)" not in result.summary()
    assert "nan" not in f"{effect}{result.summary()}{edge_table(result)}".lower()


def test_pc_finds_colliders_between_nodes_that_knowledge_keeps_apart():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    c = a + b + rng.normal(size=500)
    d = c + rng.normal(size=500)
    rows = np.column_stack([a, b, c, d])
    known = Knowledge(forbidden=[(0, 1), (1, 0)])
    result = learner("pc", knowledge=known).fit(rows)
    assert np.argwhere(result.cpdag.directed).tolist() == [[0, 2], [1, 2], [2, 3]]
    # A chain has no collider, and knowledge that keeps its ends apart makes none.
    chain = np.column_stack([a, a + b, a + b + rng.normal(size=500)])
    result = learner("pc", knowledge=Knowledge(forbidden=[(0, 2), (2, 0)])).fit(chain)
    assert not result.cpdag.directed.any()
    assert result.n_edges == 2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("search", ["anneal", "pulls"])
def test_the_score_carried_through_a_search_is_that_of_its_order(seed, search):
    rng = np.random.default_rng(seed)
    rows = sample(random_weights(random_dag(8, 12, seed), seed), 60, seed).data.values
    order = rng.permutation(8).tolist()
    known = Knowledge(
        required=[(order[0], order[4]), (order[4], order[6])],
        forbidden=[(order[1], order[2]), (order[3], order[0]), (order[7], order[5])],
    )
    model = learner(
        "arcs", penalty="l1", lam=2.0, search=search, random_state=seed, knowledge=known
    )
    result = model.fit(rows)
    restrictions = known.resolve(result.names)
    score = CholeskyScore(GramStatistics.from_values(rows), penalty("l1", 2.0), None, *restrictions)
    assert result.order.admits(restrictions.required)
    assert result.score == pytest.approx(score.total(result.order), rel=1e-6)
