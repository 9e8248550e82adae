"""Hill climbing against a plain Python version of itself, and against all DAGs of four nodes."""

import itertools

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import SettingsError
from arcs.graphs.equivalence import cpdag_of, find_cycle
from arcs.learners.hc import HC
from arcs.scores import GaussianBic


def simulated(seed, p=8, n=150, density=0.4):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.4, 0.9, (p, p)) * (rng.random((p, p)) < density), 1)
    rows = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return rows[:, rng.permutation(p)]


def neighbours(adjacency, allowed):
    """All DAGs one edge away."""
    p = len(adjacency)
    for i, j in itertools.permutations(range(p), 2):
        candidate = adjacency.copy()
        if not adjacency[i, j]:
            if adjacency[j, i] or not allowed[i, j]:
                continue
            candidate[i, j] = True
            yield candidate
            continue
        candidate[i, j] = False
        yield candidate
        if allowed[j, i]:
            candidate = candidate.copy()
            candidate[j, i] = True
            yield candidate


def plain_hill_climbing(statistics, penalty, max_parents, allowed):
    score = GaussianBic(statistics, penalty)
    p = statistics.p
    current, value = np.zeros((p, p), bool), score.total(np.zeros((p, p), bool))
    while True:
        legal = (
            graph
            for graph in neighbours(current, allowed)
            if graph.sum(0).max() <= max_parents and find_cycle(graph) is None
        )
        best = max(legal, key=score.total)
        if score.total(best) <= value + 1e-8:
            return current, value
        current, value = best, score.total(best)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("max_parents", [2, 7])
def test_equals_plain_python(seed, max_parents):
    """Experiments on every node make all scores differ, so that the way of the search is unique."""
    rows = simulated(seed)
    targets = np.random.default_rng(seed).integers(-1, 8, size=len(rows))
    statistics = Dataset.of(rows, interventions=targets).statistics()
    allowed = np.random.default_rng(seed).random((8, 8)) < (1.0 if seed % 2 else 0.7)
    model = HC(max_parents=max_parents, allowed=allowed)
    result = model.fit(rows, interventions=targets, conditions="none")
    expected, score = plain_hill_climbing(statistics, 1.0, max_parents, allowed)
    np.testing.assert_array_equal(result.dag.adjacency, expected)
    assert result.score == pytest.approx(score, abs=1e-8)
    assert result.n_edges > 5


@pytest.mark.parametrize("penalty", [0.5, 3.0])
def test_ends_at_a_local_optimum(penalty):
    rows = simulated(7)
    result = HC(penalty=penalty, max_parents=3).fit(rows)
    score = GaussianBic(Dataset.of(rows).statistics(), penalty)
    assert result.score == pytest.approx(score.total(result.dag.adjacency), abs=1e-8)
    for graph in neighbours(result.dag.adjacency, np.ones((8, 8), bool)):
        if graph.sum(0).max() <= 3 and find_cycle(graph) is None:
            assert score.total(graph) <= result.score + 1e-6


def test_first_moves_are_the_best_ones():
    """With a bound of one parent the optimum of the first moves is the best single edges."""
    rows = simulated(3, p=5)
    statistics = Dataset.of(rows).statistics()
    allowed = np.zeros((5, 5), bool)
    allowed[[0, 1, 2, 3], 4] = True
    found = HC(max_parents=1, allowed=allowed).fit(rows).dag.adjacency
    score = GaussianBic(statistics)
    best = max(range(4), key=lambda i: score.node(4, [i]))
    assert np.argwhere(found).tolist() == [[best, 4]]


def all_dags(p):
    pairs = list(itertools.combinations(range(p), 2))
    for marks in itertools.product((0, 1, 2), repeat=len(pairs)):
        graph = np.zeros((p, p), bool)
        for (i, j), mark in zip(pairs, marks, strict=True):
            graph[i, j], graph[j, i] = mark == 1, mark == 2
        if find_cycle(graph) is None:
            yield graph


