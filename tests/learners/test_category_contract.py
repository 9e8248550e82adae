"""What every learner does with categories: it takes them and keeps the contract, or says no."""

import warnings

import numpy as np
import pytest

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.discrete_results import DiscreteResult, MixedResult
from arcs.errors import DataError, DataWarning
from arcs.graphs.equivalence import find_cycle
from arcs.knowledge import Knowledge
from arcs.learners import LEARNERS, learner
from arcs.progress import Progress
from arcs.results import FitResult

NATIVE = sorted(name for name in LEARNERS if not name.startswith("peer-"))
TAKERS = [name for name in NATIVE if LEARNERS[name].tables]
NAMES = ["sex", "smokes, daily", "<b>ill</b>", "x-ray", "cough"]

every_taker = pytest.mark.parametrize("name", TAKERS)


def rows(n=500, seed=0, ill=None):
    """A chain with a collider; `ill` is what an experimenter would set it to."""
    rng = np.random.default_rng(seed)

    def copied(x, levels, share):
        return np.where(rng.random(n) < share, x % levels, rng.integers(0, levels, n))

    sex = rng.integers(0, 2, n)
    smokes = copied(sex, 3, 0.5)
    disease = copied(smokes, 2, 0.6) if ill is None else np.full(n, ill)
    cough = copied(disease + 2 * sex, 4, 0.7)
    return np.column_stack([sex, smokes, disease, copied(disease, 2, 0.8), cough])


def table(codes=None, **reading):
    return Dataset.of(rows() if codes is None else codes, names=NAMES, discrete="all", **reading)


def same_graph(first, second):
    np.testing.assert_array_equal(first.dag.adjacency, second.dag.adjacency)
    np.testing.assert_array_equal(first.cpdag.directed, second.cpdag.directed)
    np.testing.assert_array_equal(first.cpdag.undirected, second.cpdag.undirected)


def assert_valid(result, p=5):
    """An acyclic graph in the class that the result claims, with tables and finite figures."""
    adjacency = result.dag.adjacency
    assert adjacency.shape == (p, p)
    assert find_cycle(adjacency) is None
    np.testing.assert_array_equal(adjacency | adjacency.T, result.cpdag.skeleton)
    assert not (adjacency & result.cpdag.directed.T).any()
    assert np.isfinite([result.score, result.bic, result.log_likelihood]).all()
    assert set(result.edge_values) >= {"strength"}
    assert (result.edge_values["strength"][~adjacency] == 0).all()


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - set(TAKERS)))
def test_others_refuse_and_say_who_does(name):
    with pytest.raises(DataError, match=f"the method '{name}' works on columns of numbers"):
        learner(name).fit(table())


def test_those_who_take_categories():
    assert TAKERS == ["arcs", "ges", "gies", "hc", "mmhc", "pc"]


@every_taker
def test_finds_a_valid_graph_and_keeps_names(name):
    result = learner(name, random_state=0).fit(table())
    assert isinstance(result, DiscreteResult)
    assert result.method == name
    assert result.names == tuple(NAMES) == result.cpdag.names == result.order.names
    assert result.stopped == "finished"
    assert_valid(result)
    skeleton = {tuple(sorted(edge)) for edge in np.argwhere(result.cpdag.skeleton).tolist()}
    assert skeleton == {(0, 1), (1, 2), (2, 3), (2, 4), (0, 4)}


@every_taker
def test_same_seed_same_answer_and_levels_do_not_matter(name):
    method = learner(name, random_state=7)
    first, second = method.fit(table()), method.fit(table())
    same_graph(first, second)
    assert first.score == second.score
    turned = method.fit(table(rows().max(axis=0) - rows()))
    same_graph(first, turned)
    assert first.score == pytest.approx(turned.score, abs=1e-9)


@every_taker
def test_columns_may_come_in_any_order(name):
    order = np.array([3, 0, 4, 2, 1])
    found = learner(name, random_state=0).fit(table())
    moved = learner(name, random_state=0).fit(
        Dataset.of(rows()[:, order], names=[NAMES[j] for j in order], discrete="all")
    )
    at = np.ix_(order, order)
    np.testing.assert_array_equal(moved.cpdag.directed, found.cpdag.directed[at])
    np.testing.assert_array_equal(moved.cpdag.undirected, found.cpdag.undirected[at])


