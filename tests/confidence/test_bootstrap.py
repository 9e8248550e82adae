"""The bootstrap: counts against a loop by hand, any number of workers, interruptions, averages."""

import warnings

import numpy as np
import pytest

from arcs.confidence import Bootstrap, bootstrap, l1_threshold
from arcs.confidence.replicates import drawn_rows
from arcs.data import Dataset
from arcs.errors import ArcsError, DataError, DataWarning, FileFormatError, SettingsError
from arcs.graphs.equivalence import find_cycle
from arcs.knowledge import Knowledge
from arcs.learners import learner
from arcs.learners.hc import HC
from arcs.results import FitResult


def same(first, second):
    for name in ("dag", "directed", "undirected"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.n_resamples == second.n_resamples


# ---------------------------------------------------------------------- drawing
def test_resamples_keep_the_size_of_every_regime(experimental):
    design = experimental.interventions
    sizes = np.bincount(design.regime)
    assert len(sizes) == 3
    for seed in range(5):
        rows = drawn_rows(experimental, "resample", np.random.default_rng(seed))
        np.testing.assert_array_equal(np.bincount(design.regime[rows]), sizes)
        assert len(np.unique(rows)) < experimental.n
        half = drawn_rows(experimental, "half", np.random.default_rng(seed))
        assert len(np.unique(half)) == len(half)
        np.testing.assert_array_equal(np.bincount(design.regime[half]), (sizes + 1) // 2)
    assert drawn_rows(experimental, "all", np.random.default_rng(0)) is None


def test_counts_are_those_of_a_loop_by_hand(experimental):
    found = bootstrap(experimental, "hc", 8, random_state=3)
    dag, lines = np.zeros((6, 6)), np.zeros((6, 6))
    # How conditions are treated is decided once.
    decided = experimental.decided(learner("hc").fit(experimental).preparation)
    for stream in np.random.SeedSequence(3).spawn(8):
        rows = drawn_rows(experimental, "resample", np.random.default_rng(stream))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            result = learner("hc").fit(decided.counted_times(np.bincount(rows, minlength=120)))
        dag += result.dag.adjacency
        lines += result.cpdag.undirected
    np.testing.assert_allclose(found.dag, dag / 8)
    np.testing.assert_allclose(found.undirected, lines / 8)
    np.testing.assert_allclose(found.confidence, (dag + dag.T) / 8)


def test_class_directions_count_lines_one_half():
    zero = np.zeros((2, 2))
    lines = np.array([[0, 0.5], [0.5, 0]])
    arrows = np.array([[0, 0.25], [0, 0]])
    dag = np.array([[0, 0.75], [0, 0]])
    found = Bootstrap(("a", "b"), 4, dag, arrows, lines)
    assert found.confidence[0, 1] == found.confidence[1, 0] == 0.75
    assert found.direction()[0, 1] == pytest.approx((0.25 + 0.25) / 0.75)
    assert found.direction()[1, 0] == pytest.approx(0.25 / 0.75)
    assert found.direction("dag")[0, 1] == 1
    assert np.isnan(Bootstrap(("a", "b"), 4, zero, zero, zero).direction()).all()
    with pytest.raises(SettingsError, match="by must be"):
        found.direction("skeleton")


# ---------------------------------------------------------------------- reproducibility
def test_same_answer_for_any_number_of_processes(experimental):
    alone = bootstrap(experimental, learner("arcs", patience=1), 6, random_state=1)
    same(alone, bootstrap(experimental, learner("arcs", patience=1), 6, random_state=1, n_jobs=2))


def test_the_seed_matters_and_earlier_resamples_do_not_change(simulated, tmp_path):
    first = bootstrap(simulated.data, "hc", 10, random_state=1)
    same(first, bootstrap(simulated.data, "hc", 10, random_state=1))
    other = bootstrap(simulated.data, "hc", 10, random_state=2)
    assert not np.array_equal(first.dag, other.dag)
    path = tmp_path / "resamples.npz"
    few = bootstrap(simulated.data, "hc", 4, random_state=1, checkpoint=path)
    assert few.n_resamples == 4
    same(first, bootstrap(simulated.data, "hc", 10, random_state=1, checkpoint=path, resume=True))


class Interrupted(Exception):
    """Stands for whatever may end a run."""


def test_resumes_after_an_interruption_without_doing_anything_twice(simulated, tmp_path):
    whole = bootstrap(simulated.data, "hc", 9, random_state=5)
    path = tmp_path / "resamples.npz"
    seen = []

    def stop_at_four(event):
        seen.append(event.iteration)
        if event.iteration == 4:
            raise Interrupted

    settings = {"random_state": 5, "checkpoint": path}
    with pytest.raises(Interrupted):
        bootstrap(simulated.data, "hc", 9, listener=stop_at_four, **settings)
    seen.clear()
    resumed = bootstrap(simulated.data, "hc", 9, resume=True, listener=stop_at_four, **settings)
    same(whole, resumed)
    assert seen == [5, 6, 7, 8, 9]


def test_checkpoints_of_something_else_are_refused(simulated, experimental, tmp_path):
    path = tmp_path / "resamples.npz"
    bootstrap(simulated.data, "hc", 2, checkpoint=path)
    for data, method, seed in (
        (experimental, "hc", 0),
        (simulated.data, HC(penalty=2.0), 0),
        (simulated.data, "hc", 1),
    ):
        with pytest.raises(SettingsError, match="other data or settings"):
            bootstrap(data, method, 2, random_state=seed, checkpoint=path, resume=True)
    path.write_bytes(b"nonsense")
    with pytest.raises(FileFormatError, match="not an ARCS checkpoint"):
        bootstrap(simulated.data, "hc", 2, checkpoint=path, resume=True)
    with pytest.raises(SettingsError, match="resume needs a checkpoint"):
        bootstrap(simulated.data, "hc", 2, resume=True)


def test_dask_gives_the_same_answer(experimental):
    distributed = pytest.importorskip("distributed")
    alone = bootstrap(experimental, "hc", 5)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.Client(processes=False, set_as_default=False, **options) as client:
            same(alone, bootstrap(experimental, "hc", 5, backend=client))


# ---------------------------------------------------------------------- trouble
def test_unusable_resamples_are_counted(monkeypatch, simulated):
    original = HC.learn

    def sometimes(self, statistics, watch):
        if self.random_state % 2:
            raise DataError("odd")
        return original(self, statistics, watch)

    monkeypatch.setattr(HC, "learn", sometimes)
    with pytest.warns(DataWarning, match="of 12 resamples could not be used: odd"):
        found = bootstrap(simulated.data, "hc", 12)
    assert 0 < found.n_failed < 12
    assert found.n_resamples + found.n_failed == 12
    assert found.confidence.max() <= 1


def test_nothing_usable_is_an_error(monkeypatch, simulated):
    def never(self, statistics, watch):
        raise DataError("hopeless")

    monkeypatch.setattr(HC, "learn", never)
    with pytest.raises(DataError, match="none of the 3 resamples could be used: hopeless"):
        bootstrap(simulated.data, "hc", 3)


def test_bad_arguments(simulated):
    with pytest.raises(SettingsError, match="n_resamples"):
        bootstrap(simulated.data, "hc", 0)
    with pytest.raises(SettingsError, match="n_jobs"):
        bootstrap(simulated.data, "hc", 2, n_jobs=0)
    with pytest.raises(SettingsError, match="backend"):
        bootstrap(simulated.data, "hc", 2, backend="cloud")
    with pytest.raises(SettingsError, match="random_state"):
        bootstrap(simulated.data, "hc", 2, random_state=-1)
    with pytest.raises(SettingsError, match="learner must be"):
        bootstrap(simulated.data, 3, 2)
    with pytest.raises(DataError, match="rows are needed"):
        bootstrap((np.eye(3), 50), "hc", 2)
    assert issubclass(SettingsError, ArcsError)


def test_a_column_that_a_resample_makes_constant_is_no_error():
    rows = np.random.default_rng(0).normal(size=(12, 3))
    rows[:, 2] = 0.0
    rows[0, 2] = 1.0  # in a third of the resamples this row is missing
    found = bootstrap(rows, "hc", 12, random_state=0)
    assert found.n_resamples == 12


# ---------------------------------------------------------------------- averages
def test_threshold_minimises_the_l1_distance():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.integers(0, 21, size=rng.integers(2, 30)) / 20
        grid = (np.arange(4000) + 0.5) / 4000
        distribution = (values[None, :] <= grid[:, None]).mean(axis=1)
        levels = np.unique(np.append(distribution, 0.0))
        distances = np.abs(distribution[:, None] - levels[None, :]).mean(axis=0)
        best = levels[np.isclose(distances, distances.min(), atol=1e-9)]
        threshold = l1_threshold(values)
        chosen = (values <= threshold).mean() if (values <= 0.5).any() else 0.0
        assert np.isclose(best, chosen).any()
        np.testing.assert_array_equal(values > threshold, values > 0.5)


def test_threshold_of_the_papers_example():
    assert l1_threshold([0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439]) == 0.3921
    assert l1_threshold([0.9, 1.0]) == 0.0


def frequencies(dag, n=10):
    dag = np.asarray(dag, float)
    return Bootstrap(tuple("abc"), n, dag, dag, np.zeros_like(dag))


def test_averaged_network_turns_the_least_certain_arrow_of_a_cycle():
    found = frequencies([[0, 0.9, 0.1], [0, 0, 0.8], [0.6, 0, 0]])
    expected = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool)
    np.testing.assert_array_equal(found.averaged(), expected)
    # Never seen the other way round: it is left out.
    found = frequencies([[0, 0.9, 0], [0, 0, 0.8], [0.6, 0, 0]])
    np.testing.assert_array_equal(found.averaged(), expected & [[0, 1, 0], [0, 0, 1], [0, 0, 0]])


def test_averaged_network_obeys_a_given_threshold():
    found = frequencies([[0, 0.9, 0.55], [0, 0, 0.4], [0, 0, 0]])
    assert found.averaged().sum() == 2
    assert found.averaged(0.3).sum() == 3
    assert found.averaged(0.9).sum() == 0


@pytest.mark.parametrize("seed", range(3))
def test_averaged_network_is_acyclic_and_obeys_knowledge(simulated, seed):
    names = simulated.data.names
    known = Knowledge(required=[(names[5], names[2])], tiers=[names[3:], names[:3]])
    found = bootstrap(simulated.data, HC(knowledge=known), 6, random_state=seed)
    adjacency = found.averaged()
    assert find_cycle(adjacency) is None
    assert known.resolve(names).admits(adjacency)


def test_strong_edges_of_the_truth_are_confident(simulated):
    found = bootstrap(simulated.data, "arcs", 20, random_state=0)
    joined = simulated.truth.adjacency | simulated.truth.adjacency.T
    pairs = np.triu_indices(6, 1)
    assert found.confidence[pairs][joined[pairs]].mean() > 0.8
    assert found.confidence[pairs][~joined[pairs]].mean() < 0.3


def test_attach_and_files(simulated, tmp_path):
    result = learner("hc").fit(simulated.data)
    found = bootstrap(simulated.data, "hc", 6)
    told = found.attach(result)
    read = FitResult.load(told.save(tmp_path / "result.json"))
    np.testing.assert_allclose(read.edge_values["confidence"], found.confidence)
    assert set(read.edge_values) >= {"confidence", "direction_confidence"}
    assert "confidence" not in result.edge_values
    renamed = Dataset.from_array(simulated.data.values, [f"z{i}" for i in range(6)])
    with pytest.raises(DataError, match="other variables"):
        found.attach(learner("hc").fit(renamed))


def test_averaged_result_has_coefficients(simulated):
    found = bootstrap(simulated.data, "hc", 10)
    result = found.averaged_result(simulated.data)
    np.testing.assert_array_equal(result.dag.adjacency, found.averaged())
    assert result.method == "bootstrap average of hc"
    assert result.edge_values["confidence"].max() <= 1


def test_table_is_sorted_and_written_in_the_frequent_direction(simulated):
    found = bootstrap(simulated.data, "hc", 10)
    rows = found.table(0.2)
    confidences = [row["confidence"] for row in rows]
    assert confidences == sorted(confidences, reverse=True)
    assert min(confidences) > 0.2
    assert all(row["direction"] >= 0.5 for row in rows)
    assert len(rows) == np.triu(found.confidence > 0.2, 1).sum()


# ---------------------------------------------------------------------- ways to draw
def test_halves_where_rows_are_few(linear_rows):
    few = bootstrap(linear_rows(20, 12, 0), "hc", 3)
    many = bootstrap(linear_rows(60, 12, 0), "hc", 3)
    assert (few.settings["draw"], many.settings["draw"]) == ("half", "resample")
    same(few, bootstrap(linear_rows(20, 12, 0), "hc", 3, draw="half"))
    with pytest.raises(SettingsError, match="draw must be"):
        bootstrap(linear_rows(20, 12, 0), "hc", 3, draw="third")


def test_clusters_come_as_a_whole(experimental):
    regime = experimental.interventions.regime
    inside = regime * 100 + np.arange(experimental.n) // 5  # none lies in two regimes
    across = np.arange(experimental.n) % 7
    for labels in (inside, across):
        clusters = np.unique(labels, return_inverse=True)[1]
        sizes = np.bincount(clusters)
        for seed, draw in ((0, "resample"), (1, "half")):
            rows = drawn_rows(experimental, draw, np.random.default_rng(seed), clusters)
            counts = np.bincount(rows, minlength=experimental.n)
            for k, size in enumerate(sizes):
                times = counts[clusters == k]
                assert (times == times[0]).all()
                assert len(times) == size
            assert counts.max() == 1 if draw == "half" else counts.max() > 1
    rows = drawn_rows(
        experimental,
        "resample",
        np.random.default_rng(0),
        np.unique(inside, return_inverse=True)[1],
    )
    assert set(regime[rows]) == set(regime)
    one = bootstrap(experimental, "hc", 4, clusters=[f"plate {k}" for k in inside])
    assert one.n_resamples == 4
    assert not np.array_equal(one.dag, bootstrap(experimental, "hc", 4).dag)
    with pytest.raises(DataError, match="one label for each of the 120 rows"):
        bootstrap(experimental, "hc", 4, clusters=["a"])


def test_replicates_keep_their_coefficients(simulated, tmp_path):
    path = tmp_path / "resamples.npz"
    found = bootstrap(simulated.data, "hc", 4, random_state=1, checkpoint=path)
    again = bootstrap(simulated.data, "hc", 4, random_state=1, checkpoint=path, resume=True)
    np.testing.assert_array_equal(found.ensemble.coefficient, again.ensemble.coefficient)
    for b, stream in enumerate(np.random.SeedSequence(1).spawn(4)):
        rows = drawn_rows(simulated.data, "resample", np.random.default_rng(stream))
        expected = learner("hc").fit(simulated.data.take(rows)).dag
        np.testing.assert_allclose(found.ensemble.coefficients(b), expected.coefficients)
