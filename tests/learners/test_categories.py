"""ARCS on tables of categories, from the frame to the result."""

import numpy as np
import pytest

from arcs import ARCS
from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.discrete_results import DiscreteResult
from arcs.errors import DataError, SettingsError
from arcs.knowledge import Knowledge
from arcs.learners import learner
from arcs.results import FitResult

NAMES = ["smoke", "lung", "bronc", "xray", "dysp"]


def draw(n=800, seed=0, lung=None):
    """A small clinic; `lung` is what an experimenter would set it to."""
    rng = np.random.default_rng(seed)

    def flipped(x, p):
        return x ^ (rng.random(n) < p)

    smoke = rng.random(n) < 0.4
    ill = flipped(smoke, 0.1) if lung is None else np.full(n, lung)
    bronc = flipped(smoke, 0.25)
    return np.column_stack([smoke, ill, bronc, flipped(ill, 0.05), flipped(ill | bronc, 0.1)])


@pytest.fixture(scope="module")
def data():
    return Dataset.of(draw(), names=NAMES, discrete="auto")


@pytest.fixture(scope="module")
def result(data):
    return learner("arcs", random_state=0).fit(data)


def test_the_network_is_found_and_reads_well(result):
    assert isinstance(result, DiscreteResult)
    skeleton = {frozenset(edge) for edge in result.dag.named_edges()}
    expected = ["smoke lung", "smoke bronc", "lung xray", "lung dysp", "bronc dysp"]
    assert skeleton == {frozenset(pair.split()) for pair in expected}
    table = result.edge_table()
    assert table.columns == ("from", "to", "strength", "direction", "confidence")
    assert table["strength"] == sorted(table["strength"], reverse=True)
    assert ((result.strengths() > 0) == result.dag.adjacency).all()
    assert "strength (log odds)" in result.summary()
    assert "positive" not in result.summary()
    assert repr(result).startswith("DiscreteResult(arcs: 5 nodes, 5 edges")


def test_figures_are_those_of_the_rows(result, data):
    codes = data.codes()
    for j, counts in enumerate(result.dag.counts):
        at = tuple(codes[:, k] for k in (*np.flatnonzero(result.dag.adjacency[:, j]), j))
        assert counts.sum() == data.n
        assert counts[tuple(axis[0] for axis in at)] == (
            np.all([axis == axis[0] for axis in at], axis=0).sum()
        )
    smooth = result.dag.log_likelihood(codes).sum()
    assert result.log_likelihood > smooth > result.log_likelihood - 5
    price = result.dag.n_parameters * np.log(data.n)
    assert result.bic == pytest.approx(2 * result.log_likelihood - price)


def test_questions_are_answered_with_probabilities(result):
    under = result.probability("dysp", do={"smoke": True})
    assert sum(under.values()) == pytest.approx(1.0)
    table = result.prediction_table(do={"smoke": True}, given={"xray": "False"})
    assert table["role"][0] == "set"
    told = dict(
        zip(zip(table["variable"], table["level"], strict=True), table["probability"], strict=True)
    )
    assert told["smoke", "True"] == 1.0
    assert told["lung", "True"] < 0.5
    both = result.prediction_table(do={"smoke": ["False", "True"]}, given={"xray": "False"})
    assert both["situation"][0] == "do(smoke=False), xray=False"
    assert both["probability"][len(table) :] == table["probability"]
    assert result.effect("smoke", "dysp").columns == ("do(smoke)", "False", "True")
    rows = result.sample(30, given={"dysp": True}, random_state=0)
    assert list(rows["dysp"]) == ["True"] * 30
    with pytest.raises(DataError, match="linear effects"):
        result.effects()
    holes = {"lung": ["True", ""], "xray": ["", "False"]}
    assert result.completed(holes)[:, [1, 3]].tolist() == [[1, 1], [0, 0]]
    assert len(result.next_experiments()) > 0


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_saved_and_loaded_it_is_the_same(result, tmp_path, suffix):
    loaded = FitResult.load(result.save(tmp_path / f"result.{suffix}"))
    assert isinstance(loaded, DiscreteResult)
    assert loaded.dag == result.dag
    np.testing.assert_array_equal(loaded.dag.counts[4], result.dag.counts[4])
    np.testing.assert_array_equal(loaded.edge_values["strength"], result.edge_values["strength"])
    assert loaded.probability("dysp") == result.probability("dysp")


