"""ARCS as a scikit-learn estimator."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from arcs import ARCS
from arcs.data import Dataset
from arcs.errors import DataError, DataWarning, SettingsError
from arcs.graphs import GaussianDag, Order, Pdag
from arcs.learners import learner
from arcs.penalties import MCP, Ebic
from arcs.scores.cholesky import CholeskyScore


# ------------------------------------------------------------------------------- scikit-learn
@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
@parametrize_with_checks(
    [ARCS(), ARCS(penalty="mcp", search="anneal", n_iter=100), ARCS(n_chains=2, n_jobs=2)]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_every_check_including_that_of_array_libraries():
    """One check runs only if SciPy was imported with its array interface switched on."""
    program = """
import warnings
from sklearn.utils.estimator_checks import check_estimator
from arcs import ARCS
warnings.simplefilter("ignore")
outcomes = [(r["check_name"], r["status"]) for r in check_estimator(ARCS(), on_fail=None)]
print(len(outcomes), [o for o in outcomes if o[1] != "passed"])
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    count, bad = run.stdout.split(" ", 1)
    assert int(count) > 30
    assert bad.strip() == "[]"


def test_parameters_are_kept_untouched():
    schedule = [1.0, 0.5]
    model = ARCS(temperature=schedule, init="nonsense", n_iter=-3)
    assert model.get_params()["temperature"] is schedule
    assert clone(model).get_params()["init"] == "nonsense"
    with pytest.raises(SettingsError):
        ARCS(n_iter=-3, search="anneal").fit(np.random.default_rng(0).normal(size=(20, 3)))


def test_in_pipelines_and_grid_searches(linear_rows):
    values = linear_rows(150, 5, 0)
    model = make_pipeline(StandardScaler(), ARCS(random_state=0))
    assert np.isfinite(cross_val_score(model, values, cv=3)).all()
    grid = GridSearchCV(ARCS(random_state=0), {"ebic": [0.5, 1.0]}, cv=2).fit(values)
    assert grid.best_params_["ebic"] in (0.5, 1.0)


# ------------------------------------------------------------------------------- attributes
@pytest.fixture(scope="module")
def fitted(experiment):
    values, mask = experiment(200, 6, 0)
    return values, mask, ARCS(random_state=0).fit(values, interventions=mask)


def test_attributes(fitted):
    *_, model = fitted
    assert model.adjacency_.shape == (6, 6)
    assert model.adjacency_.dtype == bool
    np.testing.assert_array_equal(model.coef_ != 0, model.adjacency_)
    assert model.noise_variance_.shape == model.intercept_.shape == (6,)
    assert (model.noise_variance_ > 0).all()
    position = np.argsort(model.order_)
    tails, heads = np.nonzero(model.adjacency_)
    assert (position[tails] < position[heads]).all()
    assert isinstance(model.cpdag_, Pdag)
    np.testing.assert_array_equal(model.cpdag_.skeleton, model.adjacency_ | model.adjacency_.T)
    assert model.penalty_["kind"] == "l0"
    assert model.n_features_in_ == 6
    assert not hasattr(model, "feature_names_in_")
    assert model.result_.n_edges == model.adjacency_.sum()
    assert model.n_iter_ == model.trace_["iteration"][-1]
    assert model.score_ == model.trace_["best"][-1]


def test_the_score_is_the_cholesky_score_of_the_order(fitted):
    values, mask, model = fitted
    statistics = Dataset.of(values, interventions=mask).statistics()
    assert model.score_ == pytest.approx(
        CholeskyScore(statistics, Ebic(model.ebic)).total(model.order_)
    )


def test_coefficients_are_least_squares_on_the_rows_that_count(fitted):
    values, mask, model = fitted
    for j in range(6):
        rows = values[~mask[:, j]]
        parents = np.flatnonzero(model.adjacency_[:, j])
        design = np.column_stack([np.ones(len(rows)), rows[:, parents]])
        beta, *_ = np.linalg.lstsq(design, rows[:, j], rcond=None)
        np.testing.assert_allclose(model.coef_[parents, j], beta[1:], atol=1e-9)
        assert model.intercept_[j] == pytest.approx(beta[0], abs=1e-9)


def test_it_finds_a_model_it_can_know(experiment):
    """A chain under interventions on every variable: the graph itself is identified."""
    rng = np.random.default_rng(0)
    mask = rng.random((2000, 4)) < 0.2
    values = rng.normal(size=(2000, 4))
    for child, parent in ((1, 3), (0, 1), (2, 0)):
        follow = ~mask[:, child]
        values[follow, child] += 0.8 * values[follow, parent]
    model = ARCS(random_state=0).fit(values, interventions=mask)
    assert set(zip(*np.nonzero(model.adjacency_), strict=True)) == {(3, 1), (1, 0), (0, 2)}
    np.testing.assert_allclose(model.coef_[model.adjacency_], 0.8, atol=0.06)
    assert not model.cpdag_.undirected.any()


