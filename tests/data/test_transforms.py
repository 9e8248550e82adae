"""Scales of variables: words, ranks within conditions, and the look at shapes."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from arcs import ARCS
from arcs.data import Dataset
from arcs.data.transforms import (
    has_far_cells,
    looks_transformed,
    normal_scores,
    parse_transforms,
    shape_of,
)
from arcs.errors import DataError, SettingsError
from arcs.knowledge import Knowledge
from arcs.learners import learner
from arcs.learners.conditions import learn_with_conditions
from arcs.learners.transforms import needs_notably_more

NAMES = ("raf", "mek", "akt")


@pytest.fixture
def positive():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(400, 3))
    base[:, 1] += 0.8 * base[:, 0]
    return pd.DataFrame(np.exp(base), columns=NAMES)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ("none", None),
        ("auto", "auto"),
        ("log", ("log",) * 3),
        ("log:raf,mek", ("log", "log", "none")),
        ("log:raf; normal-scores: akt", ("log", "none", "normal-scores")),
        ({"mek": "log"}, ("none", "log", "none")),
    ],
)
def test_words(given, expected):
    assert parse_transforms(given, NAMES) == expected


def test_what_is_not_a_word_is_refused():
    with pytest.raises(SettingsError, match="must be one of"):
        parse_transforms("sqrt", NAMES)
    with pytest.raises(DataError, match="did you mean 'raf'"):
        parse_transforms("log:raff", NAMES)
    with pytest.raises(SettingsError, match="names no columns"):
        parse_transforms("log:", NAMES)
    with pytest.raises(SettingsError, match="a word or a mapping"):
        parse_transforms(3, NAMES)


def test_logarithms_of_what_is_not_positive_are_refused(positive):
    positive.loc[[1, 4], "mek"] = 0.0
    with pytest.raises(DataError, match=r"'mek' \(2\)"):
        Dataset.of(positive, transform="log")


def test_logarithms_in_memory_and_in_chunks(positive, tmp_path):
    positive.to_csv(tmp_path / "rows.csv", index=False)
    whole = Dataset.of(positive, transform="log:raf,mek")
    np.testing.assert_array_equal(whole.values[:, :2], np.log(positive.to_numpy()[:, :2]))
    parts = Dataset.from_file(
        tmp_path / "rows.csv", transform="log:raf,mek", in_memory=False, chunk_rows=50
    )
    np.testing.assert_allclose(parts.statistics().gram(0), whole.statistics().gram(0), atol=1e-12)
    with pytest.raises(DataError, match="only transform='log' is possible"):
        Dataset.from_file(tmp_path / "rows.csv", transform="auto", in_memory=False)


def test_scores_depend_on_ranks_only_and_keep_holes():
    values = np.random.default_rng(1).normal(size=(50, 2))
    np.testing.assert_allclose(normal_scores(np.exp(values)), normal_scores(values))
    np.testing.assert_allclose(
        np.sort(normal_scores(values)[:, 0]), stats.norm.ppf((np.arange(50) + 0.5) / 50)
    )
    values[3, 1] = np.nan
    scores = normal_scores(values)
    assert np.isnan(scores[3, 1])
    assert np.isfinite(scores).sum() == 99


def test_conditions_keep_their_shifts():
    rng = np.random.default_rng(2)
    code = np.repeat([0, 1], 500)
    values = rng.normal(size=(1000, 1)) + 3.0 * code[:, None]
    scores = normal_scores(values, code)
    gap = scores[code == 1].mean() - scores[code == 0].mean()
    assert gap == pytest.approx(3, abs=0.3)
    assert scores[code == 1].std() == pytest.approx(1, abs=0.05)


def test_gaussian_rows_look_as_they_should():
    rng = np.random.default_rng(3)
    assert not any(looks_transformed(rng.normal(size=(n, 8))) for n in (30, 100, 1000) * 5)
    assert looks_transformed(np.exp(rng.normal(size=(200, 8))))
    assert looks_transformed(rng.standard_t(2, size=(500, 8)))


def test_the_rule_takes_scores_of_transformed_variables(positive):
    found = ARCS(random_state=0).fit(positive, transform="auto").result_
    assert found.preparation["transform"]["kinds"] == {"normal-scores": list(NAMES)}
    assert "coefficients and effects are on that scale" in found.preparation["sentences"][0]
    plain = ARCS(random_state=0).fit(np.log(positive), transform="auto").result_
    assert "kinds" not in plain.preparation["transform"]
    again = Dataset.of(positive, transform="auto").decided(found.preparation)
    assert again.transform == ("normal-scores",) * 3


def test_the_rule_leaves_linear_models_with_skewed_noise_alone():
    rng = np.random.default_rng(4)
    noise = np.exp(rng.normal(size=(3000, 4)))
    for v in range(1, 4):
        noise[:, v] += 0.8 * noise[:, v - 1]
    found = ARCS(random_state=0).fit(noise, transform="auto").result_
    assert "kinds" not in found.preparation["transform"]
    assert "squares of parents pay" in found.preparation["transform"]["reason"]


def test_variables_as_they_are_are_not_tried_where_scores_bend_nothing(positive, monkeypatch):
    """Outlying rows make a thicket of them, which would take the time that scores need."""
    tried: list[object] = []

    def counted(learner, dataset, statistics, watch):
        tried.append(dataset.transform)
        return learn_with_conditions(learner, dataset, statistics, watch)

    monkeypatch.setattr("arcs.learners.transforms.learn_with_conditions", counted)
    found = ARCS(random_state=0).fit(positive, transform="auto").result_
    assert tried == [("normal-scores",) * 3]
    assert "% of the edges as normal scores" in found.preparation["transform"]["reason"]


def test_a_least_share_of_variance():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(20_000, 3))
    values[:, 1] += 0.05 * values[:, 0]
    values[:, 2] += 0.5 * values[:, 1]
    assert ARCS(random_state=0).fit(values).adjacency_.sum() == 2
    model = ARCS(random_state=0, min_r2=0.01).fit(values)
    assert model.adjacency_.sum() == 1
    assert model.penalty_["min_r2"] == 0.01
    (said,) = model.result_.preparation["sentences"]
    assert said.startswith("Edges that explain less than 1 % of")
    with pytest.raises(SettingsError, match="min_r2"):
        ARCS(min_r2=1.5).fit(values)


@pytest.mark.filterwarnings("error")
def test_shapes_of_constant_empty_and_huge_columns_are_finite():
    rng = np.random.default_rng(0)
    skewed = rng.exponential(size=300)
    columns = [skewed, 1e90 * skewed, 1e-200 * skewed, np.full(300, 7.0), np.full(300, np.nan)]
    values = np.column_stack(columns)
    values[3, 0] = np.inf
    code = np.arange(300) % 2
    for groups in (None, code):
        skewness, kurtosis = shape_of(values, groups)
        assert np.isfinite(skewness).all()
        assert np.isfinite(kurtosis).all()
        np.testing.assert_allclose(skewness[[0, 2]], skewness[1], rtol=0.1)
        assert skewness[3] == kurtosis[4] == 0
    assert looks_transformed(values[:, :3])


def test_single_wild_cells_are_seen():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 20))
    code = np.repeat([0, 1], 50)
    assert not has_far_cells(rows)
    assert not has_far_cells(rows + 30.0 * code[:, None], code)
    wild = rng.random(rows.shape) < 0.005
    assert not looks_transformed(np.where(wild, 9.0, rows))
    assert has_far_cells(np.where(wild, 9.0, rows))
    rows[:, 0] = np.nan
    assert not has_far_cells(np.where(wild, np.nan, rows))


def test_scores_of_columns_that_a_condition_lacks(recwarn):
    """Nothing is known there, and nothing is said about it; no rows are no problem."""
    values = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 1.0], [4.0, 5.0]])
    found = normal_scores(values, np.array([0, 0, 1, 1]))
    assert np.isnan(found[:2, 1]).all()
    assert np.isfinite(found[:, 0]).all()
    assert normal_scores(values[:0], np.empty(0, int)).shape == (0, 2)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("edges", "others", "more"),
    [(28, 26, False), (29, 26, True), (404, 400, False), (405, 400, True)],
)
def test_one_graph_needs_notably_more_edges_than_another(edges, others, more):
    assert needs_notably_more(edges, others) is more


@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_skewed_noise_among_many_variables_is_scored_although_that_bends():
    """Log-normal noise: chance makes edges between heavy tails long before a bend does."""
    rng = np.random.default_rng(2)
    n, p = 300, 80
    sign = rng.choice([-1, 1], (p, p))
    coefficients = np.triu(sign * rng.uniform(0.3, 0.8, (p, p)) * (rng.random((p, p)) < 3 / p), 1)
    rows = np.exp(rng.normal(size=(n, p))) @ np.linalg.inv(np.eye(p) - coefficients)
    raw, found = (ARCS(random_state=0).fit(rows, transform=t).result_ for t in ("none", "auto"))
    assert found.preparation["transform"]["kinds"] == {"normal-scores": list(found.names)}
    assert "edges are needed in place of" in found.preparation["transform"]["reason"]
    assert found.n_edges < raw.n_edges


@pytest.mark.parametrize("method", ["arcs", "listen", "ges"])
@pytest.mark.filterwarnings("error:Mean of empty slice")
@pytest.mark.filterwarnings("ignore::arcs.errors.DataWarning")
def test_a_variable_that_was_set_in_every_row_has_no_rows_to_bend(method):
    """Methods without interventions have all rows; others have none for a required edge."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 4))
    rows[:, 0] += rows[:, 1]
    mask = np.zeros(rows.shape, bool)
    mask[:, 0] = True
    settings = {"knowledge": Knowledge(required=[(1, 0)])} if method == "arcs" else {}
    design = {"interventions": mask, "transform": "auto"}
    result = learner(method, **settings).fit(np.exp(3 * rows), **design)
    assert result.dag.adjacency[1, 0] or result.dag.adjacency[0, 1]
    if not result.intervened:
        alone = learner(method).fit(np.exp(3 * rows), transform="auto")
        assert result.preparation["transform"] == alone.preparation["transform"]