def test_report_pictures_and_exports(result, tmp_path):
    page = result.report(tmp_path / "report.html").read_text()
    assert "Probabilities" in page
    assert '<th class="num">p-value' not in page
    assert "Std. error" not in page
    for name in ("graph.bif", "graph.graphml", "graph.dot", "graph.csv", "m.adjacency.csv"):
        result.export(tmp_path / name)
    assert 'key="weight"' not in (tmp_path / "graph.graphml").read_text()
    pytest.importorskip("matplotlib")
    for kind in ("dag", "cpdag", "adjacency", "trace"):
        result.plot(kind)


def test_rows_in_which_a_variable_was_set_do_not_count_for_it():
    rows = np.vstack([draw(400), draw(200, 1, lung=True), draw(200, 2, lung=False)])
    labels = ["control"] * 400 + ["lung"] * 400
    found = learner("arcs", random_state=0).fit(
        Dataset.of(rows, names=NAMES, discrete="auto", interventions=labels)
    )
    assert found.n_per_node == (800, 400, 800, 800, 800)
    assert found.dag.counts[1].sum() == 400
    assert found.dag.adjacency[0, 1]
    assert found.cpdag.directed[0, 1]
    with pytest.raises(SettingsError, match="intervention_kind='soft'"):
        learner("arcs", intervention_kind="soft").fit(
            Dataset.of(rows, names=NAMES, discrete="auto", interventions=labels)
        )


@pytest.mark.parametrize("score", ["bic", "bdeu", "ebdeu", "bds"])
def test_labels_levels_threads_and_resuming_change_nothing(data, score, tmp_path):
    settings = {"random_state": 3, "discrete_score": score, "equivalent_sample_size": 5.0}
    found = learner("arcs", **settings).fit(data)
    turned = Dataset.of(np.where(draw()[:, ::-1], "a", "b"), names=NAMES[::-1], discrete="auto")
    other = learner("arcs", **settings).fit(turned)
    assert other.score == pytest.approx(found.score, abs=1e-7)
    back = other.cpdag.skeleton[::-1, ::-1]
    np.testing.assert_array_equal(back, found.cpdag.skeleton)
    threads = learner("arcs", **settings, n_jobs=2).fit(data)
    assert threads.dag == found.dag
    path = tmp_path / "search.npz"
    learner("arcs", **settings, checkpoint=path).fit(
        data, listener=lambda event: event.iteration < 9
    )
    resumed = learner("arcs", **settings, checkpoint=path, resume=True).fit(data)
    assert resumed.dag == found.dag


def test_what_is_minimised_by_itself_is_bdeu_with_a_price_per_edge(data):
    found = learner("arcs", random_state=0).fit(data)
    assert found.penalty == {"kind": "ebdeu", "gamma": 1.0, "sample_size": 2.0}
    assert found.dag == learner("arcs", random_state=0, discrete_score="ebdeu").fit(data).dag


def test_knowledge_and_limits_are_obeyed(data):
    known = Knowledge(
        tiers=[["dysp"], ["lung", "bronc"], ["smoke", "xray"]], forbidden=[("lung", "bronc")]
    )
    found = learner("arcs", random_state=0, knowledge=known, max_parents=2).fit(data)
    position = {name: k for k, tier in enumerate(known.tiers) for name in tier}
    assert all(position[a] <= position[b] for a, b in found.dag.named_edges())
    assert ("lung", "bronc") not in found.dag.named_edges()
    assert found.dag.adjacency.sum(axis=0).max() <= 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"penalty": "mcp"}, "about coefficients"),
        ({"latent": "auto"}, "hidden factors"),
        ({"init": "cd"}, "'random', an order or a graph"),
        ({"min_r2": 0.1}, "min_r2"),
    ],
)
def test_settings_without_meaning_are_refused(data, settings, message):
    with pytest.raises(SettingsError, match=message):
        learner("arcs", **settings).fit(data)