# ------------------------------------------------------------------------------- the fitted model
def test_score_samples_is_the_density_of_a_multivariate_normal(fitted):
    values, _, model = fitted
    inverse = np.linalg.inv(np.eye(6) - model.coef_)
    covariance = inverse.T @ np.diag(model.noise_variance_) @ inverse
    mean = model.intercept_ @ inverse
    fresh = values[:17] + 0.3
    expected = multivariate_normal(mean, covariance).logpdf(fresh)
    np.testing.assert_allclose(model.score_samples(fresh), expected, rtol=1e-9)
    assert model.score(fresh) == pytest.approx(expected.mean())


def test_frames_are_matched_by_name(linear_rows):
    frame = pd.DataFrame(linear_rows(100, 4, 1), columns=list("abcd"))
    model = ARCS(random_state=0).fit(frame)
    expected = model.score_samples(frame)
    with pytest.raises(ValueError, match="eature names"):
        model.score_samples(frame[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="eature"):
        model.score_samples(frame[["a", "b", "c"]])
    with pytest.raises(ValueError, match="eature names"):
        model.score_samples(frame.rename(columns={"a": "z"}))
    np.testing.assert_allclose(model.score_samples(pl.from_pandas(frame)), expected)
    np.testing.assert_allclose(model.score_samples(frame[:1]), expected[:1])
    with pytest.raises(ValueError, match="NaN"):
        model.score_samples(frame.where(frame < 1))


def test_samples_come_from_the_model(fitted):
    _, _, model = fitted
    rows = model.sample(40_000, random_state=1)
    inverse = np.linalg.inv(np.eye(6) - model.coef_)
    covariance = inverse.T @ np.diag(model.noise_variance_) @ inverse
    np.testing.assert_allclose(np.cov(rows.T), covariance, atol=0.06 * np.abs(covariance).max())
    np.testing.assert_allclose(rows.mean(axis=0), model.intercept_ @ inverse, atol=0.05)
    np.testing.assert_array_equal(model.sample(3, random_state=2), model.sample(3, random_state=2))
    assert model.sample().shape == (1, 6)


@pytest.mark.parametrize("method", ["score_samples", "score", "sample"])
def test_nothing_works_before_fit(method):
    with pytest.raises(NotFittedError):
        getattr(ARCS(), method)(np.zeros((3, 3)) if method != "sample" else 1)


# ------------------------------------------------------------------------------- settings
def test_the_settings_of_the_paper():
    model = ARCS.paper()
    expected = {
        **{"init": "ges", "penalty": "mcp", "search": "anneal", "n_iter": 10_000},
        **{"temperature": 1.0, "interval": 4, "threshold": 0.1, "refine": 1e-5},
        **{"gamma": None, "lam": None},
    }
    assert {key: model.get_params()[key] for key in expected} == expected
    assert ARCS.paper("random").temperature == 100.0
    assert ARCS.paper("cd", experimental=True).refine == 1e-3
    assert ARCS.paper(n_iter=50, random_state=1).n_iter == 50


def test_the_paper_end_to_end(linear_rows):
    values = linear_rows(300, 8, 2, density=0.3)
    model = ARCS.paper(n_iter=2000, random_state=0).fit(values)
    assert model.penalty_["kind"] == "mcp"
    table = model.result_.tuning
    assert len(table["bic"]) == 80
    best = np.argmin(table["bic"])
    assert model.penalty_["lam"] == table["lambda"][best]
    assert model.penalty_["gamma"] == table["gamma"][best]
    assert model.n_iter_ == 2000
    np.testing.assert_allclose(model.trace_["temperature"][[0, -1]], [1.0, 0.1])
    assert (model.result_.edges()["p_value"] <= 1e-4).all()
    score = CholeskyScore(
        Dataset.of(values).statistics(), MCP(model.penalty_["lam"], model.penalty_["gamma"])
    )
    assert model.score_ <= score.total(model.order_) + 1e-6


def test_small_coefficients_are_cut(linear_rows):
    values = linear_rows(300, 6, 3)
    settings = {"penalty": "l1", "lam": 1.0, "search": "none", "init": range(6)}
    many = ARCS(**settings).fit(values)
    few = ARCS(**settings, threshold=0.3).fit(values)
    assert few.adjacency_.sum() < many.adjacency_.sum()
    assert not (few.adjacency_ & ~many.adjacency_).any()


# ------------------------------------------------------------------------------- where to start
def a_dag(p=5):
    coefficients = np.zeros((p, p))
    coefficients[[3, 1, 4], [1, 4, 0]] = 0.7
    return GaussianDag(coefficients, np.ones(p), [f"x{j}" for j in range(p)])


START = [3, 1, 4, 0, 2]
STARTS = {
    "list": START,
    "array": np.array(START),
    "order": Order(START, [f"x{j}" for j in range(5)]),
    "dag": a_dag(),
    "adjacency": a_dag().adjacency,
    "pdag": Pdag(a_dag().adjacency, np.zeros((5, 5), dtype=bool)),
}


@pytest.mark.parametrize("kind", STARTS)
def test_the_search_starts_where_it_is_told(linear_rows, kind):
    model = ARCS(init=STARTS[kind], search="none", random_state=0).fit(linear_rows(100, 5, 4))
    position = np.argsort(model.order_)
    assert position[3] < position[1] < position[4] < position[0]
    if kind in ("list", "array", "order"):
        assert model.order_.tolist() == START


@pytest.mark.parametrize("name", ["ges", "cd", "hc", "pc", "listen"])
def test_a_learner_may_provide_the_start(linear_rows, name):
    values = linear_rows(200, 6, 5)
    found = learner(name, random_state=0).fit(values)
    by_name = ARCS(init=name, search="none", random_state=0).fit(values)
    by_learner = ARCS(init=learner(name, random_state=0), search="none").fit(values)
    np.testing.assert_array_equal(by_name.order_, by_learner.order_)
    position = np.argsort(by_name.order_)
    tails, heads = np.nonzero(found.cpdag.directed)
    assert (position[tails] < position[heads]).all()


@pytest.mark.parametrize("name", ["ges", "gies"])
def test_a_good_start_is_never_made_worse(experiment, name):
    values, mask = experiment(150, 8, 6)
    settings = {"init": name, "penalty": "mcp", "lam": 2.0, "gamma": 2.0, "random_state": 0}
    with pytest.warns(DataWarning) if name == "ges" else _quiet():
        start = ARCS(**settings, search="none").fit(values, interventions=mask)
    with pytest.warns(DataWarning) if name == "ges" else _quiet():
        found = ARCS(**settings, search="anneal", n_iter=500).fit(values, interventions=mask)
    assert found.score_ <= start.score_


def _quiet():
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize(
    "init", [[0, 1], [0, 1, 2, 3, 3], np.eye(4), "geez", 7, [0.5, 1, 2, 3, 4]], ids=repr
)
def test_bad_starts_are_refused(linear_rows, init):
    with pytest.raises((DataError, SettingsError)):
        ARCS(init=init).fit(linear_rows(50, 5, 7))


# ------------------------------------------------------------------------------- names and units
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_names_are_kept(linear_rows, library):
    names = ["größe", "a b", "<i>", "1"]
    values = linear_rows(100, 4, 8)
    frame = library.DataFrame(dict(zip(names, values.T, strict=True)))
    model = ARCS(random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == names
    assert model.result_.names == tuple(names) == model.cpdag_.names
    plain = ARCS(random_state=0).fit(values)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_a_column_of_the_frame_may_say_what_was_set(experiment):
    values, mask = experiment(150, 4, 9)
    mask &= mask.cumsum(axis=1) == 1  # at most one target per row
    names = np.array(["a", "b", "c", "d"])
    labels = [names[row].item() if row.any() else "control" for row in mask]
    frame = pd.DataFrame(values, columns=names).assign(what=labels)
    by_label = ARCS(random_state=0).fit(frame, interventions="what", control="control")
    by_mask = ARCS(random_state=0).fit(frame[names.tolist()], interventions=mask)
    assert by_label.n_features_in_ == 4
    np.testing.assert_allclose(by_label.coef_, by_mask.coef_, rtol=1e-12)


@pytest.mark.parametrize("penalty", ["l0", "mcp"])
def test_results_are_in_the_units_of_the_data(linear_rows, penalty):
    values = linear_rows(200, 5, 10)
    units, shift = 10.0 ** np.arange(-2, 3), np.array([5.0, -3, 0, 100, 1])
    settings = {"penalty": penalty, "random_state": 0}
    one, other = ARCS(**settings).fit(values), ARCS(**settings).fit(values * units + shift)
    np.testing.assert_array_equal(one.adjacency_, other.adjacency_)
    np.testing.assert_allclose(other.coef_, one.coef_ * units / units[:, None], rtol=1e-6)
    np.testing.assert_allclose(other.noise_variance_, one.noise_variance_ * units**2, rtol=1e-6)
    densities = one.score_samples(values) - np.log(units).sum()
    np.testing.assert_allclose(other.score_samples(values * units + shift), densities, rtol=1e-6)


def test_columns_may_come_in_any_order(linear_rows):
    """The optimum does not depend on labels; with several chains the search reaches it."""
    values = linear_rows(300, 6, 11)
    shuffled = np.random.default_rng(0).permutation(6)
    one = ARCS(n_chains=4, random_state=0).fit(values)
    other = ARCS(n_chains=4, random_state=0).fit(values[:, shuffled])
    assert other.score_ == pytest.approx(one.score_)


def test_without_centring_the_origin_counts(linear_rows):
    values = linear_rows(100, 4, 12) + 3.0
    centred, plain = (
        ARCS(random_state=0).fit(values),
        ARCS(center=False, random_state=0).fit(values),
    )
    assert centred.adjacency_.sum() < plain.adjacency_.sum()
    np.testing.assert_array_equal(plain.intercept_, np.zeros(4))


def test_other_inputs(tmp_path, linear_rows):
    values = linear_rows(120, 4, 13)
    expected = ARCS(random_state=0).fit(values)
    pair = ARCS(random_state=0).fit((np.cov(values.T, bias=True), 120))
    np.testing.assert_allclose(pair.coef_, expected.coef_, atol=1e-8)
    path = tmp_path / "rows.csv"
    pd.DataFrame(values, columns=list("abcd")).to_csv(path, index=False)
    for source in (path, str(path), Dataset.from_file(path)):
        model = ARCS(random_state=0).fit(source)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
        assert model.feature_names_in_.tolist() == list("abcd")


def test_what_an_error_advises_can_be_done(linear_rows):
    values = linear_rows(120, 4, 13)
    frame = pd.DataFrame(values, columns=list("abcd")).assign(note="x", flat=1.0)
    frame.loc[7, "b"] = np.nan
    advice = {"exclude": ["note"], "missing": "drop", "constant": "drop"}
    with pytest.raises(DataError, match=r"exclude=\['note'\]"):
        ARCS().fit(frame)
    model = ARCS(random_state=0).fit(frame, **advice)
    clean = ARCS(random_state=0).fit(np.delete(values, 7, axis=0))
    np.testing.assert_array_equal(model.adjacency_[:4, :4], clean.adjacency_)
    assert model.feature_names_in_.tolist() == [*"abcd", "flat"]
    assert learner("ges").fit(frame, **advice).dag.names == (*"abcd", "flat")
    with_gap = values.copy()
    with_gap[7, 1] = np.nan
    with pytest.raises(DataError, match="missing='drop'"):
        ARCS().fit(with_gap)
    dropped = ARCS(random_state=0).fit(with_gap, missing="drop")
    np.testing.assert_array_equal(dropped.adjacency_, clean.adjacency_)
    for read_before in (Dataset.of(values), (np.cov(values.T), 120)):
        with pytest.raises(DataError, match="missing: this is about reading rows"):
            ARCS().fit(read_before, missing="drop")
        with pytest.raises(DataError, match="missing: this is about reading rows"):
            learner("ges").fit(read_before, missing="drop")
    for fit in (ARCS().fit, learner("ges").fit):
        with pytest.raises(TypeError, match="unexpected keyword argument 'center'"):
            fit(values, center=False)  # a setting of the estimator; it must not be lost silently


def test_the_callers_data_are_left_alone(experiment):
    values, mask = experiment(80, 4, 14)
    before, mask_before = values.copy(), mask.copy()
    ARCS(random_state=0).fit(values, interventions=mask)
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(mask, mask_before)


@pytest.mark.parametrize(
    "seed",
    [3, np.int64(3), np.random.RandomState(3), np.random.default_rng(3), None],
    ids=["int", "int64", "RandomState", "Generator", "None"],
)
def test_all_kinds_of_seeds(linear_rows, seed):
    assert ARCS(random_state=seed).fit(linear_rows(60, 4, 15)).n_features_in_ == 4


def test_progress_goes_to_standard_error_only_if_asked(linear_rows, capsys):
    values = linear_rows(60, 4, 16)
    ARCS(random_state=0).fit(values)
    assert capsys.readouterr() == ("", "")
    ARCS(random_state=0, verbose=1).fit(values)
    out, errors = capsys.readouterr()
    assert out == ""
    assert "best" in errors


def test_warnings_name_the_line_of_the_caller():
    values = np.random.default_rng(0).standard_t(2, size=(60, 4))
    for fit in (ARCS(random_state=0).fit, learner("hc").fit):
        with pytest.warns(DataWarning) as told:
            fit(values)
        assert {warning.filename for warning in told} == {__file__}