@every_taker
def test_experiments_are_used_or_said_to_be_ignored(name):
    codes = np.vstack([rows(300), rows(150, 1, ill=0), rows(150, 2, ill=1)])
    labels = ["control"] * 300 + ["<b>ill</b>"] * 300
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = learner(name, random_state=0).fit(table(codes, interventions=labels))
    ignored = [w for w in caught if issubclass(w.category, DataWarning)]
    used = LEARNERS[name].uses_interventions
    assert len(ignored) == (0 if used else 1)
    assert result.n_per_node == ((600, 600, 300, 600, 600) if used else (600,) * 5)
    assert_valid(result)
    if used:
        assert result.dag.counts[2].sum() == 300
    if name in ("arcs", "gies", "hc"):
        assert result.cpdag.directed[1, 2]
        assert result.cpdag.directed[2, 3]


@every_taker
def test_knowledge_is_obeyed(name):
    known = Knowledge(forbidden=[(NAMES[2], NAMES[3])], required=[(NAMES[4], NAMES[0])])
    result = learner(name, random_state=0, knowledge=known).fit(table())
    assert result.dag.adjacency[4, 0]
    assert not result.dag.adjacency[2, 3]
    assert result.cpdag.directed[4, 0]
    assert_valid(result)


@every_taker
def test_a_time_limit_is_respected_and_progress_reported(name):
    stopped = learner(name, random_state=0, time_limit=1e-9).fit(table())
    assert stopped.stopped == "time limit"
    assert_valid(stopped)
    events = []
    learner(name, random_state=0).fit(table(), listener=events.append)
    assert events
    assert all(isinstance(event, Progress) and event.stage for event in events)


@every_taker
def test_the_result_survives_a_file_and_answers_questions(name, tmp_path):
    result = learner(name, random_state=0).fit(table())
    for file in ("fit.json", "fit.npz"):
        loaded = FitResult.load(result.save(tmp_path / file))
        same_graph(result, loaded)
        assert loaded.settings == dict(result.settings)
        assert loaded.score == result.score
    assert sum(loaded.probability("cough", given={"x-ray": "1"}).values()) == pytest.approx(1.0)
    assert "strength" in result.summary()
    assert "Probabilities" in result.report(tmp_path / "report.html").read_text()


@every_taker
def test_resamples(name):
    again = bootstrap(table(), learner(name), 4, random_state=0)
    assert again.n_resamples == 4
    assert isinstance(again.averaged_result(table()), DiscreteResult)


@every_taker
def test_columns_that_do_not_vary_are_isolated(name):
    codes = np.column_stack([rows()[:, :4], np.ones(500, int)])
    result = learner(name, random_state=0).fit(table(codes, constant="isolate"))
    assert not result.cpdag.skeleton[4].any()


@every_taker
def test_one_column_and_few_rows(name):
    single = learner(name).fit(rows()[:, :1], discrete="all")
    assert single.n_edges == 0
    assert_valid(learner(name, random_state=0).fit(table(rows(8), constant="isolate")))


@every_taker
def test_numbers_beside_categories_are_taken_or_refused(name):
    codes = rows().astype(float)
    rng = np.random.default_rng(1)
    codes[:, 3] = codes[:, 2] + 0.5 * rng.normal(size=500)
    data = Dataset.of(codes, names=NAMES, discrete=[n for n in NAMES if n != "x-ray"])
    if "mixed" in LEARNERS[name].tables:
        result = learner(name, random_state=0).fit(data)
        assert isinstance(result, MixedResult)
        assert_valid(result)
        assert result.cpdag.skeleton[2, 3]
    else:
        with pytest.raises(DataError, match="columns of numbers: 'x-ray'"):
            learner(name).fit(data)


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
@pytest.mark.parametrize("method", ["ges", "gies", "hc"])
@pytest.mark.parametrize("edge", [("x0", "x1"), ("x1", "x0")])
def test_a_required_edge_of_a_category_that_does_not_vary_stays(method, edge):
    codes = np.random.default_rng(0).integers(0, 3, (150, 4)).astype(str)
    codes[:, 0] = "x"
    required = Knowledge(required=[edge])
    found = learner(method, knowledge=required).fit(codes, discrete="all", constant="isolate")
    assert found.dag.adjacency[int(edge[0][1]), int(edge[1][1])]