def test_data_without_meaning_are_refused():
    rows = np.hstack([draw(50), np.ones((50, 1), bool)])
    with pytest.raises(DataError, match="1 column is constant: 'x5'"):
        learner("arcs").fit(rows, discrete="auto")
    found = learner("arcs", random_state=0).fit(rows, discrete="auto", constant="isolate")
    assert not found.dag.adjacency[5].any()
    assert not found.dag.adjacency[:, 5].any()
    frame = {"a": ["x", "y"] * 10, "b": [1.0, 2.0] * 10, "batch": ["u", "v"] * 10}
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="cannot be regressed out"):
        learner("arcs").fit(pandas.DataFrame(frame), discrete="all", adjust="batch")
    with pytest.raises(DataError, match="no means that could differ"):
        learner("arcs").fit(pandas.DataFrame(frame), discrete="all", conditions="batch")


@pytest.mark.parametrize("method", ["cd", "ga", "listen"])
def test_methods_for_numbers_refuse_categories(data, method):
    with pytest.raises(DataError, match=f"the method '{method}' works on columns of numbers"):
        learner(method).fit(data)


@pytest.mark.parametrize("init", ["hc", "ges", "pc", "mmhc"])
def test_a_search_may_begin_at_what_others_find(data, result, init):
    found = learner("arcs", init=init, random_state=1).fit(data)
    assert found.score <= result.score + 1e-9
    alone = learner("arcs", init=init, search="none", random_state=1).fit(data)
    assert alone.score >= found.score - 1e-9


def test_a_bootstrap_finds_edges_again(data, result):
    again = bootstrap(data, learner("arcs"), 6, random_state=0)
    assert again.n_resamples == 6
    attached = again.attach(result)
    assert attached.edge_table()["confidence"][0] == 1.0
    average = attached.averaged()
    assert isinstance(average, DiscreteResult)
    assert isinstance(again.averaged_result(data), DiscreteResult)


def test_the_estimator_takes_frames(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(draw(300), columns=NAMES)
    model = ARCS(random_state=0).fit(frame, discrete="auto")
    assert not hasattr(model, "coef_")
    assert model.adjacency_.shape == (5, 5)
    assert model.score(frame) == pytest.approx(model.result_.log_likelihood / 300, abs=0.02)
    assert model.sample(4, 0).shape == (4, 5)


def test_numbers_cut_into_levels_are_written_down():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    rows = np.column_stack([x, x + 0.3 * rng.normal(size=300)])
    found = learner("arcs", random_state=0).fit(rows, discretize="quantiles-3")
    assert found.n_edges == 1
    assert set(found.preparation["discretize"]["cuts"]) == {"x0", "x1"}


def test_time_and_interruption_leave_the_best_so_far(data):
    stopped = learner("arcs", random_state=0, time_limit=1e-9).fit(data)
    assert stopped.stopped == "time limit"
    interrupted = learner("arcs", random_state=0).fit(data, listener=lambda _: False)
    assert interrupted.stopped == "interrupted"
    assert interrupted.dag.p == 5


@pytest.mark.parametrize("rows", ["patients.csv", [["a", "b"]], [[["a"]]]])
def test_rows_of_another_shape_are_not_imputed(result, rows):
    with pytest.raises(DataError, match="rows of 5 columns are needed"):
        result.impute(rows)


def test_tables_of_too_many_entries_are_not_tried():
    """Two parents would explain everything, in a table of 200^3 entries."""
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 2, (2, 200))
    rows = np.column_stack([one, two, one + two])
    levels = {name: range(200) for name in ("x0", "x1", "x2")}
    with pytest.warns(match="many levels"):
        found = learner("arcs", random_state=0, discrete_score="bds").fit(rows, discrete=levels)
    assert found.n_edges > 0
    assert max(table.size for table in found.dag.tables) == 200**2
