"""The contract that every learner of the table keeps, whoever wrote it.

The table itself is the list of what is tested: a method that is added to it is covered from then
on. Peers, which run in processes of their own, have their tests in ``test_peers.py``.
"""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from arcs.data import Dataset
from arcs.errors import DataError, DataWarning, SettingsError
from arcs.graphs.equivalence import find_cycle
from arcs.learners import LEARNERS, Learner, learner
from arcs.progress import Progress
from arcs.results import FitResult

NATIVE = sorted(name for name in LEARNERS if not name.startswith("peer-"))
NAMES = ["flow", "heat, in K", "<b>gain</b>", "x", "y", "z"]

every_learner = pytest.mark.parametrize("name", NATIVE)


def test_learners_are_registered_under_their_names():
    assert all(LEARNERS[name].name == name for name in LEARNERS)


def rows(n=120, p=6, seed=0):
    """A linear model with about 1.5 edges per node, columns shuffled."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.4, 0.9, (p, p)) * (rng.random((p, p)) < 3 / p), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return values[:, rng.permutation(p)]


def same_graph(first, second):
    np.testing.assert_array_equal(first.dag.adjacency, second.dag.adjacency)
    np.testing.assert_array_equal(first.cpdag.directed, second.cpdag.directed)
    np.testing.assert_array_equal(first.cpdag.undirected, second.cpdag.undirected)


def assert_valid(result, p):
    """An acyclic graph, in the class that the result claims, with finite figures."""
    adjacency = result.dag.adjacency
    assert adjacency.shape == (p, p)
    assert find_cycle(adjacency) is None
    np.testing.assert_array_equal(adjacency | adjacency.T, result.cpdag.skeleton)
    assert not (adjacency & result.cpdag.directed.T).any()
    assert find_cycle(result.cpdag.consistent_dag()) is None
    position = np.argsort(result.order.nodes)
    tails, heads = np.nonzero(adjacency)
    assert (position[tails] < position[heads]).all()
    assert np.isfinite([result.score, result.bic, result.log_likelihood]).all()
    assert (result.dag.noise_variances > 0).all()


@every_learner
def test_is_a_frozen_dataclass_under_its_own_name(name):
    kind = LEARNERS[name]
    assert kind.name == name
    assert issubclass(kind, Learner)
    with pytest.raises(dataclasses.FrozenInstanceError):
        learner(name).time_limit = 3.0


@every_learner
def test_finds_a_valid_graph_and_keeps_names(name):
    frame = pd.DataFrame(rows(), columns=NAMES)
    result = learner(name, random_state=0).fit(frame)
    assert isinstance(result, FitResult)
    assert result.method == name
    assert result.names == tuple(NAMES) == result.cpdag.names == result.order.names
    assert result.n_rows == 120
    assert result.seed == 0
    assert result.stopped == "finished"
    assert 0 < result.n_edges < 15
    assert result.timings["total"] > 0
    assert_valid(result, 6)


@every_learner
def test_same_seed_same_answer(name):
    data = rows(seed=1)
    first, second = (learner(name, random_state=7).fit(data) for _ in range(2))
    same_graph(first, second)
    assert first.score == second.score
    np.testing.assert_array_equal(first.order.nodes, second.order.nodes)


@every_learner
def test_leaves_the_data_alone(name):
    data = rows(seed=2)
    before = data.copy()
    dataset = Dataset.of(data)
    gram = dataset.statistics().kernel.grams.copy()
    learner(name, random_state=0).fit(dataset)
    np.testing.assert_array_equal(data, before)
    np.testing.assert_array_equal(dataset.statistics().kernel.grams, gram)


@every_learner
def test_a_covariance_is_as_good_as_rows(name):
    data = rows(seed=3)
    method = learner(name, random_state=0)
    same_graph(method.fit(data), method.fit((np.cov(data.T, ddof=0), len(data))))


@every_learner
def test_names_do_not_matter(name):
    data = rows(seed=4)
    method = learner(name, random_state=0)
    hostile = ["z", "=1+1", "10", "9", "\U0001f9ec", "a,b"]  # in another order if sorted
    same_graph(method.fit(data), method.fit(pd.DataFrame(data, columns=hostile)))


@every_learner
def test_location_does_not_matter(name):
    data = rows(seed=4)
    method = learner(name, random_state=0)
    same_graph(method.fit(data), method.fit(data + np.arange(6) * 100.0))


@every_learner
def test_experiments_are_used_or_said_to_be_ignored(name):
    data = rows(n=180, seed=5)
    targets = np.repeat([-1, 0, 3], 60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = learner(name, random_state=0).fit(data, interventions=targets)
    ignored = [w for w in caught if issubclass(w.category, DataWarning)]
    assert len(ignored) == (0 if LEARNERS[name].uses_interventions else 1)
    assert len(result.targets) == (3 if LEARNERS[name].uses_interventions else 1)
    assert_valid(result, 6)


@every_learner
def test_a_mask_of_observations_changes_nothing(name):
    data = rows(seed=6)
    method = learner(name, random_state=0)
    same_graph(method.fit(data), method.fit(data, interventions=np.full(len(data), -1)))


@every_learner
def test_fewer_rows_than_columns(name):
    assert_valid(learner(name, random_state=0).fit(rows(n=8, p=12)), 12)


@every_learner
def test_one_and_two_columns(name):
    single = learner(name, random_state=0).fit(rows()[:, :1])
    assert single.n_edges == 0
    x = np.random.default_rng(0).normal(size=(100, 2))
    assert_valid(learner(name, random_state=0).fit(x), 2)


@every_learner
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda x: x.__setitem__((5, 2), np.nan), "gain"),
        (lambda x: x.__setitem__((5, 2), np.inf), "gain"),
        (lambda x: x.__setitem__((slice(None), 1), 4.0), "heat"),
    ],
)
def test_bad_values_are_refused_by_name(name, spoil, message):
    data = rows()
    spoil(data)
    with pytest.raises(DataError, match=message):
        learner(name).fit(pd.DataFrame(data, columns=NAMES))


@every_learner
def test_bad_shapes_are_refused(name):
    with pytest.raises(DataError, match="at least 3 rows"):
        learner(name).fit(rows()[:1])
    with pytest.raises(DataError, match=r"(?i)1-?d"):
        learner(name).fit(np.arange(5.0))


@every_learner
def test_bad_settings_are_refused(name):
    with pytest.raises(SettingsError, match="time_limit"):
        learner(name, time_limit=0)
    with pytest.raises(SettingsError, match="no_such_setting"):
        learner(name, no_such_setting=1)
    with pytest.raises(SettingsError, match="random_state"):
        learner(name, random_state=1.5)


@every_learner
def test_a_time_limit_is_respected(name):
    """Time is up from the beginning: what there is by then is a result, and says so."""
    result = learner(name, random_state=0, time_limit=1e-9).fit(rows(n=300, p=40, seed=8))
    assert result.stopped == "time limit"
    assert_valid(result, 40)


@every_learner
def test_reports_progress(name):
    events = []
    learner(name, random_state=0).fit(rows(), listener=events.append)
    assert events
    assert all(isinstance(event, Progress) and event.stage for event in events)
    assert (np.diff([event.elapsed for event in events]) >= 0).all()


@every_learner
def test_the_result_survives_a_file(name, tmp_path):
    result = learner(name, random_state=0).fit(pd.DataFrame(rows(), columns=NAMES))
    for file in ("fit.json", "fit.npz"):
        loaded = FitResult.load(result.save(tmp_path / file))
        same_graph(result, loaded)
        assert loaded.settings == dict(result.settings)
        assert loaded.score == result.score


def regression_p_value(values, head, parents):
    """Two-sided p-value of the first parent's coefficient, by least squares on the rows."""
    design = np.column_stack([values[:, parents], np.ones(len(values))])
    beta, *_ = np.linalg.lstsq(design, values[:, head], rcond=None)
    residual = values[:, head] - design @ beta
    degrees = len(values) - design.shape[1]
    spread = residual @ residual / degrees * np.linalg.inv(design.T @ design)
    return 2 * t.sf(abs(beta[0]) / np.sqrt(spread[0, 0]), degrees)


@every_learner
def test_every_edge_comes_with_its_p_value(name, tmp_path):
    values, mask = rows(), np.zeros((120, 6))
    mask[:30, 2], mask[30:50, 4] = 1, 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        result = learner(name, random_state=0).fit(values, interventions=mask)
    found, adjacency = result.edge_table(), result.dag.adjacency
    assert adjacency.any()
    restored = FitResult.load(result.save(tmp_path / "result.json")).edge_table()
    assert restored["p_value"] == found["p_value"]
    for row in found.rows():
        k, j = result.names.index(row["from"]), result.names.index(row["to"])
        counts = mask[:, j] == 0 if LEARNERS[name].uses_interventions else slice(None)
        parents = [k, *(i for i in np.flatnonzero(adjacency[:, j]).tolist() if i != k)]
        expected = regression_p_value(values[counts], j, parents)
        assert row["p_value"] == pytest.approx(expected, rel=1e-6, abs=1e-300)