@pytest.mark.parametrize("seed", range(3))
def test_restarts_and_tabu_find_the_exhaustive_optimum(seed):
    rows = simulated(seed, p=4, n=60, density=0.7)
    score = GaussianBic(Dataset.of(rows).statistics())
    best = max(score.total(graph) for graph in all_dags(4))
    for options in ({"restarts": 20, "perturbations": 4}, {"tabu": 10, "patience": 60}):
        assert HC(random_state=seed, **options).fit(rows).score == pytest.approx(best)


def test_experiments_tell_equivalent_dags_apart():
    """x0 -> x1 with x1 set at random in half of the rows: only the true direction fits."""
    rng = np.random.default_rng(5)
    cause = rng.normal(size=200)
    effect = cause + 0.5 * rng.normal(size=200)
    effect[100:] = rng.normal(size=100)
    targets = np.repeat([-1, 1], 100)
    for columns, edge in (([0, 1], [0, 1]), ([1, 0], [1, 0])):
        rows = np.column_stack([cause, effect])[:, columns]
        where = np.where(targets < 0, -1, columns.index(1))
        result = HC().fit(rows, interventions=where)
        assert np.argwhere(result.dag.adjacency).tolist() == [edge]


@pytest.mark.parametrize("options", [{}, {"tabu": 5, "patience": 10}, {"restarts": 3}])
def test_relabelling_changes_nothing_but_labels(options):
    rows = simulated(11, p=9, n=400)
    order = np.random.default_rng(0).permutation(9)
    first = HC(random_state=1, **options).fit(rows)
    second = HC(random_state=1, **options).fit(rows[:, order])
    if not options.get("restarts"):
        classes = cpdag_of(first.dag.adjacency), cpdag_of(second.dag.adjacency)
        assert (classes[0].skeleton[np.ix_(order, order)] == classes[1].skeleton).mean() > 0.9
    assert second.score == pytest.approx(first.score, rel=0.01)


def test_never_fits_a_node_exactly():
    rows = np.random.default_rng(0).normal(size=(8, 30))
    result = HC().fit(rows)
    assert result.dag.adjacency.sum(0).max() <= 6
    assert np.isfinite(result.score)


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_duplicate_columns_are_harmless():
    rows = simulated(2, p=5)
    result = HC().fit(np.column_stack([rows, rows[:, :2]]))
    assert np.isfinite(result.score)
    assert find_cycle(result.dag.adjacency) is None


def test_trace_ends_at_the_score_and_never_goes_down():
    result = HC(tabu=5, restarts=2, random_state=0).fit(simulated(1, p=20))
    assert result.trace["score"][-1] == pytest.approx(result.score)
    assert (np.diff(result.trace["score"]) >= 0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_parents": -1}, "max_parents"),
        ({"penalty": -0.5}, "penalty"),
        ({"tabu": 1.5}, "tabu"),
        ({"patience": 0}, "patience"),
        ({"restarts": -1}, "restarts"),
        ({"perturbations": 0}, "perturbations"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(SettingsError, match=message):
        HC(**settings)


def test_allowed_must_fit_the_data():
    with pytest.raises(SettingsError, match="8 x 8"):
        HC(allowed=np.ones((3, 3))).fit(simulated(0))


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_rounding_does_not_go_round_in_circles():
    """At a billion rows the noise of a score exceeds every tolerance; equivalent DAGs tie."""
    rng = np.random.default_rng(0)
    for seed in range(5):
        factor = np.random.default_rng(seed).normal(size=(8, 8))
        result = HC(restarts=3, random_state=seed).fit((factor @ factor.T, 10**9))
        assert result.converged
    nearly = rng.normal(size=(50, 1)) + 1e-5 * rng.normal(size=(50, 6))
    assert HC().fit(nearly).converged


def test_stops_at_the_time_limit_with_the_best_graph_so_far():
    rows = simulated(0, p=150, n=120, density=0.03)
    complete = HC(max_parents=3).fit(rows)
    limited = HC(max_parents=3, time_limit=1e-4).fit(rows)
    assert limited.stopped == "time limit"
    assert not limited.converged
    assert 0 < limited.n_edges < complete.n_edges
    assert limited.score < complete.score
